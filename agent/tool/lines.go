package tool

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"emend/edits"
)

// maxLine is the longest line shown, in bytes. Longer ones are minified or
// generated; one would fill the model's window.
const maxLine = 2000

// Numbered returns the lines from to to, both one-based and inclusive, each
// with its number and a tab, bounded by max bytes. next is the first line not
// shown, 0 when all were. At least one line is always shown.
func Numbered(text edits.Text, from, to, max int) (shown string, next int) {
	var b strings.Builder
	for i := from; i <= to && i <= lastLine(text); i++ {
		start, end := text.Line(i - 1)
		line := fmt.Sprintf("%6d\t%s\n", i, short(text.String()[start:end]))
		if b.Len() > 0 && b.Len()+len(line) > max {
			return b.String(), i
		}
		b.WriteString(line)
	}
	return b.String(), 0
}

// lastLine is the number of lines as people count them: the empty one after a
// final line break is none.
func lastLine(text edits.Text) int {
	n := text.NumLines()
	if start, end := text.Line(n - 1); start == end && n > 1 {
		return n - 1
	}
	return n
}

// short cuts a line that is too long to show, between two characters.
func short(line string) string {
	if len(line) <= maxLine {
		return line
	}
	cut := maxLine
	for cut > 0 && !utf8.RuneStart(line[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… [cut: %d bytes of this line are not shown]", line[:cut], len(line)-cut)
}

// bounded joins lines up to max bytes and says what was left out; noun names
// what a line is.
func bounded(lines []string, max int, noun string) string {
	var b strings.Builder
	for i, line := range lines {
		if b.Len() > 0 && b.Len()+len(line) > max {
			fmt.Fprintf(&b, "[cut: %d more %s are not shown; narrow the request]\n", len(lines)-i, noun)
			break
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

func baseOf(rel string) string { return path.Base(rel) }

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
