package lsp

import (
	"fmt"
	"log/slog"
	"os"
	"sync"

	"emend/index"
	"emend/internal/workspace"
	"emend/state"
)

// project is what one workspace folder has of its own: its store and the
// conversation this editor has there.
type project struct {
	root  string
	store *state.Store

	mu      sync.Mutex // guards the rest
	session string     // that the conversation goes on in; "" before the first
	talking bool       // a run is at work in it
}

// projects opens each folder's project at its first use, never while a request
// waits: an editor may open a hundred folders.
type projects struct {
	stateHome string
	log       *slog.Logger

	mu     sync.Mutex // guards byRoot, also while a store is opened
	byRoot map[string]*project

	ixMu  sync.Mutex // guards the index; never held while anything waits
	ix    *index.Index
	ixFor string
}

func newProjects(opts Options) *projects {
	return &projects{stateHome: opts.StateHome, log: opts.Log, byRoot: map[string]*project{}}
}

// of returns the project of a root folder. It reads the disk: for jobs only.
func (p *projects) of(root string) (*project, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pr, ok := p.byRoot[root]; ok {
		return pr, nil
	}
	store, err := state.Open(state.Dir(p.stateHome, root))
	if err != nil {
		return nil, fmt.Errorf("opening the store of %s: %w", root, err)
	}
	pr := &project{root: root, store: store}
	p.byRoot[root] = pr
	return pr, nil
}

// kept reports whether anything was ever stored for a root folder.
func (p *projects) kept(root string) bool {
	_, err := os.Stat(state.Dir(p.stateHome, root))
	return err == nil
}

// opened returns the projects in use so far.
func (p *projects) opened() []*project {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]*project, 0, len(p.byRoot))
	for _, pr := range p.byRoot {
		out = append(out, pr)
	}
	return out
}

// index returns the index over all roots; it is made anew when they change.
func (p *projects) index(roots workspace.Roots, ignore []string) *index.Index {
	key := fmt.Sprint(roots.Dirs(), ignore)
	p.ixMu.Lock()
	defer p.ixMu.Unlock()
	if p.ix == nil || p.ixFor != key {
		p.ix, p.ixFor = index.New(roots, index.Options{Ignore: ignore, Log: p.log}), key
	}
	return p.ix
}

// changed tells the index that a file is not what it was.
func (p *projects) changed(path workspace.Path) {
	p.ixMu.Lock()
	ix := p.ix
	p.ixMu.Unlock()
	if ix != nil {
		ix.Invalidate(path)
	}
}

// refresh makes the index look at everything again.
func (p *projects) refresh() {
	p.ixMu.Lock()
	ix := p.ix
	p.ixMu.Unlock()
	if ix != nil {
		ix.Refresh()
	}
}

func (p *projects) close() {
	for _, pr := range p.opened() {
		if err := pr.store.Close(); err != nil {
			p.log.Warn("closing a store", "root", pr.root, "error", err)
		}
	}
}

// converse returns the session that a run of this editor's in the folder
// belongs to: the one that the folder's conversation goes on in, unless another
// run is at work there. Two runs at once begin from the same text, so neither
// may take the place of the other's proposal. leave must be called when the run
// has proposed or ended; then others may go on from there.
func (pr *project) converse() (session string, leave func()) {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if pr.session == "" || pr.talking {
		session = state.NewID("session")
	} else {
		session = pr.session
	}
	if pr.talking {
		return session, sync.OnceFunc(func() {
			pr.mu.Lock()
			defer pr.mu.Unlock()
			if !pr.talking {
				pr.session = session
			}
		})
	}
	pr.session, pr.talking = session, true
	return session, sync.OnceFunc(func() {
		pr.mu.Lock()
		defer pr.mu.Unlock()
		pr.talking = false
	})
}
