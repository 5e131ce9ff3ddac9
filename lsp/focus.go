package lsp

import (
	"slices"
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

// maxSpots bounds how many documents are remembered.
const maxSpots = 32

// focus is the last place the person was seen at, for commands that come
// without one. A code action's range is the cursor or selection itself; a
// change is where the text moved; an open says which document only. When the
// document is closed, the one before it counts again.
type focus struct {
	mu    sync.Mutex // guards spots
	spots []spot     // one a document, the last seen at the end
}

type spot struct {
	path    workspace.Path
	rng     protocol.Range
	version int32
	signal  int
}

// opened notes a document that came up.
func (f *focus) opened(p workspace.Path) { f.set(spot{path: p, signal: signalOpen}) }

// changed notes where the person typed; nil says nothing of where.
func (f *focus) changed(doc *workspace.Document, r *protocol.Range) {
	place := spot{path: doc.Path, version: doc.Version, signal: signalChange}
	if r != nil {
		place.rng = protocol.Range{Start: r.Start, End: r.Start}
	}
	f.set(place)
}

// acted notes the range a code action was asked for.
func (f *focus) acted(doc *workspace.Document, r protocol.Range) {
	f.set(spot{path: doc.Path, rng: r, version: doc.Version, signal: signalCodeAction})
}

// closed forgets a document.
func (f *focus) closed(p workspace.Path) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spots = slices.DeleteFunc(f.spots, func(s spot) bool { return s.path == p })
}

// set takes a new spot. Within one document a weaker signal does not displace a
// stronger one of the same version; another document always does.
func (f *focus) set(s spot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.IndexFunc(f.spots, func(o spot) bool { return o.path == s.path }); i >= 0 {
		if old := f.spots[i]; s.signal < old.signal && s.version == old.version {
			s = old
		}
		f.spots = slices.Delete(f.spots, i, i+1)
	}
	if len(f.spots) == maxSpots {
		f.spots = slices.Delete(f.spots, 0, 1)
	}
	f.spots = append(f.spots, s)
}

// get returns the last spot; ok is false when no document is open.
func (f *focus) get() (spot, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.spots) == 0 {
		return spot{}, false
	}
	return f.spots[len(f.spots)-1], true
}
