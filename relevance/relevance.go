// Package relevance decides what of a workspace belongs in a model's prompt.
//
// [Terms] reads a request for what it names: files and identifiers. The caller
// finds candidates for them (the files of that name, the lines where an
// identifier occurs) and hands them to [Select], which ranks them and cuts
// excerpts that fit a budget, each with its reasons.
//
// Both are pure: the same input gives the same list. The package reads no file,
// asks no index and knows nothing of models.
package relevance

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"emend/edits"
)

// Named is what a request names, each list in order of appearance, without
// repeats.
type Named struct {
	Files       []string // paths and base names, with slashes, as written
	Identifiers []string // words that look like names in code
}

// maxNamed bounds each list of a Named: a pasted log names hundreds of things,
// and the first are the request.
const maxNamed = 20

// Terms finds files and identifiers in a request. A word counts as a file when
// it has an extension or a slash, as an identifier when it is in backquotes, is
// called, or has inner capitals, digits or underscores.
func Terms(request string) Named {
	var n Named
	for i, part := range strings.Split(request, "`") {
		quoted := i%2 == 1
		for _, word := range strings.FieldsFunc(part, separates) {
			n.add(word, quoted && !strings.ContainsAny(part, " \n"))
		}
	}
	return n
}

// separates reports whether r cannot be part of a path or a name.
func separates(r rune) bool {
	return strings.ContainsRune(" \t\r\n\"'`,;!?<>[]{}|=*", r)
}

func (n *Named) add(word string, quoted bool) {
	called := strings.HasSuffix(word, "()")
	word = strings.Trim(strings.TrimSuffix(word, "()"), ".:()")
	name, _, _ := strings.Cut(word, "(")
	word = strings.TrimSuffix(name, ".")
	if word == "" || strings.Contains(word, "://") {
		return
	}
	file, _, _ := strings.Cut(word, ":") // path:12
	file = strings.TrimPrefix(path.Clean(file), "/")
	if looksLikeFile(file) && len(n.Files) < maxNamed && !slices.Contains(n.Files, file) {
		n.Files = append(n.Files, file)
	}
	if i := strings.LastIndexByte(word, '.'); i >= 0 {
		word = word[i+1:] // pkg.Name, x.method
		called = called || word != strings.ToLower(word)
	}
	if isIdentifier(word) && (quoted || called || looksLikeCode(word)) &&
		len(n.Identifiers) < maxNamed && !slices.Contains(n.Identifiers, word) {
		n.Identifiers = append(n.Identifiers, word)
	}
}

// looksLikeFile reports whether a word has a base name with an extension, or
// is a path of several parts.
func looksLikeFile(word string) bool {
	base := path.Base(word)
	ext := path.Ext(base)
	if strings.Contains(word, "/") && base != "." && base != ".." {
		return true
	}
	return len(ext) > 1 && len(ext) <= 6 && len(base) > len(ext)+1 && isPlain(ext[1:])
}

// isPlain reports whether an extension is of lower-case letters and digits, as
// those of source files are but for R's.
func isPlain(ext string) bool {
	for _, r := range ext {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != 'R' {
			return false
		}
	}
	return true
}

func isIdentifier(word string) bool {
	if len(word) < 3 || len(word) > 80 {
		return false
	}
	for i, r := range word {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return true
}

// looksLikeCode tells parseURL, max_size and utf8 from English.
func looksLikeCode(word string) bool {
	if strings.ContainsAny(word, "_0123456789") {
		return true
	}
	rest := word[1:]
	return strings.ToLower(rest) != rest && strings.ToUpper(word) != word
}

// Match finds the entries of paths that one of the named files means: the
// whole path, else its end, else, for a name without a slash and an extension,
// nothing. Several files may have the name. Paths are relative, with slashes.
func (n Named) Match(paths []string) []string {
	var found []string
	for _, name := range n.Files {
		for _, p := range paths {
			if (p == name || strings.HasSuffix(p, "/"+name)) && !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
	}
	return found
}

// Candidate is a file that may belong in the prompt.
type Candidate struct {
	Path string // relative, with slashes; what the excerpt is called
	Text string
	// Asked is set for a file that the person gave by hand.
	Asked bool
	// Hits are the one-based lines where an identifier of the request occurs,
	// by identifier.
	Hits map[string][]int
}

// Excerpt is a part of a file, lines From to To, one-based and inclusive, of
// Lines altogether.
type Excerpt struct {
	Path      string
	From, To  int
	Lines     int
	Text      string // the whole lines, with their ends
	Score     float64
	Reasons   []string // why it is here, for the model and the person
	truncated bool
}

// Whole reports whether the excerpt is the whole file.
func (e Excerpt) Whole() bool { return e.From == 1 && e.To == e.Lines && !e.truncated }

// around is how many lines an excerpt shows beside a hit.
const around = 8

// Select ranks the candidates for a request and returns excerpts of the best,
// the best first, that together have at most budget bytes. A file that was
// given or named comes from its top as far as it fits; one that only holds an
// identifier comes as the lines around its hits.
func Select(request Named, candidates []Candidate, budget int) []Excerpt {
	type ranked struct {
		Candidate
		score   float64
		reasons []string
	}
	var list []ranked
	for _, c := range candidates {
		score, reasons := rank(request, c)
		if score > 0 {
			list = append(list, ranked{c, score, reasons})
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].score != list[j].score {
			return list[i].score > list[j].score
		}
		return list[i].Path < list[j].Path
	})
	var out []Excerpt
	for _, r := range list {
		for _, e := range excerpts(r.Candidate, r.score >= namedScore, budget) {
			e.Score, e.Reasons = r.score, r.reasons
			out = append(out, e)
			budget -= len(e.Text)
		}
	}
	return out
}

// The score of a file that was given by hand, and of one that was named.
// Identifiers add less than one altogether.
const (
	askedScore = 3
	namedScore = 2
)

func rank(request Named, c Candidate) (score float64, reasons []string) {
	if c.Asked {
		score, reasons = askedScore, append(reasons, "given with the request")
	} else if len(request.Match([]string{c.Path})) > 0 {
		score, reasons = namedScore, append(reasons, "named in the request")
	}
	for i, name := range request.Identifiers {
		if hits := len(c.Hits[name]); hits > 0 {
			// Earlier names count for more, and so do more hits, up to a point.
			score += float64(4+min(hits, 4)) / float64(10*(i+1)*len(request.Identifiers))
			reasons = append(reasons, fmt.Sprintf("holds %s", name))
		}
	}
	return score, reasons
}

// excerpts cuts a file down to budget bytes of whole lines.
func excerpts(c Candidate, fromTop bool, budget int) []Excerpt {
	text := edits.NewText(c.Text)
	lines := text.NumLines()
	if start, end := text.Line(lines - 1); start == end && lines > 1 {
		lines--
	}
	var out []Excerpt
	for _, span := range spans(c, fromTop, lines) {
		e := cut(text, span[0], span[1], budget)
		if e.To < e.From {
			break
		}
		e.Path, e.Lines = c.Path, lines
		budget -= len(e.Text)
		out = append(out, e)
	}
	return out
}

// spans returns the one-based lines worth showing, ascending, apart from each
// other.
func spans(c Candidate, fromTop bool, lines int) [][2]int {
	if fromTop {
		return [][2]int{{1, lines}}
	}
	var hits []int
	for _, list := range c.Hits {
		hits = append(hits, list...)
	}
	slices.Sort(hits)
	var out [][2]int
	for _, hit := range hits {
		from, to := max(1, hit-around), min(lines, hit+around)
		if n := len(out); n > 0 && from <= out[n-1][1]+1 {
			out[n-1][1] = max(to, out[n-1][1])
		} else if from <= to {
			out = append(out, [2]int{from, to})
		}
	}
	return out
}

// cut takes lines from to to as far as budget bytes go.
func cut(text edits.Text, from, to, budget int) Excerpt {
	start, _ := text.Line(from - 1)
	e := Excerpt{From: from, To: from - 1}
	for i := from; i <= to; i++ {
		end := text.Len()
		if i < text.NumLines() {
			end, _ = text.Line(i)
		}
		if end-start > budget {
			e.truncated = true
			break
		}
		e.To, e.Text = i, text.String()[start:end]
	}
	return e
}
