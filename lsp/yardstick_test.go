package lsp

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkYardstickCopy1MB is what BenchmarkDidChange1MB is compared with: the
// least that a text held in one piece costs a keystroke.
func BenchmarkYardstickCopy1MB(b *testing.B) {
	text := []byte(strings.Repeat("one more line of the text\n", 1<<20/26))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if s := string(text); len(s) != len(text) {
			b.Fatal(len(s))
		}
	}
}

// BenchmarkYardstickCount10k is what BenchmarkCodeAction10k is compared with:
// one look at every byte of a text of 10,000 lines.
func BenchmarkYardstickCount10k(b *testing.B) {
	var text strings.Builder
	for i := range 2_500 {
		fmt.Fprintf(&text, "// f%d returns %d.\nfunc f%d() int {\n\treturn %d\n}\n", i, i, i, i)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if n := strings.Count(text.String(), "func f"); n != 2_500 {
			b.Fatal(n)
		}
	}
}
