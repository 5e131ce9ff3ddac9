package edits

import (
	"regexp"
	"strconv"
	"strings"
)

// markerKind says which of a block's three markers a line is.
type markerKind uint8

const (
	noMarker markerKind = iota
	openMarker
	splitMarker
	closeMarker
)

// marker is a line that opens, divides or closes a block.
type marker struct {
	kind   markerKind
	indent string
	width  int // how many marker characters
	cline  bool
	hint   int
	path   string
	text   string // the whole line
}

var (
	openPattern  = regexp.MustCompile(`^(<{5,9}|-{5,9}) ?SEARCH>?(?:[ :]+(.*))?$`)
	closePattern = regexp.MustCompile(`^(>{5,9}|\+{5,9}) ?REPLACE>?$`)
	hintPattern  = regexp.MustCompile(`(?i)^(?:line[=: ]*)?(\d{1,7})$`)
)

// readMarker reads a line without its ending as a marker. What is in front of
// a marker is white space, or it is none: markers quoted in prose do not count.
func readMarker(line string) marker {
	body := strings.TrimLeft(line, " \t")
	if body == "" || !strings.ContainsRune("<-=>+", rune(body[0])) {
		return marker{}
	}
	m := marker{indent: line[:len(line)-len(body)]}
	body = strings.TrimRight(body, " \t\r")
	if n := len(body); body[0] == '=' {
		if n < 5 || n > 9 || strings.Trim(body, "=") != "" {
			return marker{}
		}
		m.kind, m.width = splitMarker, n
		return m
	}
	if g := closePattern.FindStringSubmatch(body); g != nil {
		m.kind, m.width, m.cline = closeMarker, len(g[1]), g[1][0] == '+'
		return m
	}
	g := openPattern.FindStringSubmatch(body)
	if g == nil {
		return marker{}
	}
	m.kind, m.width, m.cline = openMarker, len(g[1]), g[1][0] == '-'
	if g[2] != "" && !m.readTail(g[2]) {
		return marker{}
	}
	return m
}

// readTail reads what follows SEARCH: a line number, a path, or both.
func (m *marker) readTail(tail string) bool {
	for _, word := range strings.Fields(tail) {
		if g := hintPattern.FindStringSubmatch(word); g != nil {
			n, err := strconv.Atoi(g[1])
			if err != nil {
				return false
			}
			m.hint = n
			continue
		}
		path, _, ok := pathOf(word)
		if !ok || m.path != "" {
			return false
		}
		m.path = path
	}
	return true
}

var startLinePattern = regexp.MustCompile(`^:(start|end)_line: ?(\d{1,7})\s*$`)

// misplacedHint returns a line-number header that REPLACE starts with.
func misplacedHint(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	body, _ := cutEnding(lines[0])
	if startLinePattern.MatchString(body) {
		return body
	}
	return ""
}

// cutHints takes a leading ":start_line:N" header, which ends in a line of
// dashes, off the lines of a SEARCH section.
func cutHints(lines []string) (rest []string, hint int) {
	for i, l := range lines {
		body, _ := cutEnding(l)
		g := startLinePattern.FindStringSubmatch(body)
		switch {
		case g != nil && g[1] == "start":
			n, err := strconv.Atoi(g[2])
			if err != nil {
				return lines, 0
			}
			hint = n
		case g != nil:
		case i > 0 && strings.TrimRight(body, " ") == "-------":
			return lines[i+1:], hint
		case i > 0:
			return lines[i:], hint
		default:
			return lines, 0
		}
	}
	return lines, 0
}
