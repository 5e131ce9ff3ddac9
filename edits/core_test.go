package edits

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// genText draws a small text of repeated, awkward lines.
func genText(t *rapid.T, name string) string {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "x", "", "}", "foo bar", "foo(bar, baz)", "foo(bar, 世界)",
		"世界", "世间", "e\u0301🌍", "e🌎", "🇩🇪🇫🇷", "🇩🇪🇩🇪", "a\rb", "\xff"}), 0, 14).Draw(t, name)
	nl := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, name+" line end")
	s := strings.Join(lines, nl)
	if rapid.Bool().Draw(t, name+" final") {
		s += nl
	}
	return s
}

// genDistinct draws a text whose lines all differ, and another made from it.
func genDistinct(t *rapid.T) (before, after string) {
	n := rapid.IntRange(0, 12).Draw(t, "lines")
	var a, b strings.Builder
	for i := range n {
		fmt.Fprintf(&a, "line %d\n", i)
		switch rapid.IntRange(0, 5).Draw(t, "fate") {
		case 0:
			fmt.Fprintf(&b, "line %d changed\n", i)
		case 1:
		case 2:
			fmt.Fprintf(&b, "line %d\nadded after %d\n", i, i)
		default:
			fmt.Fprintf(&b, "line %d\n", i)
		}
	}
	before, after = a.String(), b.String()
	if rapid.Bool().Draw(t, "open end") {
		before = strings.TrimSuffix(before, "\n")
	}
	if rapid.Bool().Draw(t, "open end after") {
		after = strings.TrimSuffix(after, "\n")
	}
	return before, after
}

// boundaries returns the offsets where a grapheme cluster starts or s ends.
func boundaries(s string) map[int]bool {
	out := map[int]bool{0: true, len(s): true}
	g := uniseg.NewGraphemes(s)
	for g.Next() {
		from, to := g.Positions()
		out[from], out[to] = true, true
	}
	return out
}

func checkDiff(t interface{ Fatalf(string, ...any) }, a, b string) {
	d := Diff(a, b)
	got, err := d.Apply(a)
	if err != nil || got != b {
		t.Fatalf("Diff(%q, %q) = %+v gives %q, %v", a, b, d, got, err)
	}
	inv := d.Invert(a)
	if back, err := inv.Apply(b); err != nil || back != a {
		t.Fatalf("Invert of %+v = %+v gives %q, %v; want %q", d, inv, back, err, a)
	}
	cutA, cutB := boundaries(a), boundaries(b)
	for _, e := range d {
		if !cutA[e.Start] || !cutA[e.End] {
			t.Fatalf("Diff(%q, %q) = %+v cuts a character of the text before", a, b, d)
		}
	}
	for _, e := range inv {
		if !cutB[e.Start] || !cutB[e.End] {
			t.Fatalf("Diff(%q, %q) = %+v cuts a character of the text after", a, b, d)
		}
	}
}

func TestDiffProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genText(t, "before"), genText(t, "after")
		checkDiff(t, a, b)
		hunks := Hunks(a, b)
		for i := 1; i < len(hunks); i++ {
			if hunks[i].OldStart <= hunks[i-1].OldEnd || hunks[i].NewStart <= hunks[i-1].NewEnd {
				t.Fatalf("hunks %d and %d touch: %+v", i-1, i, hunks)
			}
		}
		for _, h := range hunks {
			if strings.Join(splitLines(a)[h.OldStart:h.OldEnd], "") != h.Old || strings.Join(splitLines(b)[h.NewStart:h.NewEnd], "") != h.New {
				t.Fatalf("hunk %+v does not hold its lines", h)
			}
		}
	})
}

func TestDiffIsMinimal(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       Set
	}{
		{"equal", "a\n", "a\n", nil},
		{"one word", "x := foo(a, b)\n", "x := bar(a, b)\n", Set{{5, 8, "bar"}}},
		{"one letter typed", "alpha\n", "alphab\n", Set{{5, 5, "b"}}},
		{"line added", "a\nb\n", "a\nx\nb\n", Set{{2, 2, "x\n"}}},
		{"line removed", "a\nx\nb\n", "a\nb\n", Set{{2, 4, ""}}},
		{"surrogate", "a 🌍 b", "a 🌎 b", Set{{2, 6, "🌎"}}},
		{"mark", "cafe\u0301", "cafe\u0300", Set{{3, 6, "e\u0300"}}},
		{"line end", "a\r\nb\r\n", "a\nb\r\n", Set{{1, 3, "\n"}}},
		{"final newline", "a", "a\n", Set{{1, 1, "\n"}}},
		{"to empty", "a\n", "", Set{{0, 2, ""}}},
		{"repeated lines slide down", "x\nx\n", "x\nx\nx\n", Set{{4, 4, "x\n"}}},
	} {
		if got := Diff(c.a, c.b); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: Diff = %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestRebaseCarriesTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genDistinct(t)
		hunks := Hunks(a, b)
		var done Set
		taken := make([]bool, len(hunks))
		for i, h := range hunks {
			if taken[i] = rapid.Bool().Draw(t, "take"); taken[i] {
				done = append(done, h.Edits...)
			}
		}
		now, err := done.Apply(a)
		if err != nil {
			t.Fatal(err)
		}
		var rest Set
		for i, m := range Rebase(a, now, hunks) {
			want := Clean
			if taken[i] {
				want = Already
			}
			if m.State != want {
				t.Fatalf("hunk %d %+v is %v (%s), want %v; now %q", i, hunks[i], m.State, m.Reason, want, now)
			}
			rest = Join(rest, m.Edits)
		}
		if got, err := rest.Apply(now); err != nil || got != b {
			t.Fatalf("got %q, %v; want %q", got, err, b)
		}
	})
}

func TestRebase(t *testing.T) {
	for _, c := range []struct {
		name, base, after, now string
		want                   string // text after the rebased edits, or the state
	}{
		{"typing above", "a\nb\nc\n", "a\nB\nc\n", "new\na\nb\nc\n", "new\na\nB\nc\n"},
		{"typing on the next line", "a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n", "a\nB\nC\n"},
		{"typing on the line before", "a\nb\nc\n", "a\nB\nc\n", "A\nb\nc\n", "A\nB\nc\n"},
		{"same line", "a\nb\nc\n", "a\nB\nc\n", "a\nbb\nc\n", "conflict"},
		{"line gone", "a\nb\nc\n", "a\nB\nc\n", "a\nc\n", "conflict"},
		{"done by hand", "a\nb\nc\n", "a\nB\nc\n", "x\na\nB\nc\n", "already"},
		{"done by hand and more beside it", "a\nb\nc\n", "a\nB\nc\n", "A\nB\nc\n", "already"},
		{"two insertions at one place", "a\nb\n", "a\nx\nb\n", "a\ny\nb\n", "conflict"},
		{"insertion after a changed line", "a\nb\n", "a\nx\nb\n", "A\nb\n", "A\nx\nb\n"},
		{"insertion inside a rewrite", "a\nb\n", "a\nx\nb\n", "q\n", "conflict"},
		{"final newline lost under an addition", "a\n", "a\nb\n", "a", "conflict"},
		{"text added under an open end", "a\n", "b", "a\nc\n", "conflict"},
		{"deletion", "a\nb\nc\n", "a\nc\n", "a\nb\nC\n", "a\nC\n"},
		{"created", "", "x\n", "", "x\n"},
	} {
		hunks := Hunks(c.base, c.after)
		if len(hunks) != 1 {
			t.Fatalf("%s: %d hunks", c.name, len(hunks))
		}
		m := Rebase(c.base, c.now, hunks)[0]
		got := m.State.String()
		if m.State == Clean {
			var err error
			if got, err = m.Edits.Apply(c.now); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q (%s), want %q", c.name, got, m.Reason, c.want)
		}
		if (m.Reason != "") != (m.State == Conflicted) {
			t.Errorf("%s: state %v with reason %q", c.name, m.State, m.Reason)
		}
	}
	foreign := Hunk{OldStart: 3, OldEnd: 9, Old: "zzz\n", New: "y\n"}
	if m := Rebase("a\n", "a\n", []Hunk{foreign})[0]; m.State != Conflicted {
		t.Errorf("a hunk of another text is %v", m.State)
	}
}

func TestMergeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := genText(t, "base"), genText(t, "ours"), genText(t, "theirs")
		for _, c := range []struct{ base, ours, theirs, want string }{
			{base, ours, base, ours}, {base, base, theirs, theirs}, {base, ours, ours, ours},
		} {
			if got, conflicts := Merge(c.base, c.ours, c.theirs); got != c.want || conflicts != nil {
				t.Fatalf("Merge(%q, %q, %q) = %q, %v", c.base, c.ours, c.theirs, got, conflicts)
			}
		}
		merged, conflicts := Merge(base, ours, theirs)
		for _, c := range conflicts {
			if c.Start < 0 || c.End < c.Start || c.End > len(merged) {
				t.Fatalf("conflict %+v is outside %q", c, merged)
			}
		}
	})
}

func TestMerge(t *testing.T) {
	merged, conflicts := Merge("a\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n", "x\na\nbee\nc\nd\nE\n")
	if merged != "x\na\nB\nc\nd\nE\n" || len(conflicts) != 1 {
		t.Fatalf("merged %q, %+v", merged, conflicts)
	}
	if c := conflicts[0]; merged[c.Start:c.End] != "B\n" || c.Ours != "B\n" {
		t.Errorf("conflict %+v of %q", c, merged)
	}
}

func TestSetCheck(t *testing.T) {
	for _, s := range []Set{
		{{-1, 0, "x"}}, {{0, 9, "x"}}, {{2, 1, "x"}}, {{1, 1, ""}},
		{{2, 3, "x"}, {0, 1, "y"}}, {{0, 2, "x"}, {1, 3, "y"}}, {{1, 1, "x"}, {1, 1, "y"}},
	} {
		if _, err := s.Apply("abc"); err == nil {
			t.Errorf("Apply accepted %+v", s)
		}
	}
	ok := Set{{0, 1, ""}, {1, 1, "x"}, {1, 2, "y"}, {2, 3, ""}}
	got, err := ok.Apply("abc")
	if err != nil || got != "xy" {
		t.Fatalf("%q, %v", got, err)
	}
	if back, err := ok.Invert("abc").Apply(got); err != nil || back != "abc" {
		t.Errorf("inverse gives %q, %v", back, err)
	}
}

func TestUnified(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"equal", "a\n", "a\n", ""},
		{"change", "a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n"},
		{"created", "", "a\n", "--- a/f\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n"},
		{"no final newline", "a", "b", "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"},
		{"newline added", "a", "a\n", "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
	} {
		if got := Unified("a/f", "b/f", c.a, c.b, 1); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	if got := Unified("", "b/x y", "", "a\n", 3); !strings.HasPrefix(got, "--- /dev/null\n+++ b/x y\t\n") {
		t.Errorf("header %q", got)
	}
}

// TestUnifiedIsUnderstoodByGit applies drawn diffs with git.
func TestUnifiedIsUnderstoodByGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	gen := rapid.Custom(func(t *rapid.T) [2]string { return [2]string{genText(t, "before"), genText(t, "after")} })
	dir := t.TempDir()
	for seed := range 30 {
		pair := gen.Example(seed)
		d := Unified("a/f.txt", "b/f.txt", pair[0], pair[1], seed%4)
		if d == "" {
			continue
		}
		name := filepath.Join(dir, "f.txt")
		if err := os.WriteFile(name, []byte(pair[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(git, "apply", "--unidiff-zero", "--whitespace=nowarn", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(d)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git apply: %v: %s\n%s", err, out, d)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != pair[1] {
			t.Fatalf("git made %q of\n%s\nwant %q", got, d, pair[1])
		}
	}
}

func TestPositions(t *testing.T) {
	text := NewText("ab\r\n\ta🌍世e\u0301\n\nlast\r")
	if text.NumLines() != 4 {
		t.Fatalf("%d lines", text.NumLines())
	}
	if s, e := text.Line(0); s != 0 || e != 2 {
		t.Errorf("line 0 is %d-%d", s, e)
	}
	for _, c := range []struct {
		enc  Encoding
		p    Position
		want int
	}{
		{UTF16, Position{0, 9}, 2}, {UTF16, Position{1, 2}, 6}, {UTF16, Position{1, 3}, 6}, {UTF16, Position{1, 4}, 10},
		{UTF16, Position{1, 5}, 13}, {UTF32, Position{1, 3}, 10}, {UTF32, Position{1, 4}, 13}, {UTF8, Position{1, 4}, 6},
		{UTF8, Position{1, 6}, 10}, {UTF16, Position{2, 5}, 17}, {UTF16, Position{3, 99}, 23}, {UTF16, Position{4, 0}, 23}, {UTF16, Position{4, 7}, 23},
	} {
		if got, err := text.Offset(c.p, c.enc); err != nil || got != c.want {
			t.Errorf("%v %+v is %d, %v; want %d", c.enc, c.p, got, err, c.want)
		}
	}
	for _, p := range []Position{{5, 0}, {-1, 0}, {0, -1}} {
		if _, err := text.Offset(p, UTF16); err == nil {
			t.Errorf("offset of %+v is accepted", p)
		}
	}
	var empty Text
	if at, err := empty.Offset(Position{}, UTF16); err != nil || at != 0 || empty.NumLines() != 1 {
		t.Errorf("empty text: %d, %v, %d lines", at, err, empty.NumLines())
	}
}

// TestPositionsAgreeWithCounting checks both ways against plain counting.
func TestPositionsAgreeWithCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genText(t, "text")
		text := NewText(s)
		for at := 0; at <= len(s); at++ {
			if at < len(s) && !utf8.RuneStart(s[at]) || at > 0 && at < len(s) && s[at-1:at+1] == "\r\n" {
				continue
			}
			before := s[:at]
			line := before[strings.LastIndexByte(before, '\n')+1:]
			for enc, col := range map[Encoding]int{UTF8: len(line), UTF16: len(utf16.Encode([]rune(line))), UTF32: utf8.RuneCountInString(line)} {
				want := Position{strings.Count(before, "\n"), col}
				if got := text.Position(at, enc); got != want {
					t.Fatalf("%q at %d in %v is %+v, want %+v", s, at, enc, got, want)
				}
				if back, err := text.Offset(want, enc); err != nil || back != at {
					t.Fatalf("%q %+v in %v is %d, %v; want %d", s, want, enc, back, err, at)
				}
			}
		}
	})
}

func TestSpliceAgreesWithNewText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, added := genText(t, "text"), genText(t, "added")
		start := rapid.IntRange(0, len(s)).Draw(t, "start")
		end := rapid.IntRange(start, len(s)).Draw(t, "end")
		got, err := NewText(s).Splice(start, end, added)
		want := NewText(s[:start] + added + s[end:])
		if err != nil || got.s != want.s || fmt.Sprint(got.starts) != fmt.Sprint(want.starts) {
			t.Fatalf("splice gives %q %v, %v; want %q %v", got.s, got.starts, err, want.s, want.starts)
		}
	})
	if _, err := NewText("abc").Splice(2, 9, ""); err == nil {
		t.Error("a span outside the text is accepted")
	}
}

func BenchmarkSplice1MB(b *testing.B) {
	line := "\tif err := run(ctx, options); err != nil {\n"
	text := NewText(strings.Repeat(line, 1<<20/len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := text.Splice(text.Len()/2, text.Len()/2, "x"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDiffOneWord1MB(b *testing.B) {
	line := "\tif err := run(ctx, options); err != nil {\n"
	s := strings.Repeat(line, 1<<20/len(line))
	after := s[:len(s)/2] + "x" + s[len(s)/2:]
	b.ReportAllocs()
	for b.Loop() {
		Diff(s, after)
	}
}

func BenchmarkDiffUnrelated(b *testing.B) {
	var x, y strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&x, "before %d\n", i)
		fmt.Fprintf(&y, "after %d\n", i*7)
	}
	b.ReportAllocs()
	for b.Loop() {
		Diff(x.String(), y.String())
	}
}
