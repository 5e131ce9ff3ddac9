package edits

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// section is what one block asks for: lines to find and lines to put there.
type section struct {
	search, replace []string // without endings
	text            bool     // strings, which have been looked for as they are
	hint            int
}

// newSection reads a block's two texts. Lines end at "\n" or "\r\n". Strings
// come here only where the file does not hold them as they are: then their
// lines count, and whether the last one ends is of no account.
func newSection(search, replace string, text bool) section {
	return section{search: bodies(search), replace: bodies(replace), text: text}
}

// bodies cuts s into lines without their endings.
func bodies(s string) []string {
	lines := splitLines(s)
	for i, l := range lines {
		lines[i], _ = cutEnding(l)
	}
	return lines
}

// trimBlank returns the section without the blank lines around search, and
// without as many around replace.
func (c section) trimBlank() (section, bool) {
	lead, trail := 0, 0
	for lead < len(c.search) && blank(c.search[lead]) {
		lead++
	}
	if lead == len(c.search) {
		return c, false
	}
	for blank(c.search[len(c.search)-1-trail]) {
		trail++
	}
	if lead+trail == 0 {
		return c, false
	}
	out := c
	out.search = c.search[lead : len(c.search)-trail]
	for ; lead > 0 && len(out.replace) > 0 && blank(out.replace[0]); lead-- {
		out.replace = out.replace[1:]
	}
	for ; trail > 0 && len(out.replace) > 0 && blank(out.replace[len(out.replace)-1]); trail-- {
		out.replace = out.replace[:len(out.replace)-1]
	}
	return out, true
}

// unwrap returns the section without one fence, and the file's name above it,
// around either side.
func (c section) unwrap(path string) (section, bool) {
	out := c
	var ok bool
	out.search, ok = unfence(c.search, path)
	out.replace, _ = unfence(c.replace, path)
	return out, ok && len(out.search) > 0
}

// unfence removes the fence around lines.
func unfence(lines []string, path string) ([]string, bool) {
	inner := lines
	if len(inner) > 2 {
		if name, _, ok := pathOf(inner[0]); ok && (name == path || strings.HasSuffix(path, "/"+name)) {
			inner = inner[1:]
		}
	}
	if len(inner) < 2 {
		return lines, false
	}
	width, _, ok := fenceOf(inner[0])
	end, info, closed := fenceOf(inner[len(inner)-1])
	if !ok || !closed || info != "" || end < width {
		return lines, false
	}
	return inner[1 : len(inner)-1], true
}

// unescape returns the section with "\=======" and the like as plain markers.
func (c section) unescape() (section, bool) {
	out := c
	var inSearch, inReplace bool
	out.search, inSearch = unescapeMarkers(c.search, true)
	out.replace, inReplace = unescapeMarkers(c.replace, true)
	return out, inSearch || inReplace
}

// unescapeMarkers takes the backslash off lines that are escaped markers, or, if
// asked to, lines of a header.
func unescapeMarkers(lines []string, header bool) (out []string, found bool) {
	for i, l := range lines {
		rest, ok := strings.CutPrefix(l, `\`)
		mark := readMarker(rest).kind != noMarker || strings.HasPrefix(rest, "<<<<<<<") || strings.HasPrefix(rest, ">>>>>>>")
		if header {
			mark = mark || rest == "-------" || startLinePattern.MatchString(rest)
		}
		if !ok || !mark {
			continue
		}
		if !found {
			lines, found = slices.Clone(lines), true
		}
		lines[i] = rest
	}
	return lines, found
}

// unescapeNew returns the section with plain markers in REPLACE where SEARCH
// has none that are escaped, nor has the file.
func (s *source) unescapeNew(c section) section {
	plain, found := unescapeMarkers(c.replace, false)
	if !found {
		return c
	}
	if _, escaped := unescapeMarkers(c.search, false); escaped {
		return c
	}
	if _, escaped := unescapeMarkers(s.bodies, false); !escaped {
		c.replace = plain
	}
	return c
}

// unruled returns the section without the line of dashes that ends a header of
// SEARCH, where there is no header.
func (c section) unruled() (section, bool) {
	if len(c.search) < 2 || c.search[0] != "-------" || len(c.replace) > 0 && c.replace[0] == c.search[0] {
		return c, false
	}
	out := c
	out.search = c.search[1:]
	return out, true
}

var (
	numberedPattern = regexp.MustCompile(`^ *(\d{1,7})(?: ?\| ?|→|\t|: ?)(.*)$`)
	barredPattern   = regexp.MustCompile(`^ *(\d{1,7}) ?\| ?(.*)$`)
)

// unnumber returns the section without the line numbers that a listing puts
// in front of its lines: in SEARCH they must count up by one, and REPLACE has
// them on all of its lines, ascending, or on none. They become the hint.
func (c section) unnumber() (section, bool) {
	search, first, ok := unnumber(c.search, numberedPattern, true)
	if !ok {
		return c, false
	}
	out := c
	out.search, out.hint = search, first
	if replace, _, ok := unnumber(c.replace, numberedPattern, false); ok {
		out.replace = replace
	} else if slices.ContainsFunc(c.replace, barredPattern.MatchString) {
		return c, false
	}
	return out, true
}

// unnumber strips ascending line numbers from lines.
func unnumber(lines []string, pattern *regexp.Regexp, closed bool) (out []string, first int, ok bool) {
	last := 0
	for i, l := range lines {
		g := pattern.FindStringSubmatch(l)
		if g == nil {
			return nil, 0, false
		}
		n, err := strconv.Atoi(g[1])
		if err != nil || i > 0 && (n <= last || closed && n != last+1) {
			return nil, 0, false
		}
		if i == 0 {
			first = n
		}
		last = n
		out = append(out, g[2])
	}
	return out, first, len(lines) > 0
}

// dressed says what REPLACE has around its lines and SEARCH has not, so that it
// would be written into the file: a fence, or the line numbers of a listing.
func (c section) dressed(path string) string {
	if _, fenced := unfence(c.search, path); !fenced && !isMarkup(path) {
		if _, fenced := unfence(c.replace, path); fenced {
			return "a Markdown fence around it"
		}
	}
	if _, _, ok := unnumber(c.replace, barredPattern, false); ok && !slices.ContainsFunc(c.search, barredPattern.MatchString) {
		return "line numbers in front of its lines"
	}
	return ""
}

// readings returns the ways a section may be meant, likeliest first: a later
// one counts only where the earlier ones match nothing at all.
func (c section) readings(path string) []section {
	out := []section{c}
	for _, read := range []func() (section, bool){
		func() (section, bool) { return c.unwrap(path) }, c.unescape, c.unnumber, c.unruled,
	} {
		if r, ok := read(); ok {
			out = append(out, r)
		}
	}
	return out
}
