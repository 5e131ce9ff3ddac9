package edits

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// What must hold of the engine whatever it is given, and where it is tested:
//
//  1. locality: TestUniqueWindowIsSpliced, TestStringsAreReplacedAsTheyAre
//  2. lines that are there once are replaced by exactly what the block says:
//     TestUniqueWindowIsSpliced
//  3. lines that are there several times are refused: TestRepeatedWindowIsRefused
//  4. a looser match elsewhere changes nothing: TestTighterTierDecides; the same
//     lines garbled give the same: TestMutationsGiveTheSameOrNothing
//  5. the same reply again does nothing, the opposite one takes it back:
//     TestRepliesAreIdempotent
//  6. blocks for different lines commute, and one block of them all is the same:
//     TestBlocksCommute
//  7. chunks make no difference, and no part of a reply yields a block that the
//     whole does not: TestChunksDoNotMatter, TestCorpusChunks
//  8. every input has an answer, in time near linear: FuzzParse, FuzzApply and
//     the other fuzz targets, TestHostileSizes, TestCostIsLinear
//  9. a change is as small as it can be: TestDiffIsMinimal, TestDiffTouchesNoMoreLinesThanNeeded
//  10. what other engines and a plain matcher do: TestCorpus, TestStringsAreReplacedAsTheyAre
//  11. garbled blocks give the same or nothing: TestMutationsGiveTheSameOrNothing

// genFile draws a file of code-like lines, some of them alike.
func genFile(t *rapid.T) string {
	n := rapid.IntRange(1, 25).Draw(t, "lines")
	nl := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "mixed"}).Draw(t, "ending")
	var b strings.Builder
	if rapid.IntRange(0, 9).Draw(t, "bom") == 0 {
		b.WriteString(byteOrderMark)
	}
	for i := range n {
		indent := rapid.SampledFrom([]string{"", "", "\t", "\t\t", "    ", "        ", "  "}).Draw(t, "indent")
		body := rapid.SampledFrom([]string{"}", "", "return", "x := 1", "say(\"“hé”\")", "🌍 e\u0301", "a  b", "end ", "foo(a, b)", "=======", "..."}).Draw(t, "body")
		if rapid.Bool().Draw(t, "unique") {
			body = fmt.Sprintf("line%d(%s)", i, body)
		}
		if body != "" {
			body = indent + body
		}
		b.WriteString(body)
		switch {
		case i == n-1 && rapid.Bool().Draw(t, "open"):
		case nl == "mixed":
			b.WriteString(rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "nl"))
		default:
			b.WriteString(nl)
		}
	}
	return b.String()
}

// genWindow draws some neighbouring lines of a source.
func genWindow(t *rapid.T, s *source) (lo, hi int) {
	if len(s.bodies) == 0 {
		t.Skip()
	}
	lo = rapid.IntRange(0, len(s.bodies)-1).Draw(t, "lo")
	return lo, rapid.IntRange(lo+1, min(len(s.bodies), lo+6)).Draw(t, "hi")
}

// genReplace draws the lines to put in place of a window.
func genReplace(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"new", "\tnew2", "", "  new3", "ß 世", "}"}), 0, 4).Draw(t, "replace")
}

// lf writes lines as a block's section.
func lf(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	return b.String()
}

// skipWindow reports windows that are refused for what they hold.
func skipWindow(search, replace []string) bool {
	return blank(strings.Join(search, "")) || slices.Equal(search, replace)
}

// TestUniqueWindowIsSpliced: lines that are in a file once are replaced by
// exactly what the block says, and nothing else changes.
func TestUniqueWindowIsSpliced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := genFile(t)
		s := newSource(file)
		lo, hi := genWindow(t, s)
		search, replace := s.bodies[lo:hi], genReplace(t)
		if skipWindow(search, replace) || len(occurrences(s.bodies, search)) > 1 {
			t.Skip()
		}
		res := ApplyBlocks("f", file, true, []Block{{Search: lf(search), Replace: lf(replace)}}, Options{})
		if len(res.Refused) > 0 {
			t.Fatalf("refused: %v", res.Refused)
		}
		before, after := file[:s.starts[lo]], file[s.starts[hi]:]
		if !strings.HasPrefix(res.After, before) || !strings.HasSuffix(res.After, after) {
			t.Fatalf("text around the lines changed: %q to %q", file, res.After)
		}
		if got := bodies(res.After[len(before) : len(res.After)-len(after)]); hi < len(s.bodies) && !slices.Equal(got, replace) {
			t.Fatalf("%q became %q, want %q", search, got, replace)
		}
		if len(replace) > 0 && hi == len(s.bodies) && strings.HasSuffix(file, "\n") != strings.HasSuffix(res.After, "\n") && replace[len(replace)-1] != "" {
			t.Fatalf("the final newline changed: %q to %q", file, res.After)
		}
		for _, e := range res.Edits {
			if e.Start < s.starts[lo] || e.End > s.starts[hi] {
				t.Fatalf("edit %+v is outside the matched lines %d-%d", e, s.starts[lo], s.starts[hi])
			}
		}
		for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
			if got := applyAsEditor(file, res.Edits, enc); got != res.After {
				t.Fatalf("an editor that counts in %v makes %q of the edits, want %q", enc, got, res.After)
			}
		}
	})
}

// applyAsEditor applies a set the way an editor does: positions in an encoding,
// from the end to the start, with plain counting of lines and units.
func applyAsEditor(text string, set Set, enc Encoding) string {
	t := NewText(text)
	for _, e := range slices.Backward(set) {
		from, to := t.Position(e.Start, enc), t.Position(e.End, enc)
		text = text[:editorOffset(text, from, enc)] + e.New + text[editorOffset(text, to, enc):]
	}
	return text
}

func editorOffset(text string, p Position, enc Encoding) int {
	at := 0
	for range p.Line {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for units := 0; units < p.Column; {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch enc {
		case UTF8:
			units += size
		case UTF16:
			units += max(1, utf16.RuneLen(r))
		default:
			units++
		}
		at += size
	}
	return at
}

// lfOnly returns a text with plain line ends.
func lfOnly(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// TestStringsAreReplacedAsTheyAre compares pairs of strings with a plain
// search: a string that is there once is replaced there and nowhere else, or
// refused; one that is there several times, and not as whole lines, is refused.
func TestStringsAreReplacedAsTheyAre(t *testing.T) {
	applied := 0
	rapid.Check(t, func(t *rapid.T) {
		file := strings.TrimPrefix(genFile(t), byteOrderMark)
		plain := lfOnly(file)
		if strings.TrimSpace(plain) == "" {
			t.Skip()
		}
		from := rapid.IntRange(0, len(plain)-1).Draw(t, "from")
		search := plain[from : from+rapid.IntRange(1, min(len(plain)-from, 60)).Draw(t, "size")]
		replace := rapid.SampledFrom([]string{"", "new", "new\n", "\n", "a\n\tb", "ß世", search + " more", strings.ToUpper(search)}).Draw(t, "replace")
		if !utf8.ValidString(search) || strings.TrimSpace(search) == "" || strings.ReplaceAll(search, "\n", "") == "" {
			t.Skip()
		}
		res := ApplyBlocks("f.md", file, true, []Block{{Search: search, Replace: replace, Text: true}}, Options{})
		if len(res.Refused) > 0 {
			if res.After != file {
				t.Fatalf("changed in spite of %v", res.Refused)
			}
			return
		}
		applied++
		var ways []string
		for at := 0; at+len(search) <= len(plain); at++ {
			if plain[at:at+len(search)] != search {
				continue
			}
			ways = append(ways, plain[:at]+replace+plain[at+len(search):])
		}
		if got := lfOnly(res.After); !slices.Contains(ways, got) {
			t.Fatalf("%q for %q in %q: %q by %s\nwant one of %q", replace, search, file, got, res.Applied[0].Tier, ways)
		}
		if res.Applied[0].Tier == TierSubstring && strings.Count(plain, search) > 1 {
			t.Fatalf("%q is in %q several times, and was replaced", search, file)
		}
		if n := strings.Count(file, "\r\n"); n > 0 && n == strings.Count(file, "\n") && strings.Count(res.After, "\r\n") != strings.Count(res.After, "\n") {
			t.Fatalf("line ends are mixed now: %q to %q", file, res.After)
		}
	})
	if applied == 0 {
		t.Error("nothing was applied")
	}
}

// TestTighterTierDecides: lines that are somewhere exactly are replaced there,
// whatever is like them elsewhere.
func TestTighterTierDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := genFile(t)
		s := newSource(file)
		lo, hi := genWindow(t, s)
		search, replace := s.bodies[lo:hi], genReplace(t)
		block := []Block{{Search: lf(search), Replace: lf(replace)}}
		want := ApplyBlocks("f", file, true, block, Options{})
		if len(want.Refused) > 0 || s.open() {
			t.Skip()
		}
		garble := rapid.SampledFrom([]func(string) string{shift("  "), func(l string) string { return l + " " }, curly.Replace,
			func(l string) string { return strings.ReplaceAll(l, " ", "  ") }}).Draw(t, "garble")
		like := mapLines(search, garble)
		more := "\n" + lf(like)
		if len(occurrences(newSource(more).bodies, search)) > 0 || len(newSource(file+more).findLines(TierExact, search)) != 1 {
			t.Skip()
		}
		got := ApplyBlocks("f", file+more, true, block, Options{})
		if len(got.Refused) > 0 && got.Refused[0].Code == AlreadyApplied {
			t.Skip()
		}
		if got.After != want.After+more {
			t.Fatalf("%q became %q, %v\nwant %q", file+more, got.After, got.Refused, want.After+more)
		}
	})
}

// TestDiffTouchesNoMoreLinesThanNeeded compares the changed lines of a diff
// with the longest common subsequence.
func TestDiffTouchesNoMoreLinesThanNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := genText(t, "before"), genText(t, "after")
		a, b := splitLines(before), splitLines(after)
		common := make([][]int, len(a)+1)
		common[len(a)] = make([]int, len(b)+1)
		for i := len(a) - 1; i >= 0; i-- {
			common[i] = make([]int, len(b)+1)
			for j := len(b) - 1; j >= 0; j-- {
				if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
					common[i][j] = 1 + common[i+1][j+1]
				}
			}
		}
		got := 0
		for _, h := range Hunks(before, after) {
			got += h.OldEnd - h.OldStart + h.NewEnd - h.NewStart
		}
		if least := len(a) + len(b) - 2*common[0][0]; got > least {
			t.Fatalf("%d lines of %q and %q are changed, %d are enough", got, before, after, least)
		}
	})
}

// TestRepeatedWindowIsRefused: lines that are in a file more than once are
// never replaced, and with a neighbour that makes them unique they are.
func TestRepeatedWindowIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "\tb", "}", "“q”", "c  d"}), 1, 4).Draw(t, "window")
		replace := genReplace(t)
		if skipWindow(window, replace) {
			t.Skip()
		}
		var lines []string
		n := rapid.IntRange(2, 4).Draw(t, "times")
		for i := range n {
			lines = append(append(lines, fmt.Sprintf("above %d", i)), window...)
		}
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "ending")
		file := strings.Join(lines, nl) + nl
		search := window
		if rapid.Bool().Draw(t, "noise") {
			search = mapLines(window, func(l string) string { return "  " + plain(l) + " " })
		}
		res := ApplyBlocks("f", file, true, []Block{{Search: lf(search), Replace: lf(replace)}}, Options{})
		if len(res.Refused) != 1 || res.Refused[0].Code != Ambiguous || res.After != file {
			t.Fatalf("%q in %q: %q, %v", search, file, res.After, res.Refused)
		}
		pick := rapid.IntRange(0, n-1).Draw(t, "pick")
		above := fmt.Sprintf("above %d", pick)
		res = ApplyBlocks("f", file, true, []Block{{Search: above + "\n" + lf(search), Replace: above + "\n" + lf(search) + "new\n"}}, Options{})
		at := (pick + 1) * (len(window) + 1)
		if got := bodies(res.After); len(res.Refused) > 0 || len(got) != len(lines)+1 || strings.TrimSpace(got[at]) != "new" {
			t.Fatalf("with its neighbour: %q, %v", res.After, res.Refused)
		}
	})
}

// TestRepliesAreIdempotent: the same reply again finds nothing to do, and the
// opposite reply takes it back.
func TestRepliesAreIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := genFile(t)
		s := newSource(file)
		lo, hi := genWindow(t, s)
		search, replace := s.bodies[lo:hi], []string{"brand", "\tnew()", "lines"}
		block := Block{Search: lf(search), Replace: lf(replace)}
		first := ApplyBlocks("f", file, true, []Block{block}, Options{})
		if len(first.Refused) > 0 || s.empty() {
			t.Skip()
		}
		again := ApplyBlocks("f", first.After, true, []Block{block}, Options{})
		if len(s.findLines(TierUnicode, search)) == 1 && len(s.literals(search)) == 1 && again.After != first.After {
			t.Fatalf("a second run made %q of %q", again.After, first.After)
		}
		back := ApplyBlocks("f", first.After, true, []Block{{Search: block.Replace, Replace: block.Search}}, Options{})
		if len(back.Refused) > 0 || !slices.Equal(bodies(back.After), bodies(file)) {
			t.Fatalf("taking it back gives %q of %q, %v", back.After, file, back.Refused)
		}
	})
}

// TestBlocksCommute: blocks for different lines give the same text in any
// order.
func TestBlocksCommute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "lines")
		var b strings.Builder
		var blocks []Block
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", i)
			if rapid.Bool().Draw(t, "edit") {
				blocks = append(blocks, Block{Index: len(blocks), Search: fmt.Sprintf("line %d\n", i), Replace: fmt.Sprintf("edited %d\nand more\n", i)})
			}
		}
		want := ApplyBlocks("f", b.String(), true, blocks, Options{})
		shuffled := rapid.Permutation(blocks).Draw(t, "order")
		got := ApplyBlocks("f", b.String(), true, shuffled, Options{})
		one := Block{Search: b.String()}
		for i := range n {
			line := fmt.Sprintf("line %d\n", i)
			if slices.ContainsFunc(blocks, func(b Block) bool { return b.Search == line }) {
				line = fmt.Sprintf("edited %d\nand more\n", i)
			}
			one.Replace += line
		}
		if whole := ApplyBlocks("f", b.String(), true, []Block{one}, Options{}); len(blocks) > 0 && whole.After != want.After {
			t.Fatalf("one block for all makes %q, several make %q", whole.After, want.After)
		}
		if len(want.Refused) > 0 || got.After != want.After || fmt.Sprint(got.Edits) != fmt.Sprint(want.Edits) {
			t.Fatalf("%q %v\nwant %q %v", got.After, got.Refused, want.After, want.Refused)
		}
	})
}

// TestChunksDoNotMatter: however a reply is cut, the blocks are the same, and
// a part of a reply never yields a block that the whole does not.
func TestChunksDoNotMatter(t *testing.T) {
	pieces := []string{"f.go\n", "```go\n", "```\n", "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "a\n", "\tb\r\n", "\n", "prose `x.go`:\n", "  <<<<<<< SEARCH\n", "--- a/f.go\n",
		"+++ b/f.go\n", "@@ -1 +1 @@\n", "-a\n", "+b\n", " c\n", "*** Begin Patch\n", "*** Update File: f.go\n", "*** End Patch\n", "<<<<<<<<< SEARCH\n", ">>>>>>>>> REPLACE\n", "世"}
	rapid.Check(t, func(t *rapid.T) {
		reply := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "pieces"), "")
		want := Parse(reply)
		var p Parser
		var fed []Block
		for rest := reply; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "chunk")
			fed = append(fed, p.Feed(rest[:n])...)
			rest = rest[n:]
		}
		got := p.Finish()
		if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(fed) != fmt.Sprint(got.Blocks[:len(fed)]) {
			t.Fatalf("chunks give %+v\nwant %+v", got, want)
		}
		cut := rapid.IntRange(0, len(reply)).Draw(t, "cut")
		part := Parse(reply[:cut])
		for i, b := range part.Blocks {
			if b.patch || i >= len(want.Blocks) { // a diff has no end mark
				break
			}
			if fmt.Sprint(b) != fmt.Sprint(want.Blocks[i]) {
				t.Fatalf("the part %q has %+v\nthe whole has %+v", reply[:cut], b, want.Blocks[i])
			}
		}
	})
}

// TestCorpusChunks cuts every recorded reply in two, the short ones at every
// place and the others around every line's end and at many more.
func TestCorpusChunks(t *testing.T) {
	for _, c := range readCorpus(t) {
		if c.Response == nil || len(*c.Response) > 1500 {
			continue
		}
		want := fmt.Sprint(Parse(*c.Response))
		step := 1 + len(*c.Response)/300
		for cut := range len(*c.Response) {
			if cut%step != 0 && !strings.Contains((*c.Response)[max(0, cut-1):cut+1], "\n") {
				continue
			}
			var p Parser
			p.Feed((*c.Response)[:cut])
			p.Feed((*c.Response)[cut:])
			if got := fmt.Sprint(p.Finish()); got != want {
				t.Fatalf("%s cut at %d: %s\nwant %s", c.ID, cut, got, want)
			}
		}
	}
}

// TestDiffsAreReplies: a unified diff, read as a reply, makes of the text
// before the text after, and so does one without right line numbers.
func TestDiffsAreReplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := genDistinct(t)
		context := rapid.IntRange(1, 4).Draw(t, "context")
		text := Unified("a/f.go", "b/f.go", before, after, context)
		if before == "" || text == "" {
			t.Skip()
		}
		if rapid.Bool().Draw(t, "no numbers") {
			text = numbersPattern.ReplaceAllString(text, "@@ @@")
			lines := splitLines(text)
			for i, l := range lines {
				if strings.HasPrefix(l, "@@ -") {
					lines[i] = "@@ ... @@\n"
				}
			}
			text = strings.Join(lines, "")
		}
		results := ApplyReply(Parse("Here:\n```diff\n"+text+"```\n"), memory{"f.go": before}, "", Options{})
		if len(results) != 1 || len(results[0].Refused) > 0 || results[0].After != after {
			t.Fatalf("%q became %+v\nwant %q by\n%s", before, results, after, text)
		}
	})
}

// TestChainsAreDoneInOrder compares two pairs of strings, of which the second
// may continue the first, with plain replacement one after the other.
func TestChainsAreDoneInOrder(t *testing.T) {
	folded := 0
	rapid.Check(t, func(t *rapid.T) {
		words := []string{"alpha", "beta", "gamma", "delta", "(", ")", "\n", "\n\t", " = "}
		draw := func(name string, least, most int) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), least, most).Draw(t, name), " ")
		}
		file := draw("file", 4, 20)
		cut := func(text, name string) string {
			all := strings.SplitAfter(text, " ")
			lo := rapid.IntRange(0, len(all)-1).Draw(t, name)
			return strings.TrimSpace(strings.Join(all[lo:rapid.IntRange(lo+1, min(len(all), lo+5)).Draw(t, name+" end")], ""))
		}
		first := Block{Search: cut(file, "first"), Replace: draw("with", 1, 4), Text: true}
		if first.Search == "" || strings.Count(file, first.Search) != 1 {
			t.Skip()
		}
		between := strings.Replace(file, first.Search, first.Replace, 1)
		second := Block{Index: 1, Search: cut(between, "second"), Replace: draw("with too", 1, 4), Text: true}
		if second.Search == "" || strings.Count(between, second.Search) != 1 || strings.Contains(file, second.Search) {
			t.Skip()
		}
		want := strings.Replace(between, second.Search, second.Replace, 1)
		res := ApplyBlocks("f.md", file, true, []Block{first, second}, Options{})
		if len(res.Refused) > 0 || slices.ContainsFunc(res.Applied, func(a Applied) bool { return a.Tier != TierExact && a.Tier != TierSubstring }) {
			return
		}
		folded++
		if res.After != want {
			t.Fatalf("%q by %q to %q and %q to %q: %q\nwant %q", file, first.Search, first.Replace, second.Search, second.Replace, res.After, want)
		}
		checkDiffInside(t, file, res)
	})
	t.Logf("%d chains", folded)
}

// checkDiffInside checks that the edits of a result make its text.
func checkDiffInside(t interface{ Fatalf(string, ...any) }, before string, res Result) {
	if got, err := res.Edits.Apply(before); err != nil || got != res.After {
		t.Fatalf("edits %v make %q of %q, %v; want %q", res.Edits, got, before, err, res.After)
	}
}
