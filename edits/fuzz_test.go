package edits

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// seedReplies are replies of every kind, whole and broken.
var seedReplies = []string{
	"", "prose only", reply("a.go", "a\n", "b\n"), reply("a.md", "T\n=======\nx\n", "T\n"),
	"a.go\n<<<<<<< SEARCH\na\n=======\nb", "<<<<<<< SEARCH\n<<<<<<< SEARCH\n=======\n=======\n>>>>>>> REPLACE\n>>>>>>> REPLACE\n",
	"--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n",
	"--- /dev/null\n+++ b/n.go\n@@ -0,0 +1 @@\n+x\n--- a/a.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
	"diff --git a/a.go b/b.go\nrename from a.go\nrename to b.go\n--- a/a.go\n+++ b/b.go\n@@\n-a\n+b\n",
	"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@ func x\n a\n-b\n+c\n*** End of File\n*** Add File: n\n+x\n*** Delete File: d\n*** End Patch\n",
	"a.go\n<source>go\n------- SEARCH\n:start_line:3\n-------\na\n=======\nb\n+++++++ REPLACE\n</source>\n",
	"1. `a.go`:\n   ```go\n   <<<<<<< SEARCH line=2\n   a\n   =======\n   b\n   >>>>>>> REPLACE\n   ```\n", "\x00\xff<<<<<<< SEARCH\r\n\xfe\r\n=======\r\n>>>>>>> REPLACE\r\n",
}

func FuzzParse(f *testing.F) {
	for _, s := range seedReplies {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, chunk int) {
		if len(s) > 1<<16 {
			return
		}
		want := Parse(s)
		if got := parseChunked(s, 1+max(0, chunk)%64); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("chunks give %+v\nwant %+v", got, want)
		}
		last := -1
		for _, b := range want.Blocks {
			if b.Index <= last || b.Line < 1 {
				t.Fatalf("block %+v after index %d", b, last)
			}
			last = b.Index
		}
		(&Parser{WholeFiles: true}).Feed(s)
	})
}

func FuzzApply(f *testing.F) {
	for _, s := range seedReplies {
		f.Add("a\nb\n", s)
	}
	f.Add("\ufeffa\r\n\tb\r\n", reply("a.go", "  a\n  b\n", "b\n\n c\n"))
	f.Add("a\xff\n", reply("a.go", "a\xff\n", "b\n"))
	f.Fuzz(func(t *testing.T, before, s string) {
		if len(before)+len(s) > 1<<14 {
			return
		}
		for _, opt := range []Options{{}, {Partial: true, Fuzzy: true}, {ReplaceAll: true}} {
			for _, r := range ApplyReply(Parse(s), memory{"a.go": before}, "a.go", opt) {
				checkResult(t, r, opt)
			}
		}
		text := strings.SplitN(s, "\n=\n", 2)
		block := Block{Search: text[0], Replace: text[len(text)-1], Text: true}
		res := ApplyBlocks("a.go", before, true, []Block{block}, Options{})
		checkResult(t, FileResult{Path: "a.go", Existed: true, Before: before, Result: res}, Options{})
	})
}

// checkResult checks what holds for every result.
func checkResult(t *testing.T, r FileResult, opt Options) {
	t.Helper()
	if len(r.Refused) > 0 && !opt.Partial && (r.After != r.Before || r.Edits != nil || r.Applied != nil) {
		t.Fatalf("changed in spite of %v: %+v", r.Refused, r)
	}
	if got, err := r.Edits.Apply(r.Before); err != nil || !r.Deleted && got != r.After {
		t.Fatalf("edits %+v make %q, %v; want %q", r.Edits, got, err, r.After)
	}
	for _, bad := range r.Refused {
		if bad.Code == "" || bad.Message == "" || bad.Block < 0 {
			t.Fatalf("a refusal that says nothing: %+v", bad)
		}
	}
	if strings.HasPrefix(r.Before, byteOrderMark) && !r.Deleted && !strings.HasPrefix(r.After, byteOrderMark) {
		t.Fatalf("the byte-order mark is gone: %q to %q", r.Before, r.After)
	}
	for _, e := range r.Edits {
		if utf8.ValidString(r.Before) && (!utf8.ValidString(r.Before[:e.Start]) || !utf8.ValidString(r.Before[:e.End])) {
			t.Fatalf("edit %+v cuts a character of %q", e, r.Before)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n")
	f.Add("🌍e\u0301\r\n", "🌎e\r\n")
	f.Add("🇩🇪🇫🇷", "🇩🇪🇩🇪🇫🇷")
	f.Add("\xff\xfe", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 1<<14 {
			return
		}
		checkDiff(t, a, b)
		for context := range 3 {
			if d := Unified("a/x", "b/x", a, b, context); (d == "") != (a == b) {
				t.Fatalf("unified diff %q of %q and %q", d, a, b)
			}
		}
	})
}

func FuzzRebase(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n", "x\na\nb\nc\n")
	f.Add("a", "a\nb", "a\n")
	f.Add("x\nx\n", "x\nx\nx\n", "x\n")
	f.Fuzz(func(t *testing.T, base, after, now string) {
		if len(base)+len(after)+len(now) > 1<<13 {
			return
		}
		var all Set
		for _, m := range Rebase(base, now, Hunks(base, after)) {
			if m.Start < 0 || m.End < m.Start || m.End > len(now) || (m.Edits != nil) != (m.State == Clean) {
				t.Fatalf("moved %+v in %q", m, now)
			}
			all = Join(all, m.Edits)
		}
		if err := all.Check(now); err != nil {
			t.Fatalf("%+v of %q: %v", all, now, err)
		}
		if merged, conflicts := Merge(base, now, after); len(conflicts) == 0 && base == now && merged != after {
			t.Fatalf("merged %q, want %q", merged, after)
		}
	})
}

// FuzzMerge checks what holds of every merge: the sides that did nothing change
// nothing, and without a conflict each line of the result is from a side.
func FuzzMerge(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n")
	f.Add("a\n", "b\n", "c\n")
	f.Add("", "x", "x\n")
	f.Add("x\nx\nx\n", "x\nx\n", "x\ny\nx\nx\n")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		if len(base)+len(ours)+len(theirs) > 1<<13 {
			return
		}
		for _, c := range []struct{ base, ours, theirs, want string }{
			{base, ours, base, ours}, {base, base, theirs, theirs}, {base, ours, ours, ours},
		} {
			if got, conflicts := Merge(c.base, c.ours, c.theirs); got != c.want || conflicts != nil {
				t.Fatalf("Merge(%q, %q, %q) = %q, %v; want %q", c.base, c.ours, c.theirs, got, conflicts, c.want)
			}
		}
		merged, conflicts := Merge(base, ours, theirs)
		for _, c := range conflicts {
			if c.Start < 0 || c.End < c.Start || c.End > len(merged) || c.Reason == "" {
				t.Fatalf("conflict %+v in %q", c, merged)
			}
		}
		sides := map[string]bool{}
		for _, l := range append(bodies(ours), bodies(theirs)...) {
			sides[l] = true
		}
		for _, l := range bodies(merged) {
			if !sides[l] {
				t.Fatalf("Merge(%q, %q, %q) = %q: the line %q is from neither side", base, ours, theirs, merged, l)
			}
		}
	})
}

func FuzzIndent(f *testing.F) {
	f.Add("\ta\n\t\tb\n", "  x\n    y\n")
	f.Fuzz(func(t *testing.T, text, other string) {
		lines := bodies(text)
		r := newReindenter(lines, lines, lines, alignLines(lines, lines))
		for _, l := range lines {
			if got, ok := r.line(l, false); !ok || got != l {
				t.Fatalf("the same indentation makes %q of %q", got, l)
			}
		}
		for _, l := range bodies(other) {
			got, ok := r.line(l, false)
			if ok && strings.TrimLeft(got, " \t") != strings.TrimLeft(l, " \t") {
				t.Fatalf("indentation makes %q of %q", got, l)
			}
		}
	})
}
