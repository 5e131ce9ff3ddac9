package index

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"
)

// What a match of a whole kind is worth beside the fuzzy score, which for a
// short name is some tens.
const (
	worthWholeName = 4000 // the query is the base name, or the end of the path by parts
	worthStem      = 2000 // the query is the base name without its extension
	worthPrefix    = 800  // the base name begins with the query
	worthInName    = 400  // the base name holds the query
	worthInPath    = 200  // the path holds the query
	worthLetters   = 100  // all letters of the query are in the base name, in order
)

// Find returns the files whose names are likest to the query, likest first, at
// most limit of them. A query is a name, a part of a path, or letters of one
// in order; several words must all be found. A line number at its end
// (":12:3") is ignored. An empty query finds nothing.
func (ix *Index) Find(ctx context.Context, query string, limit int) ([]Entry, error) {
	files, err := ix.Files(ctx)
	if err != nil {
		return nil, err
	}
	terms := findTerms(query)
	if len(terms) == 0 || limit <= 0 {
		return nil, nil
	}
	scores := make(map[int]int)
	for n, term := range terms {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("finding %q: %w", query, err)
		}
		next := make(map[int]int)
		for _, m := range fuzzy.FindFromNoSort(term, byRel(files)) {
			if before, ok := scores[m.Index]; ok || n == 0 {
				next[m.Index] = before + score(term, files[m.Index].Rel, m)
			}
		}
		scores = next
	}
	found := make([]int, 0, len(scores))
	for i := range scores {
		found = append(found, i)
	}
	slices.SortFunc(found, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]),
			cmp.Compare(len(files[a].Rel), len(files[b].Rel)), cmp.Compare(files[a].Rel, files[b].Rel))
	})
	list := make([]Entry, min(limit, len(found)))
	for i := range list {
		list[i] = files[found[i]]
	}
	return list, nil
}

// findTerms returns the words of a query without what people and models put
// around names.
func findTerms(query string) []string {
	var terms []string
	for _, w := range strings.Fields(strings.ReplaceAll(query, `\`, "/")) {
		w = strings.Trim(w, "`'\",()<>")
		for {
			i := strings.LastIndexByte(w, ':')
			if i <= 0 || strings.Trim(w[i+1:], "0123456789-") != "" {
				break
			}
			w = w[:i]
		}
		w = strings.Trim(strings.TrimPrefix(w, "./"), "/")
		if w != "" {
			terms = append(terms, w)
		}
	}
	return terms
}

// byRel lends the names of entries to the matcher.
type byRel []Entry

func (s byRel) String(i int) string { return s[i].Rel }
func (s byRel) Len() int            { return len(s) }

// score says how well a term fits a name that the matcher found it in.
func score(term, rel string, m fuzzy.Match) int {
	term, lower := strings.ToLower(term), strings.ToLower(rel)
	base := path.Base(lower)
	s := m.Score
	switch {
	case base == term, lower == term, strings.HasSuffix(lower, "/"+term):
		s += worthWholeName
	case strings.TrimSuffix(base, path.Ext(base)) == term:
		s += worthStem
	case strings.HasPrefix(base, term):
		s += worthPrefix
	case strings.Contains(base, term):
		s += worthInName
	case strings.Contains(lower, term):
		s += worthInPath
	case inOrder(term, base):
		s += worthLetters
	}
	return s
}

// inOrder reports whether the letters of term are in name in their order.
func inOrder(term, name string) bool {
	for _, r := range term {
		i := strings.IndexRune(name, r)
		if i < 0 {
			return false
		}
		name = name[i+len(string(r)):]
	}
	return true
}
