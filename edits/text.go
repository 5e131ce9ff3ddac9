package edits

import (
	"fmt"
	"sort"
	"strings"
)

// Text is one immutable version of a document together with the starts of its
// lines. Lines end at '\n'; a '\r' right before it belongs to the ending, and
// a lone '\r' is an ordinary character. The zero value is the empty text,
// which has one empty line. A Text may be copied and shared freely.
type Text struct {
	s string
	// starts holds the byte offset of every line but the first, ascending.
	starts []int
}

// NewText returns s as a Text. It reads s once and keeps it.
func NewText(s string) Text {
	return Text{s: s, starts: lineStarts(nil, s, 0)}
}

// lineStarts appends to starts the offset after each '\n' of s, moved by base.
func lineStarts(starts []int, s string, base int) []int {
	n := strings.Count(s, "\n")
	if n == 0 {
		return starts
	}
	if starts == nil {
		starts = make([]int, 0, n)
	}
	for at := 0; n > 0; n-- {
		at += strings.IndexByte(s[at:], '\n') + 1
		starts = append(starts, base+at)
	}
	return starts
}

// String returns the whole text.
func (t Text) String() string { return t.s }

// Len returns the length in bytes.
func (t Text) Len() int { return len(t.s) }

// NumLines returns the number of lines: one more than there are '\n', so a
// text that ends in one has an empty last line.
func (t Text) NumLines() int { return len(t.starts) + 1 }

// lineStart returns the offset of line i, which must exist.
func (t Text) lineStart(i int) int {
	if i == 0 {
		return 0
	}
	return t.starts[i-1]
}

// Line returns the byte span of line i without its ending. It panics unless
// 0 <= i < NumLines, as indexing does.
func (t Text) Line(i int) (start, end int) {
	start = t.lineStart(i)
	if i == len(t.starts) {
		return start, len(t.s)
	}
	end = t.starts[i] - 1
	if end > start && t.s[end-1] == '\r' {
		end--
	}
	return start, end
}

// LineOf returns the line that holds the byte at offset. An offset at or past
// the end is on the last line, a negative one on the first.
func (t Text) LineOf(offset int) int {
	return sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > offset })
}

// Splice returns the text with the bytes start to end replaced by s. Its cost
// is one copy of the text and of the line starts; nothing is scanned but s.
// It fails when the span is not inside the text.
func (t Text) Splice(start, end int, s string) (Text, error) {
	if start < 0 || end < start || end > len(t.s) {
		return Text{}, fmt.Errorf("splice %d-%d of a text of %d bytes: span is outside the text", start, end, len(t.s))
	}
	out := Text{s: t.s[:start] + s + t.s[end:]}
	first := t.LineOf(start) // starts[:first] are at or before start
	last := t.LineOf(end)    // starts[first:last] are removed
	added := strings.Count(s, "\n")
	if first == last && added == 0 && first == len(t.starts) {
		out.starts = t.starts
		return out, nil
	}
	starts := make([]int, len(t.starts)-(last-first)+added)
	copy(starts, t.starts[:first])
	lineStarts(starts[:first], s, start)
	shift := start + len(s) - end
	tail := starts[first+added:]
	for i, at := range t.starts[last:] {
		tail[i] = at + shift
	}
	out.starts = starts
	return out, nil
}
