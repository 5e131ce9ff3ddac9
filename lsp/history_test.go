package lsp

import (
	"fmt"
	"strings"
	"testing"

	"emend/edits"
)

// glyphs is what texts are made of here: characters of every width in every
// encoding, and both line ends.
var glyphs = []string{"a", "b", " ", "é", "漢", "😀", "e\u0301", "\n", "\r\n", "\uFEFF"}

// marked is the plain model of a text with a mark in it: a list of glyphs, some
// of them marked.
type marked struct {
	glyphs     []string
	start, end int // the marked ones, while whole
	whole      bool
}

// replace puts new glyphs in the place of from..to.
func (m *marked) replace(from, to int, with []string) {
	switch {
	case from >= m.end:
	case to <= m.start:
		m.start += len(with) - (to - from)
		m.end += len(with) - (to - from)
	default:
		m.whole = false
	}
	m.glyphs = append(append(append([]string{}, m.glyphs[:from]...), with...), m.glyphs[to:]...)
}

// offset is the byte at which a glyph begins.
func (m *marked) offset(i int) int { return len(strings.Join(m.glyphs[:i], "")) }

func (m *marked) text() string { return strings.Join(m.glyphs, "") }

// FuzzHistory makes edits out of bytes and compares where history carries a
// range to with where the model's marked glyphs are.
func FuzzHistory(f *testing.F) {
	f.Add([]byte("abc"), []byte{0, 1, 1, 0})
	f.Add([]byte("aaaaaaaa"), []byte{0, 3, 5, 1, 1, 1, 7, 7, 2, 9})
	f.Add([]byte{0, 7, 0, 8, 0, 7, 3, 8, 5}, []byte{2, 2, 6, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{0, 0, 0}, []byte{0, 1, 1, 1, 1, 0})
	f.Fuzz(func(t *testing.T, start, script []byte) {
		if len(start) > 200 || len(script) > 2000 {
			t.Skip()
		}
		next := func() int {
			if len(script) == 0 {
				return 0
			}
			b := script[0]
			script = script[1:]
			return int(b)
		}
		enc := edits.Encoding(next() % 3)
		m := &marked{whole: true}
		for _, b := range start {
			m.glyphs = append(m.glyphs, glyphs[int(b)%len(glyphs)])
		}
		m.start = next() % (len(m.glyphs) + 1)
		m.end = m.start + next()%(len(m.glyphs)-m.start+1)
		text := edits.NewText(m.text())
		mark := m.text()[m.offset(m.start):m.offset(m.end)]
		from, to := text.Position(m.offset(m.start), enc), text.Position(m.offset(m.end), enc)

		var h history
		version := int32(1)
		for len(script) > 0 && version < maxHistory/2 {
			var steps []step
			for range 1 + next()%3 { // several changes in one message
				text, steps = fuzzEdit(t, m, text, enc, next, steps)
			}
			h.add(version, version+1, steps)
			version++
		}
		s, e, ok := h.carry(1, version, from, to)
		if ok != m.whole {
			t.Fatalf("carry says %v, the model %v", ok, m.whole)
		}
		if !ok {
			return
		}
		if text.String() != m.text() {
			t.Fatalf("text %q, model %q", text.String(), m.text())
		}
		if so, eo := offsetOf(t, text, s, enc), offsetOf(t, text, e, enc); text.String()[so:eo] != mark || mark != "" && so != m.offset(m.start) {
			t.Fatalf("carried to bytes %d-%d %q, want %d %q", so, eo, text.String()[so:eo], m.offset(m.start), mark)
		}
	})
}

// fuzzEdit makes one edit in the text and in the model.
func fuzzEdit(t *testing.T, m *marked, text edits.Text, enc edits.Encoding, next func() int, steps []step) (edits.Text, []step) {
	from := next() % (len(m.glyphs) + 1)
	to := from + next()%4
	to = min(to, len(m.glyphs))
	var with []string
	for range next() % 4 {
		with = append(with, glyphs[next()%len(glyphs)])
	}
	a, b := m.offset(from), m.offset(to)
	p, q := text.Position(a, enc), text.Position(b, enc)
	after, err := text.Splice(a, b, strings.Join(with, ""))
	if err != nil {
		t.Fatal(err)
	}
	m.replace(from, to, with)
	return after, append(steps, step{start: p, end: q, after: after.Position(a+len(strings.Join(with, "")), enc)})
}

func offsetOf(t *testing.T, text edits.Text, p edits.Position, enc edits.Encoding) int {
	t.Helper()
	at, err := text.Offset(p, enc)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestHistoryIsBounded forgets old changes, and says so instead of guessing.
func TestHistoryIsBounded(t *testing.T) {
	var h history
	at := edits.Position{Line: 5}
	for v := int32(1); v <= 10*maxHistory; v++ {
		h.add(v, v+1, []step{{start: edits.Position{}, end: edits.Position{}, after: edits.Position{Line: 1}}})
	}
	if n := len(h.moves); n > maxHistory {
		t.Errorf("%d changes are kept", n)
	}
	now := int32(10*maxHistory + 1)
	if _, _, ok := h.carry(1, now, at, at); ok {
		t.Error("a range was carried from a version that is forgotten")
	}
	if p, _, ok := h.carry(now-maxHistory/2, now, at, at); !ok || p.Line != 5+maxHistory/2 {
		t.Errorf("got %v, %v", p, ok)
	}
}

// TestHistoryVersions has versions that skip, repeat and go back.
func TestHistoryVersions(t *testing.T) {
	down := []step{{after: edits.Position{Line: 1}}}
	at := edits.Position{Line: 3}
	for _, tt := range []struct {
		versions string
		from, to int32
		line     int // -1: not known
	}{
		{"1 2 3", 1, 3, 5}, {"1 2 3", 2, 3, 4}, {"1 2 3", 3, 3, 3}, {"1 2 3", 1, 2, 4},
		{"1 4 9", 1, 9, 5}, {"1 4 9", 4, 9, 4}, {"1 4 9", 5, 9, -1}, {"1 4 9", 9, 4, -1},
		{"1 2 2 3", 1, 3, 6}, {"0 0 0", 0, 0, 3}, {"9 1 2", 1, 2, 4}, {"9 1 2", 9, 2, -1}, {"5", 4, 5, -1}, {"5", 6, 5, -1},
	} {
		var h history
		var all []int32
		for _, f := range strings.Fields(tt.versions) {
			var v int32
			if _, err := fmt.Sscan(f, &v); err != nil {
				t.Fatal(err)
			}
			all = append(all, v)
		}
		for i := 1; i < len(all); i++ {
			h.add(all[i-1], all[i], down)
		}
		p, _, ok := h.carry(tt.from, tt.to, at, at)
		if ok != (tt.line >= 0) || ok && p.Line != tt.line {
			t.Errorf("versions %s from %d to %d: line %d, %v; want %d", tt.versions, tt.from, tt.to, p.Line, ok, tt.line)
		}
	}
}
