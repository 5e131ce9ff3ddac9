package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	roots := NewRoots(dir)
	snap := NewSnapshot(roots, Disk(nil))
	name := filepath.Join(dir, "sub", "a.txt")
	p := Key(name)
	made := &File{Path: p, Exists: true, Text: "one\n"}
	if err := roots.Write(p, nil, made); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o750); err != nil {
		t.Fatal(err)
	}
	before, err := snap.Read(t.Context(), p)
	if err != nil || !before.Exists {
		t.Fatal(before, err)
	}
	after := &File{Path: p, Exists: true, Text: "two\n", BOM: true}
	if err := roots.Write(p, before, after); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(name); string(data) != "\ufefftwo\n" {
		t.Errorf("file holds %q", data)
	}
	if info, _ := os.Stat(name); info.Mode().Perm() != 0o750 {
		t.Errorf("mode is %v", info.Mode())
	}
	var stale *StaleError
	for _, was := range []*File{before, nil} {
		if err := roots.Write(p, was, after); !errors.As(err, &stale) {
			t.Errorf("writing over another text: %v", err)
		}
	}
	now, _ := NewSnapshot(roots, Disk(nil)).Read(t.Context(), p)
	if err := roots.Write(p, now, nil); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(name)); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestWriteStaysInside(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	roots := NewRoots(dir)
	for _, name := range []string{filepath.Join(outside, "x"), filepath.Join(dir, ".git", "config")} {
		p := Path(name)
		if err := roots.Write(p, nil, &File{Path: p, Exists: true, Text: "x"}); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	p := Path(filepath.Join(dir, "link", "x"))
	if err := roots.Write(p, nil, &File{Path: p, Exists: true, Text: "x"}); err == nil {
		t.Error("a link led out")
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("written outside: %v", entries)
	}
}
