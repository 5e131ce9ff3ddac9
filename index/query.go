package index

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"emend/internal/workspace"
)

// Query is what to search for. Lines are searched one by one: no match spans
// a line break.
type Query struct {
	// Pattern is the text to find, or a regular expression of RE2 when Regexp.
	Pattern            string
	Regexp, IgnoreCase bool
	// Globs choose files by their Rel: "*.go" by the last part, "cmd/**" by
	// the whole, "internal" a folder and all in it; "!" in front leaves out.
	// A file must match one of those without "!", if there are any.
	Globs []string
	// Context is how many lines before and after a match come with it.
	Context int
	// Limit is how many matches are returned at most; 0 means 200.
	Limit int
	// Also names further files to search: those that only read knows.
	Also []workspace.Path
	// Sensitive also searches files whose names are those of secrets.
	Sensitive bool
}

// Match is one line that matches.
type Match struct {
	Path workspace.Path
	Rel  string
	// Line and Column are where the first match on the line begins: one-based,
	// the column in bytes.
	Line, Column int
	// Text is the line, without its ending; of a long one what is around the
	// match, with "…" where it was cut.
	Text string
	// Before and After are the lines around it, cut like Text.
	Before, After []string
}

// Bounds of a query.
const (
	defaultLimit = 200
	maxLimit     = 10_000
	maxContext   = 50
	maxLine      = 300 // bytes of a line that are returned
)

// normal returns the query with its numbers in bounds.
func (q Query) normal() Query {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	q.Context = min(max(q.Context, 0), maxContext)
	return q
}

// chooser decides by globs which files to search.
type chooser struct {
	in, out []string
	// strip is true when names have their root's name in front, which a glob
	// may leave away.
	strip bool
}

// newChooser checks the globs.
func newChooser(globs []string, strip bool) (chooser, error) {
	c := chooser{strip: strip}
	for _, g := range globs {
		glob, out := strings.CutPrefix(strings.TrimSpace(g), "!")
		glob = strings.TrimPrefix(strings.TrimPrefix(strings.ReplaceAll(glob, `\`, "/"), "./"), "/")
		if glob == "" {
			continue
		}
		if !doublestar.ValidatePattern(glob) {
			return c, fmt.Errorf("bad glob %q: check its brackets and braces", g)
		}
		if out {
			c.out = append(c.out, glob)
		} else {
			c.in = append(c.in, glob)
		}
	}
	return c, nil
}

// takes reports whether a file is to be searched.
func (c chooser) takes(rel string) bool {
	return (len(c.in) == 0 || c.any(c.in, rel)) && !c.any(c.out, rel)
}

func (c chooser) any(globs []string, rel string) bool {
	for _, g := range globs {
		if globMatches(g, rel) {
			return true
		}
		if _, below, ok := strings.Cut(rel, "/"); c.strip && ok && globMatches(g, below) {
			return true
		}
	}
	return false
}

// globMatches matches one glob with the name of a file.
func globMatches(glob, rel string) bool {
	if dir := strings.TrimSuffix(glob, "/"); !strings.ContainsAny(dir, "*?[{") {
		return rel == dir || strings.HasPrefix(rel, dir+"/") ||
			!strings.Contains(dir, "/") && (path.Base(rel) == dir || strings.Contains(rel, "/"+dir+"/"))
	}
	if !strings.Contains(glob, "/") {
		return doublestar.MatchUnvalidated(glob, path.Base(rel))
	}
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	return doublestar.MatchUnvalidated(glob, rel)
}

// compile makes the finder for a query.
func compile(q Query) (lineFinder, error) {
	if q.Pattern == "" {
		return nil, fmt.Errorf("the pattern to search for is empty")
	}
	if !q.Regexp {
		if strings.ContainsAny(q.Pattern, "\n") {
			return nil, fmt.Errorf("the pattern %q has a line break; lines are searched one by one", q.Pattern)
		}
		if !q.IgnoreCase {
			return literal{[]byte(q.Pattern)}, nil
		}
		if isASCII(q.Pattern) {
			return newFolded(q.Pattern), nil
		}
		q.Pattern = regexp.QuoteMeta(q.Pattern)
	}
	expr := q.Pattern
	if q.IgnoreCase {
		expr = "(?i:" + expr + ")"
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("reading the regular expression: %w (RE2 syntax: no look-around, no back-references)", err)
	}
	return newExpression(re, expr), nil
}
