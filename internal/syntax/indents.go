package syntax

import (
	"bytes"
	"fmt"
	"strings"
)

// indents returns the first line of a masked text in a language like Python
// that is indented as no line there may be, or nil. Lines inside brackets and
// strings, and those that continue others, may be as they like.
func indents(m masked) *Problem {
	b := blocks{stack: []string{""}, opener: -1, headless: -1}
	wide := m.wide
	for at, number := 0, 0; at < len(m.code); number++ {
		end := len(m.code)
		if n := bytes.IndexByte(m.code[at:], '\n'); n >= 0 {
			end = at + n
		}
		for len(wide) > 0 && wide[0].End <= at {
			wide = wide[1:]
		}
		inside := len(wide) > 0 && wide[0].Start < at
		line := bytes.TrimRight(m.code[at:end], " \t\r\f")
		code := bytes.TrimLeft(line, " \t\f")
		indent := line[:len(line)-len(code)]
		begin := Span{at + len(indent), at + len(line)}
		at = end + 1
		if len(code) == 0 {
			continue
		}
		if b.depth == 0 && !b.joined && !inside {
			if wrong := b.begin(strings.ReplaceAll(string(indent), "\f", ""), code, number); wrong != nil {
				wrong.Span = begin
				return wrong
			}
		}
		b.read(code, number)
	}
	if b.opener >= 0 && b.depth == 0 {
		return &Problem{Span: Span{len(m.code), len(m.code)}, Line: b.opener, Message: "expected an indented block after this line"}
	}
	return nil
}

// blocks is where a walk over lines is.
type blocks struct {
	stack    []string // the indents of the blocks around
	depth    int      // of brackets
	joined   bool     // the line before goes on
	opener   int      // the line that wants a block below it, or -1
	headless int      // the line before, if it should want one and lacks the colon, or -1
}

// begin takes up a line that begins a statement, and returns what is wrong with
// its indent, if anything.
func (b *blocks) begin(indent string, code []byte, number int) *Problem {
	wrong := indented(&b.stack, indent, b.opener)
	if wrong == unexpectedIndent && b.headless >= 0 {
		return &Problem{Line: b.headless, Missing: true, Message: `missing ":" at the end of this line`}
	}
	if wrong != "" {
		return &Problem{Line: number, Message: wrong}
	}
	b.opener, b.headless = -1, -1
	if blockWords[string(code[:wordEnd(code)])] {
		b.headless = number
	}
	return nil
}

// read takes up what is on a line.
func (b *blocks) read(code []byte, number int) {
	for _, c := range code {
		switch c {
		case '(', '[', '{':
			b.depth++
		case ')', ']', '}':
			b.depth = max(0, b.depth-1)
		}
	}
	b.joined = bytes.HasSuffix(code, []byte(`\`))
	if b.depth == 0 && bytes.HasSuffix(code, []byte(":")) {
		b.opener = number
	}
}

const unexpectedIndent = "unexpected indent"

// blockWords begin the lines that blocks follow.
var blockWords = map[string]bool{
	"def": true, "class": true, "if": true, "elif": true, "else": true, "for": true, "while": true, "try": true,
	"except": true, "finally": true, "with": true, "async": true, "match": true, "case": true,
}

func wordEnd(code []byte) int {
	n := 0
	for n < len(code) && inName(rune(code[n])) {
		n++
	}
	return n
}

// indented puts a line with an indent below those on the stack, and says what
// is wrong with that, or nothing.
func indented(stack *[]string, indent string, opener int) string {
	s := *stack
	top := s[len(s)-1]
	switch {
	case opener >= 0:
		if len(indent) <= len(top) || !strings.HasPrefix(indent, top) {
			return fmt.Sprintf("expected an indented block after line %d", opener+1)
		}
		*stack = append(s, indent)
		return ""
	case indent == top:
		return ""
	case strings.HasPrefix(indent, top):
		return unexpectedIndent
	}
	for len(s) > 0 && s[len(s)-1] != indent {
		s = s[:len(s)-1]
	}
	if len(s) == 0 {
		return "unindent does not match any outer indentation level"
	}
	*stack = s
	return ""
}
