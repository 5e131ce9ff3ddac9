package chatdoc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestWriteReview(t *testing.T) {
	root := t.TempDir()
	for _, diff := range []string{"--- a\n+++ b\n", "shorter\n", ""} {
		path, err := WriteReview(root, "prop-1", diff)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(root, ".emend", "review", "prop-1.diff"); path != want || path != ReviewPath(root, "prop-1") {
			t.Errorf("path %s, want %s", path, want)
		}
		if got := read(t, path); got != diff {
			t.Errorf("got %q, want %q", got, diff)
		}
	}
	if got := read(t, filepath.Join(root, ".emend", "review", ".gitignore")); got != "*\n" {
		t.Errorf(".gitignore is %q", got)
	}
	if _, err := os.Lstat(filepath.Join(root, ".emend", ".gitignore")); err == nil {
		t.Error(".emend itself is ignored, and with it its settings")
	}
	checkNames(t, root, ".gitignore", "prop-1.diff")
	for range 2 {
		if err := RemoveReview(root, "prop-1"); err != nil {
			t.Error(err)
		}
	}
	checkNames(t, root, ".gitignore")
	if err := RemoveReview(t.TempDir(), "prop-1"); err != nil {
		t.Errorf("nothing to remove: %v", err)
	}
}

func TestPersonsIgnoreFileStays(t *testing.T) {
	root := t.TempDir()
	own := filepath.Join(root, ".emend", "review", ".gitignore")
	if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, []byte("!*.diff\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteReview(root, "p", "x"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, own); got != "!*.diff\n" {
		t.Errorf("got %q", got)
	}
}

func TestBadIDs(t *testing.T) {
	root := t.TempDir()
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, "a\x00", ".hidden", "a b", "ä", "c:d", strings.Repeat("x", 101)} {
		if _, err := WriteReview(root, id, "x"); !errors.Is(err, ErrBadID) {
			t.Errorf("wrote %q: %v", id, err)
		}
		if err := RemoveReview(root, id); !errors.Is(err, ErrBadID) {
			t.Errorf("removed %q: %v", id, err)
		}
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestLinksAreRefused(t *testing.T) {
	for name, lay := range map[string]func(root, out string) error{
		"folder is a link out":     func(root, out string) error { return os.Symlink(out, filepath.Join(root, ".emend")) },
		"folder is a link inside":  func(root, _ string) error { return os.Symlink("src", filepath.Join(root, ".emend")) },
		"folder is a dangling one": func(root, out string) error { return os.Symlink(out+"/none", filepath.Join(root, ".emend")) },
		"folder is a file":         func(root, _ string) error { return os.WriteFile(filepath.Join(root, ".emend"), nil, 0o644) },
		"review is a link out": func(root, out string) error {
			return errors.Join(os.Mkdir(filepath.Join(root, ".emend"), 0o755), os.Symlink(out, filepath.Join(root, ".emend", "review")))
		},
	} {
		root, out := t.TempDir(), t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "src"), 0o755); err != nil {
			t.Fatal(err)
		}
		victim := filepath.Join(out, "p.diff")
		if err := os.WriteFile(victim, []byte("theirs"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := lay(root, out); err != nil {
			t.Skip("no symbolic links here:", err)
		}
		if path, err := WriteReview(root, "p", "x"); !errors.Is(err, ErrUnsafe) || path != "" {
			t.Errorf("%s: wrote %s, %v", name, path, err)
		}
		if err := RemoveReview(root, "p"); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s: removed, %v", name, err)
		}
		if got := read(t, victim); got != "theirs" {
			t.Errorf("%s: what is outside became %q", name, got)
		}
		if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 {
			t.Errorf("%s: outside are %v, %v", name, entries, err)
		}
	}
}

func TestLinkInPlaceOfDocumentIsReplaced(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	path, err := WriteReview(root, "p", "x")
	if err != nil {
		t.Fatal(err)
	}
	victim := filepath.Join(out, "victim")
	if err := os.WriteFile(victim, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), os.Symlink(victim, path)); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if _, err := WriteReview(root, "p", "mine"); err != nil {
		t.Fatal(err)
	}
	if read(t, victim) != "theirs" || read(t, path) != "mine" {
		t.Error("the link was followed")
	}
}

func TestErrorsLeaveNothing(t *testing.T) {
	root := t.TempDir()
	if _, err := WriteReview(filepath.Join(root, "none"), "p", "x"); err == nil {
		t.Error("wrote below a folder that is not there")
	}
	path, err := WriteReview(root, "p", "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "full"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteReview(root, "p", "x"); err == nil {
		t.Error("wrote over a folder")
	}
	checkNames(t, root, ".gitignore", "p.diff")
}

func TestConcurrentWrites(t *testing.T) {
	root := t.TempDir()
	var wg sync.WaitGroup
	for _, text := range []string{"a", "b", "c", "d"} {
		wg.Go(func() {
			for range 10 {
				path, err := WriteReview(root, "p", strings.Repeat(text, 1000))
				if err != nil {
					t.Error(err)
					return
				}
				data, err := os.ReadFile(path)
				if err != nil || len(data) != 1000 || strings.Trim(string(data), string(data[:1])) != "" {
					t.Errorf("%d bytes, %v", len(data), err)
				}
			}
		})
	}
	wg.Wait()
	checkNames(t, root, ".gitignore", "p.diff")
}

func FuzzID(f *testing.F) {
	for _, id := range []string{"prop-1", "../x", "a/b", ".x", ""} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if checkID(id) != nil {
			return
		}
		if dir := filepath.Dir(ReviewPath("/root", id)); dir != filepath.Join("/root", ".emend", "review") {
			t.Fatalf("%q is in %s", id, dir)
		}
	})
}

func checkNames(t *testing.T, root string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, ".emend", "review"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("there are %q, want %q", got, want)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
