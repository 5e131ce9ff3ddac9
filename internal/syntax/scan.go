package syntax

import (
	"strings"
	"unicode/utf8"
)

// scanner walks over the comments and strings of a text.
type scanner struct {
	text string
	st   *style
	pos  int
	// stop marks the bytes that may begin a comment or a string.
	stop [256]bool
	// unclosed marks the blocks that nothing closes from here on.
	unclosed [16]bool
	// lineEnd is where the line ends that a quote was last seen on.
	lineEnd int
	// open holds, by the first byte of a string, the end of the stretch in
	// which such a string was found not to be closed.
	open [256]int
}

func newScanner(st *style, text string) *scanner {
	s := &scanner{text: text, st: st}
	for _, l := range st.line {
		s.stop[l[0]] = true
		s.stop[l[0]|0x20] = true // a word in lower case; harmless for signs
	}
	for _, b := range st.block {
		s.stop[b[0][0]] = true
	}
	for _, q := range []byte(st.quotes) {
		s.stop[q] = true
	}
	for _, l := range st.long {
		s.stop[l[0]] = true
	}
	if st.chars {
		s.stop['\''] = true
	}
	return s
}

// comment moves to the next comment before limit and past it, and returns
// where it begins. It returns -1 when there is none.
func (s *scanner) comment(limit int) int {
	for s.pos < limit {
		c := s.text[s.pos]
		if !s.stop[c] {
			s.pos++
			continue
		}
		at := s.pos
		if end := s.commentEnd(at); end >= 0 {
			s.pos = end
			return at
		}
		s.pos = s.stringEnd(at)
	}
	return -1
}

// isComment reports whether a comment begins at the offset, which must not be
// before one that was asked for earlier.
func (s *scanner) isComment(at int) bool {
	for s.pos <= at {
		if s.comment(at+1) == at {
			return true
		}
		if s.pos >= at+1 {
			return false
		}
	}
	return false
}

// commentEnd returns where the comment that begins at the offset ends, or -1.
// A block that is not closed is no comment: somebody is typing it.
func (s *scanner) commentEnd(at int) int {
	rest := s.text[at:]
	for n, b := range s.st.block {
		if !s.unclosed[n] && strings.HasPrefix(rest, b[0]) {
			if i := strings.Index(rest[len(b[0]):], b[1]); i >= 0 {
				return at + len(b[0]) + i + len(b[1])
			}
			s.unclosed[n] = true
		}
	}
	for _, l := range s.st.line {
		if hasLeader(rest, l) && s.leads(at, l) {
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				return at + i
			}
			return len(s.text)
		}
	}
	return -1
}

// leads reports whether the line comment sign l at the offset may begin a
// comment there, by what stands before it on its line.
func (s *scanner) leads(at int, l string) bool {
	if at == 0 || s.text[at-1] == '\n' {
		return true
	}
	before := s.text[at-1]
	blank := before == ' ' || before == '\t'
	switch {
	case before == '\\':
		return false // \% in TeX, \# in a shell
	case s.st.spaced && !blank:
		return false
	case isWord(l) && !blank:
		return false
	case !strings.Contains(s.st.aloneOnly, l):
		return true
	}
	line := s.text[strings.LastIndexByte(s.text[:at], '\n')+1 : at]
	return strings.TrimLeft(line, " \t") == ""
}

// hasLeader reports whether text begins with the line comment sign l. A word
// may be in any case, and white space or nothing follows it.
func hasLeader(text, l string) bool {
	if !isWord(l) {
		return strings.HasPrefix(text, l)
	}
	return len(text) >= len(l) && strings.EqualFold(text[:len(l)], l) &&
		(len(text) == len(l) || strings.IndexByte(" \t\r\n", text[len(l)]) >= 0)
}

// isWord reports whether a comment sign is a word, such as REM.
func isWord(l string) bool {
	c := l[len(l)-1] | 0x20
	return 'a' <= c && c <= 'z'
}

// stringEnd returns the offset after the string that begins at the offset, or
// after the one byte there when none does. A string that is not closed is
// none.
func (s *scanner) stringEnd(at int) int {
	rest := s.text[at:]
	for _, l := range s.st.long {
		if strings.HasPrefix(rest, l) {
			return s.closed(at, l, len(s.text))
		}
	}
	q := rest[:1]
	apostrophe := s.st == &unknown && q == "'" && afterLetter(s.text, at)
	if strings.Contains(s.st.quotes, q) && !apostrophe {
		if at >= s.lineEnd {
			s.lineEnd = len(s.text)
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				s.lineEnd = at + i
			}
		}
		return s.closed(at, q, s.lineEnd)
	}
	if q == "'" && s.st.chars {
		return at + charLen(rest)
	}
	return at + 1
}

// closed returns the offset after the string that quote begins at the offset
// and closes before end, or after the quote when it does not. What it finds
// not to be closed it does not look at again, so that the walk stays linear.
func (s *scanner) closed(at int, quote string, end int) int {
	from := at + len(quote)
	if from > end || s.open[quote[0]] >= end {
		return from
	}
	n := closing(s.text[from:end], quote, strings.Contains(s.st.raw, quote))
	if n < 0 {
		s.open[quote[0]] = end
		return from
	}
	return from + n
}

// closing returns the offset after the next close in text, or -1.
func closing(text, close string, raw bool) int {
	if raw {
		if i := strings.Index(text, close); i >= 0 {
			return i + len(close)
		}
		return -1
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == close[0] && strings.HasPrefix(text[i:], close):
			return i + len(close)
		}
	}
	return -1
}

// charLen returns the length of the character literal that text begins with,
// or 1 when the ' there is something else.
func charLen(text string) int {
	if len(text) >= 2 && text[1] == '\\' {
		const longest = len(`\U0010ffff'`)
		if end := closing(text[1:min(len(text), 1+longest)], "'", false); end >= 0 {
			return 1 + end
		}
		return 1
	}
	if len(text) < 3 || text[1] == '\n' {
		return 1
	}
	_, n := utf8.DecodeRuneInString(text[1:])
	if strings.HasPrefix(text[1+n:], "'") {
		return n + 2
	}
	return 1
}

// afterLetter reports whether the byte before the offset is a letter, which
// makes a ' an apostrophe.
func afterLetter(text string, at int) bool {
	return at > 0 && (text[at-1]|0x20 >= 'a' && text[at-1]|0x20 <= 'z' || text[at-1] >= utf8.RuneSelf)
}
