package edits

import (
	"strings"
	"testing"
)

// described is a case of an edit as its engine's behaviour is described: what a
// careful engine makes of a text, or the code it refuses with.
type described struct {
	name, before, search, replace string
	want                          string
	code                          Code
	hint                          int
}

func (c described) check(t *testing.T, path string, b Block) {
	t.Helper()
	b.Search, b.Replace, b.Hint = c.search, c.replace, c.hint
	res := ApplyBlocks(path, c.before, true, []Block{b}, Options{})
	switch {
	case c.code == "" && (len(res.Refused) > 0 || res.After != c.want):
		t.Errorf("%s: %q, %v\nwant %q", c.name, res.After, res.Refused, c.want)
	case c.code != "" && (len(res.Refused) != 1 || res.Refused[0].Code != c.code || res.After != c.before || res.Edits != nil):
		t.Errorf("%s: %q, %v\nwant %s", c.name, res.After, res.Refused, c.code)
	}
	checkResult(t, FileResult{Path: path, Existed: true, Before: c.before, Result: res}, Options{})
}

// blockCases are blocks of whole lines.
var blockCases = []described{
	// Line ends: matched as "\n", written as the file has them.
	{name: "CRLF file, LF block", before: "a\r\nb\r\nc\r\n", search: "b\n", replace: "x\ny\n", want: "a\r\nx\r\ny\r\nc\r\n"},
	{name: "LF file, CRLF block", before: "a\nb\n", search: "a\r\nb\r\n", replace: "a\r\nc\r\n", want: "a\nc\n"},
	{name: "CRLF on both sides", before: "a\r\nb\r\n", search: "a\r\nb\r\n", replace: "a\r\nc\r\n", want: "a\r\nc\r\n"},
	{name: "mixed line ends, a line added", before: "a\r\nb\nc\r\n", search: "b\n", replace: "b\nb2\n", want: "a\r\nb\nb2\nc\r\n"},
	{name: "mixed line ends, a line between", before: "a\r\nb\nc\r\n", search: "a\nb\n", replace: "a\na2\nb\n", want: "a\r\na2\r\nb\nc\r\n"},
	{name: "mixed line ends elsewhere stay", before: "a\nb\r\nc\nd\r\n", search: "c\n", replace: "C\n", want: "a\nb\r\nC\nd\r\n"},
	{name: "a lone CR is no line end", before: "a\rb\n", search: "a\n", replace: "x\n", want: "x\rb\n"},
	// The final newline and the byte-order mark.
	{name: "open end, last line", before: "a\nb", search: "b\n", replace: "c\n", want: "a\nc"},
	{name: "open end, lines added", before: "a\nb", search: "b\n", replace: "b\nc\n", want: "a\nb\nc"},
	{name: "open end, all lines", before: "a\nb", search: "a\nb\n", replace: "c\nd\n", want: "c\nd"},
	{name: "open end, first line", before: "a\nb", search: "a\n", replace: "x\n", want: "x\nb"},
	{name: "open end, last line goes", before: "a\nb", search: "b\n", replace: "", want: "a\n"},
	{name: "byte-order mark stays", before: "\ufeffa\nb\n", search: "a\nb\n", replace: "c\n", want: "\ufeffc\n"},
	{name: "byte-order mark copied", before: "\ufeffa\nb\n", search: "\ufeffa\n", replace: "\ufeffx\n", want: "\ufeffx\nb\n"},
	{name: "byte-order mark only in SEARCH", before: "\ufeffa\nb\n", search: "\ufeffa\n", replace: "x\n", want: "\ufeffx\nb\n"},
	// Deletion and insertion.
	{name: "lines go with their line end", before: "a\nb\nc\n", search: "b\n", replace: "", want: "a\nc\n"},
	{name: "insertion at the start", before: "a\nb\n", search: "a\n", replace: "new\na\n", want: "new\na\nb\n"},
	{name: "insertion at the end", before: "a\nb\n", search: "b\n", replace: "b\nnew\n", want: "a\nb\nnew\n"},
	// White space.
	{name: "trailing white space in SEARCH", before: "a\nb\n", search: "a  \nb\t\n", replace: "a\nc\n", want: "a\nc\n"},
	{name: "trailing white space in the file", before: "a  \nb\n", search: "a\nb\n", replace: "a\nc\n", want: "a\nc\n"},
	{name: "blank lines around both", before: "x\na\ny\n", search: "\n\na\n\n", replace: "\n\nb\n\n", want: "x\nb\ny\n"},
	{name: "blank line before SEARCH only", before: "x\na\ny\n", search: "\na\n", replace: "b\n", want: "x\nb\ny\n"},
	{name: "blank lines in the middle count", before: "a\n\n\nb\n", search: "a\n\nb\n", replace: "a\n\nc\n", code: NotFound},
	{name: "a blank line of white space", before: "a\n    \nb\n", search: "a\n\nb\n", replace: "a\n\nc\n", want: "a\n\nc\n"},
	{name: "runs of white space", before: "x   :=  1 // c\n", search: "x := 1 // c\n", replace: "x := 2 // c\n", want: "x := 2 // c\n"},
	{name: "runs of white space, deeper", before: "\tif  a {\n\t\tb\n\t}\n", search: "if a {\n    b\n}\n", replace: "if a {\n    c\n    d\n}\n", want: "\tif a {\n\t\tc\n\t\td\n\t}\n"},
	{name: "white space that is not there", before: "a(b)\n", search: "a( b )\n", replace: "c\n", code: NotFound},
	// Indentation.
	{name: "8 spaces for a tab", before: "        a\n                b\n", search: "\ta\n\t\tb\n", replace: "\ta\n\t\tb\n\t\t\tc\n", want: "        a\n                b\n                        c\n"},
	{name: "2 spaces for a tab", before: "  a\n    b\n", search: "\ta\n\t\tb\n", replace: "\ta\n\t\tc\n\t\t\td\n", want: "  a\n    c\n      d\n"},
	{name: "4 spaces for a tab, flat", before: "    a\n", search: "\ta\n", replace: "\tb\n\t\tc\n", want: "    b\n        c\n"},
	{name: "a tab for 4 spaces, flat", before: "\ta\n", search: "    a\n", replace: "    b\n        c\n", want: "\tb\n\t\tc\n"},
	{name: "a tab for 2 spaces, flat", before: "\ta\n", search: "  a\n", replace: "  b\n    c\n", want: "\tb\n\t\tc\n"},
	{name: "two tabs for 8 spaces", before: "\t\ta\n", search: "        a\n", replace: "        b {\n            c\n        }\n", want: "\t\tb {\n\t\t\tc\n\t\t}\n"},
	{name: "2 spaces for 4", before: "a {\n  b\n}\n", search: "a {\n    b\n}\n", replace: "a {\n    b\n    c {\n        d\n    }\n}\n", want: "a {\n  b\n  c {\n    d\n  }\n}\n"},
	{name: "all deeper by 4", before: "        if x:\n            y\n", search: "    if x:\n        y\n", replace: "    if x:\n        z\n        if w:\n            v\n", want: "        if x:\n            z\n            if w:\n                v\n"},
	{name: "alignment behind a tab", before: "\tfoo(a,\n\t    b)\n", search: "    foo(a,\n        b)\n", replace: "    foo(a,\n        c)\n", want: "\tfoo(a,\n\t    c)\n"},
	{name: "lines wrapped in a block", before: "\tx\n\ty\n", search: "x\ny\n", replace: "x\nif z {\n\ty\n}\n", want: "\tx\n\tif z {\n\t\ty\n\t}\n"},
	{name: "shallower than all of SEARCH", before: "\t\tx\n\t}\n", search: "    x\n", replace: "    x\n}\n", want: "\t\tx\n\t}\n\t}\n"},
	{name: "only the first line lost its indentation", before: "f {\n  return 1;\n}\n", search: "return 1;\n}\n", replace: "return 2;\n}\n", want: "f {\n  return 2;\n}\n"},
	{name: "only the first line, deeper below", before: "class A:\n    def f(self):\n        x\n        y\n", search: "def f(self):\n        x\n", replace: "def f(self):\n        z\n        if z:\n            w\n",
		want: "class A:\n    def f(self):\n        z\n        if z:\n            w\n        y\n"},
	{name: "only the first line, another like it", before: "    a {\n        b\n    }\n", search: "a {\n        b\n    }\n", replace: "a {\n        c\n    }\n    d {\n    }\n", want: "    a {\n        c\n    }\n    d {\n    }\n"},
	{name: "REPLACE at the file's indentation", before: "    a(1)\n    b(2)\n", search: "a(1)\nb(2)\n", replace: "    a(3)\n    b(4)\n", want: "    a(3)\n    b(4)\n"},
	{name: "REPLACE half at the file's indentation", before: "    a(1)\n    b(2)\n", search: "a(1)\nb(2)\n", replace: "    a(3)\nb(4)\n", code: IndentConflict},
	{name: "SEARCH flat, REPLACE not", before: "f {\n    x\n}\n", search: "f {\nx\n}\n", replace: "f {\n    y\n    z\n}\n", want: "f {\n    y\n    z\n}\n"},
	{name: "both flat", before: "f {\n    x\n}\n", search: "f {\nx\n}\n", replace: "f {\ny\n}\n", code: IndentConflict},
	{name: "uneven steps", before: "  a\n      b\n    c\n", search: "a\n    b\n  c\n", replace: "x\n    y\n  z\n", want: "  x\n      y\n    z\n"},
	{name: "taken back a level", before: "        a\n        b\n", search: "    a\n    b\n", replace: "a\nb\nc\n", want: "    a\n    b\n    c\n"},
	{name: "indentation is part of an exact match", before: "if x {\n\tfoo\n}\n", search: "\tfoo\n", replace: "        foo\n", want: "if x {\n        foo\n}\n"},
	// Typographic characters.
	{name: "quotes", before: "it’s “a”\n", search: "it's \"a\"\n", replace: "it's \"b\"\n", want: "it's \"b\"\n"},
	{name: "quotes in SEARCH", before: "it's \"a\"\n", search: "it’s “a”\n", replace: "it's \"b\"\n", want: "it's \"b\"\n"},
	{name: "no-break space", before: "a\u00a0b\n", search: "a b\n", replace: "a c\n", want: "a c\n"},
	{name: "wide space", before: "a\u3000b\n", search: "a b\n", replace: "a c\n", want: "a c\n"},
	{name: "ellipsis", before: "wait…\n", search: "wait...\n", replace: "wait!\n", want: "wait!\n"},
	{name: "dash", before: "a — b\n", search: "a - b\n", replace: "a - c\n", want: "a - c\n"},
	{name: "two dashes are not one", before: "a — b\n", search: "a -- b\n", replace: "a -- c\n", code: NotFound},
	{name: "composed and not", before: "cafe\u0301 x\n", search: "caf\u00e9 x\n", replace: "tea\n", want: "tea\n"},
	{name: "Han", before: "日本語 テキスト\n", search: "日本語 テキスト\n", replace: "日本語 更新\n", want: "日本語 更新\n"},
	{name: "beyond the BMP", before: "x = '🌍👨‍👩‍👧'\n", search: "x = '🌍👨‍👩‍👧'\n", replace: "x = '🌎👨‍👩‍👦'\n", want: "x = '🌎👨‍👩‍👦'\n"},
	// What a listing or a reply puts around lines.
	{name: "line numbers", before: "a\n    b\nc\n", search: "1 | a\n2 |     b\n", replace: "1 | a\n2 |     B\n3 |     B2\n", want: "a\n    B\n    B2\nc\n"},
	{name: "line numbers in SEARCH only", before: "a\nb\n", search: "1 | a\n2 | b\n", replace: "a\nc\n", want: "a\nc\n"},
	{name: "line numbers on some of REPLACE", before: "f {\n    x\n}\n", search: "1 | f {\n2 |     x\n3 | }\n", replace: "1 | f {\n    y\n3 | }\n", code: NotFound},
	{name: "line numbers in REPLACE only", before: "a\nb\n", search: "a\nb\n", replace: "1 | a\n2 | c\n", code: Malformed},
	{name: "line numbers with a gap in REPLACE", before: "a\nb\nc\n", search: "1 | a\n2 | b\n3 | c\n", replace: "1 | a\n3 | c\n", want: "a\nc\n"},
	{name: "line numbers with a gap in SEARCH", before: "a\nb\nc\n", search: "1 | a\n3 | c\n", replace: "1 | a\n", code: NotFound},
	{name: "line numbers of blank lines", before: "a\n\nc\n", search: "1 | a\n2 |\n3 | c\n", replace: "1 | a\n2 |\n3 | d\n", want: "a\n\nd\n"},
	{name: "line numbers of two widths", before: "a\n  b\n", search: "  9 | a\n 10 |   b\n", replace: "  9 | a\n 10 |   c\n", want: "a\n  c\n"},
	{name: "line numbers before bars", before: "| a | b |\n", search: "1 | | a | b |\n", replace: "1 | | a | c |\n", want: "| a | c |\n"},
	{name: "a fence around both", before: "a\n", search: "```go\na\n```\n", replace: "```go\nb\n```\n", want: "b\n"},
	{name: "a fence around SEARCH", before: "a\n", search: "```go\na\n```\n", replace: "b\n", want: "b\n"},
	{name: "a fence around REPLACE", before: "a\n", search: "a\n", replace: "```go\nb\n```\n", code: Malformed},
	{name: "escaped quotes", before: "say(\"x\")\n", search: "say(\\\"x\\\")\n", replace: "say(\\\"y\\\")\n", code: NotFound},
	{name: "escaped line breaks", before: "a\nb\n", search: "a\\nb\n", replace: "c\n", code: NotFound},
	{name: "HTML entities", before: "a < b\n", search: "a &lt; b\n", replace: "a &gt; b\n", code: NotFound},
	{name: "other case", before: "Foo()\n", search: "foo()\n", replace: "bar()\n", code: NotFound},
	// Omitted lines.
	{name: "omission on both sides", before: "f {\n  // ... existing code ...\n  a\n}\n", search: "  // ... existing code ...\n  a\n", replace: "  // ... existing code ...\n  b\n", want: "f {\n  // ... existing code ...\n  b\n}\n"},
	{name: "omission", before: "a\nb\n", search: "a\nb\n", replace: "a\n// rest of the function\n", code: Omission},
	{name: "omission in words", before: "a\nb\n", search: "a\nb\n", replace: "a\nrest of methods ...\n", code: Omission},
	{name: "a bare ellipsis", before: "f {\n  a\n}\n", search: "f {\n  a\n}\n", replace: "f {\n  ...\n}\n", code: Omission},
	{name: "an ellipsis of the file", before: "f(...)\n...\nx\n", search: "...\nx\n", replace: "...\ny\n", want: "f(...)\n...\ny\n"},
	{name: "parts in another order", before: "a\nb\nc\n", search: "c\n...\na\n", replace: "d\n...\ne\n", code: NotFound},
	{name: "a part in several places", before: "a\nx\na\nb\n", search: "a\n...\nb\n", replace: "A\n...\nB\n", code: Ambiguous},
	{name: "parts on one side only", before: "a\nb\nc\n", search: "a\n...\nc\n", replace: "d\n", code: Omission},
	// Places.
	{name: "several places", before: "a\nx\na\n", search: "a\n", replace: "b\n", code: Ambiguous},
	{name: "several places but for indentation", before: "  a\n    a\n", search: "a\n", replace: "b\n", code: Ambiguous},
	{name: "one exact place of several loose ones", before: "a\n  a\n", search: "  a\n", replace: "  b\n", want: "a\n  b\n"},
	{name: "a hint at one place", before: "a\nx\ny\nz\na\n", search: "a\n", replace: "b\n", hint: 5, want: "a\nx\ny\nz\nb\n"},
	{name: "a hint beside one place", before: "a\nx\ny\nz\na\n", search: "a\n", replace: "b\n", hint: 4, want: "a\nx\ny\nz\nb\n"},
	{name: "a hint between two places", before: "a\nx\ny\nz\na\n", search: "a\n", replace: "b\n", hint: 3, code: Ambiguous},
	{name: "a wrong hint, one place", before: "a\nb\n", search: "b\n", replace: "c\n", hint: 900, want: "a\nc\n"},
	{name: "part of a line", before: "x = foo(a,\n        b)\n", search: "foo(a,\n        b)\n", replace: "bar()\n", want: "x = bar()\n"},
	{name: "part of a line without its comma", before: "{\n  a: 1,\n  b: 2,\n}\n", search: "  a: 1,\n  b: 2\n", replace: "  a: 1,\n  b: 3\n", want: "{\n  a: 1,\n  b: 3,\n}\n"},
	{name: "the comma twice", before: "  a: 1,\n", search: "  a: 1\n", replace: "  a: 2,\n", code: NotFound},
	{name: "a word before twice", before: "export const x = foo(a)\n", search: "x = foo(a)\n", replace: "const x = bar(a)\n", code: NotFound},
	{name: "a word behind twice", before: "x = foo(a) // c\n", search: "x = foo(a)\n", replace: "x = bar(a) // c\n", code: NotFound},
	{name: "a part that is a word and part of one", before: "xfoo foo\n", search: "foo\n", replace: "bar\n", code: Ambiguous},
	{name: "part of a word", before: "xfoo\n", search: "foo\n", replace: "bar\n", code: NotFound},
	{name: "SEARCH longer than the file", before: "a\n", search: "a\nb\nc\n", replace: "x\n", code: NotFound},
	{name: "nothing to change", before: "a\n", search: "a\n", replace: "a\n", code: NoChange},
	{name: "nothing to find", before: "a\n", search: "\n  \n", replace: "b\n", code: EmptySearch},
	{name: "a text of blank lines is filled", before: "\n\n", search: "", replace: "b\n", want: "b\n"},
	{name: "\"$&\" is text", before: "price\n", search: "price\n", replace: "$1 $& $$ \\1\n", want: "$1 $& $$ \\1\n"},
}

func TestDescribedBlocks(t *testing.T) {
	for _, c := range blockCases {
		c.check(t, "f.go", Block{})
	}
}

// stringCases are pairs of strings as tool calls give them.
var stringCases = []described{
	{name: "part of a line", before: "a b c\n", search: "b", replace: "x", want: "a x c\n"},
	{name: "ends in a line break that is elsewhere", before: "a b c\nd\n", search: "b\n", replace: "", code: NotFound},
	{name: "ends in a line break", before: "a b\nd\n", search: "b\n", replace: "x\n", want: "a x\nd\n"},
	{name: "joins lines", before: "a\n\nb\n", search: "a\n", replace: "x", want: "x\nb\n"},
	{name: "begins in a line break", before: "a\nb\n", search: "\nb", replace: " b", want: "a b\n"},
	{name: "begins behind the indentation", before: "f {\n  return 1;\n}\n", search: "return 1;\n}", replace: "return 2;\n}", want: "f {\n  return 2;\n}\n"},
	{name: "one line becomes two", before: "    x = 1\n", search: "x = 1", replace: "x = 2\n    y = 3", want: "    x = 2\n    y = 3\n"},
	{name: "ends within a line", before: "foo(a,\n    b) + 1\n", search: "foo(a,\n    b)", replace: "bar()", want: "bar() + 1\n"},
	{name: "CRLF, within lines", before: "foo(a,\r\n    b) + 1\r\n", search: "foo(a,\n    b)", replace: "bar(\n  c)", want: "bar(\r\n  c) + 1\r\n"},
	{name: "CRLF in the strings", before: "a\nb\nc\n", search: "a\r\nb\r\n", replace: "x\r\ny\r\n", want: "x\ny\nc\n"},
	{name: "mixed line ends stay", before: "a\r\nb\nc\r\nd", search: "b\nc\nd", replace: "b\nC\nd", want: "a\r\nb\nC\r\nd"},
	{name: "open end, line break in SEARCH", before: "a\nb", search: "b\n", replace: "c\n", want: "a\nc"},
	{name: "open end, line break in REPLACE", before: "a\nb", search: "b", replace: "b\nc\n", want: "a\nb\nc\n"},
	{name: "a line's text goes, its line break stays", before: "a\nb\nc\n", search: "b", replace: "", want: "a\n\nc\n"},
	{name: "a line goes with its line break", before: "a\nb\nc\n", search: "b\n", replace: "", want: "a\nc\n"},
	{name: "several lines go", before: "a\n  b\n  c\nd\n", search: "  b\n  c\n", replace: "", want: "a\nd\n"},
	{name: "a line goes with the line break before it", before: "a\n  b\n", search: "\n  b", replace: "", want: "a\n"},
	{name: "part of a line goes", before: "Hello world\n", search: "Hello ", replace: "", want: "world\n"},
	{name: "the end of a line goes", before: "a; // note\nb\n", search: " // note", replace: "", want: "a;\nb\n"},
	{name: "at the start", before: "a\nb\n", search: "a", replace: "new\na", want: "new\na\nb\n"},
	{name: "at the end", before: "a\nb\n", search: "b", replace: "b\nnew", want: "a\nb\nnew\n"},
	{name: "several places", before: "old text\nold text 2\n", search: "old text", replace: "new", code: Ambiguous},
	{name: "twice on a line", before: "a(b) a(b)\n", search: "a(b)", replace: "c", code: Ambiguous},
	{name: "over itself", before: "aaaa\n", search: "aa", replace: "b", code: NotFound},
	{name: "part of a word", before: "function getUserName() {\n", search: "function getUser", replace: "function fetchUser", code: NotFound},
	{name: "a word, and part of another", before: "x = max(x1)\n", search: "x", replace: "y", code: Ambiguous},
	{name: "the indented line is another one", before: "    x = 1\n        x = 1\n", search: "    x = 1\n", replace: "    x = 2\n", want: "    x = 2\n        x = 1\n"},
	{name: "tolerant: trailing white space", before: "foo  \nbar\n", search: "foo\nbar", replace: "foo\nbaz", want: "foo\nbaz\n"},
	{name: "tolerant: tabs", before: "\tif x {\n\t\ty()\n\t}\n", search: "    if x {\n        y()\n    }", replace: "    if x {\n        y()\n        z()\n    }", want: "\tif x {\n\t\ty()\n\t\tz()\n\t}\n"},
	{name: "tolerant: a line break that REPLACE lacks", before: "a  \nb\n", search: "a\n", replace: "c", want: "c\nb\n"},
	{name: "tolerant: lines go", before: "a  \nb\n", search: "a\n", replace: "", want: "b\n"},
	{name: "an astral character", before: "x 🌍 y\n", search: "🌍", replace: "🌎", want: "x 🌎 y\n"},
	{name: "part of a character", before: "e\u0301x\n", search: "e", replace: "a", code: NotFound},
	{name: "part of a joined emoji", before: "👨‍👩‍👧 x\n", search: "👨", replace: "b", code: NotFound},
	{name: "no spaces around", before: "const m = 'こんにちは、世界';\n", search: "、世界", replace: "、皆", want: "const m = 'こんにちは、皆';\n"},
	{name: "HTML entities", before: "if (a < b && c) {\n", search: "if (a &lt; b &amp;&amp; c) {", replace: "if (a &gt; b) {", code: NotFound},
	{name: "escaped", before: "say(\"hi\")\n", search: "say(\\\"hi\\\")", replace: "say(\\\"ho\\\")", code: NotFound},
	{name: "byte-order mark", before: "\ufeffa\nb\n", search: "\ufeffa", replace: "\ufeffx", want: "\ufeffx\nb\n"},
	{name: "the same", before: "a b\n", search: "a b", replace: "a b", code: NoChange},
	{name: "the same but for line ends", before: "a\nb\n", search: "a\r\nb", replace: "a\nb", code: NoChange},
	{name: "nothing to find", before: "a\n", search: "", replace: "b", code: EmptySearch},
	{name: "white space to find", before: "a\n   \nb\n", search: "   ", replace: "x", code: EmptySearch},
	{name: "an empty file", before: "", search: "", replace: "b", want: "b"},
	{name: "a word before twice", before: "export const x = foo(a)\n", search: "x = foo(a)", replace: "const x = bar(a)", code: NotFound},
	{name: "an object twice", before: "y = obj.x + 1\n", search: "x + 1", replace: "obj.z", code: NotFound},
	{name: "a word behind twice", before: "x = foo(a) // c\n", search: "x = foo(a)", replace: "x = bar(a) // c", code: NotFound},
	{name: "in brackets", before: "f(a + b)\n", search: "a + b", replace: "(a + b)", code: AlreadyApplied},
	{name: "into brackets", before: "f a + b\n", search: "a + b", replace: "(a + b)", want: "f (a + b)\n"},
	{name: "done already", before: "hello world\n", search: "hello", replace: "hello world", code: AlreadyApplied},
	{name: "regular expressions are text", before: "a.*b\naxxb\n", search: "a.*b", replace: "[$1]", want: "[$1]\naxxb\n"},
}

func TestDescribedStrings(t *testing.T) {
	for _, c := range stringCases {
		c.check(t, "f.go", Block{Text: true})
	}
	for _, c := range []described{
		{name: "every place", before: "test testing\n", search: "test", replace: "exam", want: "exam examing\n"},
		{name: "every place, not over itself", before: "aaaaa", search: "aa", replace: "b", want: "bba"},
		{name: "every place, to nothing", before: "a b a b\n", search: "a ", replace: "", want: "b b\n"},
		{name: "every line", before: "a\r\nx\r\na\r\nx\r\n", search: "a\nx", replace: "b\ny", want: "b\r\ny\r\nb\r\ny\r\n"},
		{name: "every line, mixed line ends", before: "a\r\nx\na\nx\r\n", search: "a\nx\n", replace: "b\nx\n", want: "b\r\nx\nb\nx\r\n"},
		{name: "every line, loosely", before: "\ta  b\nx\n\t\ta b\n", search: "a b", replace: "c", want: "\ta  b\nx\n\t\tc\n"},
		{name: "nowhere", before: "a\n", search: "b", replace: "c", code: NotFound},
	} {
		c.check(t, "f.go", Block{Text: true, All: true})
	}
}

// TestDescribedReplies holds how a reply is written: markers, fences, paths.
func TestDescribedReplies(t *testing.T) {
	const three, x, ax = "a\nb\nc\n", "x\nb\nc\n", "<<<<<<< SEARCH\na\n=======\nx\n>>>>>>> REPLACE\n"
	block := func(search, replace string) string {
		return "<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n"
	}
	for _, c := range []failureCase{
		{name: "5 characters", reply: "f.go\n<<<<< SEARCH\na\n=====\nx\n>>>>> REPLACE\n", want: x},
		{name: "9 characters", reply: "f.go\n<<<<<<<<< SEARCH\na\n=========\nx\n>>>>>>>>> REPLACE\n", want: x},
		{name: "one character more at the end", reply: "f.go\n<<<<<<< SEARCH\na\n=======\nx\n>>>>>>>> REPLACE\n", want: x},
		{name: "angle bracket behind the word", reply: "f.go\n<<<<<<< SEARCH>\na\n=======\nx\n>>>>>>> REPLACE>\n", want: x},
		{name: "no space", reply: "f.go\n<<<<<<<SEARCH\na\n=======\nx\n>>>>>>>REPLACE\n", want: x},
		{name: "trailing white space", reply: "f.go\n<<<<<<< SEARCH  \na\n=======  \nx\n>>>>>>> REPLACE \n", want: x},
		{name: "CRLF", reply: strings.ReplaceAll("f.go\n"+ax, "\n", "\r\n"), want: x},
		{name: "indented", reply: "f.go\n  <<<<<<< SEARCH\n  a\n  =======\n  x\n  >>>>>>> REPLACE\n", want: x},
		{name: "only the markers indented", reply: "f.go\n  <<<<<<< SEARCH\na\n  =======\nx\n  >>>>>>> REPLACE\n", want: x},
		{name: "only the end indented", reply: "f.go\n<<<<<<< SEARCH\na\n=======\nx\n  >>>>>>> REPLACE\n", code: Incomplete},
		{name: "dashes and pluses", reply: "f.go\n------- SEARCH\na\n=======\nx\n+++++++ REPLACE\n", want: x},
		{name: "dashes and the usual end", reply: "f.go\n------- SEARCH\na\n=======\nx\n>>>>>>> REPLACE\n", want: x},
		{name: "the usual start and pluses", reply: "f.go\n<<<<<<< SEARCH\na\n=======\nx\n+++++++ REPLACE\n", code: Incomplete},
		{name: "dashes and pluses as text", reply: "f.go\n" + block("a\n", "--- SEARCH\n+++++++ REPLACE\n"), want: "--- SEARCH\n+++++++ REPLACE\nb\nc\n"},
		{name: "no separator", reply: "f.go\n<<<<<<< SEARCH\na\nx\n>>>>>>> REPLACE\n", code: Malformed, mention: "before any"},
		{name: "no end, and another block", reply: "f.go\n<<<<<<< SEARCH\na\n=======\nx\nf.go\n" + ax, code: Malformed, mention: "REPLACE section"},
		{name: "a separator too many", reply: "f.go\n<<<<<<< SEARCH\na\n=======\nx\n=======\ny\n>>>>>>> REPLACE\n", code: AmbiguousSeparator},
		{name: "a separator twice", reply: "f.go\n<<<<<<< SEARCH\na\n=======\n=======\nx\n>>>>>>> REPLACE\n", code: AmbiguousSeparator},
		{name: "a separator before the end", reply: "f.go\n<<<<<<< SEARCH\na\n=======\nx\n=======\n>>>>>>> REPLACE\n", want: x},
		{name: "a block in a block", reply: "f.go\n" + block("a\n", ax), code: Malformed},
		{name: "no last line break", reply: "f.go\n" + strings.TrimSuffix(ax, "\n"), want: x},
		{name: "half an end", reply: "f.go\n<<<<<<< SEARCH\na\n=======\nx\n>>>>>>> REP", code: Incomplete},
		{name: "cut off in SEARCH", reply: "f.go\n" + ax + "f.go\n<<<<<<< SEARCH\nb\n", code: Incomplete, mention: "SEARCH section"},
		{name: "prose in between", reply: "f.go\n" + ax + "\nNow the second one:\n\n" + block("b\n", "y\n"), want: "x\ny\nc\n"},
		{name: "prose is no path", reply: "Here:\n" + ax, code: UnknownFile},
		{name: "a shell block", reply: "```bash\nrm f.go\n```\nf.go\n" + ax, want: x},
		{name: "another language's fence", reply: "f.go\n```diff\n" + ax + "```\n", want: x},
		{name: "tildes", reply: "f.go\n~~~\n" + ax + "~~~\n", want: x},
		{name: "four back quotes", reply: "f.go\n````\n" + ax + "````\n", want: x},
		{name: "path in a comment", reply: "```go\n// f.go\n" + ax + "```\n", want: x},
		{name: "path in a heading", reply: "#### `f.go`\n\n```go\n" + ax + "```\n", want: x},
		{name: "path in a list", reply: "1. **f.go**\n```go\n" + ax + "```\n", want: x},
		{name: "path as a link", reply: "[f.go](f.go)\n```go\n" + ax + "```\n", want: x},
		{name: "path in a sentence, quoted", reply: "In `f.go`:\n```go\n" + ax + "```\n", want: x},
		{name: "path in a sentence", reply: "In f.go:\n```go\n" + ax + "```\n", want: x},
		{name: "two paths in a sentence", reply: "In f.go and g.go:\n```go\n" + ax + "```\n", code: UnknownFile},
		{name: "path with a label", reply: "**File: f.go**\n```go\n" + ax + "```\n", want: x},
		{name: "path as a title", reply: "```go title=\"f.go\"\n" + ax + "```\n", want: x},
		{name: "path in a tag", reply: "<file path=\"f.go\">\n" + ax + "</file>\n", want: x},
		{name: "path with a line", reply: "f.go:12\n" + ax, want: x},
		{name: "path with lines", reply: "f.go (lines 1-3)\n" + ax, want: x},
		{name: "absolute path", reply: "/home/x/f.go\n" + ax, code: UnknownFile, mention: "f.go"},
		{name: "path in another case", reply: "F.go\n" + ax, code: UnknownFile, mention: "f.go"},
		{name: "hint", reply: "f.go\n<<<<<<< SEARCH line=1\na\n=======\nx\n>>>>>>> REPLACE\n", want: x},
		{name: "hint with a colon", reply: "f.go\n<<<<<<< SEARCH:1\na\n=======\nx\n>>>>>>> REPLACE\n", want: x},
		{name: "header of lines", reply: "f.go\n<<<<<<< SEARCH\n:start_line:1\n:end_line:1\n-------\na\n=======\nx\n>>>>>>> REPLACE\n", want: x},
		{name: "header without dashes", reply: "f.go\n<<<<<<< SEARCH\n:start_line:1\na\n=======\nx\n>>>>>>> REPLACE\n", want: x},
		{name: "dashes without a header", reply: "f.go\n<<<<<<< SEARCH\n-------\na\n=======\nx\n>>>>>>> REPLACE\n", want: x},
		{name: "header in REPLACE too", reply: "f.go\n<<<<<<< SEARCH\n:start_line:1\n-------\na\n=======\n:start_line:1\n-------\nx\n>>>>>>> REPLACE\n", code: Malformed, mention: ":start_line:1"},
		{name: "header and nothing to find", reply: "f.go\n<<<<<<< SEARCH\n:start_line:1\n-------\n=======\nx\n>>>>>>> REPLACE\n", code: EmptySearch},
		{name: "escaped separator in REPLACE", reply: "f.go\n" + block("a\n", "\\=======\nx\n"), want: "=======\nx\nb\nc\n"},
		{name: "markers in a sentence", reply: "Use <<<<<<< SEARCH to start.\nf.go\n" + ax, want: x},
		{name: "in a list", reply: "- f.go\n  ```go\n  <<<<<<< SEARCH\n  a\n  =======\n  x\n  >>>>>>> REPLACE\n  ```\n", want: x},
		{name: "in a tag", reply: "<search_replace>\nf.go\n" + ax + "</search_replace>\n", want: x},
		{name: "a chain", reply: "f.go\n" + ax + block("x\nb\n", "x\ny\n"), want: "x\ny\nc\n"},
		{name: "overlap", reply: "f.go\n" + block("a\nb\n", "x\n") + block("b\nc\n", "y\n"), code: Overlap},
		{name: "identical", reply: "f.go\n" + ax + ax, want: x},
		{name: "one SEARCH, two answers", reply: "f.go\n" + ax + block("a\n", "y\n"), code: Overlap},
		{name: "deleted above, changed below", reply: "f.go\n" + block("a\nb\n", "b\n") + block("b\nc\n", "b\nC\n"), want: "b\nC\n"},
	} {
		if c.before == "" {
			c.before = three
		}
		c.check(t)
	}
}

// TestDescribedFiles holds what a reply does to files that are not there, or
// hold nothing.
func TestDescribedFiles(t *testing.T) {
	block := func(path, search, replace string) string {
		return path + "\n<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n"
	}
	for _, c := range []struct{ name, reply, want string }{
		{"created", block("new.go", "", "x\ny\n"), "new.go \"x\\ny\\n\"\n"},
		{"created by a blank line", block("new.go", "\n", "x\n"), "new.go \"x\\n\"\n"},
		{"created twice alike", block("new.go", "", "x\n") + block("new.go", "", "x\n"), "new.go \"x\\n\"\n"},
		{"created twice", block("new.go", "", "x\n") + block("new.go", "", "y\n"), "new.go refused empty-search\n"},
		{"created with a heading", block("new.md", "", "Title\n=======\ntext\n"), "new.md \"Title\\n=======\\ntext\\n\"\n"},
		{"created in a fence", block("new.go", "", "```go\nx\n```\n"), "new.go refused malformed-block\n"},
		{"created with lines left out", block("new.go", "", "x\n// ... existing code ...\n"), "new.go refused omission\n"},
		{"missing", block("new.go", "a\n", "x\n"), "new.go refused unknown-file\n"},
		{"not empty", block("f.go", "", "x\n"), "f.go refused empty-search\n"},
		{"empty", block("empty.go", "", "x\n"), "empty.go \"x\"\n"},
		{"blank", block("blank.go", "", "x\n"), "blank.go \"x\\n\"\n"},
		{"no file is searched for the text", block("new.go", "only here\n", "x\n"), "new.go refused unknown-file\n"},
	} {
		files := memory{"f.go": "a\n", "empty.go": "", "blank.go": "\n", "other.go": "only here\n"}
		if got := summary(ApplyReply(Parse(c.reply), files, "", Options{})); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}
