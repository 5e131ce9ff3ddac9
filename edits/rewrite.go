package edits

import (
	"slices"
	"strings"
)

// rewrite makes what a block puts at one of the places it was found.
func (m *matcher) rewrite(s *source, b Block, a attempt, i int) (found, *Refusal) {
	span := a.spans[i]
	if a.tier == TierSubstring {
		f := found{tier: a.tier, line: s.lineAt(span[0]) + 1}
		f.pieces = []piece{{start: span[0], end: span[1], text: strings.Join(a.sec.replace, s.eolNear(s.lineAt(span[0])))}}
		return f, nil
	}
	if b.patch {
		m.last = span[1]
	}
	p, ok := s.rewriteLines(span[0], a, b)
	if !ok {
		return found{}, m.indentConflict(s, b, span)
	}
	return found{tier: a.tier, line: span[0] + 1, pieces: []piece{p}}, nil
}

// rewriteLines makes the piece for whole lines from first. It is false where
// the indentation of REPLACE cannot be carried over.
func (s *source) rewriteLines(first int, a attempt, b Block) (piece, bool) {
	search, replace := a.sec.search, a.sec.replace
	file := s.bodies[first : first+len(search)]
	same := alignLines(endless(a.tier, search), endless(a.tier, replace))
	tolerant := a.tier != TierExact && a.tier != TierTrailing
	var indent *reindenter
	if tolerant {
		indent = newReindenter(search, file, replace, same)
	}
	out := make([]string, len(replace))
	top := true // no line that is not blank has come yet
	for k, l := range replace {
		from := same[k]
		switch {
		case from >= 0 && (b.patch || a.tier == TierUnicode):
			out[k] = file[from]
		case !tolerant:
			out[k] = l
		case from >= 0 && !blank(l) && !indent.asIs:
			out[k] = leadingSpace(file[from]) + strings.TrimLeft(l, " \t")
		default:
			moved, ok := indent.line(l, top)
			if !ok {
				return piece{}, false
			}
			out[k] = moved
		}
		top = top && blank(l)
	}
	end := first + len(search)
	p := piece{start: s.starts[first], end: s.starts[end], lines: true}
	p.text = s.withEndings(out, same, first, end)
	switch {
	case end == len(s.bodies) && b.finalNL == addNewline && p.text != "" && !strings.HasSuffix(p.text, "\n"):
		p.text += s.eol
	case end == len(s.bodies) && b.finalNL == dropNewline:
		p.text = strings.TrimSuffix(strings.TrimSuffix(p.text, "\n"), "\r")
	}
	return p, true
}

// endless returns lines without the white space at their ends, where a tier has
// no regard for it.
func endless(t Tier, lines []string) []string {
	if t == TierExact {
		return lines
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = lineKey(TierTrailing, l)
	}
	return out
}

// alignLines returns, for each line of replace, the line of search it stands
// for unchanged, or -1.
func alignLines(search, replace []string) []int {
	x, y := intern(search, replace)
	out := make([]int, len(replace))
	i, j := 0, 0
	for _, r := range append(align(x, y, maxDistance), region{len(x), len(x), len(y), len(y)}) {
		for ; j < r.j0; i, j = i+1, j+1 {
			out[j] = i
		}
		for ; j < r.j1; j++ {
			out[j] = -1
		}
		i = r.i1
	}
	return out
}

// withEndings gives every new line an ending: that of the line it stands for
// or replaces, else that of the line before it. The text's last line stays
// without one.
func (s *source) withEndings(lines []string, same []int, first, end int) string {
	bounds := make([]int, len(same)) // the next line of the file that stays
	bound := end
	for k := len(same) - 1; k >= 0; k-- {
		bounds[k] = bound
		if same[k] >= 0 {
			bound = first + same[k]
		}
	}
	var b strings.Builder
	eol := s.eolNear(first)
	if first > 0 && s.ending(first-1) != "" {
		eol = s.ending(first - 1)
	}
	next := first // the next line of the file that a new line can replace
	for k, l := range lines {
		if same[k] >= 0 {
			next = first + same[k]
		}
		if same[k] >= 0 || next < bounds[k] {
			if own := s.ending(next); own != "" {
				eol = own
			}
			next++
		}
		b.WriteString(l)
		if k < len(lines)-1 || end < len(s.bodies) || !s.open() {
			b.WriteString(eol)
		}
	}
	return b.String()
}

// eolNear returns the ending for a new line at line i: that of the line there,
// else of the one before, else of most lines.
func (s *source) eolNear(i int) string {
	for _, at := range []int{i, i - 1} {
		if at >= 0 && at < len(s.bodies) && s.ending(at) != "" {
			return s.ending(at)
		}
	}
	return s.eol
}

// matchEllipsis matches a block whose SEARCH and REPLACE hold the same number
// of "..." lines: the lines these stand for stay, and each run between them
// must be in the file once, in order.
func (m *matcher) matchEllipsis(s *source, b Block, c section) (found, *Refusal, bool) {
	olds, news := chunks(c.search), chunks(c.replace)
	if len(olds) < 2 {
		return found{}, nil, false
	}
	if len(olds) != len(news) {
		return found{}, m.refuse(b, Omission, "SEARCH leaves lines out with \"...\", and REPLACE does not in the same places. Copy the lines to replace in full, or send one small block for each place."), true
	}
	f := found{tier: TierEllipsis}
	after := 0
	for i, old := range olds {
		if len(old) == 0 && len(news[i]) == 0 {
			continue
		}
		if len(old) == 0 || blank(strings.Join(old, "")) {
			return found{}, m.refuse(b, Omission, "text is added beside a \"...\" line with nothing in SEARCH to find the place by. Copy the line it goes next to into both SEARCH and REPLACE."), true
		}
		a, ok := s.look(section{search: old, replace: news[i]})
		if !ok || a.tier == TierSubstring {
			return found{}, m.notFound(s, b, section{search: old, replace: news[i]}), true
		}
		if len(a.spans) != 1 {
			return found{}, m.ambiguous(s, b, a), true
		}
		if a.spans[0][0] < after {
			return found{}, m.refuse(b, NotFound, "the parts of SEARCH around \"...\" are not in the file in this order. Send one small block for each place."), true
		}
		after = a.spans[0][1]
		if slices.Equal(old, news[i]) {
			continue
		}
		one, r := m.rewrite(s, b, a, 0)
		if r != nil {
			return found{}, r, true
		}
		if f.line == 0 {
			f.line = one.line
		}
		f.pieces = append(f.pieces, one.pieces...)
	}
	return f, nil, true
}

// chunks cuts lines at the "..." lines.
func chunks(lines []string) [][]string {
	out := [][]string{nil}
	for _, l := range lines {
		if isDots(l) {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], l)
	}
	return out
}
