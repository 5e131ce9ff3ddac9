package index

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"emend/internal/workspace"

	"pgregory.net/rapid"
)

// gitEnv is an environment in which git knows nothing of the person.
type gitEnv struct{ home string }

func newGitEnv(t testing.TB) gitEnv {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	return gitEnv{home: t.TempDir()}
}

func (e gitEnv) vars() []string {
	return []string{"HOME=" + e.home, "GIT_CONFIG_NOSYSTEM=1", "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=" + filepath.Join(e.home, ".gitconfig")}
}

func (e gitEnv) getenv(name string) string {
	for _, v := range e.vars() {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

func (e gitEnv) run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, e.vars()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// wanted returns the files that git would add.
func (e gitEnv) wanted(t testing.TB, dir string) []string {
	out := e.run(t, dir, "ls-files", "--others", "--exclude-standard", "-z")
	names := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" || strings.HasSuffix(s, "/") })
	slices.Sort(names)
	return names
}

// listed returns the files of an index, sorted.
func listed(t testing.TB, ix *Index) []string {
	t.Helper()
	files, err := ix.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Rel)
	}
	slices.Sort(names)
	return names
}

// plant writes files; the text of one is what follows the first space.
func plant(t testing.TB, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		name, text, _ := strings.Cut(f, " ")
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIgnoreAgainstGit lists trees with awkward patterns and compares with
// what git would add.
func TestIgnoreAgainstGit(t *testing.T) {
	env := newGitEnv(t)
	names := strings.Fields(`a a.o a.c b/a b/a.o b/c/a.o b/c/d/e.txt build/x build/sub/y src/build/z src/build.txt foo/bar foo/baz/bar
		x/foo/bar foobar doc/a.txt doc/b/a.txt doc/b/c/a.pdf log/1.log log/keep.log log/deep/2.log .hidden .dir/x #hash !bang
		trail\ x sp{ace}.txt [b].txt a-b a]b a+b.(c) star*name q?mark 1x 2x ax Ax _x ünï.txt deep/1/2/3/4/5.txt deep/1/2/x.tmp
		Target/A target/b ab abc a/../keep`)
	names = slices.DeleteFunc(names, func(s string) bool { return strings.Contains(s, "..") || s == "a" || s == "trail\\" || s == "x" })
	dir := t.TempDir()
	env.run(t, dir, "init", "-q")
	plant(t, dir, names...)
	for _, tt := range []struct{ name, rules string }{
		{"none", ""},
		{"comments and blanks", "# a.o\n\n   \n\\#hash\n"},
		{"extension", "*.o"},
		{"negated", "*.log\n!keep.log\n"},
		{"negated twice", "*.log\n!keep.log\n*.log\n"},
		{"parent excluded", "log/\n!log/keep.log\n"},
		{"parent's content excluded", "log/*\n!log/keep.log\n!log/deep\n"},
		{"anchored", "/a.o\n/build\n"},
		{"anchored by a slash inside", "b/a.o\nbuild/sub\n"},
		{"folder only", "build/\n"},
		{"folder only that is a file", "foobar/\na.c/\n"},
		{"double star first", "**/a.o\n**/foo/bar\n"},
		{"double star last", "doc/**\n"},
		{"double star middle", "deep/**/x.tmp\ndoc/**/a.txt\nfoo/**/bar\n"},
		{"double star alone", "**\n!*.txt\n"},
		{"double star folders", "**/\n"},
		{"double star glued", "b**\nde**/x.tmp\nfoo**bar\n"},
		{"triple star", "doc/***/a.txt\n"},
		{"star and slash", "*/a.o\n*/*/a.pdf\n"},
		{"star does not cross", "doc/*.txt\nb/*.o\n"},
		{"question", "?x\nq?mark\n"},
		{"class", "[0-9]x\n[!a-z]b\n[ab].txt\n"},
		{"class with bracket", "[[]b].txt\na[]]b\n[]-]x\n"},
		{"class with caret and dash", "[^a]x\na[+-]b*\n"},
		{"posix class", "[[:digit:]]x\n[[:upper:]]x\n[[:nosuch:]]x\n"},
		{"class not closed", "[ab\na[\n"},
		{"escapes", "\\!bang\n\\#hash\nstar\\*name\nq\\?mark\n\\a.c\n"},
		{"escape at the end", "a.c\\\n"},
		{"not a regular expression", "a+b.(c)\nsp{ace}.txt\na.b\n"},
		{"braces are no choice", "a.{o,c}\n"},
		{"trailing spaces", "a.o   \na.c\\ \n"},
		{"leading spaces", "  a.o\n"},
		{"windows line ends", "a.o\r\nbuild/\r\n"},
		{"byte-order mark", "\ufeffa.o\n"},
		{"only signs", "/\n!\n//\n*/\n!*/\n"},
		{"two slashes", "b//a.o\nbuild//\n"},
		{"dots", "./a.o\n.hidden\n.*\n"},
		{"case", "TARGET\nA.O\n"},
		{"all but", "*\n!*/\n!*.txt\n"},
		{"all but one folder", "/*\n!/foo\n/foo/*\n!/foo/bar\n"},
		{"unicode", "ünï.*\n?n?.txt\n"},
		{"no line end", "a.o\n*.c"},
		{"many stars", "*a*b*c*\n*.*.*\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plant(t, dir, ".gitignore "+tt.rules)
			ix := New(workspace.NewRoots(dir), Options{Getenv: env.getenv})
			if diff := difference(listed(t, ix), env.wanted(t, dir)); diff != "" {
				t.Errorf("rules %q (+ listed, - git's):\n%s", tt.rules, diff)
			}
		})
	}
}

// difference shows what only one of two sorted lists has.
func difference(got, want []string) string {
	var b strings.Builder
	for _, s := range got {
		if _, ok := slices.BinarySearch(want, s); !ok {
			fmt.Fprintf(&b, "+ %s\n", s)
		}
	}
	for _, s := range want {
		if _, ok := slices.BinarySearch(got, s); !ok {
			fmt.Fprintf(&b, "- %s\n", s)
		}
	}
	return b.String()
}

// TestIgnoreFilesOfGit looks at where rules come from and which ones win.
func TestIgnoreFilesOfGit(t *testing.T) {
	env := newGitEnv(t)
	plant(t, env.home, ".gitconfig [core]\n\texcludesFile = ~/global \"ignore\" ; the person's\n", "globalignore *.global\n")
	if err := os.WriteFile(filepath.Join(env.home, "global ignore"), []byte("*.global\n!keep.*\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	env.run(t, dir, "init", "-q")
	plant(t, dir, "a.global", "keep.global", "a.exclude", "keep.exclude", "sub/a.exclude", "sub/a.txt", "sub/b.txt", "sub/deep/a.txt", "sub/deep/b.txt",
		"keep.txt", "tracked.txt", ".git/info/exclude *.exclude\n", ".gitignore /sub/a.txt\nkeep.*\n!keep.exclude\n",
		"sub/.gitignore !a.txt\nb.txt\n", "sub/deep/.gitignore !b.txt\na.txt\n")
	ix := New(workspace.NewRoots(dir), Options{Getenv: env.getenv})
	want := env.wanted(t, dir)
	if diff := difference(listed(t, ix), want); diff != "" || len(want) < 4 {
		t.Errorf("+ listed, - git's:\n%s", diff)
	}
	// A root inside the repository has the rules of the folders above it.
	sub := New(workspace.NewRoots(filepath.Join(dir, "sub")), Options{Getenv: env.getenv})
	if got := listed(t, sub); strings.Join(got, " ") != ".gitignore a.txt deep/.gitignore deep/b.txt" {
		t.Errorf("below sub are %q", got)
	}
	// One that the rules above leave out was opened on purpose.
	plant(t, dir, ".gitignore sub\n")
	sub.Refresh()
	if got := listed(t, sub); strings.Join(got, " ") != ".gitignore a.txt deep/.gitignore deep/b.txt" {
		t.Errorf("below the ignored sub are %q", got)
	}
}

func TestRepositoryInRepository(t *testing.T) {
	env := newGitEnv(t)
	dir := t.TempDir()
	env.run(t, dir, "init", "-q")
	plant(t, dir, ".gitignore *.o\n", "a.o", "inner/a.o", "inner/b.o", "inner/c.tmp", "inner/.gitignore b.o\n", ".emendignore *.tmp\n", "worktree/x.o", "worktree/y.o")
	env.run(t, filepath.Join(dir, "inner"), "init", "-q")
	// A linked working tree names its repository in a file.
	plant(t, dir, "worktree/.git gitdir: ../.git/worktrees/w\n", ".git/worktrees/w/commondir ../../other\n", ".git/other/info/exclude y.o\n")
	ix := New(workspace.NewRoots(dir), Options{Getenv: env.getenv})
	want := ".emendignore .gitignore inner/.gitignore inner/a.o worktree/x.o"
	if got := strings.Join(listed(t, ix), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestIgnoreOfEmend(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, ".gitignore *.gen\n/out/\n", ".emendignore !keep.gen\n*.md\n!target/\n!node_modules/\n!.git/\n!.emend/\n", "sub/.emendignore !b.md\n",
		"a.gen", "keep.gen", "a.md", "sub/b.md", "out/x", "Cargo.toml", "target/y", "node_modules/z", ".git/HEAD", ".emend/config.toml", ".emend/chat/c.md",
		"plain/target/kept", "py/__pycache__/a.txt", "web/node_modules2/b", "x.cfg", "deep/x.cfg", "x/.venv/bin/a", ".env", "vendor/v.go")
	ix := New(workspace.NewRoots(dir), Options{Ignore: []string{"*.cfg", "!/x.cfg"}})
	want := ".emendignore .env .gitignore Cargo.toml keep.gen node_modules/z plain/target/kept sub/.emendignore sub/b.md target/y vendor/v.go web/node_modules2/b x.cfg"
	if got := strings.Join(listed(t, ix), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	plant(t, dir, ".emendignore !keep.gen\n")
	ix.Invalidate(workspace.Key(filepath.Join(dir, ".emendignore")))
	want = ".emendignore .env .gitignore Cargo.toml a.md keep.gen plain/target/kept sub/.emendignore sub/b.md vendor/v.go web/node_modules2/b x.cfg"
	if got := strings.Join(listed(t, ix), " "); got != want {
		t.Errorf("after a change of rules\ngot  %s\nwant %s", got, want)
	}
}

func TestIgnoreCase(t *testing.T) {
	env := newGitEnv(t)
	dir := t.TempDir()
	env.run(t, dir, "init", "-q")
	env.run(t, dir, "config", "core.ignoreCase", "true")
	plant(t, dir, ".gitignore *.LOG\n/Build/\nSrc/*.o\n[A-C]x\n", "a.log", "B.Log", "build/x", "src/A.O", "ax", "dx")
	ix := New(workspace.NewRoots(dir), Options{Getenv: env.getenv})
	if diff := difference(listed(t, ix), env.wanted(t, dir)); diff != "" {
		t.Errorf("+ listed, - git's:\n%s", diff)
	}
}

// TestRandomRulesAgainstGit compares random rules with what git makes of them.
func TestRandomRulesAgainstGit(t *testing.T) {
	env := newGitEnv(t)
	dir := t.TempDir()
	env.run(t, dir, "init", "-q")
	parts := []string{"a", "b", "ab", "a.b", "ba"}
	for _, x := range parts {
		plant(t, dir, "f"+x)
		for _, y := range parts {
			plant(t, dir, x+"/"+y+"/f", x+"/"+y+"/a.b", x+"/f"+y)
		}
	}
	piece := rapid.SampledFrom([]string{"a", "b", "f", ".", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[^b-f]", "\\a", "\\*", "[", "!", " ", "**/", "/**"})
	rapid.Check(t, func(rt *rapid.T) {
		var rules strings.Builder
		for range rapid.IntRange(1, 4).Draw(rt, "rules") {
			if rapid.Bool().Draw(rt, "negated") {
				rules.WriteByte('!')
			}
			for range rapid.IntRange(1, 6).Draw(rt, "pieces") {
				rules.WriteString(piece.Draw(rt, "piece"))
			}
			rules.WriteByte('\n')
		}
		plant(t, dir, ".gitignore "+rules.String(), "a/.gitignore "+rules.String())
		ix := New(workspace.NewRoots(dir), Options{Getenv: env.getenv})
		if diff := difference(listed(t, ix), env.wanted(t, dir)); diff != "" {
			rt.Fatalf("rules %q (+ listed, - git's):\n%s", rules.String(), diff)
		}
	})
}

func FuzzRule(f *testing.F) {
	for _, s := range []string{"*.o", "a/**/b", "[a-z]*/", "!\\#x", "[[:alpha:]]", "**", "a[", "***/b***"} {
		f.Add(s, "a/b/c.o")
	}
	f.Fuzz(func(t *testing.T, line, name string) {
		for _, fold := range []bool{false, true} {
			if r, ok := parseRule(line, fold); ok {
				r.matches(name, name[strings.LastIndexByte(name, '/')+1:], true)
			}
		}
	})
}

func BenchmarkHostileRule(b *testing.B) {
	r, _ := parseRule(strings.Repeat("*a", 30)+"/"+strings.Repeat("**/*b/", 20)+"c", false)
	name := strings.Repeat("a", 200) + strings.Repeat("/ab", 40) + "/d"
	for b.Loop() {
		r.matches(name, "d", false)
	}
}
