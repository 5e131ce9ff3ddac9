package edits

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// summary writes results in short: what is written, deleted, moved, refused.
func summary(results []FileResult) string {
	var b strings.Builder
	for _, r := range results {
		switch {
		case len(r.Refused) > 0:
			fmt.Fprintf(&b, "%s refused %s\n", r.Path, r.Refused[0].Code)
		case r.Deleted:
			fmt.Fprintf(&b, "%s deleted\n", r.Path)
		case r.MovedTo != "":
			fmt.Fprintf(&b, "%s moved to %s %q\n", r.Path, r.MovedTo, r.After)
		default:
			fmt.Fprintf(&b, "%s %q\n", r.Path, r.After)
		}
	}
	return b.String()
}

func TestPatches(t *testing.T) {
	files := memory{"a.go": "one\ntwo\nthree\n", "b.go": "x\n", "open.go": "p\nq", "twice.go": "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 1\n}\n"}
	for _, c := range []struct{ name, reply, want string }{
		{"envelope", "*** Begin Patch\n*** Update File: a.go\n@@\n one\n-two\n+TWO\n three\n*** Add File: n/c.go\n+new\n+\n+file\n*** Delete File: b.go\n*** End Patch\n",
			"a.go \"one\\nTWO\\nthree\\n\"\nn/c.go \"new\\n\\nfile\\n\"\nb.go deleted\n"},
		{"envelope in a fence", "Sure:\n```\n*** Begin Patch\n*** Update File: a.go\n@@\n-two\n+TWO\n*** End Patch\n```\nDone.", "a.go \"one\\nTWO\\nthree\\n\"\n"},
		{"move", "*** Begin Patch\n*** Update File: a.go\n*** Move to: d.go\n@@\n-two\n+TWO\n*** End Patch\n", "a.go moved to d.go \"one\\nTWO\\nthree\\n\"\n"},
		{"move onto a file", "*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n-two\n+TWO\n*** End Patch\n", "a.go refused bad-path\n"},
		{"move out of the workspace", "*** Begin Patch\n*** Update File: a.go\n*** Move to: ../b.go\n*** End Patch\n", "a.go refused bad-path\n"},
		{"add what is there", "*** Begin Patch\n*** Add File: b.go\n+y\n*** End Patch\n", "b.go refused empty-search\n"},
		{"delete what is not there", "*** Begin Patch\n*** Delete File: z.go\n*** End Patch\n", "z.go refused unknown-file\n"},
		{"named line above", "*** Begin Patch\n*** Update File: twice.go\n@@ func b() {\n-\treturn 1\n+\treturn 2\n*** End Patch\n",
			"twice.go \"func a() {\\n\\treturn 1\\n}\\n\\nfunc b() {\\n\\treturn 2\\n}\\n\"\n"},
		{"several places", "*** Begin Patch\n*** Update File: twice.go\n@@\n-\treturn 1\n+\treturn 2\n*** End Patch\n", "twice.go refused ambiguous\n"},
		{"end of file", "*** Begin Patch\n*** Update File: twice.go\n@@\n }\n+// end\n*** End of File\n*** End Patch\n",
			"twice.go \"func a() {\\n\\treturn 1\\n}\\n\\nfunc b() {\\n\\treturn 1\\n}\\n// end\\n\"\n"},
		{"no end", "*** Begin Patch\n*** Update File: a.go\n@@\n-two\n+TWO\n", " refused incomplete-block\n"},
		{"diff", "--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n", "a.go \"one\\nTWO\\nthree\\n\"\n"},
		{"diff by line numbers", "--- a/twice.go\n+++ b/twice.go\n@@ -6,1 +6,1 @@\n-\treturn 1\n+\treturn 2\n", "twice.go \"func a() {\\n\\treturn 1\\n}\\n\\nfunc b() {\\n\\treturn 2\\n}\\n\"\n"},
		{"diff without line numbers", "```diff\n--- a.go\n+++ a.go\n@@ ... @@\n-two\n+TWO\n```\n", "a.go \"one\\nTWO\\nthree\\n\"\n"},
		{"diff with wrong counts", "--- a/a.go\n+++ b/a.go\n@@ -90,7 +90,9 @@\n one\n-two\n+TWO\n", "a.go \"one\\nTWO\\nthree\\n\"\n"},
		{"diff of several files", "diff --git a/a.go b/a.go\nindex 1..2 100644\n--- a/a.go\n+++ b/a.go\n@@ -2 +2 @@\n-two\n+TWO\ndiff --git a/b.go b/b.go\ndeleted file mode 100644\n--- a/b.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n--- /dev/null\n+++ b/n.go\n@@ -0,0 +1,2 @@\n+p\n+q\n",
			"a.go \"one\\nTWO\\nthree\\n\"\nb.go deleted\nn.go \"p\\nq\\n\"\n"},
		{"diff that renames", "diff --git a/a.go b/d.go\nsimilarity index 90%\nrename from a.go\nrename to d.go\n--- a/a.go\n+++ b/d.go\n@@ -2 +2 @@\n-two\n+TWO\n", "a.go moved to d.go \"one\\nTWO\\nthree\\n\"\n"},
		{"newline added", "--- a/open.go\n+++ b/open.go\n@@ -1,2 +1,2 @@\n p\n-q\n\\ No newline at end of file\n+q\n", "open.go \"p\\nq\\n\"\n"},
		{"newline dropped", "--- a/a.go\n+++ b/a.go\n@@ -2,2 +2,2 @@\n two\n-three\n+THREE\n\\ No newline at end of file\n", "a.go \"one\\ntwo\\nTHREE\"\n"},
		{"newline still missing", "--- a/open.go\n+++ b/open.go\n@@ -1,2 +1,2 @@\n-p\n+P\n q\n\\ No newline at end of file\n", "open.go \"P\\nq\"\n"},
		{"only additions", "--- a/a.go\n+++ b/a.go\n@@ -2,0 +3,1 @@\n+x\n", "a.go refused empty-search\n"},
		{"deleted line that looks like a file", "--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n one\n--- two\n+++ TWO\n", "a.go refused not-found\n"},
	} {
		if got := summary(ApplyReply(Parse(c.reply), files, "", Options{})); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

func TestParseUnified(t *testing.T) {
	blocks, err := ParseUnified("--- a/f\n+++ b/f\n@@ -3,2 +3,2 @@ func x() {\n a\n-b\n+c\n")
	if err != nil || len(blocks) != 1 || blocks[0].Path != "f" || blocks[0].Search != "a\nb\n" || blocks[0].Replace != "a\nc\n" || blocks[0].Hint != 3 {
		t.Errorf("%+v, %v", blocks, err)
	}
	for _, s := range []string{"@@ -1 +1 @@\n-a\n+b\n", "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n"} {
		if _, err := ParseUnified(s); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestWholeFiles(t *testing.T) {
	reply := "Here is all of it.\n\n`src/a.go`\n```go\npackage a\n\nfunc A() {}\n```\n\nAnd an example:\n```\nnot a file\n```\n" + reply("b.go", "x\n", "y\n") + "```js path=new.js\nlet a\n```\n"
	p := Parser{WholeFiles: true}
	p.Feed(reply)
	files := memory{"src/a.go": "package a\r\n\r\nfunc B() {}\r\n", "b.go": "x\n"}
	want := "src/a.go \"package a\\r\\n\\r\\nfunc A() {}\\r\\n\"\nb.go \"y\\n\"\nnew.js \"let a\\n\"\n"
	r := p.Finish()
	if got := summary(ApplyReply(r, files, "", Options{})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := Parse(reply); len(got.Blocks) != 1 {
		t.Errorf("%d blocks without being asked", len(got.Blocks))
	}
	if want := "Here is all of it.\n\nAnd an example:\n```\nnot a file\n```"; strings.Join(strings.Fields(r.Prose), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("prose %q, want %q", r.Prose, want)
	}
	var open Parser
	open.WholeFiles = true
	open.Feed("a.go\n```go\npackage a\n")
	if r := open.Finish(); len(r.Blocks) != 0 || len(r.Problems) != 1 || r.Problems[0].Code != Incomplete {
		t.Errorf("open fence: %+v", r)
	}
}

func TestProse(t *testing.T) {
	got := Parse("I changed it.\n\n" + reply("f.go", "a\n", "b\n") + "\nAnd that is all.\n").Prose
	if want := "I changed it.\n\nAnd that is all."; got != want {
		t.Errorf("prose %q, want %q", got, want)
	}
}

// locked is files of which one may not be read.
type locked struct{ memory }

func (l locked) Read(name string) (string, bool, error) {
	if strings.HasPrefix(name, "/") || name == "secret" {
		return "", false, fmt.Errorf("read %s: %w", name, errors.Join(fs.ErrPermission))
	}
	return l.memory.Read(name)
}

func TestPaths(t *testing.T) {
	files := locked{memory{"dir/file3.py": "a\n", "one/x.go": "a\n", "two/x.go": "a\n", `\windows\__init__.py`: "a\n", "file1.py": "a\n", "my file.txt": "a\n", "Makefile": "a\n", "src/mod.rs": "a\n"}}
	for _, c := range []struct {
		written, want string
		code          Code
	}{
		{"file3.py", "dir/file3.py", ""}, {"./dir/file3.py", "dir/file3.py", ""}, {"repo/dir/file3.py", "dir/file3.py", ""}, {`dir\file3.py`, "dir/file3.py", ""},
		{`\windows__init__.py`, `\windows\__init__.py`, ""}, {"# file1.py", "file1.py", ""}, {"file1_py", "file1.py", ""}, {"**my file.txt**", "my file.txt", ""},
		{"Makefile", "Makefile", ""}, {"// src/mod.rs", "src/mod.rs", ""}, {"<!-- src/mod.rs -->", "src/mod.rs", ""}, {"`src/mod.rs` (modified)", "src/mod.rs", ""},
		{"x.go", "x.go", UnknownFile}, {"../x.go", "../x.go", BadPath}, {"a/../../x.go", "a/../../x.go", BadPath}, {"/etc/passwd", "/etc/passwd", BadPath}, {"none.go", "none.go", UnknownFile},
		{"a\x00b.go", "", UnknownFile}, {"./secret", "./secret", BadPath},
	} {
		results := ApplyReply(Parse(reply(c.written, "a\n", "b\n")), files, "", Options{})
		var code Code
		if len(results) == 1 && len(results[0].Refused) > 0 {
			code = results[0].Refused[0].Code
		}
		if len(results) != 1 || results[0].Path != c.want || code != c.code {
			t.Errorf("%q: %+v\nwant %q %q", c.written, results, c.want, c.code)
		}
	}
	for _, name := range []string{"/abs/new.go", `C:\new.go`, "../new.go", "dir/"} {
		results := ApplyReply(Reply{Blocks: []Block{{Path: name, Replace: "x\n"}}}, files, "", Options{})
		if len(results[0].Refused) != 1 || results[0].Refused[0].Code != BadPath {
			t.Errorf("creating %q: %+v", name, results)
		}
	}
}

func TestReport(t *testing.T) {
	files := memory{"a.go": "a\n", "b.go": "func b() {\n\treturn 1\n}\n"}
	results := ApplyReply(Parse(reply("a.go", "a\n", "b\n")+reply("b.go", "func b() {\n\treturn 2\n}\n", "x\n")), files, "", Options{})
	got := Report(results)
	for _, want := range []string{"b.go, block 2, line 11 of the reply: not-found", `SEARCH line 2 "\treturn 2", file line 2 "\treturn 1"`, "    2 | \treturn 1", "b.go is unchanged", "do not send again: block 1."} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
	if got := Report(nil); got != "The reply holds no blocks." {
		t.Errorf("empty report %q", got)
	}
	elsewhere := ApplyReply(Parse(reply("b.go", "a\n", "c\n")+reply("a.go", "a\n", "b\n")), files, "", Options{})
	if got := Report(elsewhere); !strings.Contains(got, "in a.go, line 1") {
		t.Errorf("the report does not name the other file:\n%s", got)
	}
}
