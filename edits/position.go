package edits

import (
	"fmt"
	"unicode/utf8"
)

// Encoding is the unit in which a column is counted.
type Encoding uint8

// The encodings that the language server protocol knows.
const (
	UTF16 Encoding = iota // 16-bit code units, the protocol's default
	UTF8                  // bytes
	UTF32                 // code points
)

// String returns the protocol's name for the encoding.
func (e Encoding) String() string {
	switch e {
	case UTF16:
		return "utf-16"
	case UTF8:
		return "utf-8"
	case UTF32:
		return "utf-32"
	}
	return fmt.Sprintf("encoding(%d)", uint8(e))
}

// width returns how many units a rune of size bytes takes.
func (e Encoding) width(size int) int {
	switch {
	case e == UTF8:
		return size
	case e == UTF16 && size == 4:
		return 2
	}
	return 1
}

// Position is a place in a text as an editor gives it: both numbers are
// zero-based, and the column counts units of an [Encoding].
type Position struct{ Line, Column int }

// Offset returns the byte offset of p. A column past the line's end clamps to
// the end, before the line ending; the line after the last one clamps to the
// end of the text. A column inside a character rounds down to its start. It
// fails for negative numbers and for lines beyond that. Its cost is the line's
// length.
func (t Text) Offset(p Position, enc Encoding) (int, error) {
	if p.Line < 0 || p.Column < 0 || p.Line > t.NumLines() {
		return 0, fmt.Errorf("position %d:%d is outside a text of %d lines", p.Line, p.Column, t.NumLines())
	}
	if p.Line == t.NumLines() {
		return len(t.s), nil
	}
	start, end := t.Line(p.Line)
	line := t.s[start:end]
	at := 0
	for col := p.Column; at < len(line) && col > 0; {
		size := 1
		if line[at] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(line[at:])
		}
		if col -= enc.width(size); col < 0 {
			break
		}
		at += size
	}
	return start + at, nil
}

// Position returns the place of a byte offset, clamped into the text. An
// offset inside a character or a line ending rounds down to its start. Its
// cost is the line's length.
func (t Text) Position(offset int, enc Encoding) Position {
	offset = max(0, min(offset, len(t.s)))
	line := t.LineOf(offset)
	start, end := t.Line(line)
	end = min(end, offset)
	col := 0
	for at := start; at < end; {
		size := 1
		if t.s[at] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(t.s[at:])
		}
		if at += size; at > end {
			break
		}
		col += enc.width(size)
	}
	return Position{Line: line, Column: col}
}
