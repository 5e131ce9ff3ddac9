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

func BenchmarkParseAndMatch50kLines(b *testing.B) {
	file := bigFile(50_000)
	for _, c := range []struct{ name, search, replace string }{
		{"exact", "func handler25000(w http.ResponseWriter, r *http.Request) {\n\tif err := check(r); err != nil {\n", "func handler25000(w http.ResponseWriter, r *http.Request) {\n\tif true {\n"},
		{"indent", "    func handler25000(w http.ResponseWriter, r *http.Request) {\n        if err := check(r); err != nil {\n", "    func handler25000(w http.ResponseWriter, r *http.Request) {\n        if true {\n"},
		{"unicode", "func handler25000(w http.ResponseWriter, r *http.Request) {\n\tif\u00a0err := check(r); err != nil {\n", "func handler25000(w http.ResponseWriter, r *http.Request) {\n\tif true {\n"},
		{"missing", "func handler25001(w http.ResponseWriter, r *http.Request) {\n\tif err := check(r); err != nil {\n", "x\n"},
	} {
		reply := "a/b.go\n```go\n<<<<<<< SEARCH\n" + c.search + "=======\n" + c.replace + ">>>>>>> REPLACE\n```\n"
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := Parse(reply)
				res := ApplyBlocks("a/b.go", file, true, r.Blocks, Options{})
				if (len(res.Refused) > 0) != (c.name == "missing") {
					b.Fatal(res.Refused)
				}
			}
		})
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
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %v", c.name, took)
		} else {
			t.Logf("%s: %v", c.name, took)
		}
	}
}
