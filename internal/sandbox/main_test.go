package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"emend/internal/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tempRoot makes a folder with the given files; a name that ends in "/" is a
// folder, a content that begins with "-> " a symbolic link.
func tempRoot(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "ws")
	must(t, os.Mkdir(root, 0o755))
	for name, text := range files {
		write(t, root, name, text)
	}
	return root
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(name))
	if strings.HasSuffix(name, "/") {
		must(t, os.MkdirAll(full, 0o755))
		return
	}
	must(t, os.MkdirAll(filepath.Dir(full), 0o755))
	if target, ok := strings.CutPrefix(text, "-> "); ok {
		must(t, os.Symlink(target, full))
		return
	}
	must(t, os.WriteFile(full, []byte(text), 0o644))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newBox makes a Box of cfg in a folder of the test.
func newBox(t *testing.T, cfg Config) *Box {
	t.Helper()
	cfg.Parent = filepath.Join(t.TempDir(), "scratch")
	b, err := New(t.Context(), cfg)
	must(t, err)
	t.Cleanup(func() {
		must(t, b.Close())
		if _, err := os.Lstat(b.Dir()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the copy is still there after Close: %v", err)
		}
	})
	return b
}

// shell runs a script in the box's root.
func shell(t *testing.T, b *Box, script string) Result {
	t.Helper()
	needShell(t)
	res, err := b.Run(t.Context(), Command{Args: []string{"sh", "-c", script}})
	must(t, err)
	return res
}

func needShell(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh on windows")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is missing: ", err)
	}
}

// file returns an open document as a snapshot would.
func file(root, name, text string) *workspace.File {
	return &workspace.File{
		Path: workspace.Path(filepath.Join(root, filepath.FromSlash(name))), Exists: true, Open: true,
		Text: text, Hash: hashOf(text),
	}
}

// dump lists a tree: mode, size, content of every entry, and modification
// times of files.
func dump(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		b.WriteString(info.Mode().String() + " " + filepath.ToSlash(rel))
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
			b.WriteString(" " + info.ModTime().String() + " " + string(data))
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			b.WriteString(" -> " + target)
		}
		b.WriteString("\n")
		return nil
	})
	must(t, err)
	return b.String()
}

// background returns a context that ends with the test, and its cancel.
func background(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}
