package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"emend/edits"
	"emend/index"
	"emend/internal/workspace"
)

// place is a workspace for tools, with a draft over it.
type place struct {
	t    *testing.T
	root string
	env  *Env
	docs workspace.Documents
}

// newPlace puts files on the disk. A name that begins with "open:" is a
// document that is open with that text, over what the disk has.
func newPlace(t *testing.T, files map[string]string) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, root: root}
	for name, text := range files {
		if rest, open := strings.CutPrefix(name, "open:"); open {
			path := workspace.Key(filepath.Join(root, rest))
			p.docs.Open(workspace.Document{Path: path, URI: path.URI(), Version: 1, Text: edits.NewText(text)})
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	roots := workspace.NewRoots(root)
	p.env = &Env{
		Draft: workspace.NewDraft(workspace.NewSnapshot(roots, workspace.Disk(&p.docs))),
		Roots: roots, Index: index.New(roots, index.Options{}),
	}
	return p
}

// call makes a call: "name {json}".
func (p *place) call(call string) Result {
	p.t.Helper()
	name, arguments, _ := strings.Cut(call, " ")
	r, err := ForMode(false, true).Call(p.t.Context(), p.env, name, json.RawMessage(arguments))
	if err != nil {
		p.t.Fatalf("%s: %v", call, err)
	}
	return r
}

func (p *place) text(name string) string {
	p.t.Helper()
	f, err := p.env.Draft.Read(p.t.Context(), workspace.Key(filepath.Join(p.root, filepath.FromSlash(name))))
	if err != nil {
		p.t.Fatal(err)
	}
	return f.Text
}

func lines(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// Each case is calls in order over one draft; want is what the last one says.
func TestTools(t *testing.T) {
	files := map[string]string{
		"a.go": "package a\n\nfunc A() {}\n\nfunc B() {}\n", "sub/b.txt": "one\ntwo\n", "empty.txt": "",
		"long.txt": lines(1500), "crlf.txt": "one\r\ntwo\r\n", "noend.txt": "one\ntwo", "bin.dat": "a\x00b", "latin.txt": "caf\xe9\n",
		"token.txt": "key = AKIAABCDEFGHIJKLMNOP\n", ".env": "SECRET=hush\n", "disk.txt": "stale\n", "open:disk.txt": "unsaved\n",
		"wide.txt": strings.Repeat("é", 3000) + "\n",
	}
	cases := []struct {
		name    string
		calls   []string
		want    []string
		not     string
		refused bool
	}{
		{"read", []string{`read_file {"path":"a.go"}`}, []string{"a.go, lines 1-5 of 5:\n     1\tpackage a\n     2\t\n     3\tfunc A() {}\n"}, "", false},
		{"read a range", []string{`read_file {"path":"long.txt","start_line":1499,"end_line":9999}`}, []string{"lines 1499-1500 of 1500:\n  1499\tline 1499\n"}, "cut", false},
		{"read a long file", []string{`read_file {"path":"long.txt"}`}, []string{"[cut: lines 1001-1500 are not shown; read on with start_line=1001]"}, "", false},
		{"read beyond the end", []string{`read_file {"path":"a.go","start_line":9}`}, []string{"a.go has lines 1 to 5"}, "", true},
		{"read backwards", []string{`read_file {"path":"a.go","start_line":4,"end_line":2}`}, []string{"there is nothing in lines 4 to 2"}, "", true},
		{"read an empty file", []string{`read_file {"path":"empty.txt"}`}, []string{"empty.txt is empty"}, "", false},
		{"read a long line", []string{`read_file {"path":"wide.txt"}`}, []string{"… [cut: 4000 bytes of this line are not shown]"}, "", false},
		{"read what is open", []string{`read_file {"path":"disk.txt"}`}, []string{"unsaved"}, "stale", false},
		{"read an absolute path inside", []string{`read_file {"path":"ROOT/a.go"}`}, []string{"a.go, lines"}, "", false},
		{"read a folder", []string{`read_file {"path":"sub"}`}, []string{"sub"}, "", true},
		{"read a binary", []string{`read_file {"path":"bin.dat"}`}, []string{"not a text file"}, "", true},
		{"read another encoding", []string{`read_file {"path":"latin.txt"}`}, []string{"not a text file in UTF-8"}, "", true},
		{"read a secret", []string{`read_file {"path":".env"}`}, []string{"looks like it holds secrets"}, "hush", true},
		{"read a token", []string{`read_file {"path":"token.txt"}`}, []string{"key or token"}, "AKIA", true},
		{"read nothing there", []string{`read_file {"path":"lib/a.go"}`}, []string{"lib/a.go does not exist. Did you mean:\na.go"}, "", true},

		{"list", []string{`list_files {}`}, []string{"a.go\n", "sub/b.txt\n"}, ".env", false},
		{"list a folder", []string{`list_files {"path":"sub/"}`}, []string{"1 file:\nsub/b.txt\n"}, "a.go", false},
		{"list by glob", []string{`list_files {"glob":"*.go"}`}, []string{"1 file:\na.go\n"}, "", false},
		{"list what is not there", []string{`list_files {"path":"nowhere"}`}, []string{"no file there"}, "", true},
		{"list outside", []string{`list_files {"path":"../.."}`}, []string{"refusing"}, "", true},
		{"list what was created", []string{`create_file {"path":"new/c.go","content":"x"}`, `list_files {}`}, []string{"new/c.go\n"}, "", false},
		{"find", []string{`find_file {"query":"b.txt"}`}, []string{"sub/b.txt\n"}, "", false},
		{"find what was created", []string{`create_file {"path":"new/zebra.go","content":"x"}`, `find_file {"query":"zebra"}`}, []string{"new/zebra.go\n"}, "", false},
		{"find nothing", []string{`find_file {"query":"qqqqqq"}`}, []string{"no file's name is like"}, "", true},
		{"find no secret", []string{`find_file {"query":"env"}`}, nil, ".env\n", true},

		{"grep", []string{`grep {"pattern":"func A"}`}, []string{"a.go:3: func A() {}\n"}, "", false},
		{"grep with context", []string{`grep {"pattern":"two","context":1,"globs":["sub/*"]}`}, []string{"sub/b.txt-1- one\nsub/b.txt:2: two\n"}, "", false},
		{"grep what is open", []string{`grep {"pattern":"unsaved"}`}, []string{"disk.txt:1: unsaved"}, "", false},
		{"grep what was stale", []string{`grep {"pattern":"stale"}`}, []string{`No line matches "stale"`}, "", false},
		{"grep what was written", []string{`write_file {"path":"a.go","content":"package changed\n"}`, `grep {"pattern":"changed"}`}, []string{"a.go:1: package changed"}, "", false},
		{"grep what was created", []string{`create_file {"path":"n.go","content":"package zebra\n"}`, `grep {"pattern":"ZEBRA","ignore_case":true}`}, []string{"n.go:1: package zebra"}, "", false},
		{"grep no secret", []string{`grep {"pattern":"SECRET="}`}, []string{"No line matches"}, "hush", false},
		{"grep hides a token", []string{`grep {"pattern":"key ="}`}, []string{"token.txt:1: [not shown"}, "AKIA", false},
		{"grep a bad pattern", []string{`grep {"pattern":"(","regexp":true}`}, []string{"no regular expression"}, "", true},
		{"grep many", []string{`grep {"pattern":"line"}`}, []string{"[cut: more than 100 lines match"}, "", false},

		{"replace", []string{`search_replace {"path":"a.go","search":"func A() {}\n","replace":"func C() {}\n"}`},
			[]string{"a.go was changed. It now reads:\n     1\tpackage a\n     2\t\n     3\tfunc C() {}\n     4\t\n     5\tfunc B() {}\n"}, "", false},
		{"replace what is not there", []string{`search_replace {"path":"a.go","search":"func X() {}","replace":"y"}`}, []string{"Nothing was changed in a.go"}, "", true},
		{"replace what is there twice", []string{`search_replace {"path":"a.go","search":"\n","replace":"x\n"}`}, []string{"Nothing was changed"}, "", true},
		{"replace in a missing file", []string{`search_replace {"path":"x/a.go","search":"a","replace":"b"}`}, []string{"does not exist"}, "", true},
		{"replace in a secret", []string{`search_replace {"path":".env","search":"SECRET=hush","replace":""}`}, []string{"holds secrets"}, "", true},
		{"replace in a binary", []string{`search_replace {"path":"bin.dat","search":"a","replace":"b"}`}, []string{"not a text file"}, "", true},
		{"several edits", []string{`multi_edit {"path":"a.go","edits":[{"search":"func A() {}","replace":"func C() {}"},{"search":"func B() {}","replace":"func D() {}"}]}`},
			[]string{"func C() {}\n", "func D() {}\n"}, "", false},
		{"several edits, one bad", []string{`multi_edit {"path":"a.go","edits":[{"search":"func A() {}","replace":"func C() {}"},{"search":"nope","replace":"x"}]}`},
			[]string{"Nothing was changed in a.go", "Edit 2: ", "Send all edits of the file again"}, "", true},
		{"no edits", []string{`multi_edit {"path":"a.go","edits":[]}`}, []string{`argument "edits" is empty`}, "", true},
		{"write", []string{`write_file {"path":"a.go","content":"package b"}`}, []string{"     1\tpackage b\n"}, "", false},
		{"write the same", []string{`write_file {"path":"sub/b.txt","content":"one\ntwo"}`}, []string{"already reads exactly so"}, "", true},
		{"write an omission", []string{`write_file {"path":"a.go","content":"package a\n\n// ... rest of the code unchanged ...\n"}`}, []string{"Nothing was changed"}, "", true},
		{"write a new file", []string{`write_file {"path":"n.txt","content":"x"}`}, []string{"n.txt was created"}, "", false},
		{"create over a file", []string{`create_file {"path":"a.go","content":"x"}`}, []string{"exists already"}, "", true},
		{"create below a file", []string{`create_file {"path":"a.go/x.go","content":"x"}`}, []string{"a.go"}, "", true},
		{"create outside", []string{`create_file {"path":"../x.go","content":"x"}`}, []string{"refusing"}, "", true},
		{"create for emend", []string{`create_file {"path":".emend/config.toml","content":"x"}`}, []string{"refusing"}, "", true},
		{"finish", []string{`finish {"summary":" done "}`}, []string{"done"}, "", false},
		{"unknown", []string{`explode {}`}, []string{`there is no tool "explode"`}, "", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t, files)
			var r Result
			for i, call := range c.calls {
				r = p.call(strings.ReplaceAll(call, "ROOT", filepath.ToSlash(p.root)))
				if i < len(c.calls)-1 && r.Refused {
					t.Fatalf("%s: %s", call, r.Text)
				}
			}
			if r.Refused != c.refused {
				t.Errorf("refused: %v, want %v:\n%s", r.Refused, c.refused, r.Text)
			}
			for _, want := range c.want {
				if !strings.Contains(r.Text, want) {
					t.Errorf("missing %q in:\n%s", want, r.Text)
				}
			}
			if c.not != "" && strings.Contains(r.Text, c.not) {
				t.Errorf("%q in:\n%s", c.not, r.Text)
			}
			if len(r.Text) > DefaultMaxBytes+300 {
				t.Errorf("a result of %d bytes", len(r.Text))
			}
		})
	}
}

// A file keeps its line ends, and the state of its last line.
func TestEditsKeepLineEnds(t *testing.T) {
	files := map[string]string{"crlf.txt": "one\r\ntwo\r\n", "noend.txt": "one\ntwo", "bom.txt": "\ufeffone\ntwo\n"}
	for call, want := range map[string]string{
		`search_replace {"path":"crlf.txt","search":"two\n","replace":"2\n3\n"}`: "one\r\n2\r\n3\r\n",
		`write_file {"path":"crlf.txt","content":"a\nb\n"}`:                      "a\r\nb\r\n",
		`search_replace {"path":"noend.txt","search":"two","replace":"2"}`:       "one\n2",
		`write_file {"path":"noend.txt","content":"1\n2"}`:                       "1\n2",
		`search_replace {"path":"bom.txt","search":"one\n","replace":"1\n"}`:     "1\ntwo\n",
	} {
		p := newPlace(t, files)
		r := p.call(call)
		if got := p.text(r.Path); got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}

// Big folders are summed up, so that the model sees all of them.
func TestListSumsUp(t *testing.T) {
	files := map[string]string{"top.txt": "x"}
	for i := range 150 {
		files[fmt.Sprintf("a/f%03d.txt", i)] = "x"
		files[fmt.Sprintf("b/c/f%03d.txt", i)] = "x"
	}
	p := newPlace(t, files)
	if got, want := p.call(`list_files {}`).Text, "301 files:\na/ (150 files)\nb/ (150 files)\ntop.txt\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A tool that was cancelled is not a refusal for the model to act on.
func TestCancelIsAnError(t *testing.T) {
	p := newPlace(t, map[string]string{"a.go": "package a\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, call := range []string{`read_file {"path":"a.go"}`, `grep {"pattern":"x"}`, `write_file {"path":"a.go","content":"x"}`} {
		name, arguments, _ := strings.Cut(call, " ")
		if r, err := ForMode(false, true).Call(ctx, p.env, name, json.RawMessage(arguments)); err == nil {
			t.Errorf("%s: no error, but %+v", name, r)
		}
	}
}

// What the person allowed is no secret in this run.
func TestAllow(t *testing.T) {
	p := newPlace(t, map[string]string{".env": "SECRET=hush\n"})
	p.env.Allow(workspace.Key(filepath.Join(p.root, ".env")))
	if r := p.call(`read_file {"path":".env"}`); r.Refused || !strings.Contains(r.Text, "hush") {
		t.Errorf("%+v", r)
	}
}
