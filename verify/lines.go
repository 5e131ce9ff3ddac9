package verify

import (
	"regexp"
	"strconv"
	"strings"
)

// placed matches "file:line: message" and "file:line:column: message". The
// file name is as short as can be, so that the first place in a line counts.
var placed = regexp.MustCompile(`^(\S.*?):(\d{1,9})(?::(\d{1,9}))?: ?(.*)$`)

// splitPlaced takes such a line apart.
func splitPlaced(text string) (r raw, ok bool) {
	m := placed.FindStringSubmatch(text)
	if m == nil || len(m[1]) > 1024 {
		return raw{}, false
	}
	return raw{file: m[1], line: atoi(m[2]), column: atoi(m[3]), message: m[4]}, true
}

// atoi reads digits that a pattern has matched.
func atoi(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

func itoa(n int) string { return strconv.Itoa(n) }

// lineParser reads the output of tools that it knows nothing else about.
type lineParser struct {
	c    *collector
	last string // the last line that was not empty
}

func newLineParser(c *collector) parser { return &lineParser{c: c} }

func (p *lineParser) line(text string) {
	if strings.TrimSpace(text) != "" {
		p.last = clip(text, maxMessage)
	}
	r, ok := splitPlaced(text)
	if !ok {
		return
	}
	r.dir = p.c.ran.Check.Dir
	// Times of day and URLs look like places; a file that is there is one.
	if _, ok := p.c.inCopy(r.dir, r.file); !ok {
		return
	}
	r.severity = Error
	for _, word := range []string{"warning", "note", "info"} {
		if len(r.message) >= len(word) && strings.EqualFold(r.message[:len(word)], word) {
			r.severity = Warning
			if word != "warning" {
				r.severity = Information
			}
		}
	}
	p.c.add(r)
}

// finish gives the last line as the reason of a failure that has no place, as
// tools end with what matters.
func (p *lineParser) finish(ok bool) {
	if !ok && len(p.c.findings) == 0 {
		p.c.message(p.last)
	}
}
