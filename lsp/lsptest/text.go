package lsptest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Position encodings of the protocol.
const (
	utf8Units  = "utf-8"
	utf16Units = "utf-16"
	utf32Units = "utf-32"
)

// lines cuts a text after each "\n". There is always a last line, empty when
// the text ends in a line break. A lone "\r" is an ordinary character.
func lines(text string) []string { return strings.SplitAfter(text, "\n") }

// content is a line without its line end.
func content(line string) string {
	line, ended := strings.CutSuffix(line, "\n")
	if ended {
		line = strings.TrimSuffix(line, "\r")
	}
	return line
}

// units is how many columns a rune takes.
func units(r rune, size int, encoding string) int {
	switch encoding {
	case utf8Units:
		return size
	case utf32Units:
		return 1
	}
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// offsetOf finds the byte a position stands for, going to the nearest sensible
// place when there is none, and says in complaint what was wrong with it. The
// first column of the line after the last one is the end of the text, and no
// fault: it is how the end of an ended last line is commonly written.
func offsetOf(text string, p Position, encoding string) (offset int, complaint string) {
	if p.Line < 0 || p.Character < 0 {
		return 0, fmt.Sprintf("position %d:%d is negative", p.Line, p.Character)
	}
	all := lines(text)
	if p.Line >= len(all) {
		if p.Line > len(all) || p.Character > 0 {
			complaint = fmt.Sprintf("position %d:%d is beyond the text of %d lines", p.Line, p.Character, len(all))
		}
		return len(text), complaint
	}
	for _, line := range all[:p.Line] {
		offset += len(line)
	}
	line := content(all[p.Line])
	column := 0
	for at := 0; at < len(line); {
		if column == p.Character {
			return offset + at, ""
		}
		r, size := utf8.DecodeRuneInString(line[at:])
		column += units(r, size, encoding)
		if column > p.Character {
			return offset + at, fmt.Sprintf("position %d:%d is inside the character %q", p.Line, p.Character, r)
		}
		at += size
	}
	if column < p.Character {
		complaint = fmt.Sprintf("position %d:%d is beyond the end of its line at column %d", p.Line, p.Character, column)
	}
	return offset + len(line), complaint
}

// positionOf is the position of a byte, which is taken to be at the start of a
// character and not within a line end.
func positionOf(text string, offset int, encoding string) Position {
	offset = min(max(offset, 0), len(text))
	before := text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	p := Position{Line: strings.Count(before, "\n")}
	for at := start; at < offset; {
		r, size := utf8.DecodeRuneInString(text[at:offset])
		p.Character += units(r, size, encoding)
		at += size
	}
	return p
}

// lineEnd is the line end most lines of a text have; "\n" when there is none.
func lineEnd(text string) string {
	crlf := strings.Count(text, "\r\n")
	if crlf > strings.Count(text, "\n")-crlf {
		return "\r\n"
	}
	return "\n"
}

// withLineEnds turns all line ends of a text, lone "\r" included, into one.
func withLineEnds(text, end string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	if end != "\n" {
		text = strings.ReplaceAll(text, "\n", end)
	}
	return text
}

// splice is one replacement, in bytes of the text before it.
type splice struct {
	start, end int
	new        string
}

// apply replaces the bytes of s.
func (s splice) apply(text string) string { return text[:s.start] + s.new + text[s.end:] }
