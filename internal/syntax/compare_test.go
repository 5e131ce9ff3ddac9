package syntax

import (
	"bufio"
	"context"
	encjson "encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// compareTests have a text before an edit, one after it, and what is said:
// nothing where the edit is right. Those marked lines hold in builds without
// grammars too.
var compareTests = []struct {
	lang          Lang
	before, after string
	want          string
	lines         bool
}{
	{Go, "package a\n\nfunc f() {\n}\n", "package a\n\nfunc f() {\n\tx := \n}\n", `line 5: expected operand, found '}'`, true},
	{Go, "package a\n\nfunc f() {\n}\n", "package a\n\nfunc f() {\n\tif x {\n}\n\nfunc g() {\n}\n", `line 4: "{" is never closed`, true},
	{Go, "package a\n", "package a\n\n<<<<<<< SEARCH\nfunc f() {\n}\n", `line 3: "<<<<<<< SEARCH" is left in the text`, true},
	{Go, "package a\n", "package a\n\nfunc f() { x := `{` }\n", "", true},
	{Go, "", "package a\n\nfunc f( {}\n", `line 3: "(" is never closed`, true},
	{Go, "", "package a\n", "", true},
	{Go, "package a\nfunc (\n", "package a\nfunc ((\n", "", true}, // it did not parse before
	{Go, "func f() {}\n", "func f() {\n", "", true},               // nor did this: it has no package

	{Python, "def f(x):\n    return x\n", "def f(x)\n    return x\n", `line 1: missing ":" at the end of this line`, true},
	{Python, "def f(x):\n    return x\n", "def f(x):\nreturn x\n", "line 2: expected an indented block after line 1", true},
	{Python, "def f(x):\n    return x\n", "def f(x):\n    y = (x\n    return y\n", `line 2: "(" is never closed`, true},
	{Python, "def f(x):\n    return x\n", "def f(x):\n    y = x +\n    return y\n", `line 3: unexpected "return"`, false},
	{Python, "def f(x):\n    return x\n", "def f(x):\n      y = x\n    return y\n", "line 3: unindent does not match any outer indentation level", true},
	{Python, "def f(x):\n    return x\n", "def f(x):\n    y = 1\n      return y\n", "line 3: unexpected indent", true},
	{Python, "def f(x):\n    return x\n", "def f(x):\n    return x\ndef g():\n", "line 3: expected an indented block after this line", true},
	{Python, "def f(x):\n    return x\n", "def f(x):\n    ...rest of code\n    return x\n", `line 2: unexpected "...rest of"`, false},
	{Python, "def f(x):\n    return x\n", "def f(x):\n    try:\n        y()\n    return x\n", "line 3: this try has neither except nor finally", false},
	{Python, "def f(x):\n    return x\n", "def f(x):\n    s = \"\"\"a\nb(\n  \"\"\"\n    t = (1,\n  2)\n    if x and \\\n  t:\n        # {\n  # there\n        pass\n\n    return s\n", "", true},
	{Python, "def f(x):\n\treturn x\n", "def f(x):\n\tif x:\n\t\treturn x\n\telse:\n\t\treturn {\n'a': 1}\n", "", true},

	{JavaScript, "function f(a) {\n  return a;\n}\nlet x = 1;\n", "function f(a) {\n  return a;\n}\n}\nlet x = 1;\n", `line 4: unexpected "}"`, true},
	{JavaScript, "function f(a) {\n  return a;\n}\nlet x = 1;\n", "function f(a) {\n  if (a) {\n  return a;\n}\nlet x = 1;\n", `line 2: "{" is never closed`, true},
	{JavaScript, "function f(a) {\n  return a;\n}\n", "function f(a) {\n  return a +;\n}\n", "line 2: missing identifier", false},
	{JavaScript, "function f(a) {\n  return a;\n}\n", "function f(a) {\n  return /[{/]\\/{/.test(a) / 2 ? `{${a}` : '}';\n}\n", "", true},
	{JavaScript, "const A = () => <p>x</p>;\n", "const A = () => <p>x;\n", `line 1: unexpected "const A = () => <p>x;"`, false},
	{JavaScript, "function f(a) { return a }\n", "function f(a: number): number { return a }\n", "", true}, // types, as with Flow
	{TypeScript, "class A {\n  f(): number {\n    return 1;\n  }\n}\n", "class A {\n  f(): number {\n    return 1;\n  }\n  function g() {}\n}\n", `line 5: unexpected "g"`, false},
	{TSX, "const A = () => <p>x</p>;\n", "const A = () => <p>x</q>;\n", "line 1: this closes another tag than the one that is open", false},
	{TSX, "const A = () => <p>x</p>;\n", "const A = () => <><B.C a={1}>it's</B.C></>;\n", "", true},

	{Rust, "fn f() -> i32 {\n    1\n}\n", "fn f() -> i32 {\n    let x = 3\n    1\n}\n", `line 2: missing ";"`, false},
	{Rust, "fn f() -> i32 {\n    1\n}\n", "fn f<'a>(s: &'a str) -> i32 {\n    let x = r#\"{\"}\"#;\n    let y = \"{\n\";\n    let z = '{';\n    1\n}\n", "", true},
	{Rust, "fn f() -> i32 {\n    1\n}\n", "fn f() -> i32 {\n    1\n}\n}\n", `line 4: unexpected "}"`, true},
	{Java, "class A {\n  int f() {\n    return 1;\n  }\n}\n", "class A {\n  int f() {\n    int x = 2\n    return 1;\n  }\n}\n", `line 3: missing ";"`, false},
	{Java, "class A {\n  int f() {\n    return 1;\n  }\n}\n", "class A {\n  int f() {\n    foo(;\n    return 1;\n  }\n}\n", `line 5: "}" does not close the "(" of line 3`, true},

	{C, "int f(void) {\n  return 1;\n}\n", "int f(void) {\n  if (1) {\n  return 1;\n}\n", `line 2: "{" is never closed`, true},
	{C, "int f(void) {\n  return 1;\n}\n", "EXPORT int f(void) __attr {\n  WITH(x) do_it\n  return 1;\n}\n", "", true},
	{C, "int f(void) {\n  return 1;\n}\n", "int f(void) {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n  return 1;\n}\n", "", true},
	{C, "int f(void) {\n  return 1;\n}\n", "#define BEGIN { \\\n  {\nint f(void) {\n  return 1;\n}\n", "", true},
	{C, "int f(void);\n", "class A { int f(); };\n", "", true}, // a header may be C++
	{CPP, "int f();\n", "int f() { return R\"x({)\")x\"[0]; }\n", "", true},
	{CPP, "int f();\n", "int f() {\n  g([&] {\n  });\n", `line 1: "{" is never closed`, true},

	{Ruby, "def f\n  1\nend\n", "def f\n  if x\n  1\nend\n", `line 2: does not parse from here on: "if x"`, false},
	{Ruby, "def f\n  1\nend\n", "def f\n  1\nend\nend\n", `line 4: unexpected "end"`, false},
	{Ruby, "def f\n  1\nend\n", "def f\n  x = <<~A\n    (\n  A\n  %w[a (]\nend\n", "", true},
	{Bash, "if true; then\n  echo a\nfi\n", "if true; then\n  echo a\n", `line 3: missing "fi"`, false},
	{Bash, "if true; then\n  echo a\nfi\n", "if true; then\n  echo 'a\nfi\n", `line 2: does not parse from here on: "echo 'a"`, false},
	{Bash, "echo a\n", "case $x in\n  a) echo \"${y#(}\" ;;\nesac\ncat <<E\n'\nE\n", "", true},

	{Bash, "echo a\n", "echo {🎉 é {1..🎉} \"{日}\"\n", "", true}, // once ended the process

	{"", "a {}\n", "a {\n", "", true},
	{"cobol", "a {}\n", "a {\n", "", true},
}

func TestCompare(t *testing.T) {
	for _, tt := range compareTests {
		want := tt.want
		if !precise(t, tt.lang) && !tt.lines {
			want = ""
		}
		v := Compare(t.Context(), tt.lang, tt.before, tt.after)
		if v.String() != want || v.Worse != (want != "") {
			t.Errorf("%s %q: says %q, want %q", tt.lang, tt.after, v, want)
		}
		crlf := strings.NewReplacer("\n", "\r\n")
		if again := Compare(t.Context(), tt.lang, crlf.Replace(tt.before), crlf.Replace(tt.after)); again.Worse != v.Worse || again.Line != v.Line {
			t.Errorf("%s %q with CRLF: says %q, want %q", tt.lang, tt.after, again, v)
		}
		if back := Compare(t.Context(), tt.lang, tt.after, tt.before); back.Worse {
			t.Errorf("%s %q: taking the edit back is refused: %v", tt.lang, tt.after, back)
		}
	}
}

// precise reports whether this build reads a language by a parser.
func precise(t testing.TB, lang Lang) bool {
	tree, err := Parse(t.Context(), lang, "")
	return err == nil && tree.Precise()
}

func TestCompareIsBounded(t *testing.T) {
	long := "package a\n\n// " + strings.Repeat("x", MaxCompared)
	if v := Compare(t.Context(), Go, "package a\n", long+"\nfunc"); v.Worse {
		t.Error("a text that is too long was judged:", v)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range compareTests {
		if v := Compare(ended, tt.lang, tt.before, tt.after); v.Worse {
			t.Errorf("judged without a context: %v", v)
		}
	}
}

// editRow is a case of a corpus of edits.
type editRow struct {
	ID, Kind, Source, Response, File string
	Original, Expect                 *string
	Tags                             []string
}

// TestCorpus runs the gate over the right results of a corpus of edits: it must
// refuse none.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("EMEND_EDIT_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data", "edits")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skip("there is no corpus of edits at", dir)
	}
	judged, clean, refused, synthetic := 0, 0, 0, 0
	per := make(map[Lang]int)
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() //nolint:errcheck // it was read only
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 16<<20)
		for sc.Scan() {
			var row editRow
			if err := encjson.Unmarshal(sc.Bytes(), &row); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if row.Kind != "apply" && row.Kind != "multi" || row.Original == nil || row.Expect == nil {
				continue
			}
			lang, ok := guess(row)
			if !ok {
				continue
			}
			if slices.Contains(row.Tags, "range-only") {
				synthetic++ // the result holds a made-up word and is no program
				continue
			}
			judged++
			per[lang]++
			if tree, err := Parse(t.Context(), lang, *row.Original); err == nil && len(tree.Errors()) == 0 {
				clean++
			}
			if v := Compare(t.Context(), lang, *row.Original, *row.Expect); v.Worse {
				refused++
				t.Logf("%s as %s: %v\nbefore:\n%s\nafter:\n%s", row.ID, lang, v, *row.Original, *row.Expect)
			}
		}
		if err := sc.Err(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("languages: %v; %d originals parse; %d results with made-up words left out", per, clean, synthetic)
	t.Logf("syntax gate: refused %d of %d right results", refused, judged)
	if refused > 0 {
		t.Errorf("the gate refused %d right results", refused)
	}
}

// guesses tell a language by what a text holds, the surest first.
var guesses = []struct {
	lang Lang
	look *regexp.Regexp
}{
	{Go, regexp.MustCompile(`(?m)^(package \w+|func (\(\w+ [^)]*\) )?\w+\()|:= `)},
	{Rust, regexp.MustCompile(`(?m)\b(fn \w+|let mut |impl )`)},
	{CPP, regexp.MustCompile(`(?m)^#include <\w+>|std::`)},
	{Java, regexp.MustCompile(`(?m)\b(public|private) (static |final )*(class|void|int|String)\b`)},
	{TypeScript, regexp.MustCompile(`(?m)\binterface \w+ \{|: (string|number|boolean)\b`)},
	{JavaScript, regexp.MustCompile(`(?m)\b(function\b.*\{|const |let |var )|=>|console\.log`)},
	{Python, regexp.MustCompile(`(?m)^\s*(def|class) .*:|^(import|from) \w+|^\s*print\(`)},
	{Ruby, regexp.MustCompile(`(?m)^\s*def \w+[^:]*$`)},
	{Bash, regexp.MustCompile(`^#!.*sh\b`)},
}

// guess tells the language of a case by its file's name, the fence in the
// reply, or its text.
func guess(row editRow) (Lang, bool) {
	if lang, ok := Language("", row.File); ok {
		return lang, true
	}
	if fence := regexp.MustCompile("(?m)^```(\\w+)$").FindStringSubmatch(row.Response); fence != nil {
		if lang, ok := Language(fence[1], ""); ok {
			return lang, true
		}
	}
	for _, g := range guesses {
		if g.look.MatchString(*row.Original) {
			return g.lang, true
		}
	}
	return "", false
}

func FuzzCompare(f *testing.F) {
	for _, tt := range compareTests {
		f.Add(string(tt.lang), tt.before, tt.after)
	}
	f.Fuzz(func(t *testing.T, lang, before, after string) {
		v := Compare(t.Context(), Lang(lang), before, after)
		if !v.Worse {
			if v != (Verdict{}) {
				t.Fatalf("%+v says something without a verdict", v)
			}
			return
		}
		if v.Line < 0 || v.Line > strings.Count(after, "\n") || v.Message == "" {
			t.Fatalf("%+v is no place in %q", v, after)
		}
		if back := Compare(t.Context(), Lang(lang), after, before); back.Worse {
			t.Fatalf("both %q and %q are worse than the other", before, after)
		}
		if again := Compare(t.Context(), Lang(lang), before, after); again != v {
			t.Fatalf("%+v, and then %+v", v, again)
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	for _, lang := range []Lang{Go, Python, TypeScript} {
		before := sample(lang, 1000)
		after := strings.Replace(before, "1", "2", 1)
		b.Run(string(lang), func(b *testing.B) {
			b.SetBytes(int64(len(after)))
			for b.Loop() {
				if v := Compare(b.Context(), lang, before, after); v.Worse {
					b.Fatal(v)
				}
			}
		})
	}
}
