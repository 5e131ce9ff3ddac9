package syntax

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// readLines reads a text without a grammar.
func readLines(r *row, text string, want ask) found {
	m := mask(&r.text, text)
	var f found
	if wrong, _ := unsound(&r.text, m); wrong != nil {
		f.problems = []Problem{*wrong}
	}
	if want == everything {
		f.comments = m.comments
		f.symbols = outline(r, text, m)
	}
	return f
}

// unsound returns what a scanner of lines finds wrong with a text, or nil, and
// whether that is a bracket.
func unsound(l *lexis, m masked) (wrong *Problem, bracket bool) {
	if l.brackets {
		if wrong := brackets(l, m, nil); wrong != nil {
			return wrong, true
		}
	}
	if l.indents {
		return indents(m), false
	}
	return nil, false
}

// definition is a line of an outline: what matches defines something.
type definition struct {
	kind    Kind
	pattern *regexp.Regexp
}

// outlines holds the outlines that were read, by language. A file is read once.
var outlines sync.Map

// definitions returns the outline of a language. One that cannot be read is
// empty; a test reads them all.
func definitions(lang Lang) []definition {
	if known, ok := outlines.Load(lang); ok {
		return known.([]definition)
	}
	defs, err := readOutline(lang)
	if err != nil {
		defs = nil
	}
	outlines.Store(lang, defs)
	return defs
}

func readOutline(lang Lang) ([]definition, error) {
	text, err := gather(string(lang), "outline.txt")
	if err != nil {
		return nil, err
	}
	var defs []definition
	for line := range strings.Lines(text) {
		kind, pattern, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || kind == "#" {
			continue
		}
		re, err := regexp.Compile("^" + strings.TrimSpace(pattern))
		if err != nil {
			return nil, fmt.Errorf("the outline of %s: %w", lang, err)
		}
		defs = append(defs, definition{Kind(kind), re})
	}
	return defs, nil
}

// longestLine is how many bytes of a line an outline looks at.
const longestLine = 1 << 10

// outline guesses the symbols of a text line by line.
func outline(r *row, text string, m masked) []Symbol {
	defs := definitions(r.lang)
	if len(defs) == 0 {
		return nil
	}
	pairs := make(map[int]int)
	brackets(&r.text, m, pairs)
	ends := newEnds(r, m, pairs)
	var drafts []draft
	for n, at := range ends.lines {
		line := m.code[at:ends.end(n)]
		line = line[:min(len(line), longestLine)]
		for rank, d := range defs {
			found := d.pattern.FindSubmatchIndex(line)
			if len(found) < 4 || found[2] < 0 || found[2] == found[3] {
				continue
			}
			start := at + len(line) - len(bytes.TrimLeft(line, " \t"))
			s := Symbol{
				Kind: d.kind, Start: start, End: ends.of(n, at+found[3]), Line: n,
				NameStart: at + found[2], NameEnd: at + found[3], Name: text[at+found[2] : at+found[3]],
			}
			before := text[at:s.NameStart]
			drafts = append(drafts, draft{Symbol: s, rank: rank, exported: forOthers.MatchString(before)})
			break
		}
	}
	return arrange(r, drafts)
}

// forOthers finds what makes a symbol one for others in most languages.
var forOthers = regexp.MustCompile(`\b(pub|public|export)\b`)

// ends tells where definitions end.
type ends struct {
	r     *row
	code  []byte
	lines []int // where each line begins
	pairs map[int]int
}

func newEnds(r *row, m masked, pairs map[int]int) *ends {
	e := &ends{r: r, code: m.code, lines: []int{0}, pairs: pairs}
	for i, c := range m.code {
		if c == '\n' {
			e.lines = append(e.lines, i+1)
		}
	}
	return e
}

// end returns where the line ends, without its line break.
func (e *ends) end(line int) int {
	to := len(e.code)
	if line+1 < len(e.lines) {
		to = e.lines[line+1] - 1
	}
	if to > e.lines[line] && e.code[to-1] == '\r' {
		to--
	}
	return to
}

// of returns the end of the definition on the line, of which the offset is in
// the head.
func (e *ends) of(line, offset int) int {
	if e.r.text.indents || e.r.text.ends {
		return e.block(line)
	}
	const far = 2 << 10 // a head is not longer
	for i := offset; i < len(e.code) && i < offset+far; i++ {
		switch c := e.code[i]; c {
		case '(', '[', '{':
			to, ok := e.pairs[i]
			if !ok {
				return e.end(line)
			}
			if c == '{' {
				return to + 1
			}
			i = to
		case ';':
			return i + 1
		}
	}
	return e.end(line)
}

// block returns the end of the lines below a line that are indented deeper,
// with the "end" below them where there is one. At most so many lines are
// looked at that the whole text costs no more than a few looks at each.
func (e *ends) block(line int) int {
	const most = 2_000
	own := e.depth(line)
	last := line
	for n := line + 1; n < len(e.lines) && n < line+most; n++ {
		code := bytes.TrimSpace(e.code[e.lines[n]:e.end(n)])
		if len(code) == 0 {
			continue
		}
		if e.depth(n) > own || code[0] == ')' {
			last = n
			continue
		}
		if e.r.text.ends && bytes.HasPrefix(code, []byte("end")) && e.depth(n) == own {
			last = n
		}
		break
	}
	return e.end(last)
}

func (e *ends) depth(line int) int {
	code := e.code[e.lines[line]:e.end(line)]
	return len(code) - len(bytes.TrimLeft(code, " \t"))
}

// shown is how many bytes of a text a message quotes.
const shown = 40

// snippet quotes what stands in a text, or the beginning of it.
func snippet(text string, start, end int) string {
	s := text[start:end]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	if len(s) > shown {
		s = s[:shown] + "…"
	}
	return fmt.Sprintf("%q", strings.TrimSpace(strings.ToValidUTF8(s, "")))
}
