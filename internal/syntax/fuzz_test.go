package syntax

import (
	"errors"
	"testing"
	"time"
)

// fuzzParse parses any bytes by a grammar and by lines.
func fuzzParse(f *testing.F, lang Lang) {
	for _, tt := range symbolTests {
		if tt.lang == lang {
			f.Add(tt.text)
		}
	}
	for _, tt := range compareTests {
		if tt.lang == lang {
			f.Add(tt.after)
		}
	}
	for _, text := range hostile {
		f.Add(text[:40])
	}
	f.Add("\xff\x00\n\ufeff\r\n")
	r := byLang[lang]
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		tree, err := Parse(t.Context(), lang, text)
		if took := time.Since(start); took > 2*time.Second && len(text) < 4096 {
			t.Fatalf("%d bytes took %v", len(text), took)
		}
		if errors.Is(err, ErrTooSlow) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkTree(t, tree, text)
		byLines := readLines(r, text, everything)
		checkTree(t, &Tree{lang: lang, problems: byLines.problems, symbols: byLines.symbols, comments: byLines.comments}, text)
		Token(text, len(text)/2)
	})
}

func FuzzGo(f *testing.F)         { fuzzParse(f, Go) }
func FuzzPython(f *testing.F)     { fuzzParse(f, Python) }
func FuzzJavaScript(f *testing.F) { fuzzParse(f, JavaScript) }
func FuzzTypeScript(f *testing.F) { fuzzParse(f, TypeScript) }
func FuzzTSX(f *testing.F)        { fuzzParse(f, TSX) }
func FuzzRust(f *testing.F)       { fuzzParse(f, Rust) }
func FuzzJava(f *testing.F)       { fuzzParse(f, Java) }
func FuzzC(f *testing.F)          { fuzzParse(f, C) }
func FuzzCPP(f *testing.F)        { fuzzParse(f, CPP) }
func FuzzRuby(f *testing.F)       { fuzzParse(f, Ruby) }
func FuzzBash(f *testing.F)       { fuzzParse(f, Bash) }
