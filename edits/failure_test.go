package edits

import (
	"strings"
	"testing"
)

// reply writes one block for a file.
func reply(path, search, replace string) string {
	return path + "\n```\n<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n```\n"
}

// failureCase is one way in which an engine has gone wrong.
type failureCase struct {
	name    string
	file    string // "f.go" when empty
	before  string
	reply   string
	want    string // text after, or
	code    Code   // the refusal
	mention string // what the refusal says
	opt     Options
}

func (c failureCase) check(t *testing.T) {
	t.Helper()
	file := c.file
	if file == "" {
		file = "f.go"
	}
	results := ApplyReply(Parse(c.reply), memory{file: c.before}, "", c.opt)
	var after string
	var refused []Refusal
	for _, f := range results {
		refused = append(refused, f.Refused...)
		if f.Path == file {
			after = f.After
		}
	}
	if c.code == "" {
		if len(refused) > 0 || after != c.want {
			t.Errorf("%s: %q, %v\nwant %q", c.name, after, refused, c.want)
		}
		return
	}
	if len(refused) == 0 || refused[0].Code != c.code || !strings.Contains(refused[0].Error(), c.mention) {
		t.Errorf("%s: %q, %v\nwant %s with %q", c.name, after, refused, c.code, c.mention)
	}
	for _, f := range results {
		if f.After != f.Before || f.Edits != nil {
			t.Errorf("%s: %s is changed in spite of a refusal", c.name, f.Path)
		}
	}
}

// TestKnownFailures holds what is known to go wrong in edit engines, each from
// a reproduced defect or a report of a user.
func TestKnownFailures(t *testing.T) {
	for _, c := range []failureCase{
		{name: "heading underline in SEARCH", file: "a.md", before: "# x\nTitle\n=======\nbody\nend\n",
			reply: reply("a.md", "Title\n=======\nbody\n", "Title\n=======\nnew body\n"), want: "# x\nTitle\n=======\nnew body\nend\n"},
		{name: "heading underline in REPLACE", file: "a.md", before: "# Title\nbody\n",
			reply: reply("a.md", "# Title\n", "Title\n=======\n"), want: "Title\n=======\nbody\n"},
		{name: "conflict markers in SEARCH", before: "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n",
			reply: reply("f.go", "<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n", "b\n"), want: "a\nb\nd\n"},
		{name: "separator that cannot be told", file: "a.md", before: "x\n",
			reply: reply("a.md", "p\n=======\nq\n", "r\n"), code: AmbiguousSeparator, mention: "longer markers"},
		{name: "longer markers around a block", file: "a.md", before: "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n",
			reply: "a.md\n<<<<<<<<< SEARCH\nold\n=======\nnew\n=========\nOLD\n=======\nNEW\n>>>>>>>>> REPLACE\n",
			want:  "<<<<<<< SEARCH\nOLD\n=======\nNEW\n>>>>>>> REPLACE\n"},
		{name: "blank last line is kept", before: "a\n\nb\n", reply: reply("f.go", "a\n", "a\n\n"), want: "a\n\n\nb\n"},
		{name: "one blank line as REPLACE", before: "a\nx\nb\n", reply: reply("f.go", "x\n", "\n"), want: "a\n\nb\n"},
		{name: "an edit that empties the file", before: "a\nb\n", reply: reply("f.go", "a\nb\n", ""), want: ""},
		{name: "prose is no path", before: "a\n", reply: "Here is the change\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", code: UnknownFile, mention: "names no file"},
		{name: "no redirect to a similar name", file: "tests/foo_b.py", before: "a\n", reply: reply("tests/foo_a.py", "a\n", "b\n"), code: UnknownFile, mention: "tests/foo_b.py"},
		{name: "bullet before the path", file: "src/a.go", before: "a\n", reply: reply("- src/a.go", "a\n", "b\n"), want: "b\n"},
		{name: "label before the path", file: "src/a.go", before: "a\n", reply: reply("File: `src/a.go`", "a\n", "b\n"), want: "b\n"},
		{name: "bold path with a colon", file: "src/a.go", before: "a\n", reply: reply("### **`src/a.go`**:", "a\n", "b\n"), want: "b\n"},
		{name: "path in a sentence", file: "src/a.go", before: "a\n", reply: reply("Now change `src/a.go` so:", "a\n", "b\n"), want: "b\n"},
		{name: "path in the fence", file: "src/a.go", before: "a\n", reply: "```go src/a.go\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n", want: "b\n"},
		{name: "path in the fence with a colon", file: "src/a.go", before: "a\n", reply: "```go:src/a.go\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n", want: "b\n"},
		{name: "file named like a language", file: "php", before: "a\n", reply: "```php\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n", code: UnknownFile},
		{name: "path out of the workspace", before: "a\n", reply: reply("../f.go", "a\n", "b\n"), code: BadPath, mention: "out of the workspace"},
		{name: "first of several", before: "a\n}\nb\n}\n", reply: reply("f.go", "}\n", "};\n"), code: Ambiguous, mention: "lines 2, 4"},
		{name: "written against the old text", before: "x := compute(2)\n", reply: reply("f.go", "x := compute(1)\n", "x := compute(2)\n"), code: AlreadyApplied, mention: "already at line 1"},
		{name: "form feed ends no line", before: "a\fb\u2028c\u0085d\n", reply: reply("f.go", "a\fb\u2028c\u0085d\n", "e\n"), want: "e\n"},
		{name: "suffix of a longer name", before: "xfoo\n", reply: reply("f.go", "foo\n", "bar\n"), code: NotFound},
		{name: "marker of another kind in REPLACE", before: "a\n", reply: reply("f.go", "a\n", "--- SEARCH\n"), want: "--- SEARCH\n"},
		{name: "middle is not ignored", before: "f {\n  a\n  b\n}\n", reply: reply("f.go", "f {\n  x\n  y\n}\n", "g\n"), code: NotFound, mention: `SEARCH line 2 "  x", file line 2 "  a"`},
		{name: "hallucinated middle", before: "class A {\n  m() {\n    a\n  }\n}\n", reply: reply("f.go", "class A {\n  q() {\n  }\n}\n", "x\n"), code: NotFound},
		{name: "intended change of indentation", before: "if x {\n\tfoo\n}\n", reply: reply("f.go", "\tfoo\n", "    foo\n"), want: "if x {\n    foo\n}\n"},
		{name: "blank lines gain no indentation", before: "f:\n    a\n    b\n", reply: reply("f.go", "a\nb\n", "a\n\nc\n"), want: "f:\n    a\n\n    c\n"},
		{name: "white space does not cross lines", before: "a\nb c\n", reply: reply("f.go", "a b\nc\n", "x\n"), code: NotFound},
		{name: "a looser match elsewhere does no harm", before: "foo\nFoo\n  foo\n", reply: reply("f.go", "foo\n", "bar\n"), want: "bar\nFoo\n  foo\n"},
		{name: "case is not ignored", before: "İİİ Hello\n", reply: reply("f.go", "hello\n", "x\n"), code: NotFound},
		{name: "REPLACE in the file's unit", before: "def f(a):\n    x = 1\n    if a:\n        y = 2\n",
			reply: reply("f.go", "def f(a):\n  x = 1\n  if a:\n    y = 2\n", "def f(a):\n    if a:\n        y = 3\n"), want: "def f(a):\n    if a:\n        y = 3\n"},
		{name: "part of a line", before: "x := foo(a, b) // c\n", reply: reply("f.go", "foo(a, b)\n", "bar(a)\n"), want: "x := bar(a) // c\n"},
		{name: "punctuation is not doubled", before: "  foo(a);\n", reply: reply("f.go", "foo(a)\n", "foo(b);\n"), code: NotFound},
		{name: "only the first line lost its indentation", before: "\tif a {\n\t\tb()\n\t}\n", reply: reply("f.go", "if a {\n\t\tb()\n\t}\n", "if a {\n\t\tc()\n\t}\n"), want: "\tif a {\n\t\tc()\n\t}\n"},
		{name: "numbers differ", before: "y := 2\n", reply: reply("f.go", "y := 99\n", "y := 3\n"), code: NotFound},
		{name: "similar is off", before: "result := computeTheThing(alpha, beta)\n", reply: reply("f.go", "result := computeTheThing(alpha, bet)\n", "x\n"), code: NotFound, mention: "is line 1"},
		{name: "similar when asked for", before: "a\nresult := computeTheThing(alpha, beta)\nreturn result\n", opt: Options{Fuzzy: true},
			reply: reply("f.go", "result := computeTheThing(alpha, bta)\nreturn result\n", "return nil\n"), want: "a\nreturn nil\n"},
		{name: "omitted lines", before: "f {\n  a\n  b\n}\n", reply: reply("f.go", "f {\n  a\n  b\n}\n", "f {\n  // ... existing code ...\n  c\n}\n"), code: Omission, mention: "existing code"},
		{name: "ellipsis on both sides", before: "f {\n  a\n  b\n  c\n}\n", reply: reply("f.go", "f {\n...\n  c\n}\n", "g {\n...\n  d\n}\n"), want: "g {\n  a\n  b\n  d\n}\n"},
		{name: "ellipsis is not part of a line", before: "xa\nb\nc\n", reply: reply("f.go", "a\n...\nc\n", "q\n...\nd\n"), code: NotFound},
		{name: "a spread is no omission", file: "f.ts", before: "f(a)\n", reply: reply("f.ts", "f(a)\n", "f({\n  ...rest,\n  ...existing\n})\n"), want: "f({\n  ...rest,\n  ...existing\n})\n"},
		{name: "lines omitted without a comment", before: "a\nb\n", reply: reply("f.go", "a\nb\n", "rest of methods ...\n"), code: Omission},
		{name: "a brace is not looked for within lines", before: "f(func() {\n})\n", reply: reply("f.go", "}\n", "}\n\nfunc g() {}\n"), code: NotFound},
		{name: "lines do not go into the middle of one", before: "x := foo(a) + 1\n", reply: reply("f.go", "foo(a)\n", "foo(a)\nbar()\n"), code: NotFound},
		{name: "sent twice", before: "a {\n\tfirst()\n\tsecond()\n}\n", reply: reply("f.go", "\tfirst()\n", "\tfirst()\n\tsecond()\n"), code: AlreadyApplied},
		{name: "mentioned file is none", before: "a\nb\n", reply: reply("f.go", "a\n", "x\n") + "Then, using `other.yaml`:\n```\n<<<<<<< SEARCH\nb\n=======\ny\n>>>>>>> REPLACE\n```\n", want: "x\ny\n"},
		{name: "python ellipsis", file: "f.py", before: "def f():\n    ...\n", reply: reply("f.py", "def f():\n    ...\n", "def g():\n    ...\n"), want: "def g():\n    ...\n"},
		{name: "CRLF is kept", before: "a\r\nb\r\nc\r\n", reply: reply("f.go", "b\n", "x\ny\n"), want: "a\r\nx\r\ny\r\nc\r\n"},
		{name: "mixed line ends are kept", before: "a\r\nb\nc\r\nd\n", reply: reply("f.go", "a\nb\nc\nd\n", "a\nB\nc\nd\n"), want: "a\r\nB\nc\r\nd\n"},
		{name: "no final newline", before: "a\nb", reply: reply("f.go", "b\n", "c\nd\n"), want: "a\nc\nd"},
		{name: "byte-order mark", before: "\ufeffa\nb\n", reply: reply("f.go", "a\n", "x\n"), want: "\ufeffx\nb\n"},
		{name: "invalid UTF-8 by exact lines", before: "a\xff\nb\n", reply: reply("f.go", "b\n", "c\n"), want: "a\xff\nc\n"},
		{name: "invalid UTF-8 is not matched loosely", before: "a\xff\n  b\n", reply: reply("f.go", "\tb\n", "\tc\n"), code: NotFound, mention: "UTF-8"},
		{name: "typographic quotes", before: "say(“hi” – ok)\n", reply: reply("f.go", "say(\"hi\" - ok)\n", "say(\"ho\")\n"), want: "say(\"ho\")\n"},
		{name: "typographic context stays", before: "// it’s\nfoo()\n", reply: reply("f.go", "// it's\nfoo()\n", "// it's\nbar()\n"), want: "// it’s\nbar()\n"},
		{name: "nothing to change", before: "a\n", reply: reply("f.go", "a\n", "a\n"), code: NoChange},
		{name: "empty SEARCH on text", before: "a\n", reply: reply("f.go", "", "b\n"), code: EmptySearch, mention: "1 line"},
		{name: "new file", file: "other.go", before: "", reply: reply("new/f.go", "", "b\n")},
		{name: "missing file", file: "other.go", before: "a\n", reply: reply("f.go", "a\n", "b\n"), code: UnknownFile},
		{name: "indentation that tells nothing", before: "a {\n\tb {\n\t\tc\n\t}\n}\n", reply: reply("f.go", "b {\nc\n}\n", "b {\nd\ne\n}\n"), code: IndentConflict, mention: "2 | \tb {"},
		{name: "fence inside SEARCH", before: "a\nb\n", reply: reply("f.go", "f.go\n```go\na\nb\n```\n", "c\n"), want: "c\n"},
		{name: "numbered listing", before: "a\nb\nb\n", reply: reply("f.go", "    2 | b\n", "c\n"), want: "a\nc\nb\n"},
		{name: "line hint", before: "b\n\n\n\n\n\n\nb\n", reply: "f.go\n<<<<<<< SEARCH line=8\nb\n=======\nc\n>>>>>>> REPLACE\n", want: "b\n\n\n\n\n\n\nc\n"},
		{name: "start_line hint", before: "b\n\n\n\n\n\n\nb\n", reply: "f.go\n<<<<<<< SEARCH\n:start_line:8\n-------\nb\n=======\nc\n>>>>>>> REPLACE\n", want: "b\n\n\n\n\n\n\nc\n"},
		{name: "escaped markers", before: "<<<<<<< HEAD\na\n=======\nb\n", reply: reply("f.go", "\\<<<<<<< HEAD\na\n\\=======\nb\n", "a\n"), want: "a\n"},
		{name: "escaped header", before: ":start_line:3\n-------\na\n", reply: reply("f.go", "\\:start_line:3\n\\-------\na\n", "\\:start_line:4\n\\-------\na\n"), want: ":start_line:4\n-------\na\n"},
		{name: "escaped text is told", before: "say(\"hi\")\n", reply: reply("f.go", "say(\\\"hi\\\")\n", "x\n"), code: NotFound, mention: "escaping"},
		{name: "white space is told", before: "f {\n\treturn g( a )\n}\n", reply: reply("f.go", "return g(a)\n", "x\n"), code: NotFound, mention: "only in white space. Copy them as they are (here → is a tab and · a space):\n    2 | →return·g(·a·)"},
		{name: "line breaks are told", before: "f {\n  a\n}\ng\n", reply: reply("f.go", "f { a }\n", "x\n"), code: NotFound, mention: "lines 1-3 only in white space"},
		{name: "a blank line is no part of a line", before: "x = a\nb\n", reply: reply("f.go", "a\n\n", "c\n\n"), code: NotFound},
		{name: "a longer word is told", before: "xfoo\n", reply: reply("f.go", "foo\n", "bar\n"), code: NotFound, mention: "xfoo"},
		{name: "case is told", before: "HandleClick()\n", reply: reply("f.go", "handleclick()\n", "x\n"), code: NotFound, mention: "upper and lower case"},
		{name: "indented block", before: "a\n", reply: "1. f.go\n   ```\n   <<<<<<< SEARCH\n   a\n   =======\n   b\n   >>>>>>> REPLACE\n   ```\n", want: "b\n"},
		{name: "dashes and pluses as markers", before: "a\n", reply: "f.go\n------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n", want: "b\n"},
		{name: "markers in inline code", before: "a\n", reply: "Write `<<<<<<< SEARCH` first.\n\n" + reply("f.go", "a\n", "b\n"), want: "b\n"},
	} {
		c.check(t)
	}
}

// TestComposition holds how the blocks of one reply work together.
func TestComposition(t *testing.T) {
	for _, c := range []failureCase{
		{name: "each against the original", before: "abc\ndef\n", reply: reply("f.go", "abc\n", "def\n") + reply("f.go", "def\n", "ghi\n"), want: "def\nghi\n"},
		{name: "a chain", before: "one\ntwo\n", reply: reply("f.go", "one\n", "uno\n") + reply("f.go", "uno\n", "eins\n"), want: "eins\ntwo\n"},
		{name: "a chain over the border", before: "one\ntwo\n", reply: reply("f.go", "one\n", "uno\n") + reply("f.go", "uno\ntwo\n", "uno\ndos\n"), want: "uno\ndos\n"},
		{name: "out of order", before: "a\nb\nc\n", reply: reply("f.go", "c\n", "C\n") + reply("f.go", "a\n", "A\n"), want: "A\nb\nC\n"},
		{name: "shared context", before: "a\nb\nc\nd\ne\n", reply: reply("f.go", "a\nb\nc\n", "a\nB\nc\n") + reply("f.go", "c\nd\ne\n", "c\nD\ne\n"), want: "a\nB\nc\nD\ne\n"},
		{name: "overlap", before: "a\nb\nc\n", reply: reply("f.go", "a\nb\n", "x\n") + reply("f.go", "b\nc\n", "y\n"), code: Overlap, mention: "blocks 1 and 2"},
		{name: "two insertions at one place", before: "a\nb\n", reply: reply("f.go", "a\n", "a\nx\n") + reply("f.go", "a\n", "a\ny\n"), code: Overlap},
		{name: "the same block twice", before: "a\nb\n", reply: reply("f.go", "a\n", "x\n") + reply("f.go", "a\n", "x\n"), want: "x\nb\n"},
		{name: "all or nothing", before: "a\nb\n", reply: reply("f.go", "a\n", "x\n") + reply("f.go", "q\n", "y\n"), code: NotFound},
		{name: "the good ones when asked for", before: "a\nb\n", reply: reply("f.go", "a\n", "x\n"), opt: Options{Partial: true}, want: "x\nb\n"},
		{name: "an unreadable block spoils its file", before: "a\nb\n", reply: reply("f.go", "a\n", "x\n") + "f.go\n<<<<<<< SEARCH\nb\n>>>>>>> REPLACE\n", code: Malformed, mention: "before any"},
		{name: "the end is missing", before: "a\n", reply: "f.go\n<<<<<<< SEARCH\na\n=======\nb\n", code: Incomplete, mention: "REPLACE section"},
		{name: "the previous block's file", before: "a\nb\n", reply: reply("f.go", "a\n", "x\n") + "and\n<<<<<<< SEARCH\nb\n=======\ny\n>>>>>>> REPLACE\n", want: "x\ny\n"},
	} {
		c.check(t)
	}
	partial := ApplyBlocks("f", "a\nb\n", true, []Block{{Index: 0, Search: "a\n", Replace: "x\n"}, {Index: 1, Search: "q\n", Replace: "y\n"}}, Options{Partial: true})
	if partial.After != "x\nb\n" || len(partial.Refused) != 1 || len(partial.Applied) != 1 {
		t.Errorf("partial: %+v", partial)
	}
	created := ApplyReply(Parse(reply("n.go", "", "a\nb\n")+reply("n.go", "b\n", "c\n")), memory{}, "", Options{})
	if len(created) != 1 || created[0].After != "a\nc\n" || created[0].Existed || len(created[0].Refused) > 0 {
		t.Errorf("created: %+v", created)
	}
	current := ApplyReply(Parse("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"), memory{"cur.go": "a\n"}, "cur.go", Options{})
	if len(current) != 1 || current[0].After != "b\n" {
		t.Errorf("current document: %+v", current)
	}
}

func TestStringsAreNotLines(t *testing.T) {
	for _, c := range []struct {
		name, before, search, replace, want string
		all                                 bool
	}{
		{name: "part of a line", before: "a b c", search: "b", replace: "x", want: "a x c"},
		{name: "to nothing", before: "Hello world", search: "Hello ", replace: "", want: "world"},
		{name: "a whole line to nothing", before: "a\nb\nc\n", search: "b", replace: "", want: "a\n\nc\n"},
		{name: "a line with its ending", before: "a\nb\nc\n", search: "b\n", replace: "", want: "a\nc\n"},
		{name: "an ending that goes", before: "a\n\nb\n", search: "a\n", replace: "x", want: "x\nb\n"},
		{name: "an ending that comes", before: "a\nb\n", search: "a", replace: "x\n", want: "x\n\nb\n"},
		{name: "all", before: "test testing\n", search: "test", replace: "exam", all: true, want: "exam examing\n"},
		{name: "all lines", before: "a\r\nx\r\na\r\nx\r\n", search: "a\nx", replace: "b\ny", all: true, want: "b\r\ny\r\nb\r\ny\r\n"},
	} {
		res := ApplyBlocks("f", c.before, true, []Block{{Search: c.search, Replace: c.replace, Text: true, All: c.all}}, Options{})
		if res.After != c.want || len(res.Refused) > 0 {
			t.Errorf("%s: %q, %v; want %q", c.name, res.After, res.Refused, c.want)
		}
	}
}

func TestIndentation(t *testing.T) {
	for _, c := range []struct{ name, before, search, replace, want string }{
		{"spaces to tabs, deeper", "\tx = 1\n", "x = 1\n", "if y {\n    x = 1\n}\n", "\tif y {\n\t\tx = 1\n\t}\n"},
		{"two to four", "    def f:\n        a\n", "def f:\n  a\n", "def f:\n  if b:\n    a\n", "    def f:\n        if b:\n            a\n"},
		{"tabs to spaces", "  a {\n    b\n  }\n", "\ta {\n\t\tb\n\t}\n", "\ta {\n\t\tif c {\n\t\t\tb\n\t\t}\n\t}\n", "  a {\n    if c {\n      b\n    }\n  }\n"},
		{"shallower", "    a\n        b\n    c\n", "      b\n", "      b\n    d\n", "    a\n        b\n      d\n    c\n"},
		{"the file's base already", "\t\tfoo()\n", "foo()\n", "\t\tbar()\n\t\tbaz()\n", "\t\tbar()\n\t\tbaz()\n"},
		{"uneven, but only lines that stay", "a {\n\tb {\n\t\tc\n\t}\n}\n", "b {\nc\n}\n", "b {\n}\n", "a {\n\tb {\n\t}\n}\n"},
	} {
		res := ApplyBlocks("f", c.before, true, []Block{{Search: c.search, Replace: c.replace}}, Options{})
		if res.After != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, res.After, res.Refused, c.want)
		}
	}
}
