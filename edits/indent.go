package edits

import (
	"slices"
	"strings"
)

// reindenter carries the indentation of REPLACE over to the file's, by how
// SEARCH's indentation was found to differ from it.
type reindenter struct {
	images map[string]string // SEARCH indent to file indent
	base   [2]string         // of the first line that is not blank
	from   unit              // one level in SEARCH, or in REPLACE where SEARCH is flat
	to     unit              // one level in the file's lines
	step   unit              // one level in SEARCH and REPLACE together
	perTab int               // spaces of the file for a tab of SEARCH; 0 when not known
	clash  bool              // one SEARCH indent stands for several of the file
	asIs   bool              // REPLACE has the file's indentation already
	byBase bool              // REPLACE is only off by what the first lines are
	mixed  bool              // SEARCH and REPLACE indent by tabs and by spaces, and the file does not
	behind bool              // SEARCH starts behind the indentation of its first line, and is exact below
}

// unit is one level of indentation.
type unit struct {
	tab   bool
	width int // spaces; 0 when not known
}

// leadingSpace returns a line's indentation.
func leadingSpace(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// newReindenter compares the lines of SEARCH with those of the file they
// matched. A line of REPLACE that stands for one of SEARCH is in same.
func newReindenter(search, file, replace []string, same []int) *reindenter {
	r := &reindenter{images: map[string]string{}}
	pairs, shifted, equal := 0, 0, 0
	for i, l := range search {
		if blank(l) {
			continue
		}
		from, to := leadingSpace(l), leadingSpace(file[i])
		if pairs == 0 {
			r.base = [2]string{from, to}
		}
		pairs++
		if from == to {
			equal++
		}
		r.measureTab(from, to)
		if moved, ok := moveIndent(from, r.base[0], r.base[1]); ok && moved == to {
			shifted++
		}
		if image, ok := r.images[from]; ok && image != to {
			r.clash = true
		}
		if _, ok := r.images[from]; !ok {
			r.images[from] = to
		}
	}
	r.byBase = r.clash && 5*shifted >= 4*pairs
	r.behind = pairs > 1 && equal == pairs-1 && r.base[0] != r.base[1] && strings.HasSuffix(r.base[1], r.base[0])
	r.from, r.to = unitOf(search), unitOf(file)
	if r.from.width == 0 && !r.from.tab {
		r.from = unitOf(replace)
	}
	r.step = unitOf(slices.Concat(search, replace))
	r.mixed = mixes(slices.Concat(search, replace), r.base[0]) && !mixes(file, r.base[1])
	framed := slices.ContainsFunc(same, func(i int) bool {
		return i >= 0 && !blank(search[i]) && leadingSpace(search[i]) != leadingSpace(file[i])
	})
	if !r.byBase && !framed && !r.behind { // a line copied from SEARCH is indented as SEARCH is
		r.settle(file, replace)
	}
	return r
}

// measureTab learns how many spaces of the file a tab of SEARCH is, from a
// pair that is deeper or shallower than the first.
func (r *reindenter) measureTab(from, to string) {
	tabs, spaces := len(from)-len(r.base[0]), len(to)-len(r.base[1])
	if strings.Trim(from+r.base[0], "\t") != "" || strings.Trim(to+r.base[1], " ") != "" || tabs == 0 || spaces%tabs != 0 {
		return
	}
	if n := spaces / tabs; n > 0 && (r.perTab == 0 || n < r.perTab) {
		r.perTab = n
	}
}

// moveIndent moves an indent by what takes one base to the other.
func moveIndent(indent, from, to string) (string, bool) {
	if rest, ok := strings.CutPrefix(indent, from); ok {
		return to + rest, true
	}
	if missing, ok := strings.CutPrefix(from, indent); ok {
		return strings.CutSuffix(to, missing)
	}
	return "", false
}

// mixes reports whether lines are indented by both tabs and spaces beyond what
// the first of them is.
func mixes(lines []string, base string) bool {
	tab, space := false, false
	for _, l := range lines {
		if indent := strings.TrimPrefix(leadingSpace(l), base); !blank(l) {
			tab, space = tab || strings.Contains(indent, "\t"), space || strings.Contains(indent, " ")
		}
	}
	return tab && space
}

// unitOf measures one level of indentation: the smallest step between the
// indents of lines.
func unitOf(lines []string) unit {
	var u unit
	widths := map[int]bool{}
	for _, l := range lines {
		if blank(l) {
			continue
		}
		indent := leadingSpace(l)
		if strings.Contains(indent, "\t") {
			u.tab = true
			continue
		}
		widths[len(indent)] = true
	}
	if u.tab {
		return unit{tab: true}
	}
	for a := range widths {
		for b := range widths {
			if a > b && (u.width == 0 || a-b < u.width) {
				u.width = a - b
			}
		}
	}
	return u
}

// settle looks whether REPLACE is in the file's own indentation already, where
// SEARCH was not: its first line has the file's, or its levels are as wide as
// the file's are and SEARCH's are not.
func (r *reindenter) settle(file, replace []string) {
	first, last := ends(replace)
	_, fileLast := ends(file)
	flat := len(r.images) == 1 // SEARCH has lost all its levels
	if flat && r.clash && first == r.base[1] && last == fileLast && unitOf(replace) != (unit{}) && within(replace, file) {
		r.asIs, r.clash = true, false
		return
	}
	if first == r.base[1] && r.base[0] != r.base[1] {
		r.asIs = true
		r.clash = !within(replace, file) // else some lines have the file's indentation and some have not
		return
	}
	u := unitOf(replace)
	if u.tab || r.to.tab {
		r.asIs = u.tab && r.to.tab && !r.from.tab && first == r.base[1]
		return
	}
	r.byBase = first == r.base[0] && u.width > 0 && r.to.width > 0 && r.from.width > 0 && u.width == r.to.width && u.width != r.from.width
}

// ends returns the indentation of the first and the last line that is not
// blank.
func ends(lines []string) (first, last string) {
	found := false
	for _, l := range lines {
		if blank(l) {
			continue
		}
		if last = leadingSpace(l); !found {
			first, found = last, true
		}
	}
	return first, last
}

// within reports whether no line is less indented than all lines of the file.
func within(lines, file []string) bool {
	least := func(lines []string) int {
		n := -1
		for _, l := range lines {
			if !blank(l) && (n < 0 || len(leadingSpace(l)) < n) {
				n = len(leadingSpace(l))
			}
		}
		return n
	}
	return least(lines) >= least(file)
}

// line returns a line of REPLACE, its first or a later one, with the file's
// indentation, or false when there is no telling what that is.
func (r *reindenter) line(l string, top bool) (string, bool) {
	switch {
	case blank(l):
		return l, true
	case r.asIs:
		return l, !r.clash
	}
	indent := leadingSpace(l)
	if r.behind && top && indent != r.base[1] {
		return strings.TrimSuffix(r.base[1], r.base[0]) + l, true
	}
	image, ok := r.image(indent)
	return image + l[len(indent):], ok
}

// image returns what an indent of REPLACE is in the file.
func (r *reindenter) image(indent string) (string, bool) {
	switch {
	case r.behind:
		if to, ok := r.images[indent]; ok && !r.clash {
			return to, true
		}
		return indent, true
	case r.byBase:
		return moveIndent(indent, r.base[0], r.base[1])
	case r.clash:
		return indent, false
	}
	if to, ok := r.images[indent]; ok {
		return to, true
	}
	if r.mixed { // what a tab is, and what a space is, cannot both be known
		return indent, false
	}
	known, best := "", false
	for from := range r.images {
		if strings.HasPrefix(indent, from) && (!best || len(from) > len(known)) {
			known, best = from, true
		}
	}
	if best {
		return r.images[known] + r.convert(indent[len(known):], r.images[known]), true
	}
	return r.shallower(indent)
}

// convert turns indentation beyond a known level, which the file indents as
// image, into the file's levels.
func (r *reindenter) convert(rest, image string) string {
	toTab := r.to.tab || strings.Contains(image, "\t")
	switch {
	case toTab && !r.from.tab && !strings.Contains(rest, "\t"):
		width := r.step.width
		if width == 0 {
			width = 4
		}
		return strings.Repeat("\t", len(rest)/width) + strings.Repeat(" ", len(rest)%width)
	case !toTab && strings.Trim(rest, "\t") == "":
		if image == "" && r.to.width == 0 { // the file shows no indentation of its own
			return rest
		}
		width := r.perTab
		if width == 0 {
			width = r.to.width
		}
		if width == 0 {
			width = 4
		}
		return strings.Repeat(" ", len(rest)*width)
	case !toTab && r.from.width > 0 && r.to.width > 0 && r.from.width != r.to.width && len(rest)*r.to.width%r.from.width == 0:
		return strings.Repeat(" ", len(rest)*r.to.width/r.from.width)
	}
	return rest
}

// shallower returns the image of an indent that SEARCH goes deeper than
// everywhere: as much is taken off the file's.
func (r *reindenter) shallower(indent string) (string, bool) {
	least, found := "", false
	for from := range r.images {
		if strings.HasPrefix(from, indent) && (!found || len(from) < len(least)) {
			least, found = from, true
		}
	}
	if !found {
		return indent, false
	}
	to := r.images[least]
	drop := r.convert(least[len(indent):], to)
	if rest, ok := strings.CutSuffix(to, drop); ok {
		return rest, true
	}
	return "", strings.Trim(to, " \t") == ""
}
