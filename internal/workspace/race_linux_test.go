package workspace

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// A folder that becomes a link between the check and the writing leads nowhere.
func TestWriteRace(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hooks, sub, link := filepath.Join(dir, ".git", "hooks"), filepath.Join(dir, "sub"), filepath.Join(dir, "link")
	for _, d := range []string{hooks, sub} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(".git", "hooks"), link); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, sub, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil {
				done <- err
				return
			}
		}
	}()
	roots, wrote := NewRoots(dir), 0
	for i := range 1500 {
		p := Path(filepath.Join(sub, "hook"+strconv.Itoa(i)))
		if roots.Write(p, nil, &File{Path: p, Exists: true, Text: "x"}) == nil {
			wrote++
		}
		if entries, err := os.ReadDir(hooks); err != nil || len(entries) != 0 {
			t.Errorf("written into .git/hooks: %v %v", entries, err)
			break
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Skip("no names can be exchanged here:", err)
	}
	t.Logf("written %d times", wrote)
}
