package syntax

import (
	"fmt"
	goscanner "go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// directiveTests have «» around what each directive takes out.
var directiveTests = []struct {
	language, text string
	want           []string // instructions
}{
	{"go", "a\n«// emend: do X\n»b\n", []string{"do X"}},
	{"go", "«\t// emend: do X\n»\tb\n", []string{"do X"}},
	{"go", "«//emend: do X\n»", []string{"do X"}},
	{"go", "«// EMEND: do X»", []string{"do X"}},
	{"go", "«// Emend:\tdo X  \r\n»b", []string{"do X"}},
	{"go", "x := 1« // emend: do X»\n", []string{"do X"}},
	{"go", "x := 1«// emend: do X»\r\n", []string{"do X"}},
	{"go", "«/// emend: do X\n»", []string{"do X"}},
	{"go", "«/* emend: do X */\n»", []string{"do X"}},
	{"go", "\t«/* emend: do X */ »x()\n", []string{"do X"}},
	{"go", "f(a« /* emend: do X */», b)\n", []string{"do X"}},
	{"go", "«/* emend: do X\n * and Y\n */\n»", []string{"do X\nand Y"}},
	{"go", "/* emend: never closed\n", nil},
	// What continues a directive, and what does not.
	{"go", "«// emend: do X\n// and Y\n// and Z\n»func f() {}\n", []string{"do X\nand Y\nand Z"}},
	{"go", "«// emend: do X\n// and Y»", []string{"do X\nand Y"}},
	{"go", "«// emend: do X\n»//\n// not this\n", []string{"do X"}},
	{"go", "«// emend: do X\n»// \n// not this\n", []string{"do X"}},
	{"go", "«// emend: do X\n»\n// not this\n", []string{"do X"}},
	{"go", "«// emend: do X\n»//go:generate stringer\n", []string{"do X"}},
	{"go", "«// emend: do X\n»\t// another indent\n", []string{"do X"}},
	{"go", "«// emend: do X\n»/// another sign\n", []string{"do X"}},
	{"go", "«// emend: do X\n»«// emend: do Y\n»", []string{"do X", "do Y"}},
	{"go", "«// emend: do X\n// see emend: more\n»", []string{"do X\nsee emend: more"}},
	{"go", "x()« // emend: do X»\n// not this\n", []string{"do X"}},
	{"html", "«<!-- emend: a -->\n<!-- b -->\n»<p>\n", []string{"a\nb"}},
	{"css", "«/* emend: a\n   b */\n»p {}\n", []string{"a\nb"}},
	// What is no directive.
	{"go", "// emend:do X\n// emend:\n// emend: \n// xemend: a\n// see emend: a\n// TODO emend: a\n", nil},
	{"go", "emend: do X\n\"// emend: do X\"\n", nil},
	{"go", "s := \"a // emend: do X\"\n", nil},
	{"go", "s := \"a \\\" // emend: do X\"\n", nil},
	{"go", "s := '\"'« // emend: do X»\n", []string{"do X"}},
	{"go", "s := `\n// emend: do X\n`\n«// emend: do Y\n»", []string{"do Y"}},
	{"go", "/*\n// emend: do X\n*/\n", nil},
	{"go", "// write \"// emend: do X\" there\n// or // emend: do Y\n", nil},
	{"go", "s := \"never closed« // emend: do X»\n", []string{"do X"}},
	{"go", "s := `never closed« // emend: do X»\n", []string{"do X"}},
	{"go", "see https://emend: x\n", nil},
	{"python", "s = \"\"\"\n# emend: do X\n\"\"\"\n«# emend: do Y\n»", []string{"do Y"}},
	{"python", "x = '#'« # emend: do X»\n", []string{"do X"}},
	{"python", "x = ' # emend: do X'\n", nil},
	{"python", "x = 1«# emend: do X»\n", []string{"do X"}},
	{"shellscript", "echo a# emend: no\necho it« # emend: yes»\n", []string{"yes"}},
	{"shellscript", "echo \\# emend: no\n", nil},
	{"rust", "fn f<'a>(x: &'a str) {}« // emend: do X»\n«//! emend: do Y\n»", []string{"do X", "do Y"}},
	{"sql", "select 1« -- emend: do X»\nselect '-- emend: no'\n", []string{"do X"}},
	{"lua", "«--[[ emend: do X ]]\n»«-- emend: do Y\n»", []string{"do X", "do Y"}},
	{"haskell", "«{- emend: do X -}\n»f' = 1« -- emend: do Y»\n", []string{"do X", "do Y"}},
	{"latex", "50\\% emend: no\na« % emend: do X»\n", []string{"do X"}},
	{"vim", "«\" emend: do X\n»echo \" emend: no\"\n", []string{"do X"}},
	{"bat", "«REM emend: do X\n»«rem emend: do Y\n»«:: emend: do Z\n»", []string{"do X", "do Y", "do Z"}},
	{"bat", "REMemend: no\nxrem emend: no\n", nil},
	{"vb", "x = 1« ' emend: do X»\n", []string{"do X"}},
	{"ocaml", "«(* emend: do X *)\n»", []string{"do X"}},
	{"markdown", "# emend: a heading\n«<!-- emend: do X -->\n»```go\n// emend: an example\n```\n", []string{"do X"}},
	{"vue", "«<!-- emend: a -->\n»«// emend: b\n»«/* emend: c */\n»", []string{"a", "b", "c"}},
	{"clojure", "«;; emend: do X\n;; and Y\n»(f)« ; emend: do Z»\n", []string{"do X\nand Y", "do Z"}},
	{"yaml", "emend: value\n- emend: value\n«  # emend: do X\n»a: b« # emend: do Y»\nc: d# emend: no\n", []string{"do X", "do Y"}},
	{"json", "«// emend: do X\n»{}\n", []string{"do X"}},
	{"fortran", "«! emend: do X\n»", []string{"do X"}},
	{"erb", "«<%# emend: do X %>\n»", []string{"do X"}},
	{"handlebars", "«{{!-- emend: do X --}}\n»«{{! emend: do Y }}\n»", []string{"do X", "do Y"}},
	// A language that is not known.
	{"", "«// emend: a\n»«# emend: b\n»«-- emend: c\n»«; emend: d\n»«% emend: e\n»", []string{"a", "b", "c", "d", "e"}},
	{"brainfuck", "«\" emend: a\n»«! emend: b\n»«' emend: c\n»«REM emend: d\n»", []string{"a", "b", "c", "d"}},
	{"", "«/* emend: a */\n»«<!-- emend: b -->\n»«(* emend: c *)\n»«{- emend: d -}\n»", []string{"a", "b", "c", "d"}},
	{"", "foo(); emend: no\nx« // emend: a»\nhttp://emend: no\nit's« # emend: b, isn't it»\n", []string{"a", "b, isn't it"}},
	{"plaintext", "say \"! emend: no\" ! emend: no\n", nil},
	{"", "", nil},
}

func TestDirectives(t *testing.T) {
	for _, tt := range directiveTests {
		text, spans := unmark(tt.text)
		got := Directives(tt.language, text)
		var said []string
		for _, d := range got {
			said = append(said, d.Instruction)
		}
		if fmt.Sprint(said) != fmt.Sprint(tt.want) || len(said) != len(tt.want) {
			t.Errorf("%s %q:\n got %q\nwant %q", tt.language, tt.text, said, tt.want)
			continue
		}
		for i, d := range got {
			if d.Start != spans[i][0] || d.End != spans[i][1] {
				t.Errorf("%s %q: takes out %q, want %q", tt.language, tt.text, text[d.Start:d.End], text[spans[i][0]:spans[i][1]])
			}
			begin := strings.Index(strings.ToLower(text[d.Start:]), word) + d.Start
			if want := strings.Count(text[:begin], "\n"); d.Line != want {
				t.Errorf("%s %q: line %d, want %d", tt.language, tt.text, d.Line, want)
			}
			lines := d.Start == 0 || text[d.Start-1] == '\n'
			if whole := lines && (d.End == len(text) || d.End > d.Start && text[d.End-1] == '\n'); d.Alone != whole {
				t.Errorf("%s %q: alone %v", tt.language, tt.text, d.Alone)
			}
		}
	}
}

// unmark takes the «» out of a text and returns where they were.
func unmark(s string) (string, [][2]int) {
	var b strings.Builder
	var spans [][2]int
	for _, r := range s {
		switch r {
		case '«':
			spans = append(spans, [2]int{b.Len(), 0})
		case '»':
			spans[len(spans)-1][1] = b.Len()
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), spans
}

func TestCommentLeader(t *testing.T) {
	for _, tt := range [][4]string{
		{"go", "a.go", "//", ""}, {"python", "", "#", ""}, {"", "x.rs", "//", ""}, {"html", "", "<!--", "-->"},
		{"css", "", "/*", "*/"}, {"", "Makefile", "#", ""}, {"", `dir\Dockerfile`, "#", ""}, {"plaintext", "x.lua", "--", ""},
		{"", "a/b/CMakeLists.txt", "#", ""}, {"bat", "", "REM", ""}, {"ocaml", "", "(*", "*)"}, {"jsonc", "", "//", ""},
		{"json", "tsconfig.json", "//", ""}, {"TypeScriptReact", "", "//", ""}, {"", "x.VIM", `"`, ""}, {"nosuch", "x.sql", "--", ""},
	} {
		open, close, ok := CommentLeader(tt[0], tt[1])
		if !ok || open != tt[2] || close != tt[3] {
			t.Errorf("CommentLeader(%q, %q) = %q, %q, %v", tt[0], tt[1], open, close, ok)
		}
	}
	for _, tt := range [][2]string{{"json", "a.json"}, {"", ""}, {"nosuch", "x.nosuch"}, {"", "package.json"}, {"plaintext", "notes.txt"}} {
		if open, _, ok := CommentLeader(tt[0], tt[1]); ok {
			t.Errorf("CommentLeader(%q, %q) = %q", tt[0], tt[1], open)
		}
	}
}

// TestWrittenDirectivesAreFound writes a directive in every language there is
// and finds it.
func TestWrittenDirectivesAreFound(t *testing.T) {
	distinct := make(map[*style]bool)
	for language, st := range languages {
		distinct[st] = true
		open, close, ok := CommentLeader(language, "")
		if !ok {
			continue
		}
		line := strings.TrimSpace(open + " emend: do X " + close)
		text := "one\n  " + line + "\ntwo\n"
		got := Directives(language, text)
		if len(got) != 1 || got[0].Instruction != "do X" || got[0].Line != 1 || !got[0].Alone || text[got[0].Start:got[0].End] != "  "+line+"\n" {
			t.Errorf("%s: %q gives %+v", language, text, got)
		}
		if len(st.block) > len(scanner{}.unclosed) {
			t.Errorf("%s has more kinds of blocks than a scanner remembers", language)
		}
	}
	if len(languages) < 100 || len(distinct) < 40 {
		t.Errorf("%d names for %d styles", len(languages), len(distinct))
	}
}

// TestScannerAgainstGo compares the comments found in the Go tree with those
// that go/scanner finds.
func TestScannerAgainstGo(t *testing.T) {
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("the go command is not here:", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", "*", "*.go"))
	if err != nil || len(files) == 0 {
		t.Skip("no Go tree here")
	}
	if testing.Short() && len(files) > 100 {
		files = files[:100]
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		set := token.NewFileSet()
		file := set.AddFile(name, -1, len(src))
		var sc goscanner.Scanner
		sc.Init(file, src, nil, goscanner.ScanComments)
		for {
			pos, tok, _ := sc.Scan()
			if tok == token.EOF {
				break
			}
			if tok == token.COMMENT {
				want = append(want, file.Offset(pos))
			}
		}
		s := newScanner(&goLike, string(src))
		for i := 0; ; i++ {
			at := s.comment(len(src))
			if at < 0 {
				if i != len(want) {
					t.Errorf("%s: %d comments, want %d", name, i, len(want))
				}
				break
			}
			if i >= len(want) || at != want[i] {
				t.Errorf("%s: comment %d at %d, want %v", name, i, at, want[min(i, len(want)-1)])
				break
			}
		}
	}
}

func FuzzDirectives(f *testing.F) {
	for _, s := range []string{
		"// emend: a\n// b\n", "x /* emend: a\n*/ y", "\"// emend: a\" // emend: b", "`\n// emend: a\n`", "REM emend: a\r\n",
		"# emend: a\n#b\n# c", "<!-- emend: a --><!-- emend: b -->", "'\\'' # emend: x", "//emend: //emend: a",
	} {
		for _, language := range []string{"go", "python", "", "html", "bat"} {
			f.Add(language, s)
		}
	}
	f.Fuzz(func(t *testing.T, language, text string) {
		end := 0
		for _, d := range Directives(language, text) {
			if d.Start < end || d.End <= d.Start || d.End > len(text) {
				t.Fatalf("%+v after %d in %d bytes", d, end, len(text))
			}
			end = d.End
			if strings.TrimSpace(d.Instruction) == "" || !strings.Contains(strings.ToLower(text[d.Start:d.End]), word) {
				t.Fatalf("%+v is no directive in %q", d, text)
			}
			if n := strings.Count(text[:d.Start], "\n"); d.Line != n {
				t.Fatalf("%+v is on line %d of %q", d, n, text)
			}
			if d.Alone && d.Start > 0 && text[d.Start-1] != '\n' {
				t.Fatalf("%+v is not alone in %q", d, text)
			}
		}
	})
}

// lines returns n lines that look like code.
func lines(n int) string {
	return strings.Repeat("\tif err := f(a, \"some: text\"); err != nil { // why: that\n", n)
}

func BenchmarkNone(b *testing.B) {
	text := lines(10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Directives("go", text)
	}
}

func BenchmarkOneAtTheEnd(b *testing.B) {
	text := lines(10_000) + "// emend: do X\n"
	for b.Loop() {
		Directives("go", text)
	}
}

// BenchmarkHostile holds candidates that would make a careless finder
// quadratic.
func BenchmarkHostile(b *testing.B) {
	for name, text := range map[string]string{
		"one line": strings.Repeat("x # emend: ", 50_000), "in string": `"` + strings.Repeat("// emend: a ", 50_000),
		"blocks": strings.Repeat("/* emend: a */ ", 50_000), "unclosed": strings.Repeat("/* emend: a ", 50_000), "escapes": strings.Repeat(`\"'`, 200_000) + "// emend: a\n", "ticks": strings.Repeat("` // emend: a\n", 50_000),
	} {
		for _, language := range []string{"go", "", "bat"} {
			b.Run(name+"/"+language, func(b *testing.B) {
				for b.Loop() {
					Directives(language, text)
				}
			})
		}
	}
}
