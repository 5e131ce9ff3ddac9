package lsp

import (
	"sync"

	"go.lsp.dev/protocol"

	"emend/internal/workspace"
)

// Signals of where the person is, by how much they are trusted. An editor says
// nothing of focus itself.
const (
	signalOpen = iota
	signalChange
	signalCodeAction
)

// focus is the last place the person was seen at, for commands that come
// without one. A code action's range is the cursor or selection itself; a
// change is where the text moved; an open says which document only.
type focus struct {
	mu   sync.Mutex // guards last
	last spot
}

type spot struct {
	path    workspace.Path
	rng     protocol.Range
	version int32
	signal  int
}

// opened notes a document that came up. It does not take a place in a document
// away that is still open under the person's hands.
func (f *focus) opened(p workspace.Path) { f.set(spot{path: p, signal: signalOpen}) }

// changed notes where the person typed.
func (f *focus) changed(doc *workspace.Document, event protocol.TextDocumentContentChangeEvent) {
	place := spot{path: doc.Path, version: doc.Version, signal: signalChange}
	if part, ok := event.(*protocol.TextDocumentContentChangePartial); ok {
		place.rng = protocol.Range{Start: part.Range.Start, End: part.Range.Start}
	}
	f.set(place)
}

// acted notes the range a code action was asked for.
func (f *focus) acted(doc *workspace.Document, r protocol.Range) {
	f.set(spot{path: doc.Path, rng: r, version: doc.Version, signal: signalCodeAction})
}

// set takes a new spot. Within one document a weaker signal does not displace a
// stronger one of the same version; another document always does.
func (f *focus) set(s spot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.path == f.last.path && s.signal < f.last.signal && s.version == f.last.version {
		return
	}
	f.last = s
}

// get returns the last spot; ok is false before the first.
func (f *focus) get() (spot, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last, f.last.path != ""
}
