package lsp

import (
	"slices"
	"strings"
	"sync"

	"emend/edits"
	"emend/internal/workspace"
)

// rewrites remembers which lines a directive that emend itself wrote stands
// for: the selection below it.
type rewrites struct {
	mu   sync.Mutex // guards docs
	docs map[workspace.Path][]rewrite
}

// rewrite is one such selection: how many lines it had and how it began, by
// which it is known again wherever the directive has moved to.
type rewrite struct {
	lines int
	first string
}

// remember notes that a directive above the lines first..last of text stands
// for them.
func (r *rewrites) remember(p workspace.Path, text edits.Text, first, last int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.docs == nil {
		r.docs = map[workspace.Path][]rewrite{}
	}
	const most = 16
	all := append(r.docs[p], rewrite{lines: last - first + 1, first: lineOf(text, first)})
	r.docs[p] = all[max(0, len(all)-most):]
}

// below returns the bytes of the selection that a directive ending above line
// stands for; ok is false when none is remembered there.
func (r *rewrites) below(p workspace.Path, text edits.Text, line int) (start, end int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if line >= text.NumLines() {
		return 0, 0, false
	}
	for _, rw := range slices.Backward(r.docs[p]) { // the same line may have been selected before, alone or with others
		if rw.first == lineOf(text, line) {
			start, _ = text.Line(line)
			_, end = text.Line(min(line+rw.lines, text.NumLines()) - 1)
			return start, end, true
		}
	}
	return 0, 0, false
}

func (r *rewrites) forget(p workspace.Path) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.docs, p)
}

func lineOf(text edits.Text, line int) string {
	start, end := text.Line(line)
	return strings.Clone(text.String()[start:end])
}
