package lsptest

import (
	"slices"
	"strings"
)

// vimLines is a buffer as Vim keeps one: a list of lines without their ends.
// That the last one is ended is known only apart from it, so a text that ends
// in a line break and one with an empty last line look alike to whoever maps
// positions to rows.
type vimLines struct {
	rows    []string
	lineEnd string
	unended bool
}

func newVimLines(b *buffer) *vimLines {
	text := b.text
	if !b.unended {
		text = strings.TrimSuffix(text, b.lineEnd)
	}
	return &vimLines{rows: strings.Split(text, b.lineEnd), lineEnd: b.lineEnd, unended: b.unended}
}

// text joins the lines again.
func (v *vimLines) text() string {
	text := strings.Join(v.rows, v.lineEnd)
	if !v.unended {
		text += v.lineEnd
	}
	return text
}

// column is the byte a position of a row stands for.
func (v *vimLines) column(p Position, encoding string) int {
	if p.Line >= len(v.rows) {
		return 0
	}
	at, _ := offsetOf(v.rows[p.Line], Position{Character: p.Character}, encoding)
	return at
}

// replace does one edit. It reports whether the edit reached past the last
// row, in which case an empty last row is taken off at the end. Version "0.8"
// puts whole rows after the last one without that care, and the
// line end of the inserted text stays behind as an empty row.
func (v *vimLines) replace(r Range, text, encoding, version string) (reached bool) {
	inserted := strings.Split(withLineEnds(text, "\n"), "\n")
	startRow, endRow := r.Start.Line, r.End.Line
	startColumn, endColumn := v.column(r.Start, encoding), v.column(r.End, encoding)
	last := len(v.rows) - 1
	if startRow > last {
		if version != "0.7" {
			v.rows = append(v.rows, inserted...)
			return version != "0.8"
		}
		startRow, startColumn = last, len(v.rows[last])
		inserted = append([]string{""}, inserted...)
		reached = true
	}
	if endRow > last {
		endRow, endColumn = last, len(v.rows[last])
		reached = true
	} else if version != "0.7" && endColumn >= len(v.rows[endRow]) && r.End.Character > endColumn && strings.HasSuffix(text, "\n") {
		inserted = inserted[:len(inserted)-1]
	}
	if len(inserted) == 0 {
		inserted = []string{""}
	}
	head, tail := v.rows[startRow][:startColumn], v.rows[endRow][endColumn:]
	inserted = slices.Clone(inserted)
	inserted[0] = head + inserted[0]
	inserted[len(inserted)-1] += tail
	v.rows = slices.Replace(v.rows, startRow, endRow+1, inserted...)
	return reached
}

// vimEdits does the edits of one document, already in the order Vim does them,
// and returns the text after each.
func vimEdits(b *buffer, edits []textEdit, encoding, version string) []string {
	v := newVimLines(b)
	var texts []string
	reached := false
	for _, edit := range edits {
		reached = v.replace(edit.Range, edit.NewText, encoding, version) || reached
		texts = append(texts, v.text())
	}
	if last := len(v.rows) - 1; reached && last > 0 && v.rows[last] == "" {
		v.rows = v.rows[:last]
		texts = append(texts, v.text())
	}
	return texts
}
