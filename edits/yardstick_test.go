package edits

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkYardstickSplit50kLines is what BenchmarkParseAndMatch50kLines is
// compared with.
func BenchmarkYardstickSplit50kLines(b *testing.B) {
	file := bigFile(50_000)
	for b.Loop() {
		if n := len(strings.Split(file, "\n")); n != 50_001 {
			b.Fatal(n)
		}
	}
}

// BenchmarkParseAndMatch50kLines is what has a bound: each kind of reply
// against 50,000 lines.
func BenchmarkParseAndMatch50kLines(b *testing.B) {
	const lines = 50_000
	file := bigFile(lines)
	for _, c := range scaled {
		search := c.search
		if strings.Contains(search, "%d") {
			search = fmt.Sprintf(search, lines/2)
		}
		text := reply("a/b.go", search, c.replace)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				ApplyBlocks("a/b.go", file, true, Parse(text).Blocks, Options{})
			}
		})
	}
}
