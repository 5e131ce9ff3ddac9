package syntax

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// symbolTests have a text and its symbols: kind, container, name, line, and +
// for those that are exported.
var symbolTests = []struct {
	lang Lang
	text string
	want string
}{
	{Go, "package a\n\nconst A, b = 1, 2\n\nvar (\n\tc int\n\t_ = 1\n)\n\ntype T struct {\n\tX, y int\n\tU\n}\n\ntype I[P any] interface {\n\tM()\n}\ntype (\n\tE = T\n)\n\nfunc (t *T) m() { var local int }\nfunc (l L[T]) M() {}\nfunc F() {}\n",
		"constant A 2+; constant b 2; variable c 5; struct T 9+; field T.X 10+; field T.y 10; interface I 14+; method I.M 15+; type E 18+; method T.m 21; method L.M 22+; function F 23+"},
	{Python, "X = 1\n\n@d\nclass A:\n    y = 2\n    def __init__(self):\n        def inner(): pass\n    @property\n    def _p(self): ...\n\nasync def f():\n    z = 1\n",
		"variable X 0+; class A 3+; field A.y 4+; method A.__init__ 5+; function __init__.inner 6+; method A._p 8; function f 10+"},
	{JavaScript, "export class A {\n  f() {}\n  #g() {}\n}\nfunction h() { const x = 1; const k = () => 2; }\nexport const i = 1, j = async (a) => a;\nlet m;\nmodule.exports.n = function () {};\nconst o = { p: () => 1, q() {} };\nexport { m };\n",
		"class A 0+; method A.f 1+; method A.#g 2; function h 4; function h.k 4; constant i 5+; function j 5+; variable m 6+; function n 7+; constant o 8; method o.p 8; method o.q 8"},
	{TypeScript, "export interface I<T> {\n  a: string;\n  b(): void;\n}\ntype T = { c: number };\nexport enum E { X }\nexport abstract class C {\n  private d = 1;\n  e = () => 2;\n  abstract f(): void;\n  protected g() {}\n}\nnamespace N { export function h() {} }\ndeclare function k(): void;\n",
		"interface I 0+; field I.a 1+; method I.b 2+; type T 4; enum E 5+; class C 6+; field C.d 7; method C.e 8+; method C.f 9+; method C.g 10; module N 12; function N.h 12+; function k 13+"},
	{TSX, "export default function App() {\n  const go = () => <p/>;\n  return <div>{1}</div>;\n}\nconst B: FC = () => <></>;\nexport default B;\n",
		"function App 0+; function App.go 1+; function B 4+"},
	{Rust, "pub struct S { pub a: i32, b: u8 }\nimpl<T> S {\n    pub fn f(&self) {}\n    fn g() {}\n}\nimpl Display for S {\n    fn fmt(&self) {}\n}\npub trait Tr { fn h(&self); fn i() {} }\nmod m {\n    pub(crate) const C: i32 = 1;\n}\nmacro_rules! mac { () => {} }\npub enum E { A, B(i32) }\ntype X = S;\nstatic Z: i32 = 1;\n",
		"struct S 0+; field S.a 0+; field S.b 0; method S.f 2+; method S.g 3; method S.fmt 6+; interface Tr 8+; method Tr.h 8+; method Tr.i 8+; module m 9; constant m.C 10+; macro mac 12+; enum E 13+; constant E.A 13+; constant E.B 13+; type X 14; variable Z 15"},
	{Java, "package p;\npublic class A<T> {\n  private int x, y;\n  public A() {}\n  @Override\n  protected <U> List<U> f(int a) { return null; }\n  void g() {}\n  enum E { P, Q }\n}\ninterface I { int h(); int C = 1; }\nrecord R(int a) {}\n",
		"class A 1+; field A.x 2; field A.y 2; method A.A 3+; method A.f 5+; method A.g 6; enum A.E 7; constant E.P 7+; constant E.Q 7+; interface I 9; method I.h 9+; constant I.C 9+; class R 10"},
	{C, "#define N 1\n#define M(x) x\nstruct s { int a; char *b; };\ntypedef struct { int c; } t;\ntypedef int u;\nenum e { P, Q };\nstatic int f(void) { int v; return 0; }\nchar **g(int x);\nint *h(void) { return 0; }\nstatic int i = 1;\nint j[2] = {1, 2};\n",
		"macro N 0+; macro M 1+; struct s 2+; field s.a 2+; field s.b 2+; struct t 3+; field t.c 3+; type u 4+; enum e 5+; constant e.P 5+; constant e.Q 5+; function f 6; function h 8+; variable i 9; variable j 10+"},
	{CPP, "namespace n {\nclass A {\npublic:\n  A();\n  ~A() {}\n  int f() const { return 1; }\n  static int g();\n  int x;\n};\ntemplate <class T> T h(T t) { return t; }\n}\nint n::A::f() { Foo bar(1); return 2; }\nvoid B::k() {}\nusing V = int;\nstruct D : A { int y; };\n",
		"module n 0+; class n.A 1+; method A.A 3+; method A.~A 4+; method A.f 5+; method A.g 6+; field A.x 7+; function n.h 9+; method A.f 11+; method B.k 12+; type V 13+; struct D 14+; field D.y 14+"},
	{Ruby, "module M\n  class A < B\n    C = 1\n    def f?; end\n    def self.g\n    end\n  end\nend\nclass X::Y; end\n",
		"module M 0+; class M.A 1+; constant A.C 2+; method A.f? 3+; method A.g 4+; class Y 8+"},
	{Bash, "X=1\nexport Y=2\nf() { Z=3; }\nfunction g { :; }\n",
		"variable X 0+; variable Y 1+; function f 2+; function g 3+"},
}

func TestSymbols(t *testing.T) {
	for _, tt := range symbolTests {
		tree := parse(t, tt.lang, tt.text)
		if !tree.Precise() {
			continue
		}
		if got := listed(tree.Symbols()); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.lang, got, tt.want)
		}
		if bad := tree.Errors(); len(bad) > 0 {
			t.Errorf("%s does not parse: %+v", tt.lang, bad)
		}
		checkTree(t, tree, tt.text)
	}
}

// TestOutlines reads the same texts without grammars: what it finds must be
// there, and it must find the most.
func TestOutlines(t *testing.T) {
	for _, tt := range symbolTests {
		r := byLang[tt.lang]
		if tt.lang == Go {
			continue
		}
		if _, err := readOutline(tt.lang); err != nil {
			t.Error(err)
		}
		f := readLines(r, tt.text, everything)
		known := make(map[string]bool)
		for s := range strings.SplitSeq(tt.want, "; ") {
			w := strings.Fields(s)
			known[w[1][strings.LastIndexByte(w[1], '.')+1:]+" "+strings.TrimSuffix(w[2], "+")] = true
		}
		for _, s := range f.symbols {
			if key := s.Name + " " + strconv.Itoa(s.Line); !known[key] {
				t.Errorf("%s: %s is none of %s", tt.lang, key, tt.want)
			}
		}
		if len(f.symbols) < len(known)/8 {
			t.Errorf("%s: found %s of %s", tt.lang, listed(f.symbols), tt.want)
		}
		checkTree(t, &Tree{lang: tt.lang, symbols: f.symbols, comments: f.comments, problems: f.problems}, tt.text)
		if len(f.problems) > 0 {
			t.Errorf("%s: %+v", tt.lang, f.problems)
		}
	}
}

func parse(t testing.TB, lang Lang, text string) *Tree {
	t.Helper()
	tree, err := Parse(t.Context(), lang, text)
	if err != nil {
		t.Fatalf("%s %q: %v", lang, text[:min(len(text), 80)], err)
	}
	return tree
}

// listed writes symbols as the tables do.
func listed(symbols []Symbol) string {
	var all []string
	for _, s := range symbols {
		name := s.Name
		if s.Container != "" {
			name = s.Container + "." + name
		}
		plus := ""
		if s.Exported {
			plus = "+"
		}
		all = append(all, fmt.Sprintf("%s %s %d%s", s.Kind, name, s.Line, plus))
	}
	return strings.Join(all, "; ")
}

// checkTree checks what holds for the tree of any text.
func checkTree(t testing.TB, tree *Tree, text string) {
	t.Helper()
	last := 0
	for i, s := range tree.Symbols() {
		if s.Start < last || s.NameStart < s.Start || s.NameEnd <= s.NameStart || s.End < s.NameEnd || s.End > len(text) {
			t.Fatalf("%s: symbol %d, %+v, is out of place in %q", tree.Lang(), i, s, text)
		}
		last = s.Start
		if text[s.NameStart:s.NameEnd] != s.Name || strings.Count(text[:s.NameStart], "\n") != s.Line {
			t.Fatalf("%s: symbol %+v is not what is in %q", tree.Lang(), s, text)
		}
		if s.Parent >= i || s.Parent < -1 {
			t.Fatalf("%s: symbol %d has parent %d", tree.Lang(), i, s.Parent)
		}
		if s.Parent >= 0 {
			if p := tree.Symbols()[s.Parent]; p.Start > s.Start || p.End < s.End {
				t.Fatalf("%s: %+v is not inside %+v", tree.Lang(), s, p)
			}
		}
		if in, ok := tree.Enclosing(s.NameStart); !ok || in.Start > s.NameStart || in.End < s.NameStart {
			if s.Kind != KindField {
				t.Fatalf("%s: %+v around %+v: %v", tree.Lang(), in, s, ok)
			}
		}
	}
	last = 0
	for _, c := range tree.Comments() {
		if c.Start < last || c.End < c.Start || c.End > len(text) {
			t.Fatalf("%s: comment %+v is out of place in %q", tree.Lang(), c, text)
		}
		last = c.End
	}
	for _, p := range tree.Errors() {
		if p.Start < 0 || p.End < p.Start || p.End > len(text) || p.Line < 0 || p.Line > strings.Count(text, "\n") || p.Message == "" {
			t.Fatalf("%s: problem %+v is out of place in %q", tree.Lang(), p, text)
		}
	}
}

func TestComments(t *testing.T) {
	for _, tt := range []struct {
		lang Lang
		text string
	}{
		{Go, "«// a»\r\npackage a «/* b\r\n*/» var x = \"// no\" «// c»"},
		{Python, "«# a»\nx = '# no' «# b»\n\"\"\"\n# no\n\"\"\"\n"},
		{JavaScript, "«// a»\nx = `// no`; «/* b\n */»\n"},
		{TSX, "const a = <p>«/*»no*/</p>;«// a»\n"},
		{Rust, "«//! a»\n«/// b»\nfn f() {} «/* c */»\n"},
		{Java, "«/** a */»\nclass A {} «// b»\n"},
		{C, "«/* a */» int x; «// b»\n"},
		{CPP, "«/* a */» int x; «// b»\n"},
		{Ruby, "«# a»\nx = '# no' «# b»\n"},
		{Bash, "«#!/bin/sh»\necho a# no «# b»\n"},
	} {
		text, want := unmark(strings.ReplaceAll(tt.text, "«/*»", "/*"))
		tree := parse(t, tt.lang, text)
		if !tree.Precise() && tt.lang == TSX {
			continue
		}
		var got [][2]int
		for _, c := range tree.Comments() {
			got = append(got, [2]int{c.Start, c.End})
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %q: comments at %v, want %v", tt.lang, text, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		lang Lang
		text string
		want string
	}{
		{Go, "package a\n\n//line x.go:99\nfunc f( {\n", "4 expected"},
		{Python, "x = (1\n", `0`},
		{Java, "class A {\n  int x = 2\n  int y;\n}\n", `1 missing ";"`},
		{Rust, "fn f() {\n  let x = 3\n  1\n}\n", `1 missing ";"`},
	} {
		tree := parse(t, tt.lang, tt.text)
		if !tree.Precise() {
			continue
		}
		checkTree(t, tree, tt.text)
		if len(tree.Errors()) == 0 {
			t.Errorf("%s %q has no errors", tt.lang, tt.text)
			continue
		}
		p := tree.Errors()[0]
		if got := fmt.Sprintf("%d %s", p.Line, p.Message); !strings.HasPrefix(got, tt.want) || p.Missing != strings.HasPrefix(p.Message, "missing") {
			t.Errorf("%s %q: %+v, want %s", tt.lang, tt.text, p, tt.want)
		}
	}
	for _, lang := range Languages() {
		text := strings.Repeat(") } ] @@ (\x00\n", 300)
		if n := len(parse(t, lang, text).Errors()); n > maxErrors {
			t.Errorf("%s: %d errors are told", lang, n)
		}
	}
}

func TestEnclosing(t *testing.T) {
	text := "package a\n\ntype T struct {\n\tx int\n}\n\nfunc f() {\n\tg()\n}\nfunc h() {}\n\n"
	tree := parse(t, Go, text)
	for at, want := range map[string]string{"package": "", "x int": "T", "g()": "f", "func h": "h", "func f": "f", "}\nfunc h": "f", "struct": "T"} {
		s, ok := tree.Enclosing(strings.Index(text, at))
		if s.Name != want || ok != (want != "") {
			t.Errorf("at %q: %q, %v; want %q", at, s.Name, ok, want)
		}
	}
	if s, ok := tree.Enclosing(len(text)); ok {
		t.Errorf("%+v encloses the end", s)
	}
	if _, ok := (&Tree{}).Enclosing(0); ok {
		t.Error("the tree of nothing has a symbol")
	}
}

func TestLanguage(t *testing.T) {
	for _, tt := range []struct {
		id, file string
		want     Lang
	}{
		{"go", "", Go}, {"", "a/b.go", Go}, {"", `c:\a\B.PY`, Python}, {"javascriptreact", "", JavaScript}, {"typescript", "a.tsx", TSX},
		{"typescriptreact", "", TSX}, {"", "a.mts", TypeScript}, {"plaintext", "x.rs", Rust}, {"", "Rakefile", Ruby}, {"cpp", "x.h", CPP},
		{"", "x.h", C}, {"shellscript", "x", Bash}, {"sh", "x.sh", Bash}, {"shellscript", "a.zsh", ""}, {"", "a.txt", ""}, {"", "", ""}, {"", "go", ""},
		{"C++", "", CPP}, {"GO", "", Go}, {"", ".bashrc", Bash},
	} {
		got, ok := Language(tt.id, tt.file)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Language(%q, %q) = %q, %v", tt.id, tt.file, got, ok)
		}
	}
	for _, lang := range Languages() {
		if _, err := Parse(t.Context(), lang, ""); err != nil {
			t.Error(err)
		}
		if got, ok := Language(string(lang), ""); got != lang || !ok {
			t.Errorf("%s is %s, %v", lang, got, ok)
		}
	}
}

func TestToken(t *testing.T) {
	for _, tt := range []struct{ text, want string }{ // | is the offset
		{"fo|o.bar", "foo"}, {"foo|.bar", "foo"}, {"|foo", "foo"}, {"a |+= b", "+="}, {"a +|= b", "+="}, {"f(|)", ")"}, {"f|(", "f"},
		{"a | b", ""}, {"|", ""}, {"a|", "a"}, {" größ|e ", "größe"}, {"$x1|_y-", "$x1_y"}, {"'|\xff'", "\xff"}, {"0 |\xa10", "\xa1"}, {"日|本 a", "日本"},
	} {
		at := strings.IndexByte(tt.text, '|')
		text := tt.text[:at] + tt.text[at+1:]
		start, end := Token(text, at)
		if text[start:end] != tt.want {
			t.Errorf("%q: token %q, want %q", tt.text, text[start:end], tt.want)
		}
	}
	for _, at := range []int{-1, 4} {
		if start, end := Token("abc", at); start != at || end != at {
			t.Errorf("outside: %d, %d", start, end)
		}
	}
	long := strings.Repeat("x", 5000)
	if start, end := Token(long, 2000); end-start > 2*maxToken+4 {
		t.Errorf("a token of %d bytes", end-start)
	}
}

func TestParseIsBounded(t *testing.T) {
	if _, err := Parse(t.Context(), Go, strings.Repeat("x", MaxText+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a long text: %v", err)
	}
	if _, err := Parse(t.Context(), "cobol", ""); !errors.Is(err, ErrLanguage) {
		t.Errorf("an unknown language: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, lang := range Languages() {
		if _, err := Parse(ended, lang, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s without a context: %v", lang, err)
		}
	}
}

// TestSlowParseIsStopped gives parsers no time, and ends their contexts while
// they work; afterwards they work as before.
func TestSlowParseIsStopped(t *testing.T) {
	for _, lang := range Languages() {
		if lang == Go || !precise(t, lang) {
			continue
		}
		text := sample(lang, 2000)
		if _, err := read(t.Context(), byLang[lang], text, everything, time.Microsecond); !errors.Is(err, ErrTooSlow) {
			t.Errorf("%s in no time: %v", lang, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if _, err := Parse(ctx, lang, strings.Repeat(text, 10)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s after the context: %v", lang, err)
		}
		cancel()
		if tree := parse(t, lang, text); len(tree.Errors()) > 0 || len(tree.Symbols()) == 0 {
			t.Errorf("%s does not work any more: %v", lang, tree.Errors())
		}
	}
}

// sample returns n definitions of some lines each.
func sample(lang Lang, n int) string {
	one := map[Lang]string{
		Go:         "// F%d does.\nfunc F%d(a, b int) (int, error) {\n\tif a > b {\n\t\treturn a + 1, nil\n\t}\n\tfor i := range b {\n\t\ta += i\n\t}\n\treturn a, errors.New(\"x\")\n}\n",
		Python:     "# f%d does.\ndef f%d(a, b):\n    if a > b:\n        return a + 1\n    for i in range(b):\n        a += i\n    return {'a': a}\n\n",
		JavaScript: "// f%d does.\nfunction f%d(a, b) {\n  if (a > b) {\n    return a + 1;\n  }\n  return { a, b: `${b}` };\n}\n",
		TypeScript: "// f%d does.\nexport function f%d(a: number, b: number): number {\n  if (a > b) {\n    return a + 1;\n  }\n  return b;\n}\n",
		TSX:        "// F%d does.\nexport function F%d(a: number) {\n  return <p id=\"x\">{a + 1}</p>;\n}\n",
		Rust:       "/// f%d does.\npub fn f%d(a: i32, b: i32) -> i32 {\n    if a > b {\n        return a + 1;\n    }\n    b\n}\n",
		Java:       "/** C%d is. */\nclass C%d {\n  int f(int a, int b) {\n    if (a > b) {\n      return a + 1;\n    }\n    return b;\n  }\n}\n",
		C:          "/* f%d does. */\nint f%d(int a, int b) {\n  if (a > b) {\n    return a + 1;\n  }\n  return b;\n}\n",
		CPP:        "// f%d does.\nint f%d(int a, int b) {\n  if (a > b) {\n    return a + 1;\n  }\n  return b;\n}\n",
		Ruby:       "# f%d does.\ndef f%d(a, b)\n  if a > b\n    return a + 1\n  end\n  b\nend\n",
		Bash:       "# f%d does.\nf%d() {\n  if [ \"$1\" -gt 1 ]; then\n    echo \"$1\"\n  fi\n}\n",
	}[lang]
	var b strings.Builder
	if lang == Go {
		b.WriteString("package a\n\nimport \"errors\"\n\n")
	}
	for i := range n {
		fmt.Fprintf(&b, one, i, i)
	}
	return b.String()
}

func TestConcurrentParses(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range 20 {
				tt := symbolTests[(i+n)%len(symbolTests)]
				tree, err := Parse(t.Context(), tt.lang, tt.text)
				if err != nil {
					t.Error(err)
					return
				}
				if tree.Precise() && listed(tree.Symbols()) != tt.want {
					t.Errorf("%s: %s", tt.lang, listed(tree.Symbols()))
				}
			}
		}()
	}
	wg.Wait()
}

// TestNothingLeaks parses much and looks at the memory of the process.
func TestNothingLeaks(t *testing.T) {
	if _, ok := resident(); !ok || testing.Short() {
		t.Skip("the memory of the process cannot be seen here, or the test is to be short")
	}
	work := func(n int) {
		for range n {
			for _, lang := range Languages() {
				text := sample(lang, 40)
				parse(t, lang, text)
				parse(t, lang, text[:len(text)/2])
				Compare(t.Context(), lang, text, text[:len(text)-3])
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				_, _ = read(ctx, byLang[lang], text, everything, time.Millisecond)
				_, _ = read(t.Context(), byLang[lang], text, everything, time.Microsecond)
			}
		}
		runtime.GC()
	}
	work(10)
	before, _ := resident()
	work(40)
	after, _ := resident()
	t.Logf("resident memory: %d kB, then %d kB", before>>10, after>>10)
	if grown := after - before; grown > 16<<20 {
		t.Errorf("resident memory grew by %d kB in %d parses", grown>>10, 40*6*len(rows))
	}
}

// resident returns the resident memory of the process in bytes.
func resident() (int, bool) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	var size, pages int
	if _, err := fmt.Sscan(string(data), &size, &pages); err != nil {
		return 0, false
	}
	return pages * os.Getpagesize(), true
}

// hostile holds texts that are hard on parsers.
var hostile = []string{
	strings.Repeat("(", 50_000), strings.Repeat("{[(", 20_000), strings.Repeat("a(", 20_000), strings.Repeat("<", 20_000), strings.Repeat("if x {\n", 10_000),
	strings.Repeat("`${", 10_000), strings.Repeat("\"", 20_001), strings.Repeat("'''", 10_001), "`" + strings.Repeat("x\n", 50_000), strings.Repeat("/*", 30_000),
	strings.Repeat("R\"a(", 10_000), strings.Repeat("r#\"", 10_000), strings.Repeat("<<E\n", 5_000), strings.Repeat("\x00", 20_000), strings.Repeat("\xff", 20_000),
	strings.Repeat(" ", 50_000), strings.Repeat("#if\n{\n", 10_000), strings.Repeat("def f():\n", 10_000), strings.Repeat("%w[", 10_000), strings.Repeat("a ? b : ", 10_000),
	strings.Repeat("<p>", 10_000), strings.Repeat("}\n", 20_000), strings.Repeat("case x in a) ", 5_000), strings.Repeat("$((", 10_000), strings.Repeat("#else\n{", 10_000),
}

// TestHostile parses them in bounded time; that a parser gives up on some is no
// failure.
func TestHostile(t *testing.T) {
	const limit = 100 * time.Millisecond
	for _, lang := range Languages() {
		for _, text := range hostile {
			text = text[:len(text)/10]
			start := time.Now()
			f, err := read(t.Context(), byLang[lang], text, everything, limit)
			if err != nil && !errors.Is(err, ErrTooSlow) {
				t.Errorf("%s %.10q: %v", lang, text, err)
			}
			checkTree(t, &Tree{lang: lang, problems: f.problems, symbols: f.symbols, comments: f.comments}, text)
			if took := time.Since(start); took > 50*limit { // the machine may be busy
				t.Errorf("%s %.10q took %v", lang, text, took)
			}
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, lang := range []Lang{Go, Python, TypeScript} {
		text := sample(lang, 10_000/strings.Count(sample(lang, 1), "\n"))
		b.Run(string(lang), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportMetric(float64(strings.Count(text, "\n")), "lines")
			for b.Loop() {
				parse(b, lang, text)
			}
		})
	}
}
