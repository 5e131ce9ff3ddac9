package edits

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// literals returns the byte spans of all places where a string stands in the
// text, whatever the line ends of either are, those that overlap included.
// Parts are the string's lines; an empty last one says that it ends in a line
// break.
func (s *source) literals(parts []string) [][2]int {
	if len(parts) == 1 {
		return s.withinLines(parts[0], 1, maxLiterals)
	}
	first, middle, last := parts[0], parts[1:len(parts)-1], parts[len(parts)-1]
	var out [][2]int
	add := func(top int) { // the first part ends line top
		end := top + len(parts) - 1
		if end > len(s.bodies) || end == len(s.bodies) && last != "" || s.ending(end-1) == "" ||
			!strings.HasSuffix(s.bodies[top], first) || end < len(s.bodies) && !strings.HasPrefix(s.bodies[end], last) {
			return
		}
		out = append(out, [2]int{s.starts[top] + len(s.bodies[top]) - len(first), s.starts[end] + len(last)})
	}
	if len(middle) == 0 {
		for top := range s.bodies {
			add(top)
		}
		return out
	}
	for _, at := range occurrences(s.bodies, middle) {
		if at > 0 {
			add(at - 1)
		}
	}
	return out
}

// maxLiterals is how many places of a string are told apart when one is meant.
const maxLiterals = 1000

// withinLines returns the byte spans of places where a string without line
// breaks stands, each at least step bytes after the one before, and most of
// them at the most.
func (s *source) withinLines(want string, step, most int) [][2]int {
	var out [][2]int
	for i, b := range s.bodies {
		for at := 0; len(out) < most; at += step {
			n := strings.Index(b[min(at, len(b)):], want)
			if n < 0 {
				break
			}
			at += n
			out = append(out, [2]int{s.starts[i] + at, s.starts[i] + at + len(want)})
		}
	}
	return out
}

// everyLiteral returns the places of a string that do not overlap, in order.
func (s *source) everyLiteral(parts []string) [][2]int {
	if len(parts) == 1 {
		return s.withinLines(parts[0], len(parts[0]), math.MaxInt)
	}
	var out [][2]int
	end := 0
	for _, span := range s.literals(parts) {
		if span[0] >= end {
			out, end = append(out, span), span[1]
		}
	}
	return out
}

// whole reports whether a span starts where a line starts and ends where one
// ends, its line break included or not.
func (s *source) whole(span [2]int) bool {
	return span[0] == s.starts[s.lineAt(span[0])] && (s.atLineStart(span[1]) || s.endsLine(span))
}

// endsLine reports whether a span ends right behind a line's last character.
func (s *source) endsLine(span [2]int) bool {
	last := s.lastLine(span)
	return span[1] == s.starts[last]+len(s.bodies[last])
}

// lastLine returns the line that holds the last byte of a span.
func (s *source) lastLine(span [2]int) int {
	return min(s.lineAt(max(span[0], span[1]-1)), len(s.bodies)-1)
}

// apart reports whether a span goes through no word, no character with its
// marks, and no run of white space that it takes a part of.
func (s *source) apart(span [2]int) bool {
	if !atWordBreak(s.text, span[0]) || !atWordBreak(s.text, span[1]) {
		return false
	}
	return span[0] == span[1] || !isBlankByte(s.text, span[0]-1) || !isBlankByte(s.text, span[0])
}

// isBlankByte reports whether the byte at an offset is a blank within a line.
func isBlankByte(s string, at int) bool {
	return at >= 0 && at < len(s) && (s[at] == ' ' || s[at] == '\t')
}

// parts cuts a string at its line breaks, "\r\n" or "\n".
func parts(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// matchLiteral matches a pair of strings as they are. It is false where the
// text does not hold SEARCH.
func (m *matcher) matchLiteral(s *source, b Block) (found, *Refusal, bool) {
	search, replace := parts(b.Search), parts(b.Replace)
	all := s.literals(search)
	var spans [][2]int
	for _, span := range all {
		if s.apart(span) {
			spans = append(spans, span)
		}
	}
	switch {
	case len(all) == 0:
		return found{}, nil, false
	case len(spans) == 0 && len(all) == 1 && atWordBreak(s.text, all[0][0]) && atWordBreak(s.text, all[0][1]):
		spans = all // it takes a part of some white space, but there is no other place
	case len(spans) == 0:
		line := s.lineAt(all[0][0])
		return found{}, m.refuse(b, NotFound, fmt.Sprintf("SEARCH is in the file only as part of a longer word, at line %d. Copy the whole of it:\n%s",
			line+1, s.excerpt(line, line+len(search)))), true
	}
	a := attempt{tier: TierSubstring, sec: section{search: search, replace: replace, text: true}, spans: spans}
	i, ok := m.chooseLiteral(s, b, spans)
	if !ok {
		return found{}, m.ambiguous(s, b, a), true
	}
	if len(all) > 1 && len(spans) == 1 && !s.whole(spans[0]) {
		a.spans = all
		return found{}, m.ambiguous(s, b, a), true
	}
	span := spans[i]
	if at, ok := s.doneAt(span, b); ok {
		return found{}, m.refuse(b, AlreadyApplied, lineSpan(s.lineAt(at[0]), s.lineAt(at[1]-1)+1)+" already read as REPLACE does. Leave the block out."), true
	}
	if !s.whole(span) && s.repeats(span, search, replace) {
		line := s.lineAt(span[0])
		return found{}, m.refuse(b, NotFound, fmt.Sprintf("REPLACE repeats words that stand beside SEARCH on line %d and would be there twice. Put them into SEARCH as well:\n%s",
			line+1, s.excerpt(line, line+len(search)))), true
	}
	return found{tier: s.tierOf(span), line: s.lineAt(span[0]) + 1, pieces: []piece{s.literalPiece(span, search, replace)}}, nil, true
}

// chooseLiteral returns which of the places of a string is meant.
func (m *matcher) chooseLiteral(s *source, b Block, spans [][2]int) (int, bool) {
	if len(spans) == 1 {
		return 0, true
	}
	if b.Hint == 0 {
		return 0, false
	}
	lines := make([][2]int, len(spans))
	for i, span := range spans {
		lines[i][0] = s.lineAt(span[0])
	}
	return nearest(lines, b.Hint-1)
}

// tierOf names how a string was found.
func (s *source) tierOf(span [2]int) Tier {
	if s.whole(span) {
		return TierExact
	}
	return TierSubstring
}

// repeats reports whether REPLACE starts or ends with words that stand beside
// the place already.
func (s *source) repeats(span [2]int, search, replace []string) bool {
	first, last := s.lineAt(span[0]), s.lastLine(span)
	end := s.starts[last] + len(s.bodies[last])
	return repeatsBefore(s.text[s.starts[first]:span[0]], search[0], replace[0]) ||
		repeatsAfter(s.text[min(span[1], end):end], search[len(search)-1], replace[len(replace)-1])
}

// doneAt reports whether the text around a place of SEARCH is what REPLACE
// makes of it, so that doing it once more would double it.
func (s *source) doneAt(span [2]int, b Block) (at [2]int, ok bool) {
	search, replace := strings.ReplaceAll(b.Search, "\r\n", "\n"), strings.ReplaceAll(b.Replace, "\r\n", "\n")
	if strings.TrimSpace(replace) == strings.TrimSpace(search) {
		return at, false
	}
	for from := 0; from+len(search) <= len(replace); from++ {
		n := strings.Index(replace[from:], search)
		if n < 0 {
			return at, false
		}
		from += n
		start := span[0] - len(s.broken(replace[:from]))
		end := start + len(s.broken(replace))
		if start >= 0 && end <= len(s.text) && strings.ReplaceAll(s.text[start:end], "\r\n", "\n") == replace && atWordBreak(s.text, start) && atWordBreak(s.text, end) {
			return [2]int{start, max(start+1, end)}, true
		}
	}
	return at, false
}

// broken returns text with the line ends that most lines of the source have.
func (s *source) broken(text string) string {
	if s.eol == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", s.eol)
}

// literalPiece makes what a pair of strings puts at a place. A line break that
// stays is kept as it is.
func (s *source) literalPiece(span [2]int, search, replace []string) piece {
	first, last := s.lineAt(span[0]), s.lastLine(span)
	p := piece{start: span[0], end: span[1], text: s.withBreaks(first, search, replace)}
	before, rest := s.text[s.starts[first]:span[0]], s.text[span[1]:max(span[1], s.starts[last+1])]
	if len(search) > 1 || s.whole(span) { // whole lines can be told apart from their neighbours
		return piece{start: s.starts[first], end: span[1] + len(rest), text: before + p.text + rest, lines: true}
	}
	return p
}

// withBreaks joins the lines of REPLACE by the line breaks of the lines they
// stand for.
func (s *source) withBreaks(first int, search, replace []string) string {
	same := alignLines(search, replace)
	eol := s.eolNear(first)
	var b strings.Builder
	for k, l := range replace {
		b.WriteString(l)
		if k == len(replace)-1 {
			break
		}
		if from := same[k]; from >= 0 && from < len(search)-1 {
			eol = s.ending(first + from)
		} else if len(search) == len(replace) {
			eol = s.ending(first + k)
		}
		b.WriteString(eol)
	}
	return b.String()
}

// atLineStart reports whether a line starts at an offset, or the text ends.
func (s *source) atLineStart(offset int) bool {
	_, ok := slices.BinarySearch(s.starts, offset)
	return ok
}
