package index

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// lineFinder finds the next match in a text.
type lineFinder interface {
	// next returns the span of the first match at or after from, or -1. It
	// does not span a line break.
	next(text []byte, from int) (start, end int)
}

// literal finds a text as it is.
type literal struct{ want []byte }

func (l literal) next(text []byte, from int) (int, int) {
	i := bytes.Index(text[from:], l.want)
	if i < 0 {
		return -1, -1
	}
	return from + i, from + i + len(l.want)
}

// folded finds a text of ASCII in any case. It looks for the rarest byte of
// it, in both cases, and compares around what it finds.
type folded struct {
	want         string // in lower case
	at           int    // which byte is looked for
	lower, upper byte
}

// common holds the letters of ASCII from common to rare, as they are in
// source code.
const common = " etaoinsrlcdpumfghb_ywvk.xjqz"

func newFolded(pattern string) folded {
	f := folded{want: strings.ToLower(pattern)}
	rarest := -1
	for i := range len(f.want) {
		rank := strings.IndexByte(common, f.want[i])
		if rank < 0 {
			rank = len(common) // signs and digits, which have one case
		}
		if rank > rarest {
			rarest, f.at = rank, i
		}
	}
	f.lower = f.want[f.at]
	f.upper = f.lower
	if 'a' <= f.lower && f.lower <= 'z' {
		f.upper = f.lower - ('a' - 'A')
	}
	return f
}

func (f folded) next(text []byte, from int) (int, int) {
	pos := from + f.at
	last := len(text) - len(f.want) + f.at // where the byte may be at most
	nextLower, nextUpper := -1, -1
	for pos <= last {
		if nextLower < pos {
			nextLower = indexFrom(text, f.lower, pos)
		}
		if nextUpper < pos {
			nextUpper = nextLower
			if f.upper != f.lower {
				nextUpper = indexFrom(text, f.upper, pos)
			}
		}
		pos = min(nextLower, nextUpper)
		if pos > last {
			break
		}
		if start := pos - f.at; equalFold(text[start:start+len(f.want)], f.want) {
			return start, start + len(f.want)
		}
		pos++
	}
	return -1, -1
}

// indexFrom returns where c is next, from pos on, or the length of the text.
func indexFrom(text []byte, c byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], c); i >= 0 {
		return pos + i
	}
	return len(text)
}

// equalFold compares with a text of ASCII in lower case.
func equalFold(text []byte, lower string) bool {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// isASCII reports whether a text has one byte a character.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// expression finds a regular expression, line by line. Only lines that hold a
// text that every match must hold are looked at, where there is such a text.
type expression struct {
	re   *regexp.Regexp
	must lineFinder // nil when nothing is sure to be in a match
}

func newExpression(re *regexp.Regexp, expr string) expression {
	e := expression{re: re}
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return e // it was compiled, so this cannot be; it costs only speed
	}
	if text, fold := required(parsed.Simplify()); len(text) > 1 || len(text) == 1 && !fold {
		if fold {
			e.must = newFolded(text)
		} else {
			e.must = literal{[]byte(text)}
		}
	}
	return e
}

func (e expression) next(text []byte, from int) (int, int) {
	for from <= len(text) {
		if e.must != nil {
			at, _ := e.must.next(text, from)
			if at < 0 {
				return -1, -1
			}
			from = max(from, bytes.LastIndexByte(text[:at], '\n')+1)
		} else if from == len(text) && from > 0 {
			return -1, -1
		}
		end := len(text)
		if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
			end = from + i
		}
		line := bytes.TrimSuffix(text[from:end], []byte("\r"))
		if span := e.re.FindIndex(line); span != nil {
			return from + span[0], from + span[1]
		}
		from = end + 1
	}
	return -1, -1
}

// required returns the longest text that every match holds, and whether it may
// be there in any case. It is empty where there is none.
func required(re *syntax.Regexp) (text string, fold bool) {
	switch re.Op {
	case syntax.OpLiteral:
		s := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			if !isASCII(s) || strings.ContainsAny(s, "kKsS") {
				// These also stand for letters outside of ASCII.
				return longestWithout(s, "kKsS"), true
			}
			return s, true
		}
		if strings.ContainsAny(s, "\n\r") {
			return "", false
		}
		return s, false
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min >= 1 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if t, f := required(sub); len(t) > len(text) {
				text, fold = t, f
			}
		}
		return text, fold
	}
	return "", false
}

// longestWithout returns the longest stretch of ASCII in s without any of the
// letters.
func longestWithout(s, letters string) string {
	longest := ""
	for _, t := range strings.FieldsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(letters, r) }) {
		if len(t) > len(longest) {
			longest = t
		}
	}
	return longest
}
