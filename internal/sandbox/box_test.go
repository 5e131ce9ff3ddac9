package sandbox

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"emend/internal/workspace"
)

func hashOf(text string) [32]byte { return sha256.Sum256([]byte(text)) }

// names lists the files and links of a box's copy with their content.
func names(t *testing.T, b *Box) []string {
	t.Helper()
	var got []string
	for line := range strings.Lines(dump(t, b.Dir())) {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(line, "-") || strings.Contains(line, " -> ") {
			got = append(got, f[1])
		}
	}
	slices.Sort(got)
	return got
}

func TestCopyPolicy(t *testing.T) {
	outside := t.TempDir()
	root := tempRoot(t, map[string]string{
		"a.go":                  "package a",
		"sub/deep/b.go":         "package b",
		".git/config":           "[core]",
		"sub/.git":              "gitdir: elsewhere",
		".emend/chat/one.md":    "chat",
		".emend/review/one.md":  "review",
		".emend/config.toml":    "x = 1",
		"target/CACHEDIR.TAG":   "Signature",
		"target/big":            "big",
		"lib/target/kept.txt":   "not a cache",
		"node_modules/x/x.js":   "x",
		"dist/out.js":           "out",
		"in":                    "-> sub/deep/b.go",
		"sub/up":                "-> ../a.go",
		"sub/out":               "-> ../../outside",
		"abs-out":               "-> " + outside,
		"through":               "-> sub/../../outside",
		"dangling":              "-> nowhere",
		"empty/":                "",
		"odd \n name 'quoted'.": "odd",
	})
	write(t, root, "abs-in", "-> "+filepath.Join(root, "a.go"))
	b := newBox(t, Config{Root: root, Exclude: []string{"**/dist"}})
	got := names(t, b)
	want := []string{
		".emend/config.toml", "a.go", "abs-in", "dangling", "in", "lib/target/kept.txt",
		"node_modules/x/x.js", "odd", "sub/deep/b.go", "sub/up",
	}
	if !slices.Equal(got, want) {
		t.Errorf("copied %q\nwant   %q", got, want)
	}
	if target, err := os.Readlink(filepath.Join(b.Dir(), "abs-in")); err != nil || target != "a.go" {
		t.Errorf("an absolute link to inside became %q, %v; want a.go", target, err)
	}
	if info, err := os.Stat(filepath.Join(b.Dir(), "empty")); err != nil || !info.IsDir() {
		t.Errorf("the empty folder was not copied: %v", err)
	}
}

func TestNothingIsLinked(t *testing.T) {
	root := tempRoot(t, map[string]string{"a": "before"})
	b := newBox(t, Config{Root: root})
	ours, err := os.Stat(filepath.Join(root, "a"))
	must(t, err)
	copied, err := os.Stat(filepath.Join(b.Dir(), "a"))
	must(t, err)
	if os.SameFile(ours, copied) {
		t.Error("the copy is the workspace's own file")
	}
	if !ours.ModTime().Equal(copied.ModTime()) {
		t.Errorf("the copy is of %v, want %v", copied.ModTime(), ours.ModTime())
	}
}

func TestOverlay(t *testing.T) {
	root := tempRoot(t, map[string]string{
		"open.txt": "stale", "changed.txt": "old", "gone.txt": "x", "from.txt": "x", "dir/f": "x", "plain.txt": "disk",
	})
	path := func(name string) workspace.Path { return file(root, name, "").Path }
	bom := file(root, "bom.txt", "text")
	bom.BOM = true
	bom.Mode = 0o755
	binary := file(root, "plain.txt", "")
	binary.Binary = true
	b := newBox(t, Config{
		Root: root,
		Open: []*workspace.File{
			file(root, "open.txt", "buffer"), file(root, "changed.txt", "buffer"), bom, binary,
			file(root, "new/deep/n.txt", "new"), file(root, "../elsewhere.txt", "outside"),
			file(root, ".emend/chat/c.md", "chat"), {Path: "untitled:1", Exists: true, Text: "x"},
		},
		Changes: []workspace.Change{
			{Path: path("changed.txt"), After: file(root, "changed.txt", "draft")},
			{Path: path("gone.txt")},
			{Path: path("to.txt"), From: path("from.txt"), After: file(root, "to.txt", "moved")},
			{Path: path("dir/f")},
			{Path: path("dir/f/now-a-folder"), After: file(root, "dir/f/now-a-folder", "y")},
		},
	})
	for name, want := range map[string]string{
		"open.txt": "buffer", "changed.txt": "draft", "gone.txt": "", "from.txt": "", "to.txt": "moved",
		"new/deep/n.txt": "new", "bom.txt": "\ufefftext", "plain.txt": "disk", "dir/f/now-a-folder": "y",
		".emend/chat/c.md": "",
	} {
		data, err := os.ReadFile(filepath.Join(b.Dir(), filepath.FromSlash(name)))
		if want == "" {
			if err == nil {
				t.Errorf("%s is there, want none", name)
			}
			continue
		}
		if err != nil || string(data) != want {
			t.Errorf("%s = %q, %v; want %q", name, data, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(b.Dir(), "..", "elsewhere.txt")); err == nil {
		t.Error("a document outside the root was written beside the copy")
	}
}

func TestUpdate(t *testing.T) {
	root := tempRoot(t, map[string]string{"a": "a1", "b": "b1", "d/x": "x", "kind": "file", "same": "same", "l": "-> a"})
	b := newBox(t, Config{Root: root, Open: []*workspace.File{file(root, "b", "b-buffer")}})
	same, err := os.Stat(filepath.Join(b.Dir(), "same"))
	must(t, err)

	// A command makes a mess: writes, removes, leaves things behind, and puts a
	// link to the workspace where a folder was.
	write(t, b.Dir(), "left/behind", "x")
	must(t, os.WriteFile(filepath.Join(b.Dir(), "a"), []byte("zz"), 0o644))
	must(t, os.RemoveAll(filepath.Join(b.Dir(), "d")))
	must(t, os.Symlink(filepath.Join(root, "d"), filepath.Join(b.Dir(), "d")))
	must(t, os.Remove(filepath.Join(b.Dir(), "b")))
	must(t, os.Link(filepath.Join(root, "b"), filepath.Join(b.Dir(), "b")))
	// And the workspace moves on.
	must(t, os.Remove(filepath.Join(root, "kind")))
	write(t, root, "kind/now", "folder")
	write(t, root, "new", "new")
	before := dump(t, root)

	must(t, b.Update(t.Context(), []*workspace.File{file(root, "d/x", "x-buffer")}, nil))
	got := dumpContents(t, b.Dir())
	want := map[string]string{"a": "a1", "b": "b1", "d/x": "x-buffer", "kind/now": "folder", "same": "same", "new": "new", "l": "a1"}
	if len(got) != len(want) {
		t.Errorf("the copy holds %v, want %v", got, want)
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s = %q, want %q", name, got[name], text)
		}
	}
	if after := dump(t, root); after != before {
		t.Errorf("Update changed the workspace:\n%s\nwas\n%s", after, before)
	}
	_ = same
}

// dumpContents reads all files below dir, through links.
func dumpContents(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for line := range strings.Lines(dump(t, dir)) {
		if strings.HasPrefix(line, "d") {
			continue
		}
		f := strings.Fields(line)
		data, err := os.ReadFile(filepath.Join(dir, f[1]))
		must(t, err)
		got[f[1]] = string(data)
	}
	return got
}

func TestUpdateKeepsWhatIsSame(t *testing.T) {
	root := tempRoot(t, map[string]string{"old": "text"})
	past := hourAgo()
	must(t, os.Chtimes(filepath.Join(root, "old"), past, past))
	b := newBox(t, Config{Root: root})
	before, err := os.Stat(filepath.Join(b.Dir(), "old"))
	must(t, err)
	must(t, b.Update(t.Context(), nil, nil))
	after, err := os.Stat(filepath.Join(b.Dir(), "old"))
	must(t, err)
	if !os.SameFile(before, after) {
		t.Error("an untouched file was copied again")
	}
}

func TestBounds(t *testing.T) {
	root := tempRoot(t, map[string]string{"a": "1234567890", "big/b": "12345678901234567890", "big/c": "1"})
	for _, tc := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"files", Config{MaxFiles: 2}, "files"},
		{"bytes", Config{MaxBytes: 25}, "bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.cfg.Root, tc.cfg.Parent = root, filepath.Join(t.TempDir(), "s")
			_, err := New(t.Context(), tc.cfg)
			var large *TooLargeError
			if !errors.As(err, &large) || large.What != tc.want || large.Largest != "big" {
				t.Fatalf("New = %v, want a TooLargeError for %s in big", err, tc.want)
			}
			if left, err := filepath.Glob(filepath.Join(tc.cfg.Parent, "*-0")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestBadConfig(t *testing.T) {
	root := tempRoot(t, nil)
	for name, cfg := range map[string]Config{
		"no such root":    {Root: filepath.Join(root, "none")},
		"scratch in root": {Root: root, Parent: filepath.Join(root, "scratch")},
		"bad pattern":     {Root: root, Exclude: []string{"[a"}},
	} {
		if b, err := New(t.Context(), cfg); err == nil {
			t.Errorf("%s: New succeeded", name)
			must(t, b.Close())
		}
	}
}

func TestReal(t *testing.T) {
	root := tempRoot(t, map[string]string{"sub/a.go": "x"})
	b := newBox(t, Config{Root: root})
	for _, tc := range []struct{ dir, name, want string }{
		{"", "sub/a.go", "sub/a.go"},
		{"", "./sub/a.go", "sub/a.go"},
		{"sub", "a.go", "sub/a.go"},
		{"sub", "../b.go", "b.go"},
		{"", filepath.Join(b.Dir(), "sub", "a.go"), "sub/a.go"},
		{"", filepath.Join(root, "sub", "a.go"), "sub/a.go"},
		{"", "../x.go", ""},
		{"", filepath.Join(b.Dir()+"x", "a.go"), ""},
		{"", "/usr/include/stdio.h", ""},
		{"", "", ""},
		{"", "a\x00b", ""},
	} {
		got, ok := b.Real(tc.dir, tc.name)
		if !ok && tc.want == "" {
			continue
		}
		if want := workspace.Path(filepath.Join(root, filepath.FromSlash(tc.want))); !ok || tc.want == "" || got != want {
			t.Errorf("Real(%q, %q) = %q, %v; want %q", tc.dir, tc.name, got, ok, tc.want)
		}
	}
}

func TestSlots(t *testing.T) {
	root := tempRoot(t, map[string]string{"a": "x"})
	parent := filepath.Join(t.TempDir(), "scratch")
	first, err := New(t.Context(), Config{Root: root, Parent: parent})
	must(t, err)
	second, err := New(t.Context(), Config{Root: root, Parent: parent})
	must(t, err)
	if first.Dir() == second.Dir() {
		t.Error("two boxes share a folder")
	}
	dir := first.Dir()
	must(t, first.Close())
	must(t, first.Close())
	if err := first.Update(t.Context(), nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Update after Close = %v, want ErrClosed", err)
	}
	third, err := New(t.Context(), Config{Root: root, Parent: parent})
	must(t, err)
	if third.Dir() != dir {
		t.Errorf("the next box is in %s, want the stable %s", third.Dir(), dir)
	}
	must(t, third.Close())
	must(t, second.Close())
}
