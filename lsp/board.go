package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"emend/edits"
	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

// pending is a proposal that can still be taken up. Its content is immutable:
// what changes it puts a changed clone in its place.
type pending struct {
	*proposal.Content
	project *project
}

// board is the proposals waiting for the person, as the code actions and
// diagnostics see them.
type board struct {
	mu    sync.Mutex // guards the rest
	all   []pending  // oldest first
	paths map[workspace.Path]int
	undo  bool // there is a checkpoint to go back to

	editing    token // held by who changes texts or fates
	previewing token // held by the preview that is open in the editor
}

func newBoard() *board {
	return &board{paths: map[workspace.Path]int{}, editing: newToken(), previewing: newToken()}
}

// token is a lock that can be waited for together with the end of a context.
// While nobody holds it the channel holds one value.
type token chan struct{}

func newToken() token {
	t := make(token, 1)
	t <- struct{}{}
	return t
}

// take waits for the token; the caller must call release.
func (t token) take(ctx context.Context) (release func(), err error) {
	select {
	case <-t:
		return func() { t <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lockEdits waits until no other edit is under way; the caller must call
// unlock. Nobody waits for a person while holding it.
func (b *board) lockEdits(ctx context.Context) (unlock func(), err error) { return b.editing.take(ctx) }

// lockPreview waits until no preview is open in the editor.
func (b *board) lockPreview(ctx context.Context) (unlock func(), err error) {
	return b.previewing.take(ctx)
}

// canUndo reports whether a change was applied that can be taken back.
func (b *board) canUndo() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.undo
}

func (b *board) setUndo(can bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.undo = can
}

// put adds a proposal or replaces the one with its id; one with nothing left to
// decide is taken out, as is the one it supersedes. It returns the documents
// whose hunks may look different now.
func (b *board) put(p pending) []workspace.Path {
	b.mu.Lock()
	defer b.mu.Unlock()
	touched := p.Paths()
	b.all = slices.DeleteFunc(b.all, func(old pending) bool {
		gone := old.ID == p.ID || p.Supersedes != "" && old.ID == p.Supersedes
		if gone {
			touched = append(touched, old.Paths()...)
		}
		return gone
	})
	if p.Open() > 0 && p.Status != state.ProposalSuperseded {
		b.all = append(b.all, p)
	}
	b.paths = map[workspace.Path]int{}
	for _, q := range b.all {
		for _, path := range q.Paths() {
			b.paths[path]++
		}
	}
	slices.Sort(touched)
	return slices.Compact(touched)
}

// list returns the proposals, oldest first.
func (b *board) list() []pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.all)
}

// touches reports whether a proposal has to do with a document.
func (b *board) touches(p workspace.Path) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paths[p] > 0
}

// find returns the proposal with an id. With no id there must be exactly one
// waiting.
func (b *board) find(id string) (pending, error) {
	all := b.list()
	if id == "" && len(all) == 1 {
		return all[0], nil
	}
	for _, p := range all {
		if p.ID == id {
			return p, nil
		}
	}
	if len(all) == 0 {
		return pending{}, fmt.Errorf("no change is waiting")
	}
	var list []string
	for _, p := range all {
		list = append(list, fmt.Sprintf("%s (%s)", p.ID, p.Title))
	}
	if id != "" {
		return pending{}, fmt.Errorf("no change %q is waiting; there are: %s", id, strings.Join(list, ", "))
	}
	return pending{}, fmt.Errorf("%d changes wait, name one with proposal=: %s", len(all), strings.Join(list, ", "))
}

// spotted is an open hunk where it is in a document's text now.
type spotted struct {
	pending
	proposal.LocatedHunk
}

// hunks returns the open hunks in a document, in the order of the proposals.
func (b *board) hunks(path workspace.Path, text edits.Text) []spotted {
	var out []spotted
	for _, p := range b.list() {
		if !slices.Contains(p.Paths(), path) {
			continue
		}
		for _, h := range p.Located(string(path), text.String()) {
			if h.Fate == state.FatePending || h.Fate == state.FateConflict {
				out = append(out, spotted{p, h})
			}
		}
	}
	return out
}
