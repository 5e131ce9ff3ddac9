package syntax

import (
	"bytes"
	"fmt"
	"strings"
)

// bracket is one that is open, on top of those that were open before it.
type bracket struct {
	sign  byte
	at    int
	line  int // where its line begins
	below *bracket
}

var openers = map[byte]byte{')': '(', ']': '[', '}': '{'}

// balance walks over the brackets of a masked text.
type balance struct {
	code  []byte
	line  int // where the line begins that the walk is on
	open  *bracket
	pairs map[int]int
	// suspect is the first bracket whose counterpart begins a line with another
	// indent than its own line has, which tells where one is missing if one is.
	suspect *bracket
	// branches has what was open at each #if around.
	branches []*bracket
}

// brackets returns the first bracket of a text that has no counterpart, or nil.
// It notes in pairs, if there is such a map, where those are closed that have
// one.
func brackets(l *lexis, m masked, pairs map[int]int) *Problem {
	b := &balance{code: m.code, pairs: pairs}
	blank := true // so far on the line
	for i := 0; i < len(m.code); i++ {
		switch c := m.code[i]; c {
		case '\n':
			b.line, blank = i+1, true
			continue
		case ' ', '\t', '\r':
			continue
		case '(', '[', '{':
			b.open = &bracket{c, i, b.line, b.open}
		case ')', ']', '}':
			if wrong := b.close(c, i, blank); wrong != nil {
				return wrong
			}
		case '#':
			if blank && l.directives {
				i = b.directive(i)
				continue
			}
		}
		blank = false
	}
	if b.open == nil {
		return nil
	}
	left := b.open
	if b.suspect != nil {
		left = b.suspect
	}
	return b.problem(left.at, fmt.Sprintf(`"%c" is never closed`, left.sign))
}

func (b *balance) problem(at int, message string) *Problem {
	return &Problem{Span: Span{at, at + 1}, Line: bytes.Count(b.code[:at], []byte("\n")), Message: message}
}

func (b *balance) close(c byte, at int, first bool) *Problem {
	top := b.open
	if top == nil {
		return b.problem(at, fmt.Sprintf(`unexpected "%c"`, c))
	}
	if top.sign != openers[c] {
		line := 1 + bytes.Count(b.code[:top.at], []byte("\n"))
		return b.problem(at, fmt.Sprintf(`"%c" does not close the "%c" of line %d`, c, top.sign, line))
	}
	b.open = top.below
	if b.pairs != nil {
		b.pairs[top.at] = at
	}
	if b.suspect == nil && first && !bytes.Equal(b.indent(top.line, top.at), b.code[b.line:at]) {
		b.suspect = top
	}
	return nil
}

// indent returns the blanks that a line begins with.
func (b *balance) indent(line, before int) []byte {
	end := line
	for end < before && (b.code[end] == ' ' || b.code[end] == '\t') {
		end++
	}
	return b.code[line:end]
}

// directive skips the line of a preprocessor at the offset and returns where it
// ends, before its line break. Each branch of an #if begins with what was open
// before it.
func (b *balance) directive(at int) int {
	end := at
	for {
		n := bytes.IndexByte(b.code[end:], '\n')
		if n < 0 {
			end = len(b.code)
			break
		}
		end += n
		if !bytes.HasSuffix(bytes.TrimSuffix(b.code[at:end], []byte("\r")), []byte(`\`)) {
			break
		}
		end++
	}
	word := strings.TrimSpace(string(b.code[at+1 : min(end, at+16)]))
	n := len(b.branches)
	switch {
	case strings.HasPrefix(word, "if"):
		b.branches = append(b.branches, b.open)
	case strings.HasPrefix(word, "el") && n > 0:
		b.open = b.branches[n-1]
	case strings.HasPrefix(word, "endif") && n > 0:
		b.branches = b.branches[:n-1]
	}
	return end - 1
}
