package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"emend/internal/config"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := config.WorkspaceFile(dir)
	if want := filepath.Join(dir, ".emend", "config.toml"); path != want {
		t.Errorf("path %s, want %s", path, want)
	}
	for _, missing := range []string{"", path} {
		if l, err := config.ReadFile(missing, true); err != nil || len(l.Data) != 0 || !l.Narrow {
			t.Errorf("%q: %+v, %v", missing, l, err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("events = true"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := config.ReadFile(path, false)
	if s, _ := config.Load(l); err != nil || !s.Events {
		t.Errorf("%+v, %v", l, err)
	}
	link := filepath.Join(dir, "link.toml")
	if err := os.Symlink(path, link); err == nil {
		if l, err := config.ReadFile(link, false); err != nil || len(l.Data) == 0 {
			t.Errorf("a person's link: %+v, %v", l, err)
		}
		if l, err := config.ReadFile(link, true); err == nil || len(l.Data) != 0 {
			t.Errorf("a workspace's link: %+v, %v", l, err)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("#", 1<<20+1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if l, err := config.ReadFile(path, false); err == nil || len(l.Data) != 0 {
		t.Errorf("%d bytes, %v", len(l.Data), err)
	}
	if _, err := config.ReadFile(dir, false); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder: %v", err)
	}
}

func TestUserFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	if got, want := config.UserFile(), filepath.Join(home, "emend", "config.toml"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if runtime.GOOS == "windows" {
		t.Skip("the rest is of Unix")
	}
	t.Setenv("HOME", home)
	for _, unset := range []string{"", "relative"} {
		t.Setenv("XDG_CONFIG_HOME", unset)
		if got, want := config.UserFile(), filepath.Join(home, ".config", "emend", "config.toml"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	t.Setenv("HOME", "")
	if got := config.UserFile(); got != "" {
		t.Errorf("without a home: %s", got)
	}
}
