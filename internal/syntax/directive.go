package syntax

import "strings"

// Directive is a comment that asks emend for something: "// emend: do X".
type Directive struct {
	// Start and End are the bytes to take out so that the text is as if the
	// comment had not been written: whole lines with their line break when
	// the comment is alone, else the comment and the blanks before it.
	Start, End int
	// Instruction is what is asked for, without blanks around it. A comment of
	// several lines gives as many.
	Instruction string
	// Line is where the comment begins, zero-based.
	Line int
	// Alone tells that nothing else is on the lines of the comment.
	Alone bool
}

// word is what a directive begins with, in any case.
const word = "emend:"

// maxBlock bounds the length in bytes of a block comment with a directive.
const maxBlock = 16 << 10

// Directives returns the directives of a text in order. The language is an id
// of LSP; for one that is empty or not known, the comment signs of most
// languages count. A directive begins its comment, and white space and an
// instruction follow the word. The comments right below with the same sign and
// indent continue it, up to an empty one or another directive. Comments inside
// strings are left alone as far as one line tells, and in Go, Python, Java,
// Kotlin, Scala and Swift over several lines.
//
// A text without the word costs one search for colons.
func Directives(language, text string) []Directive {
	at := nextWord(text, 0)
	if at < 0 {
		return nil
	}
	st := styleOf(language)
	f := finder{text: text, st: st, scan: newScanner(st, text), whole: len(st.long) > 0}
	var found []Directive
	counted := 0
	line := 0
	for ; at >= 0; at = nextWord(text, at+len(word)) {
		if n := len(found); n > 0 && at < found[n-1].End {
			continue
		}
		c, ok := f.comment(at)
		if !ok || c.instruction == "" {
			continue
		}
		line += strings.Count(text[counted:c.lineStart], "\n")
		counted = c.lineStart
		found = append(found, f.directive(c, line))
	}
	return found
}

// nextWord returns where the word is found next, from the offset, or -1. It
// looks for the colon, which is rarer than letters and has no case.
func nextWord(text string, from int) int {
	for i := from + len(word) - 1; i < len(text); i++ {
		n := strings.IndexByte(text[i:], ':')
		if n < 0 {
			return -1
		}
		i += n
		start := i + 1 - len(word)
		if start >= from && text[i-1]|0x20 == 'd' && strings.EqualFold(text[start:i+1], word) {
			return start
		}
	}
	return -1
}

// finder finds the directives of one text. Its work stays linear in the text
// also where one line holds thousands of candidates.
type finder struct {
	text  string
	st    *style
	scan  *scanner
	whole bool // scan reads the whole text, not the lines of candidates alone
	line  int  // where the line of the last candidate begins
	last  int  // the last candidate
}

// lineStart returns where the line of a candidate begins. Candidates come in
// ascending order.
func (f *finder) lineStart(at int) int {
	if i := strings.LastIndexByte(f.text[f.last:at], '\n'); i >= 0 {
		f.line = f.last + i + 1
	}
	f.last = at
	return f.line
}

// comment is one comment of one line, or one block.
type comment struct {
	lineStart   int    // of its first line
	start, end  int    // with its signs
	open        string // the sign it begins with, repeats included
	blank       bool   // white space follows the sign
	instruction string
	before      bool // there is code before it on its line
	after       bool // there is code after it on its line
}

// comment returns the comment that the word at the offset begins.
func (f *finder) comment(at int) (comment, bool) {
	after := at + len(word)
	if after >= len(f.text) || !blank(f.text[after]) {
		return comment{}, false
	}
	lineStart := f.lineStart(at)
	head := strings.TrimRight(f.text[lineStart:at], " \t")
	open, close := f.leader(head)
	if open == "" {
		return comment{}, false
	}
	c := comment{lineStart: lineStart, start: lineStart + len(head) - len(open), open: open}
	c.blank = lineStart+len(head) < at
	if isWord(open) && !c.blank {
		return comment{}, false
	}
	c.before = strings.TrimLeft(f.text[lineStart:c.start], " \t") != ""
	if c.before && open == "//" && f.text[c.start-1] == ':' {
		return comment{}, false // a URL
	}
	if !f.begins(c) {
		return comment{}, false
	}
	return c, f.finish(&c, after, close)
}

// leader returns the comment sign that head ends with, with repeats of its
// last character (///, ;;), and what closes such a comment.
func (f *finder) leader(head string) (open, close string) {
	for _, b := range f.st.block {
		if strings.HasSuffix(head, b[0]) && len(b[0]) > len(open) {
			open, close = b[0], b[1]
		}
	}
	for _, l := range f.st.line {
		fits := strings.HasSuffix(head, l) || isWord(l) && len(head) >= len(l) && strings.EqualFold(head[len(head)-len(l):], l)
		if fits && len(l) > len(open) {
			open, close = head[len(head)-len(l):], ""
		}
	}
	if open == "" || close != "" || isWord(open) || strings.Trim(open, open[:1]) != "" {
		return open, close
	}
	n := len(open)
	for n < len(head) && head[len(head)-n-1] == open[0] {
		n++
	}
	return head[len(head)-n:], close
}

// begins reports whether c begins a comment: it is not in a string nor in
// another comment.
func (f *finder) begins(c comment) bool {
	if f.whole {
		return f.scan.isComment(c.start)
	}
	if !c.before {
		return true
	}
	f.scan.pos = max(f.scan.pos, c.lineStart)
	return f.scan.isComment(c.start)
}

// finish fills in where c ends and what it says, from the offset on.
func (f *finder) finish(c *comment, from int, close string) bool {
	if close == "" {
		c.end = f.lineEnd(from)
		c.instruction = strings.TrimSpace(f.text[from:c.end])
		return true
	}
	rest := f.text[from:]
	if len(rest) > maxBlock {
		rest = rest[:maxBlock]
	}
	i := strings.Index(rest, close)
	if i < 0 {
		return false
	}
	c.end = from + i + len(close)
	c.instruction = blockText(rest[:i])
	after := strings.TrimLeft(f.text[c.end:], " \t\r")
	c.after = after != "" && after[0] != '\n'
	return true
}

// blockText returns the lines of a block comment without the decoration that
// some begin with.
func blockText(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if i > 0 {
			l = strings.TrimSpace(strings.TrimLeft(l, "*"))
		}
		lines[i] = l
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// lineEnd returns where the line of the offset ends, without its line break.
func (f *finder) lineEnd(at int) int {
	n := strings.IndexByte(f.text[at:], '\n')
	if n < 0 {
		n = len(f.text) - at
	}
	if n > 0 && f.text[at+n-1] == '\r' {
		n--
	}
	return at + n
}

// directive makes c, and the comments that continue it, a directive.
func (f *finder) directive(c comment, line int) Directive {
	d := Directive{Line: line, Instruction: c.instruction, Start: c.start, End: c.end}
	switch {
	case !c.before && !c.after:
		d.Alone = true
		d.Start = c.lineStart
		d.End = f.nextLine(c.end)
		for d.End > c.end && d.End < len(f.text) {
			more, ok := f.continued(c, d.End)
			if !ok {
				break
			}
			d.Instruction += "\n" + more.instruction
			d.End, c.end = f.nextLine(more.end), more.end
		}
	case !c.before:
		d.End += len(f.text[d.End:]) - len(strings.TrimLeft(f.text[d.End:], " \t"))
	default:
		for d.Start > c.lineStart && blank(f.text[d.Start-1]) {
			d.Start--
		}
	}
	return d
}

// nextLine returns where the line after the offset's begins, or the end.
func (f *finder) nextLine(at int) int {
	if i := strings.IndexByte(f.text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(f.text)
}

// continued returns the comment on the line that begins at the offset when it
// continues c: it has the same indent and sign, and says something.
func (f *finder) continued(c comment, at int) (comment, bool) {
	lead := f.text[c.lineStart:c.start] + c.open
	line := f.text[at:f.lineEnd(at)]
	if !strings.HasPrefix(line, lead) {
		return comment{}, false
	}
	body := line[len(lead):]
	if body == "" || c.blank && !blank(body[0]) {
		return comment{}, false
	}
	_, close := f.leader(c.open)
	if close == "" && body[0] == c.open[len(c.open)-1] {
		return comment{}, false // ---- or another sign that begins the same
	}
	more := comment{lineStart: at, start: at + len(lead) - len(c.open), open: c.open}
	if !f.finish(&more, at+len(lead), close) || more.after || strings.TrimSpace(more.instruction) == "" {
		return comment{}, false
	}
	said := strings.TrimLeft(body, " \t")
	if len(said) > len(word) && strings.EqualFold(said[:len(word)], word) && blank(said[len(word)]) {
		return comment{}, false
	}
	return more, true
}

// blank reports whether c is white space within a line.
func blank(c byte) bool { return c == ' ' || c == '\t' }
