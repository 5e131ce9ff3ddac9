package edits

import (
	"fmt"
	"slices"
	"strings"
)

// piece is text to put in place of some bytes of a source. A piece of whole
// lines starts and ends at line starts, or at the end of the source.
type piece struct {
	start, end int
	text       string
	lines      bool
}

// found is how a block was matched.
type found struct {
	tier   Tier
	pieces []piece
	line   int // of the source, one-based
}

// attempt is every place where one reading of a block matches, all in the
// first tier that has any.
type attempt struct {
	tier  Tier
	sec   section
	spans [][2]int // lines, half-open; bytes in TierSubstring
}

// look tries the tiers in order. A tier is tried with SEARCH as it is and then
// without the blank lines around it.
func (s *source) look(c section) (attempt, bool) {
	variants := []section{c}
	if t, ok := c.trimBlank(); ok {
		variants = append(variants, t)
	}
	for _, tier := range lineTiers {
		if tier != TierExact && !s.valid {
			break
		}
		if tier == TierTrailing {
			if a, ok := s.lookWithin(c, variants); ok {
				return a, true
			}
		}
		for _, v := range variants {
			at := s.findLines(tier, v.search)
			if len(at) == 0 {
				continue
			}
			a := attempt{tier: tier, sec: v}
			for _, first := range at {
				a.spans = append(a.spans, [2]int{first, first + len(v.search)})
			}
			return a, true
		}
	}
	return attempt{}, false
}

// lookWithin looks for SEARCH as part of lines, unless it stands somewhere as
// whole lines with another indentation.
func (s *source) lookWithin(c section, variants []section) (attempt, bool) {
	if n := len(c.search); c.text || n == 0 || blank(c.search[0]) || blank(c.search[n-1]) { // a blank line is no part of another
		return attempt{}, false
	}
	for _, v := range variants {
		if s.valid && len(s.findLines(TierIndent, v.search)) > 0 {
			return attempt{}, false
		}
	}
	spans := s.literals(c.search)
	switch {
	case len(spans) == 0 || !slices.ContainsFunc(spans, s.apart):
		return attempt{}, false
	case len(spans) == 1 && (s.doubles(spans[0], c.search, c.replace) || !s.fits(spans[0], c)):
		return attempt{}, false
	}
	return attempt{tier: TierSubstring, sec: c, spans: spans}, true
}

// doubles reports whether replacing part of a line would write something twice
// that SEARCH has left out by mistake: REPLACE has it as well, and it is words,
// or punctuation that is all the rest of the line.
func (s *source) doubles(span [2]int, search, replace []string) bool {
	if len(replace) == 0 {
		return false
	}
	first, last := s.lineAt(span[0]), s.lastLine(span)
	before := s.text[s.starts[first]:span[0]]
	after := s.text[min(span[1], s.starts[last]+len(s.bodies[last])) : s.starts[last]+len(s.bodies[last])]
	top, bottom := strings.TrimSpace(replace[0]), strings.TrimSpace(replace[len(replace)-1])
	if repeatsBefore(before, strings.TrimSpace(search[0]), top) || repeatsAfter(after, strings.TrimSpace(search[len(search)-1]), bottom) {
		return true
	}
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	if before != "" && after != "" || strings.ContainsFunc(before+after, isNameRune) {
		return false
	}
	return after != "" && strings.HasSuffix(bottom, after) || before != "" && strings.HasPrefix(top, before)
}

// maxRepeat is how much of a line beside a place is looked at for words that
// REPLACE repeats.
const maxRepeat = 120

// repeatsBefore reports whether REPLACE starts with words that stand before the
// place already, and SEARCH does not.
func repeatsBefore(before, search, replace string) bool {
	for i := max(0, len(before)-maxRepeat); i < len(before); i++ {
		words := before[i:]
		if atWordBreak(before, i) && strings.HasPrefix(replace, words) && !strings.HasPrefix(search, words) && strings.ContainsFunc(words, isNameRune) {
			return true
		}
	}
	return false
}

// repeatsAfter is repeatsBefore for what stands behind.
func repeatsAfter(after, search, replace string) bool {
	for i := min(len(after), maxRepeat); i > 0; i-- {
		words := after[:i]
		if atWordBreak(after, i) && strings.HasSuffix(replace, words) && !strings.HasSuffix(search, words) && strings.ContainsFunc(words, isNameRune) {
			return true
		}
	}
	return false
}

// fits reports whether whole lines may replace part of one: SEARCH says a
// word, and REPLACE adds no lines in the middle of one.
func (s *source) fits(span [2]int, c section) bool {
	if !slices.ContainsFunc(c.search, func(l string) bool { return strings.ContainsFunc(l, isNameRune) }) {
		return false
	}
	last := s.lineAt(max(span[0], span[1]-1))
	return len(c.replace) <= len(c.search) || blank(s.text[span[1]:s.starts[last]+len(s.bodies[last])])
}

// matcher matches the blocks of one file, in order.
type matcher struct {
	path string
	opt  Options
	last int // line after the last hunk of a diff; 0 before the first
}

// match finds the one place of a block in a source, or says why it has none.
func (m *matcher) match(s *source, b Block) (found, *Refusal) {
	if b.All || m.opt.ReplaceAll {
		return m.matchAll(s, b)
	}
	if len(b.splits) > 1 {
		return m.matchSplits(s, b)
	}
	return m.matchOne(s, b, newSection(b.Search, b.Replace, b.Text))
}

// matchOne matches one reading of where SEARCH ends.
func (m *matcher) matchOne(s *source, b Block, c section) (found, *Refusal) {
	if r := m.check(s, b, c); r != nil {
		return found{}, r
	}
	if b.Text {
		if f, r, ok := m.matchLiteral(s, b); ok {
			return f, r
		}
	} else if !b.patch {
		c = s.unescapeNew(c)
	}
	for _, reading := range c.readings(m.path) {
		a, ok := s.look(reading)
		if !ok {
			continue
		}
		i, ok := m.choose(s, b, a)
		if !ok {
			return found{}, m.ambiguous(s, b, a)
		}
		if r := m.done(s, b, a, i); r != nil {
			return found{}, r
		}
		return m.rewrite(s, b, a, i)
	}
	if s.valid {
		if f, r, ok := m.matchEllipsis(s, b, c); ok {
			return f, r
		}
		if m.opt.Fuzzy {
			if f, r, ok := m.matchSimilar(s, b, c); ok {
				return f, r
			}
		}
	}
	return found{}, m.notFound(s, b, c)
}

// done refuses a block that has been applied before, so that sending it twice
// does no harm: around the place the file reads as REPLACE does, or SEARCH is
// only nearly there while REPLACE is there exactly.
func (m *matcher) done(s *source, b Block, a attempt, i int) *Refusal {
	if a.tier == TierSubstring || len(a.sec.replace) == 0 {
		return nil
	}
	at := a.spans[i][0]
	for _, k := range occurrences(a.sec.replace, a.sec.search) {
		first, end := at-k, at-k+len(a.sec.replace)
		if filled(a.sec.replace) > filled(a.sec.search) && first >= 0 && end <= len(s.bodies) && slices.Equal(s.bodies[first:end], a.sec.replace) {
			return m.refuse(b, AlreadyApplied, fmt.Sprintf("%s already read as REPLACE does. Leave the block out.", lineSpan(first, end)))
		}
	}
	if a.tier == TierExact && len(a.sec.search) == len(bodies(b.Search)) || tiny(a.sec.replace) {
		return nil
	}
	for _, first := range s.findLines(TierExact, a.sec.replace) {
		if end := first + len(a.sec.replace); end <= at || first >= a.spans[i][1] {
			return m.refuse(b, AlreadyApplied, fmt.Sprintf(
				"the text of REPLACE is already at %s, and SEARCH is not in the file as it stands. If %s is meant, copy it into SEARCH exactly:\n%s",
				lineSpan(first, end), lineSpan(a.spans[i][0], a.spans[i][1]), s.excerpt(a.spans[i][0], a.spans[i][1])))
		}
	}
	return nil
}

// filled counts the lines that are not blank.
func filled(lines []string) int {
	n := 0
	for _, l := range lines {
		if !blank(l) {
			n++
		}
	}
	return n
}

// check refuses what must not even be looked for.
func (m *matcher) check(s *source, b Block, c section) *Refusal {
	switch {
	case slices.Equal(c.search, c.replace) && (!b.Text || slices.Equal(parts(b.Search), parts(b.Replace))) && b.finalNL == keepNewline:
		return m.refuse(b, NoChange, "SEARCH and REPLACE are the same, so there is nothing to change. Leave the block out, or send the new text in REPLACE.")
	case blank(strings.Join(c.search, "")) && !s.empty():
		return m.refuse(b, EmptySearch, "SEARCH holds no text, but the file does: copy the lines to replace, or the line to insert beside, into SEARCH.")
	}
	if line := newOmission(c, m.path, s.bodies); line != "" {
		return m.omission(b, line)
	}
	if what := c.dressed(m.path); what != "" && !b.patch {
		return m.undress(b, what)
	}
	return nil
}

// omission refuses a text that leaves lines out.
func (m *matcher) omission(b Block, line string) *Refusal {
	return m.refuse(b, Omission, fmt.Sprintf(
		"REPLACE leaves lines out with %q, which would be written as it stands. Write every line of REPLACE in full, or send smaller blocks.", strings.TrimSpace(line)))
}

// undress refuses a text with something around it that is not meant for the
// file.
func (m *matcher) undress(b Block, what string) *Refusal {
	return m.refuse(b, Malformed, fmt.Sprintf("REPLACE comes with %s, which would be written into the file, and SEARCH does not. Send REPLACE as the lines are to read.", what))
}

// refuse makes a refusal of a block.
func (m *matcher) refuse(b Block, code Code, message string) *Refusal {
	return &Refusal{Block: b.Index, Path: m.path, Line: b.Line, Code: code, Message: message}
}

// matchSplits matches a block whose SEARCH may end at several lines: the one
// reading that is in the file, and where several are the longest, which has
// the doubtful line itself in the file.
func (m *matcher) matchSplits(s *source, b Block) (found, *Refusal) {
	var best found
	var refused *Refusal
	bestAt, doubtAt, count, equal := -1, -1, 0, 0
	for i, sp := range b.splits {
		if sp.search == "" && !s.empty() {
			continue
		}
		f, r := m.matchOne(s, b, newSection(sp.search, sp.replace, false))
		if r != nil {
			if r.Code == Ambiguous || refused == nil {
				refused = r
			}
			continue
		}
		if !m.mayAdd(s, sp) {
			doubtAt = i
			continue
		}
		best, bestAt, count = f, i, count+1
		if sp.equal {
			equal++
		}
	}
	switch {
	case doubtAt > bestAt: // and what it would bring into the file is no text of such a file
	case count == 1, count > 1 && (equal == 0 || b.splits[bestAt].equal):
		return best, nil
	case count == 0 && refused != nil && refused.Code == Ambiguous:
		return found{}, refused
	}
	return found{}, m.refuse(b, AmbiguousSeparator, fmt.Sprintf(
		"%d lines of this block could be the ======= between SEARCH and REPLACE, and the file does not tell which (%d readings match). Send the block with longer markers: <<<<<<<<< SEARCH, =========, >>>>>>>>> REPLACE.",
		len(b.splits), count))
}

// mayAdd reports whether REPLACE may bring a line that looks like a separator
// into the file: where titles are underlined so, under a title. Elsewhere it is
// more likely a marker too many.
func (m *matcher) mayAdd(s *source, sp split) bool {
	isSplit := func(l string) bool { return readMarker(l).kind == splitMarker }
	old, now := bodies(sp.search), bodies(sp.replace)
	had := 0
	for _, l := range old {
		if isSplit(l) {
			had++
		}
	}
	for i, l := range now {
		if !isSplit(l) {
			continue
		}
		if had--; had >= 0 {
			continue
		}
		if !isMarkup(m.path) && !slices.ContainsFunc(s.bodies, isSplit) || i == 0 || blank(now[i-1]) || isSplit(now[i-1]) {
			return false
		}
	}
	return true
}

// matchAll matches every occurrence of a block.
func (m *matcher) matchAll(s *source, b Block) (found, *Refusal) {
	c := newSection(b.Search, b.Replace, b.Text)
	if r := m.check(s, b, c); r != nil {
		return found{}, r
	}
	f := found{tier: TierReplaceAll}
	if b.Text {
		search, replace := parts(b.Search), parts(b.Replace)
		for i, span := range s.everyLiteral(search) {
			if i == 0 {
				f.line = s.lineAt(span[0]) + 1
			}
			f.pieces = append(f.pieces, piece{start: span[0], end: span[1], text: s.withBreaks(s.lineAt(span[0]), search, replace)})
		}
		if len(f.pieces) > 0 {
			return f, nil
		}
	}
	a, ok := s.look(c)
	if !ok {
		return found{}, m.notFound(s, b, c)
	}
	for i, span := range a.spans {
		if i > 0 && span[0] < a.spans[i-1][1] {
			return found{}, m.ambiguous(s, b, a)
		}
		one, r := m.rewrite(s, b, a, i)
		if r != nil {
			return found{}, r
		}
		if i == 0 {
			f.line = one.line
		}
		f.pieces = append(f.pieces, one.pieces...)
	}
	return f, nil
}

// choose returns which of the places is meant: the only one; of several the
// one that a diff's end mark, its named line above, the line hint or, within a
// diff, the order of hunks leaves.
func (m *matcher) choose(s *source, b Block, a attempt) (int, bool) {
	if len(a.spans) == 1 {
		return 0, true
	}
	if a.tier == TierSubstring {
		return 0, false
	}
	var left []int
	for i, span := range a.spans {
		if !b.atEnd || span[1] == len(s.bodies) {
			left = append(left, i)
		}
	}
	if len(left) == 1 {
		return left[0], true
	}
	if at, ok := s.anchor(b.anchors); ok {
		for _, i := range left {
			if a.spans[i][0] >= at {
				return i, true
			}
		}
	}
	hint := b.Hint
	if hint == 0 {
		hint = a.sec.hint
	}
	if i, ok := nearest(a.spans, hint-1); ok && hint > 0 {
		return i, true
	}
	if b.patch && m.last > 0 {
		n := slices.IndexFunc(a.spans, func(span [2]int) bool { return span[0] >= m.last })
		if n == len(a.spans)-1 {
			return n, true
		}
	}
	return 0, false
}

// anchor returns the line below the lines that a hunk names as being above it,
// each of which must be in the source once, after the one before.
func (s *source) anchor(anchors []string) (int, bool) {
	at := 0
	for _, text := range anchors {
		want := lineKey(TierSpaces, text)
		place := -1
		for i, key := range s.keysFor(TierSpaces)[at:] {
			if key != want {
				continue
			}
			if place >= 0 {
				return 0, false
			}
			place = at + i + 1
		}
		if place < 0 {
			return 0, false
		}
		at = place
	}
	return at, len(anchors) > 0
}

// hintReach is how many lines off a line hint may be.
const hintReach = 200

// nearest returns the span at a line, or the one that is nearer to it by far
// than the next one.
func nearest(spans [][2]int, line int) (int, bool) {
	best, first, second := -1, hintReach+1, 1<<30
	for i, span := range spans {
		d := max(span[0]-line, line-span[0])
		if d < first {
			best, first, second = i, d, first
		} else if d < second {
			second = d
		}
	}
	return best, best >= 0 && (first == 0 || second > 2*first)
}
