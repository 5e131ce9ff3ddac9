package edits

import (
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
