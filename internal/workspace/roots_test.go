package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// jail makes a root with links of every kind, beside a folder that is outside.
func jail(t *testing.T) (r Roots, dir, outside string) {
	t.Helper()
	base := string(Key(t.TempDir()))
	dir, outside = filepath.Join(base, "root"), filepath.Join(base, "out")
	mkdir(t, base, "root-evil")
	write(t, base, "root-evil/x", "secret")
	write(t, outside, "secret.txt", "secret")
	write(t, dir, "a.go", "package a\n")
	write(t, dir, "sub/b.go", "package b\n")
	write(t, dir, ".git/config", "[core]\n")
	write(t, dir, ".emend/config.toml", "\n")
	write(t, dir, ".gitignore", "x\n")
	link(t, outside, filepath.Join(dir, "outdir"))
	link(t, filepath.Join(outside, "secret.txt"), filepath.Join(dir, "outfile"))
	link(t, filepath.Join(outside, "nothing"), filepath.Join(dir, "dangling"))
	link(t, "../out/secret.txt", filepath.Join(dir, "relative"))
	link(t, "sub", filepath.Join(dir, "insub"))
	link(t, ".git", filepath.Join(dir, "gitlink"))
	link(t, "selfloop", filepath.Join(dir, "selfloop"))
	return NewRoots(dir), dir, outside
}

func TestResolve(t *testing.T) {
	r, dir, outside := jail(t)
	for _, name := range []string{
		"", "\x00", "a\x00.go", "..", "../out/secret.txt", "sub/../../out/secret.txt", "sub/../a.go", "a/..",
		outside, filepath.Join(outside, "secret.txt"), dir + "-evil/x", "file://" + filepath.ToSlash(outside) + "/secret.txt",
		"file://", "file://" + filepath.ToSlash(dir) + "/../out/secret.txt", "file://" + filepath.ToSlash(dir) + "/%2e%2e/out/secret.txt",
		"outdir", "outdir/secret.txt", "outdir/new.txt", "outfile", "dangling", "dangling/x", "relative", "selfloop", "selfloop/x",
		".git", ".git/config", ".GIT/config", ".git./config", ".git /config", "sub/.git/hooks/pre-commit", "git~1/config",
		".g\u200cit/config", ".git::$INDEX_ALLOCATION/config", "gitlink/config", ".hg/hgrc", ".svn/entries",
		".emend/config.toml", ".emend", ".Emend/x", dir + "/.git/config", "file://" + filepath.ToSlash(dir) + "/.git/config",
		"/etc/passwd",
	} {
		p, err := r.Resolve(name)
		var out *OutsideError
		if !errors.As(err, &out) {
			t.Errorf("Resolve(%q) = %q, %v; want an OutsideError", name, p, err)
		} else if out.Name != name || out.Reason == "" || p != "" {
			t.Errorf("Resolve(%q) = %q, %+v", name, p, out)
		}
	}
	for name, want := range map[string]string{
		"a.go": "a.go", "./a.go": "a.go", "sub//b.go": "sub/b.go", "insub/b.go": "sub/b.go", "insub/new.go": "sub/new.go",
		"new/dir/c.go": "new/dir/c.go", ".gitignore": ".gitignore", ".github/x.yml": ".github/x.yml", "...": "...", "a..b": "a..b",
		dir + "/a.go": "a.go", "file://" + filepath.ToSlash(dir) + "/a.go": "a.go", ".": ".", dir: ".", "sub": "sub",
		"x.git/config": "x.git/config", " .env": " .env",
	} {
		p, err := r.Resolve(name)
		if err != nil {
			t.Errorf("Resolve(%q): %v", name, err)
			continue
		}
		if rel := r.Rel(p); rel != want {
			t.Errorf("Rel(Resolve(%q)) = %q, want %q", name, rel, want)
		}
	}
	if _, err := (Roots{}).Resolve("a.go"); err == nil {
		t.Error("no roots admit a name")
	}
}

func TestRootNamedThroughLink(t *testing.T) {
	base := string(Key(t.TempDir()))
	write(t, base, "real/a.go", "x")
	link(t, "real", filepath.Join(base, "way"))
	r := NewRoots(filepath.Join(base, "way"))
	if got := r.Dirs()[0]; got != filepath.Join(base, "real") {
		t.Fatalf("root is %s", got)
	}
	for _, dir := range []string{"way", "real"} {
		p, err := r.Resolve(filepath.Join(base, dir, "a.go"))
		if err != nil || r.Rel(p) != "a.go" {
			t.Errorf("%s: %q, %v", dir, p, err)
		}
	}
}

func TestSeveralRoots(t *testing.T) {
	base := string(Key(t.TempDir()))
	web := write(t, base, "x/web/a.ts", "x")
	inner := write(t, base, "x/web/api/b.go", "x")
	api := write(t, base, "y/api/c.go", "x")
	other := write(t, base, "z/api/d.go", "x")
	j := func(s string) string { return filepath.Join(base, filepath.FromSlash(s)) }
	r := NewRoots(j("x/web"), j("y/api"), j("y/api"), "", j("z/api"))
	if n := len(r.Dirs()); n != 3 {
		t.Fatalf("%d roots", n)
	}
	for p, want := range map[Path]string{
		web: "web/a.ts", inner: "web/api/b.go", api: "api/c.go", other: "api-2/d.go",
		Path(j("x/web")): "web", Path(j("elsewhere/e.go")): "e.go", "untitled:U": "U",
	} {
		if got := r.Rel(p); got != want {
			t.Errorf("Rel(%q) = %q, want %q", p, got, want)
		}
		if _, in := r.Of(p); in {
			if back, err := r.Resolve(want); err != nil || back != p {
				t.Errorf("Resolve(%q) = %q, %v; want %q", want, back, err, p)
			}
		}
	}
	// What exists wins over a root's name; what does not goes to the named root.
	for name, want := range map[string]Path{
		"api/b.go": inner, "d.go": other, "api/new.go": Path(j("y/api/new.go")), "new.go": Path(j("x/web/new.go")),
	} {
		if got, err := r.Resolve(name); err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	nested := NewRoots(base, j("y/api"))
	if dir, ok := nested.Of(api); !ok || dir != j("y/api") {
		t.Errorf("the innermost root of %s is %s", api, dir)
	}
}

func TestRootOfTheDisk(t *testing.T) {
	r := NewRoots(string(filepath.Separator))
	p := Key(filepath.Join(t.TempDir(), "a.go"))
	if _, ok := r.Of(p); !ok && filepath.VolumeName(string(p)) == filepath.VolumeName(r.Dirs()[0]) {
		t.Errorf("%s is not in %v", p, r.Dirs())
	}
	if got, err := r.Resolve(r.Rel(p)); err != nil || got != p {
		t.Errorf("%q, %v", got, err)
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"a.go", "../x", "outdir/x", "insub/../../y", "file:///etc/passwd", ".git/x", "gitlink/c", "%2e%2e/x", "a\\..\\b"} {
		f.Add(s)
	}
	base := f.TempDir()
	dir := filepath.Join(base, "root")
	if err := os.MkdirAll(filepath.Join(dir, "sub", ".git"), 0o755); err != nil {
		f.Fatal(err)
	}
	for target, name := range map[string]string{base: "outdir", "sub": "insub", "sub/.git": "gitlink", "../nowhere": "dangling"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			f.Skip("no symbolic links here")
		}
	}
	r := NewRoots(dir)
	real := r.Dirs()[0]
	f.Fuzz(func(t *testing.T, name string) {
		p, err := r.Resolve(name)
		if err != nil {
			return
		}
		if !within(real, string(p)) || strings.Contains(string(p), "/../") {
			t.Fatalf("Resolve(%q) = %q", name, p)
		}
		if again, err := r.Resolve(string(p)); err != nil || again != p {
			t.Fatalf("Resolve(%q) = %q, but resolved again %q, %v", name, p, again, err)
		}
		if back, err := r.Resolve(r.Rel(p)); err != nil || back != p {
			t.Fatalf("Resolve(Rel(%q)) = %q, %v", p, back, err)
		}
	})
}

func BenchmarkKey(b *testing.B) {
	name := filepath.Join(b.TempDir(), "a", "b.go")
	for b.Loop() {
		Key(name)
	}
}
