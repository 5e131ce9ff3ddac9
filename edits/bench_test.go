package edits

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// bigFile returns a file of that many lines, many of them alike.
func bigFile(lines int) string {
	var b strings.Builder
	for i := range lines {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "func handler%d(w http.ResponseWriter, r *http.Request) {\n", i)
		case 1:
			b.WriteString("\tif err := check(r); err != nil {\n")
		case 2:
			b.WriteString("\t\treturn\n")
		case 3:
			b.WriteString("\t}\n")
		default:
			b.WriteString("}\n")
		}
	}
	return b.String()
}

// scaled are replies of one block against a file of many lines: where it hits,
// from tight to loose, and where it misses, with the explanation of it.
var scaled = []struct {
	name            string
	search, replace string // %d is a line of the file's middle
	miss            bool
}{
	{name: "exact", search: "func handler%d(w http.ResponseWriter, r *http.Request) {\n\tif err := check(r); err != nil {\n", replace: "x\n"},
	{name: "indent", search: "    func handler%d(w http.ResponseWriter, r *http.Request) {\n        if err := check(r); err != nil {\n", replace: "    x\n"},
	{name: "unicode", search: "func handler%d(w http.ResponseWriter, r *http.Request) {\n\tif\u00a0err := check(r); err != nil {\n", replace: "x\n"},
	{name: "miss", search: "func handler%d1(w http.ResponseWriter, r *http.Request) {\n\tif err := check(r); err != nil {\n", replace: "x\n", miss: true},
	{name: "ambiguous", search: "\tif err := check(r); err != nil {\n\t\treturn\n", replace: "x\n", miss: true},
}

// BenchmarkParseAndMatch is to grow in proportion to the file.
func BenchmarkParseAndMatch(b *testing.B) {
	for _, c := range scaled {
		for _, lines := range []int{1_000, 10_000, 50_000, 100_000} {
			file := bigFile(lines)
			search := c.search
			if strings.Contains(search, "%d") {
				search = fmt.Sprintf(search, lines/2)
			}
			reply := reply("a/b.go", search, c.replace)
			b.Run(fmt.Sprintf("%s/%d", c.name, lines), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					res := ApplyBlocks("a/b.go", file, true, Parse(reply).Blocks, Options{})
					if (len(res.Refused) > 0) != c.miss {
						b.Fatal(res.Refused)
					}
				}
			})
		}
	}
}

// manyBlocks returns a reply that changes every so manieth line of [bigFile].
func manyBlocks(lines, blocks int) string {
	var b strings.Builder
	for i := range blocks {
		at := i * lines / blocks / 5 * 5
		head := fmt.Sprintf("func handler%d(w http.ResponseWriter, r *http.Request) {\n", at)
		b.WriteString(reply("a/b.go", head, head+"\tdefer done()\n"))
	}
	return b.String()
}

// BenchmarkManyBlocks is to grow in proportion to the blocks: each costs a
// look through the file.
func BenchmarkManyBlocks(b *testing.B) {
	for _, lines := range []int{1_000, 10_000, 100_000} {
		file := bigFile(lines)
		for _, blocks := range []int{10, 100} {
			reply := manyBlocks(lines, blocks)
			b.Run(fmt.Sprintf("%dlines/%dblocks", lines, blocks), func(b *testing.B) {
				for b.Loop() {
					if res := ApplyBlocks("a/b.go", file, true, Parse(reply).Blocks, Options{}); len(res.Refused) > 0 {
						b.Fatal(res.Refused)
					}
				}
			})
		}
	}
}

func BenchmarkParse1MB(b *testing.B) {
	reply := "a.go\n```\n<<<<<<< SEARCH\n" + strings.Repeat("some line of text\n", 30_000) + "=======\n" + strings.Repeat("some line of text\n", 30_000) + ">>>>>>> REPLACE\n"
	b.SetBytes(int64(len(reply)))
	for b.Loop() {
		if r := Parse(reply); len(r.Blocks) != 1 {
			b.Fatal(r.Problems)
		}
	}
}

// fastest returns the least time that a few runs took, which is what a machine
// with other work to do has least to do with.
func fastest(runs int, run func()) time.Duration {
	least := time.Duration(1<<63 - 1)
	for range runs {
		start := time.Now()
		run()
		least = min(least, time.Since(start))
	}
	return least
}

// TestCostIsLinear: eight times the file, or the reply, takes some eight times
// as long, not sixty-four. The bound leaves room for a busy machine.
func TestCostIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	const small, large, factor = 2_500, 20_000, 8
	apply := func(file, reply string) func() {
		return func() { ApplyBlocks("a/b.go", file, true, Parse(reply).Blocks, Options{}) }
	}
	type sized func(lines int) func()
	cases := map[string]sized{
		"a reply of many lines": func(lines int) func() {
			return apply("x\n", reply("a/b.go", bigFile(lines), "y\n"))
		},
		"a file that is all replaced": func(lines int) func() {
			return apply(bigFile(lines), reply("a/b.go", bigFile(lines), "y\n"))
		},
		"a line added to all of a file": func(lines int) func() {
			return apply(bigFile(lines), reply("a/b.go", bigFile(lines), bigFile(lines)+"y\n"))
		},
		"equal lines": func(lines int) func() {
			return apply(strings.Repeat("x\n", lines), reply("a/b.go", strings.Repeat("x\n", lines/2), "y\n"))
		},
		"equal lines, loosely": func(lines int) func() {
			return apply(strings.Repeat("  x\n", lines), reply("a/b.go", strings.Repeat("x\n", lines/2), "y\n"))
		},
	}
	for _, c := range scaled {
		cases["one block, "+c.name] = func(lines int) func() {
			return apply(bigFile(lines), reply("a/b.go", strings.ReplaceAll(c.search, "%d", fmt.Sprint(lines/2)), c.replace))
		}
	}
	for name, c := range cases {
		var few, many time.Duration
		for try := range 3 {
			if few, many = fastest(4, c(small)), fastest(2, c(large)); many < 20*time.Millisecond || many < 4*factor*few {
				break
			}
			if try == 2 {
				t.Errorf("%s: %v for %d lines, %v for %d", name, few, small, many, large)
			}
		}
		t.Logf("%s: %v and %v, %.1f times for %d times the lines", name, few, many, float64(many)/float64(few), factor)
	}
}

// TestHostileSizes keeps the engine near linear where a plain algorithm is
// quadratic. The bound is far above what it takes.
func TestHostileSizes(t *testing.T) {
	equal := strings.Repeat("x\n", 100_000)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"separators", func() { Parse("a.go\n<<<<<<< SEARCH\n" + strings.Repeat("=======\n", 1<<17) + ">>>>>>> REPLACE\n") }},
		{"separators of a text", func() { Parse("a.md\n<<<<<<< SEARCH\n" + strings.Repeat("=======\n", 1<<17) + ">>>>>>> REPLACE\n") }},
		{"openings", func() { Parse("a.go\n" + strings.Repeat("<<<<<<< SEARCH\n", 1<<16)) }},
		{"fences", func() { (&Parser{WholeFiles: true}).Feed(strings.Repeat("a.go\n```\n", 1<<16)) }},
		{"diff heads", func() { Parse(strings.Repeat("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n", 1<<14)) }},
		{"a line of 1 MB of <", func() {
			Parse("a.go\n" + strings.Repeat("<", 1<<20) + "\n" + reply("a.go", strings.Repeat("<", 1<<20)+"\n", "x\n"))
		}},
		{"a line of 1 MB of =", func() {
			Parse("a.go\n" + strings.Repeat("=", 1<<20) + "\n" + reply("a.go", strings.Repeat("=", 1<<20)+"\n", "x\n"))
		}},
		{"a file of a line of 1 MB of <", func() {
			ApplyBlocks("a", strings.Repeat("<", 1<<20), true, []Block{{Search: strings.Repeat("<", 1<<19), Replace: "y"}, {Index: 1, Search: strings.Repeat("<", 1<<19), Replace: "z", Text: true}}, Options{})
		}},
		{"100,000 equal lines in SEARCH", func() {
			ApplyBlocks("a", equal, true, []Block{{Search: equal, Replace: "y\n"}, {Index: 1, Search: equal + "x\n", Replace: "y\n"}}, Options{})
		}},
		{"100,000 equal lines, one is meant", func() {
			ApplyBlocks("a", equal, true, []Block{{Search: "x\n", Replace: "y\n"}, {Index: 1, Search: " x\n", Replace: "y\n"}, {Index: 2, Search: "x\nx", Replace: "y", Text: true}}, Options{})
		}},
		{"100,000 equal lines, all are meant", func() {
			ApplyBlocks("a", equal, true, []Block{{Search: "x\n", Replace: "y\n", Text: true, All: true}}, Options{})
		}},
		{"1000 blocks", func() { ApplyBlocks("a/b.go", bigFile(5000), true, Parse(manyBlocks(5000, 1000)).Blocks, Options{}) }},
		{"300 blocks that chain", func() {
			var b strings.Builder
			for i := range 300 {
				b.WriteString(reply("a.go", fmt.Sprintf("v%d\n", i), fmt.Sprintf("v%d\n", i+1)))
			}
			ApplyBlocks("a.go", "v0\n"+bigFile(2000), true, Parse(b.String()).Blocks, Options{})
		}},
		{"one long line", func() { Parse(strings.Repeat("`<", 1<<19)) }},
		{"byte by byte", func() {
			var p Parser
			for range 200_000 {
				p.Feed("x")
			}
			p.Finish()
		}},
		{"equal lines", func() {
			ApplyBlocks("a", equal, true, []Block{{Search: strings.Repeat("x\n", 50_000), Replace: "y\n"}}, Options{})
		}},
		{"equal lines with an end that differs", func() {
			ApplyBlocks("a", equal, true, []Block{{Search: strings.Repeat("x\n", 50_000) + "z\n", Replace: "y\n"}}, Options{})
		}},
		{"equal lines as a part", func() {
			ApplyBlocks("a", equal, true, []Block{{Search: "q\n" + strings.Repeat("x\n", 50_000) + "z\n", Replace: "y\n"}}, Options{Fuzzy: true})
		}},
		{"a line of 200 kB", func() {
			ApplyBlocks("a", strings.Repeat("ab", 100_000), true, []Block{{Search: strings.Repeat("ba", 50_000), Replace: "y\n"}}, Options{Fuzzy: true})
		}},
		{"diff of unlike texts", func() { Diff(equal, strings.Repeat("y\nx\n", 50_000)) }},
		{"diff of long lines", func() { Diff(strings.Repeat("a b ", 50_000), strings.Repeat("b a c ", 50_000)) }},
		{"many hunks rebased", func() {
			var before, after, now strings.Builder
			for i := range 2000 {
				fmt.Fprintf(&before, "a%d\nb%d\nc%d\n", i, i, i)
				fmt.Fprintf(&after, "a%d\nB%d\nc%d\n", i, i, i)
				fmt.Fprintf(&now, "a%d\nq%d\nc%d\n", i, i, i)
			}
			Rebase(before.String(), now.String(), Hunks(before.String(), after.String()))
		}},
	} {
		start := time.Now()
		c.run()
		if took := time.Since(start); took > hostileLimit {
			t.Errorf("%s took %v", c.name, took)
		} else {
			t.Logf("%s: %v", c.name, took)
		}
	}
}
