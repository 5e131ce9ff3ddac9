package proposal

import (
	"strings"
	"testing"
)

// benchmarkFile is a 10,000-line file with a proposal of 20 hunks.
func benchmarkFile(b *testing.B) (*Content, string) {
	base := numbered(10_000)
	lines := strings.SplitAfter(base, "\n")
	for i := range 20 {
		at := 250 + i*490
		lines[at] = "replaced " + lines[at] + "and one more\n"
	}
	w := world{path("a.txt"): base}
	c := propose(b, b.Context(), w, map[string]string{"a.txt": strings.Join(lines, "")})
	if n := len(c.Files[0].Hunks); n != 20 {
		b.Fatalf("%d hunks", n)
	}
	return c, base
}

// typed is what the person changed so far: the first line and the last, so
// that nothing of the file can be skipped as common start or end.
func typed(base string) string {
	return "package x\n" + strings.TrimSuffix(base, "\n") + " // end\n"
}

func BenchmarkPlan(b *testing.B) {
	c, base := benchmarkFile(b)
	for name, text := range map[string]string{"unchanged": base, "typed": typed(base)} {
		b.Run(name, func(b *testing.B) {
			w := world{path("a.txt"): text}
			for b.Loop() {
				if p, err := c.Plan(Selection{}, w.now); err != nil || len(p.Files[0].Hunks) != 20 {
					b.Fatal(p, err)
				}
			}
		})
	}
}

// BenchmarkLocated measures what one keystroke costs: far from every hunk, on
// the line of one, and none at all.
func BenchmarkLocated(b *testing.B) {
	c, base := benchmarkFile(b)
	base = typed(base)
	near := strings.Index(base, "line number 250 ")
	for name, at := range map[string]int{"far": 30, "near": near - 30, "same": -1} {
		b.Run(name, func(b *testing.B) {
			texts := [2]string{base, base}
			if at >= 0 {
				texts[1] = base[:at] + "x" + base[at:]
			}
			i := 0
			for b.Loop() {
				i++
				if found := c.Located(string(path("a.txt")), texts[i%2]); len(found) != 20 {
					b.Fatal(len(found))
				}
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	c, base := benchmarkFile(b)
	w := world{path("a.txt"): base}
	for b.Loop() {
		propose(b, b.Context(), w, map[string]string{"a.txt": c.Texts[0].After})
	}
}
