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
	stack := []string{""}
	depth := 0      // of brackets
	joined := false // the line before goes on
	opener := -1    // the line that wants a block below it
	headless := -1  // the line before, if it should have been one and lacks the colon
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
		begin := at + len(line) - len(code)
		at = end + 1
		if len(code) == 0 {
			continue
		}
		if depth == 0 && !joined && !inside {
			indent := strings.ReplaceAll(string(m.code[begin-(len(line)-len(code)):begin]), "\f", "")
			wrong := indented(&stack, indent, opener)
			if wrong == unexpectedIndent && headless >= 0 {
				return &Problem{Span: Span{begin, begin}, Line: headless, Missing: true, Message: `missing ":" at the end of this line`}
			}
			if wrong != "" {
				return &Problem{Span: Span{begin, begin + len(code)}, Line: number, Message: wrong}
			}
			opener, headless = -1, -1
			if blockWords[string(code[:wordEnd(code)])] {
				headless = number
			}
		}
		for _, c := range code {
			switch c {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth = max(0, depth-1)
			}
		}
		joined = bytes.HasSuffix(code, []byte(`\`))
		if depth == 0 && bytes.HasSuffix(code, []byte(":")) {
			opener = number
		}
	}
	if opener >= 0 && depth == 0 {
		return &Problem{Span: Span{len(m.code), len(m.code)}, Line: opener, Message: "expected an indented block after this line"}
	}
	return nil
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
