package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFromURI(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of unix")
	}
	dir := string(Key(t.TempDir()))
	for _, tt := range []struct {
		uri  string
		want string
		file bool
	}{
		{"file://" + dir + "/a.go", dir + "/a.go", true},
		{"FILE://" + dir + "/a.go", dir + "/a.go", true},
		{"file:" + dir + "/a.go", dir + "/a.go", true},
		{"file://localhost" + dir + "/a.go", dir + "/a.go", true},
		{"file://" + dir + "/with%20space%C3%A9.go", dir + "/with spaceé.go", true},
		{"file://" + dir + "/x/../a.go", dir + "/a.go", true},
		{"file://" + dir + "/100%.txt", dir + "/100%.txt", true},
		{"file://" + dir + "/c#?.go", dir + "/c#?.go", true},
		{"untitled:Untitled-1", "untitled:Untitled-1", false},
		{"file://", "file://", false},
		{"file:///", "/", true},
		{dir + "/a.go", dir + "/a.go", true},
		{"file:a.go", "file:a.go", false},
		{"git:/x/a.go?ref", "git:/x/a.go?ref", false},
		{"", "", false},
	} {
		got := FromURI(tt.uri)
		if string(got) != tt.want || got.IsFile() != tt.file {
			t.Errorf("FromURI(%q) = %q, file %v; want %q, %v", tt.uri, got, got.IsFile(), tt.want, tt.file)
		}
		if back := FromURI(got.URI()); back != got {
			t.Errorf("FromURI(%q.URI()) = %q", got, back)
		}
	}
}

func TestWindowsName(t *testing.T) {
	for _, tt := range [][3]string{
		{"", "/c:/x/a.go", "C:/x/a.go"},
		{"localhost", "/D:/a.go", "D:/a.go"},
		{"server", "/share/a.go", "//server/share/a.go"},
	} {
		if got := filepath.ToSlash(windowsName(tt[0], tt[1])); got != tt[2] {
			t.Errorf("windowsName(%q, %q) = %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestBase(t *testing.T) {
	for in, want := range map[Path]string{
		"untitled:Untitled-1": "Untitled-1", "vscode://x/a b": "a b", "": "", "x": "x",
		Key(filepath.Join(t.TempDir(), "a.go")): "a.go",
	} {
		if got := in.Base(); got != want {
			t.Errorf("%q.Base() = %q, want %q", in, got, want)
		}
	}
}

func TestKeyFollowsLinks(t *testing.T) {
	dir := string(Key(t.TempDir()))
	mkdir(t, dir, "real/sub")
	write(t, dir, "real/sub/f.txt", "x")
	link(t, "real", filepath.Join(dir, "way"))
	link(t, "../sub/f.txt", filepath.Join(dir, "real/sub/g.txt"))
	link(t, filepath.Join(dir, "gone/../new.txt"), filepath.Join(dir, "dangling"))
	link(t, "loop2", filepath.Join(dir, "loop1"))
	link(t, "loop1", filepath.Join(dir, "loop2"))
	for in, want := range map[string]string{
		"way/sub/f.txt":      "real/sub/f.txt",
		"way/sub/g.txt":      "real/sub/f.txt",
		"way/sub/none/x.txt": "real/sub/none/x.txt",
		"./way//sub/":        "real/sub",
		"dangling":           "new.txt",
		"loop1":              "loop1",
	} {
		got := Key(dir + string(filepath.Separator) + in)
		if want := filepath.Join(dir, filepath.FromSlash(want)); string(got) != want {
			t.Errorf("Key(%q) = %q, want %q", in, got, want)
		}
	}
}

// foldingDisk is a disk that takes upper and lower case for one.
func foldingDisk(t *testing.T, dir string, lists *int) *disk {
	find := func(name string) string {
		rel, err := filepath.Rel(dir, name)
		if err != nil || strings.HasPrefix(rel, "..") {
			return name
		}
		cur := dir
		for _, part := range parts(rel) {
			entries, err := os.ReadDir(cur)
			if err != nil {
				return name
			}
			found := part
			for _, e := range entries {
				if foldName(e.Name()) == foldName(part) {
					found = e.Name()
				}
			}
			cur = filepath.Join(cur, found)
		}
		return cur
	}
	return &disk{
		lstat:    func(name string) (fs.FileInfo, error) { return os.Lstat(find(name)) },
		readlink: func(name string) (string, error) { return os.Readlink(find(name)) },
		readDir:  func(name string) ([]fs.DirEntry, error) { *lists++; return os.ReadDir(find(name)) },
	}
}

func TestResolveOnFoldingDisk(t *testing.T) {
	dir := string(Key(t.TempDir()))
	mkdir(t, dir, "Src")
	write(t, dir, "Src/ReadMe.md", "x")
	write(t, dir, "Src/cafe\u0301.md", "x")
	lists := 0
	d := foldingDisk(t, dir, &lists)
	for range 2 {
		for in, want := range map[string]string{
			"src/README.MD":     "Src/ReadMe.md",
			"SRC/readme.md":     "Src/ReadMe.md",
			"Src/ReadMe.md":     "Src/ReadMe.md",
			"Src/New.md":        "Src/New.md",
			"src/CAF\u00c9.MD":  "Src/cafe\u0301.md",
			"SRC/new/OTHER.txt": "Src/new/OTHER.txt",
		} {
			got, err := d.resolve(filepath.Join(dir, filepath.FromSlash(in)))
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(dir, filepath.FromSlash(want)); got != want {
				t.Errorf("resolve(%q) = %q, want %q", in, got, want)
			}
		}
	}
	if lists > 8 {
		t.Errorf("folders were listed %d times", lists)
	}
}

func TestResolveTellsHardLinksFromFolding(t *testing.T) {
	dir := string(Key(t.TempDir()))
	write(t, dir, "a.txt", "x")
	if err := os.Link(filepath.Join(dir, "a.txt"), filepath.Join(dir, "A.TXT")); err != nil {
		t.Skip("no hard links, or a folding disk:", err)
	}
	if got := Key(filepath.Join(dir, "a.txt")); filepath.Base(string(got)) != "a.txt" {
		t.Errorf("got %s", got)
	}
}

func FuzzFromURI(f *testing.F) {
	for _, s := range []string{"file:///a/b", "file://h/a", "file:///%zz", "untitled:1", "file:///a%00b", "file:////x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		p := FromURI(uri)
		if p.IsFile() {
			if again := FromURI(p.URI()); again != p {
				t.Fatalf("%q → %q → %q → %q", uri, p, p.URI(), again)
			}
		}
	})
}

func mkdir(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, name, text string) Path {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	mkdir(t, filepath.Dir(full), ".")
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Key(full)
}

// link makes a symbolic link, or skips the test where that is not allowed.
func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}
