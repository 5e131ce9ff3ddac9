package lsp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"pgregory.net/rapid"

	"emend/edits"
	"emend/internal/workspace"
	"emend/lsp/lsptest"
)

// TestChooseEncoding picks utf-16 wherever the client has it.
func TestChooseEncoding(t *testing.T) {
	type kind = protocol.PositionEncodingKind
	for _, tt := range []struct {
		offered []kind
		want    kind
		enc     edits.Encoding
	}{
		{nil, "utf-16", edits.UTF16}, {[]kind{"utf-8", "utf-16"}, "utf-16", edits.UTF16}, {[]kind{"utf-8"}, "utf-8", edits.UTF8},
		{[]kind{"utf-32", "utf-8"}, "utf-8", edits.UTF8}, {[]kind{"utf-32"}, "utf-32", edits.UTF32}, {[]kind{"ebcdic"}, "utf-16", edits.UTF16},
	} {
		if got, enc := chooseEncoding(tt.offered); got != tt.want || enc != tt.enc {
			t.Errorf("%v: got %s, %v", tt.offered, got, enc)
		}
	}
}

// plainText is the model of a document: glyphs, and columns counted by the
// standard library.
type plainText struct {
	glyphs []string
	enc    edits.Encoding
}

func (p *plainText) String() string { return strings.Join(p.glyphs, "") }

// place is the position before the ith glyph.
func (p *plainText) place(i int) (line, column int) {
	before := strings.Join(p.glyphs[:i], "")
	line = strings.Count(before, "\n")
	tail := before[strings.LastIndex(before, "\n")+1:]
	switch p.enc {
	case edits.UTF8:
		return line, len(tail)
	case edits.UTF32:
		return line, utf8.RuneCountInString(tail)
	default:
		return line, len(utf16.Encode([]rune(tail)))
	}
}

// TestChangesAgainstModel makes random changes in every encoding, several in a
// message, and compares the mirror with the model after each.
func TestChangesAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		glyph := rapid.SampledFrom(glyphs)
		model := &plainText{enc: edits.Encoding(rapid.IntRange(0, 2).Draw(t, "encoding"))}
		model.glyphs = rapid.SliceOfN(glyph, 0, 30).Draw(t, "text")
		m := &mirror{enc: model.enc}
		m.open("untitled:a", "go", 1, model.String())
		for version := range rapid.IntRange(1, 12).Draw(t, "messages") {
			var events []string
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				with := rapid.SliceOfN(glyph, 0, 5).Draw(t, "with")
				if rapid.IntRange(0, 20).Draw(t, "whole") == 0 {
					model.glyphs = with
					events = append(events, `{"text":`+quoted(model.String())+`}`)
					continue
				}
				from := rapid.IntRange(0, len(model.glyphs)).Draw(t, "from")
				to := rapid.IntRange(from, len(model.glyphs)).Draw(t, "to")
				l0, c0 := model.place(from)
				l1, c1 := model.place(to)
				if atEnd := to == len(model.glyphs) || strings.HasSuffix(model.glyphs[to], "\n"); atEnd {
					c1 += rapid.IntRange(0, 3).Draw(t, "beyond") // clamps
					if from == to {
						c0 = c1
					}
				}
				events = append(events, partial(l0, c0, l1, c1, strings.Join(with, "")))
				model.glyphs = append(append(append([]string{}, model.glyphs[:from]...), with...), model.glyphs[to:]...)
			}
			var c documentChange
			unmarshalInto(t, fmt.Sprintf(`{"textDocument":{"uri":"untitled:a","version":%d},"contentChanges":[%s]}`, version+2, strings.Join(events, ",")), &c)
			if _, err := m.change(&c); err != nil {
				t.Fatal(err)
			}
			doc, _ := m.docs.Get("untitled:a")
			if doc.Text.String() != model.String() || doc.Version != int32(version+2) {
				t.Fatalf("mirror has %q version %d, the model %q", doc.Text.String(), doc.Version, model.String())
			}
			checkLines(t, doc.Text)
		}
	})
}

// checkLines compares a spliced text's lines with those of the same text made
// anew.
func checkLines(t *rapid.T, text edits.Text) {
	fresh := edits.NewText(text.String())
	if text.NumLines() != fresh.NumLines() {
		t.Fatalf("%d lines, want %d", text.NumLines(), fresh.NumLines())
	}
	for i := range fresh.NumLines() {
		a, b := text.Line(i)
		if c, d := fresh.Line(i); a != c || b != d {
			t.Fatalf("line %d is %d-%d, want %d-%d", i, a, b, c, d)
		}
	}
}

func unmarshalInto(t *rapid.T, raw string, v any) {
	if err := protocolJSON(raw, v); err != nil {
		t.Fatal(err)
	}
}

// TestTypingInEveryEditor types at random in each editor's profile and each
// encoding: after every change the mirror is the buffer.
func TestTypingInEveryEditor(t *testing.T) {
	for _, profile := range lsptest.Profiles() {
		for _, encoding := range []string{"", "utf-8", "utf-16", "utf-32"} {
			t.Run(profile+"/"+encoding, func(t *testing.T) {
				t.Parallel()
				typeAtRandom(t, profile, encoding)
			})
		}
	}
}

func typeAtRandom(t *testing.T, profile, encoding string) {
	dir := t.TempDir()
	client, server := lsptest.Pipe()
	s := sessionOn(t, Options{}, server, nil)
	cfg := lsptest.Config{Profile: profile, Root: dir}
	if encoding != "" {
		cfg.Encodings = []string{encoding}
	}
	w := lsptest.New(t, client, cfg)
	if want := encoding; want != "" && w.Encoding() != want {
		t.Fatalf("the encoding is %s, want %s", w.Encoding(), want)
	}
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(uint64(seed), 0)) //nolint:gosec // only has to vary
	some := func(most int) string {
		var b strings.Builder
		for range r.IntN(most + 1) {
			b.WriteString(glyphs[r.IntN(len(glyphs))])
		}
		return b.String()
	}
	for i := range 12 {
		file := fmt.Sprintf("f%d.txt", i)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(some(20)), 0o600); err != nil {
			t.Fatal(err)
		}
		w.Open(file)
		path := workspace.Key(filepath.Join(dir, file))
		same := func() {
			t.Helper()
			w.Flush()
			w.Request("workspace/executeCommand", map[string]any{"command": "emend.checkpoints"}) // all before it is done
			doc, ok := s.mirror.docs.Get(path)
			b, _ := w.Buffer(file)
			if !ok || doc.Text.String() != b.Text || int(doc.Version) != b.Version || doc.URI != b.URI {
				t.Fatalf("%s: the mirror has %q, the buffer %q", file, doc.Text.String(), b.Text)
			}
		}
		same()
		for range 10 {
			b, _ := w.Buffer(file)
			cells := clusters(b.Text)
			from := r.IntN(len(cells) + 1)
			to := from + r.IntN(len(cells)-from+1)
			w.SetText(file, strings.Join(cells[:from], "")+some(5)+strings.Join(cells[to:], ""))
			same()
			if r.IntN(3) == 0 {
				w.Undo(file)
				same()
			}
		}
		w.Close(file)
	}
}

// clusters cuts a text where an editor would: not inside of a character or of a
// line's end.
func clusters(text string) []string {
	var out []string
	for len(text) > 0 {
		_, n := utf8.DecodeRuneInString(text)
		if strings.HasPrefix(text, "\r\n") {
			n = 2
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}
