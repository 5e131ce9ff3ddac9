package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"emend/index"
	"emend/internal/workspace"
	"emend/relevance"
)

// Bounds of what is looked at for a prompt: it has to be quick, and a model
// with tools can look further itself.
const (
	maxCandidates  = 16
	maxIdentifiers = 5
	maxHits        = 30 // of one identifier
)

// filesSection is excerpts of the files that the request names.
func (u *run) filesSection(ctx context.Context) (string, *ending) {
	terms := relevance.Terms(u.task.Instruction)
	candidates, end := u.candidates(ctx, terms)
	if end != nil {
		return "", end
	}
	var b strings.Builder
	for _, e := range relevance.Select(terms, candidates, u.window.bytes(filesShare)) {
		lines := ""
		if !e.Whole() {
			lines = fmt.Sprintf(", lines %d to %d of %d", e.From, e.To, e.Lines)
		}
		fmt.Fprintf(&b, "%s%s (%s):\n\n%s\n", e.Path, lines, strings.Join(e.Reasons, ", "), fenced(e.Text, language(e.Path)))
	}
	return b.String(), nil
}

// candidates reads the files that may belong in the prompt: those given, those
// named, and those that hold a named identifier. The focus has its own section.
func (u *run) candidates(ctx context.Context, terms relevance.Named) ([]relevance.Candidate, *ending) {
	g := gathering{u: u, byPath: map[workspace.Path]int{}}
	for _, name := range u.task.Include {
		p, err := u.snapshot.Resolve(name)
		if err != nil {
			return nil, refuse("the file given with the request cannot be used: %v", err)
		}
		if _, end := u.readable(ctx, p); end != nil {
			return nil, end
		}
		g.add(ctx, p, true)
	}
	for _, name := range terms.Match(u.knownFiles(ctx)) {
		if p, err := u.snapshot.Resolve(name); err == nil {
			g.add(ctx, p, false)
		}
	}
	for _, name := range terms.Files {
		if p, err := u.snapshot.Resolve(name); err == nil {
			g.add(ctx, p, false)
		}
	}
	if u.Index != nil {
		for _, word := range terms.Identifiers[:min(len(terms.Identifiers), maxIdentifiers)] {
			matches, _, err := u.env.Grep(ctx, index.Query{Pattern: word, Limit: maxHits})
			if err != nil {
				u.log().Warn("no search for the prompt", "run", u.out.Run, "error", err)
				break
			}
			g.hits(ctx, word, matches)
		}
	}
	return g.list, nil
}

// gathering collects candidates without repeats.
type gathering struct {
	u      *run
	list   []relevance.Candidate
	byPath map[workspace.Path]int // place in list; -1 for one that is left out
}

// add reads a file and returns its place in the list, or -1.
func (g *gathering) add(ctx context.Context, p workspace.Path, asked bool) int {
	if i, known := g.byPath[p]; known {
		return i
	}
	g.byPath[p] = -1
	u := g.u
	if u.task.Focus != nil && u.task.Focus.Path == p || len(g.list) >= maxCandidates {
		return -1
	}
	f, refused, err := u.env.Read(ctx, u.Roots.Rel(p))
	if err != nil || refused != "" || !f.Exists {
		return -1
	}
	g.byPath[p] = len(g.list)
	g.list = append(g.list, relevance.Candidate{Path: u.Roots.Rel(p), Text: f.Text, Asked: asked, Hits: map[string][]int{}})
	return g.byPath[p]
}

// hits notes where an identifier occurs, as a whole word.
func (g *gathering) hits(ctx context.Context, word string, matches []index.Match) {
	for _, m := range matches {
		if !wholeWord(m.Text, word) {
			continue
		}
		if i := g.add(ctx, m.Path, false); i >= 0 && !slices.Contains(g.list[i].Hits[word], m.Line) {
			g.list[i].Hits[word] = append(g.list[i].Hits[word], m.Line)
		}
	}
}

// wholeWord reports whether line holds word with no letter or digit beside it.
func wholeWord(line, word string) bool {
	for at := 0; ; {
		i := strings.Index(line[at:], word)
		if i < 0 {
			return false
		}
		i += at
		if !wordByte(line, i-1) && !wordByte(line, i+len(word)) {
			return true
		}
		at = i + 1
	}
}

func wordByte(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
