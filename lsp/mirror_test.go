package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"emend/internal/workspace"
)

// text is an open document's text and version.
func (r *rawSession) text(p workspace.Path) (string, int32) {
	r.t.Helper()
	doc, ok := r.s.mirror.docs.Get(p)
	if !ok {
		r.t.Fatalf("%s is not open", p)
	}
	return doc.Text.String(), doc.Version
}

// TestDidChange applies content changes in the shapes that clients send.
func TestDidChange(t *testing.T) {
	for _, tt := range []struct {
		name, before, version string
		events                string
		want                  string
		wantVersion           int32
	}{
		{"insert", "ab\ncd", "2", partial(1, 1, 1, 1, "X"), "ab\ncXd", 2},
		{"several, each behind the last", "ab", "2", partial(0, 0, 0, 0, "1\n") + "," + partial(1, 2, 1, 2, "3"), "1\nab3", 2},
		{"whole", "ab", "3", `{"text":"new"}`, "new", 3},
		{"whole with a null range", "ab", "3", `{"text":"new","range":null}`, "new", 3},
		{"whole, then a part", "ab", "3", `{"text":"new"},` + partial(0, 3, 0, 3, "!"), "new!", 3},
		{"nothing", "ab", "3", "", "ab", 3},
		{"no version", "ab", "null", partial(0, 0, 0, 1, ""), "b", 1},
		{"a version with a fraction", "ab", "4.0", partial(0, 0, 0, 1, ""), "b", 4},
		{"beyond the line", "ab\ncd", "2", partial(0, 99, 0, 99, "X"), "abX\ncd", 2},
		{"beyond the line of a CRLF", "ab\r\ncd", "2", partial(0, 99, 0, 99, "X"), "abX\r\ncd", 2},
		{"the line behind the last", "ab\n", "2", partial(0, 0, 2, 0, "X"), "X", 2},
		{"rangeLength is passed over", "ab", "2", `{"range":` + rangeJSON(0, 0, 0, 1) + `,"rangeLength":77,"text":""}`, "b", 2},
		{"a surrogate alone", "ab", "2", `{"range":` + rangeJSON(0, 0, 0, 1) + `,"text":"\ud800"}`, "\uFFFDb", 2},

		{"far beyond the text", "ab", "2", partial(7, 0, 7, 0, "X"), "ab", 1},
		{"ends before it starts", "ab", "2", partial(0, 2, 0, 1, "X"), "ab", 1},
		{"negative line", "ab", "2", partial(-1, 0, 0, 0, "X"), "ab", 1},
		{"line too big for a number", "ab", "2", partial(0, 0, 99999999999, 0, "X"), "ab", 1},
		{"range of another shape", "ab", "2", `{"range":[0,1],"text":"X"}`, "ab", 1},
		{"no text", "ab", "2", `{}`, "ab", 1},
		{"text is a number", "ab", "2", `{"text":7}`, "ab", 1},
		{"the second does not fit", "ab", "2", partial(0, 0, 0, 0, "1") + "," + partial(9, 0, 9, 0, "2"), "ab", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := startSession(t, Options{}, nil)
			r.begin(`{"capabilities":{}}`)
			r.open("untitled:a", tt.before)
			r.notify("textDocument/didChange", `{"textDocument":{"uri":"untitled:a","version":`+tt.version+`},"contentChanges":[`+tt.events+`]}`)
			r.settled("end")
			if text, version := r.text("untitled:a"); text != tt.want || version != tt.wantVersion {
				t.Errorf("text %q version %d, want %q, %d", text, version, tt.want, tt.wantVersion)
			}
		})
	}
}

// TestMissedChange loses a change: those behind it are not applied to what is
// not the editor's text, the person is told once, and a whole text heals it.
func TestMissedChange(t *testing.T) {
	bad := []string{
		`{"textDocument":{"uri":"untitled:a","version":2},"contentChanges":[` + partial(9, 0, 9, 0, "X") + `]}`,
		`{"textDocument":{"uri":"untitled:a","version":2},"contentChanges":[{"range":7,"text":"X"}]}`,
	}
	for _, params := range bad {
		r := startSession(t, Options{}, nil)
		r.begin(`{"capabilities":{}}`)
		r.open("untitled:a", "one\ntwo\n")
		r.notify("textDocument/didChange", params)
		r.change("untitled:a", 3, partial(0, 0, 1, 0, ""))
		r.change("untitled:a", 4, partial(0, 0, 0, 0, "x"))
		r.settled("missed")
		if text, version := r.text("untitled:a"); text != "one\ntwo\n" || version != 1 {
			t.Errorf("text %q, version %d", text, version)
		}
		r.until("the message", func() bool { return len(r.others) > 0 })
		r.change("untitled:a", 5, `{"text":"whole\n"}`)
		r.change("untitled:a", 6, partial(0, 0, 0, 0, "the "))
		r.settled("healed")
		if text, version := r.text("untitled:a"); text != "the whole\n" || version != 6 {
			t.Errorf("text %q, version %d", text, version)
		}
		if n := len(r.others); n != 1 {
			t.Errorf("the person was told %d times: %v", n, r.others)
		}
	}
}

// TestTwoNames opens a file by two names, as one editor does with files behind
// symbolic links: two buffers, of which the last one used is the document.
func TestTwoNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.go", filepath.Join(dir, "b.go")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	a, b := "file://"+filepath.ToSlash(dir)+"/a.go", "file://"+filepath.ToSlash(dir)+"/b.go"
	path := workspace.Key(filepath.Join(dir, "a.go"))
	r := startSession(t, Options{}, nil)
	r.begin(`{"capabilities":{}}`)
	check := func(id, text, uri string, open int) {
		t.Helper()
		r.settled(id)
		docs := r.s.mirror.docs.All()
		if len(docs) != open {
			t.Fatalf("%s: %d documents are open", id, len(docs))
		}
		if open > 0 && (docs[0].Path != path || docs[0].Text.String() != text || docs[0].URI != uri) {
			t.Errorf("%s: got %s %q, want %s %q", id, docs[0].URI, docs[0].Text.String(), uri, text)
		}
	}
	r.open(a, "text of a")
	r.open(b, "text of b")
	check("both open", "text of b", b, 1)
	r.change(a, 2, partial(0, 8, 0, 9, "A"))
	check("a changed", "text of A", a, 1)
	r.change(b, 2, partial(0, 8, 0, 9, "B"))
	check("b changed", "text of B", b, 1)
	r.call(`"act"`, "textDocument/codeAction", `{"textDocument":{"uri":`+quoted(a)+`},"range":`+rangeJSON(0, 0, 0, 0)+`,"context":{"diagnostics":[]}}`)
	check("the person is in a", "text of A", a, 1)
	r.closeDoc(a)
	check("a closed", "text of B", b, 1)
	if !r.s.mirror.docs.Unsaved(path) {
		t.Error("b has changed, and counts as saved")
	}
	r.open(a, "text of a again")
	r.closeDoc(b)
	check("b closed", "text of a again", a, 1)
	r.closeDoc(a)
	check("both closed", "", "", 0)
	if got := string(r.s.mirror.uriOf(path)); got != a {
		t.Errorf("the file is named %s when it is closed", got)
	}
}

// TestOpenTwice opens a document again without a close, as after a crash of the
// editor's side: the last text counts.
func TestOpenTwice(t *testing.T) {
	r := startSession(t, Options{}, nil)
	r.begin(`{"capabilities":{}}`)
	r.open("untitled:a", "one")
	r.change("untitled:a", 2, partial(9, 9, 9, 9, "lost"))
	r.open("untitled:a", "two")
	r.change("untitled:a", 2, partial(0, 0, 0, 0, "now "))
	r.settled("end")
	if text, _ := r.text("untitled:a"); text != "now two" {
		t.Errorf("text %q", text)
	}
}

// TestCarry takes ranges of older versions to the text as it is.
func TestCarry(t *testing.T) {
	m := &mirror{}
	m.open("untitled:a", "go", 1, "one\ntwo\nthree\n")
	change := func(version int, events ...string) {
		t.Helper()
		var c documentChange
		unmarshal(t, fmt.Sprintf(`{"textDocument":{"uri":"untitled:a","version":%d},"contentChanges":[%s]}`, version, strings.Join(events, ",")), &c)
		if _, err := m.change(&c); err != nil {
			t.Fatal(err)
		}
	}
	two := protocol.Range{Start: protocol.Position{Line: 1}, End: protocol.Position{Line: 1, Character: 3}}
	want := func(from int32, text string) {
		t.Helper()
		doc, _ := m.docs.Get("untitled:a")
		r, err := m.carry(doc, two, from)
		if err != nil {
			if text != "" {
				t.Error(err)
			}
			return
		}
		start, end, err := offsets(doc.Text, r, m.enc)
		if err != nil || doc.Text.String()[start:end] != text {
			t.Errorf("from version %d: %q, %v; want %q", from, doc.Text.String()[start:end], err, text)
		}
	}
	want(1, "two")
	change(2, partial(0, 0, 0, 0, "zero\n"))
	want(1, "two")
	change(5, partial(3, 0, 3, 5, "3"), partial(2, 0, 2, 0, "  "))
	want(1, "two")
	want(2, "one")
	want(3, "") // never was
	change(6, partial(2, 3, 2, 4, "W"))
	want(1, "")
	change(7, `{"text":"x\ny\n"}`)
	want(6, "")
	want(7, "y")
}
