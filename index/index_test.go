package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"emend/internal/workspace"
)

func TestEntries(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a.go package a\n", "data x\x00y", "text no extension\n", "pic.PNG not really", ".env KEY=1\n", "empty", "sub/b.go", "Z.go")
	plant(t, dir, "big.txt "+strings.Repeat("x", LargeSize+1))
	ix := New(workspace.NewRoots(dir), Options{})
	files, err := ix.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		s := f.Rel
		if f.Binary {
			s += " binary"
		}
		if f.Large {
			s += " large"
		}
		if f.Sensitive {
			s += " sensitive"
		}
		if f.Path != workspace.Key(filepath.Join(dir, filepath.FromSlash(f.Rel))) || f.Modified.IsZero() {
			t.Errorf("%+v", f)
		}
		got = append(got, s)
	}
	want := ".env sensitive|Z.go|a.go|big.txt large|data binary|empty|pic.PNG binary|text|sub/b.go"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if files[2].Size != int64(len("package a\n")) {
		t.Errorf("size %d", files[2].Size)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	plant(t, out, "secret.txt needle\n", "sub/s.txt needle\n", ".gitignore *.txt\n")
	plant(t, dir, "a.txt needle\n", "real/b.txt needle\n", "swap/c.txt needle\n", "swap/d.txt needle\n")
	links := map[string]string{
		"file": filepath.Join(out, "secret.txt"), "dir": out, "inner": "real", "loop": ".", ".gitignore": filepath.Join(out, ".gitignore"),
		"dangling": "nowhere", "real/up": "..",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	ix := New(workspace.NewRoots(dir), Options{})
	if got := strings.Join(listed(t, ix), " "); got != "a.txt real/b.txt swap/c.txt swap/d.txt" {
		t.Errorf("got %s", got)
	}
	// What turns into a link after the walk is not read either.
	if err := errors.Join(
		os.RemoveAll(filepath.Join(dir, "real")), os.Symlink(out, filepath.Join(dir, "real")),
		os.Rename(filepath.Join(out, "sub", "s.txt"), filepath.Join(out, "b.txt")),
		os.Remove(filepath.Join(dir, "swap", "c.txt")), os.Symlink(filepath.Join(out, "secret.txt"), filepath.Join(dir, "swap", "c.txt")),
	); err != nil {
		t.Fatal(err)
	}
	found, _, err := ix.Grep(t.Context(), nil, Query{Pattern: "needle"})
	if err != nil {
		t.Fatal(err)
	}
	if s := show(found); s != "a.txt:1:1:needle swap/d.txt:1:1:needle" {
		t.Errorf("got %s", s)
	}
}

func TestInvalidate(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a.txt", "sub/b.txt", "sub/deep/c.txt", "gone/d.txt")
	ix := New(workspace.NewRoots(dir), Options{})
	at := func(name string) workspace.Path {
		return workspace.Path(filepath.Join(ix.roots.Dirs()[0], filepath.FromSlash(name)))
	}
	first, err := ix.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := ix.Files(t.Context())
	if err != nil || &first[0] != &again[0] {
		t.Errorf("the list was made twice (%v)", err)
	}
	for _, step := range []struct {
		change func() error
		paths  []string
		want   string
	}{
		{func() error { return nil }, nil, "a.txt gone/d.txt sub/b.txt sub/deep/c.txt"},
		{func() error { plant(t, dir, "sub/new.txt"); return nil }, nil, "a.txt gone/d.txt sub/b.txt sub/deep/c.txt"},
		{func() error { return nil }, []string{"sub/new.txt"}, "a.txt gone/d.txt sub/b.txt sub/deep/c.txt sub/new.txt"},
		{func() error { return os.Remove(string(at("sub/b.txt"))) }, []string{"sub/b.txt"}, "a.txt gone/d.txt sub/deep/c.txt sub/new.txt"},
		{func() error { return os.RemoveAll(string(at("gone"))) }, []string{"gone"}, "a.txt sub/deep/c.txt sub/new.txt"},
		{func() error { plant(t, dir, "n/e/w/x.txt", "n/y.txt"); return nil }, []string{"n/e/w/x.txt"}, "a.txt n/e/w/x.txt n/y.txt sub/deep/c.txt sub/new.txt"},
		{func() error { return os.Rename(string(at("sub")), string(at("moved"))) }, []string{"sub", "moved"}, "a.txt moved/deep/c.txt moved/new.txt n/e/w/x.txt n/y.txt"},
		{func() error { plant(t, dir, "n/.gitignore e\n"); return nil }, []string{"n/.gitignore"}, "a.txt moved/deep/c.txt moved/new.txt n/.gitignore n/y.txt"},
		{func() error { return os.Remove(string(at("n/.gitignore"))) }, []string{"n/.gitignore"}, "a.txt moved/deep/c.txt moved/new.txt n/e/w/x.txt n/y.txt"},
		{func() error { plant(t, dir, "Cargo.toml", "target/x"); return nil }, []string{"target/x", "Cargo.toml"}, "Cargo.toml a.txt moved/deep/c.txt moved/new.txt n/e/w/x.txt n/y.txt"},
		{func() error { return nil }, []string{"/elsewhere/x", "untitled:1"}, "Cargo.toml a.txt moved/deep/c.txt moved/new.txt n/e/w/x.txt n/y.txt"},
	} {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		for _, p := range step.paths {
			if filepath.IsAbs(p) || strings.Contains(p, ":") {
				ix.Invalidate(workspace.Path(p))
			} else {
				ix.Invalidate(at(p))
			}
		}
		if got := strings.Join(listed(t, ix), " "); got != step.want {
			t.Errorf("after %v\ngot  %s\nwant %s", step.paths, got, step.want)
		}
	}
	plant(t, dir, "unseen.txt")
	ix.Refresh()
	if got := listed(t, ix); got[len(got)-1] != "unseen.txt" {
		t.Errorf("Refresh missed unseen.txt: %q", got)
	}
	if len(first) != 4 || first[0].Rel != "a.txt" {
		t.Error("a list that was handed out changed")
	}
}

func TestRootsOfAllKinds(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "one/a.txt", "one/inner/b.txt", "two/c.txt")
	j := func(s string) string { return filepath.Join(dir, filepath.FromSlash(s)) }
	ix := New(workspace.NewRoots(j("one"), j("one/inner"), j("two"), j("missing")), Options{})
	if got := strings.Join(listed(t, ix), " "); got != "inner/b.txt one/a.txt two/c.txt" {
		t.Errorf("got %s", got)
	}
	for _, f := range must2(t, ix) {
		if rel := ix.roots.Rel(f.Path); rel != f.Rel {
			t.Errorf("%s is shown as %s", rel, f.Rel)
		}
	}
	plant(t, dir, "missing/d.txt")
	ix.Refresh()
	if got := strings.Join(listed(t, ix), " "); got != "inner/b.txt missing/d.txt one/a.txt two/c.txt" {
		t.Errorf("got %s", got)
	}
	if files, err := New(workspace.Roots{}, Options{}).Files(t.Context()); err != nil || len(files) != 0 {
		t.Errorf("no roots: %v, %v", files, err)
	}
}

func must2(t *testing.T, ix *Index) []Entry {
	t.Helper()
	files, err := ix.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestFilesCancelled(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a.txt x\n", "b/c.txt x\n")
	ix := New(workspace.NewRoots(dir), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ix.Files(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := ix.Find(ctx, "a", 5); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, more, err := ix.Grep(ctx, nil, Query{Pattern: "x"}); !errors.Is(err, context.Canceled) || !more {
		t.Errorf("got %v", err)
	}
	if got := strings.Join(listed(t, ix), " "); got != "a.txt b/c.txt" {
		t.Errorf("afterwards %s", got)
	}
	if _, more, err := ix.Grep(ctx, nil, Query{Pattern: "x"}); !errors.Is(err, context.Canceled) || !more {
		t.Errorf("with a list: %v", err)
	}
}

func TestIndexConcurrently(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a.txt needle\n", "b/c.txt needle\n", "b/d/e.txt needle\n")
	ix := New(workspace.NewRoots(dir), Options{})
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for range 20 {
				if n == 0 {
					ix.Invalidate(workspace.Key(filepath.Join(dir, "b", "c.txt")))
					continue
				}
				found, more, err := ix.Grep(t.Context(), nil, Query{Pattern: "needle"})
				if err != nil || more || len(found) != 3 {
					t.Errorf("%d found, %v", len(found), err)
				}
			}
		})
	}
	wg.Wait()
}

func TestUnreadableFolder(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a.txt", "shut/b.txt")
	shut := filepath.Join(dir, "shut")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.Chmod(shut, 0o755); err != nil {
			t.Error(err)
		}
	}()
	if _, err := os.ReadDir(shut); err == nil {
		t.Skip("permissions do not count for this user")
	}
	if got := strings.Join(listed(t, New(workspace.NewRoots(dir), Options{})), " "); got != "a.txt" {
		t.Errorf("got %s", got)
	}
}
