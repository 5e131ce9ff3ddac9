package workspace

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"emend/edits"
)

// Document is one version of a document the editor has open. It never changes.
type Document struct {
	Path     Path
	URI      string // the editor's spelling, always sent back as it is
	Language string // the editor's language id
	Version  int32
	Text     edits.Text
}

// Documents mirrors what the editor has open. One goroutine writes, in the
// order of the wire; any may read, and a reader never holds the writer up:
// what is open is one immutable list that each change replaces (some
// nanoseconds a document). The zero value is ready.
type Documents struct {
	open atomic.Pointer[opened]

	mu sync.Mutex // held by writers, and while a channel is handed out
	// changed is closed at the next change; nil when nobody asked.
	changed chan struct{}
}

// opened is one state of the mirror: both lists are by ascending path and
// never change.
type opened struct {
	docs    []*Document
	unsaved []bool
}

// find returns where p is, or would be.
func (o *opened) find(p Path) (int, bool) {
	if o == nil {
		return 0, false
	}
	return slices.BinarySearchFunc(o.docs, p, func(d *Document, p Path) int {
		return strings.Compare(string(d.Path), string(p))
	})
}

// clone returns a copy that may be changed, with room for one more.
func (o *opened) clone() *opened {
	if o == nil {
		return &opened{}
	}
	n := len(o.docs)
	return &opened{
		docs:    append(make([]*Document, 0, n+1), o.docs...),
		unsaved: append(make([]bool, 0, n+1), o.unsaved...),
	}
}

// publish makes next the state of the mirror. d.mu must be held.
func (d *Documents) publish(next *opened) {
	d.open.Store(next)
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// Open records that the editor opened a document. A document that is open
// already is replaced: editors do open twice.
func (d *Documents) Open(doc Document) {
	// What stays beyond a message must not pin the message.
	doc.URI = strings.Clone(doc.URI)
	doc.Language = strings.Clone(doc.Language)
	d.mu.Lock()
	defer d.mu.Unlock()
	next := d.open.Load().clone()
	i, found := next.find(doc.Path)
	if found {
		next.docs[i], next.unsaved[i] = &doc, false
	} else {
		next.docs = slices.Insert(next.docs, i, &doc)
		next.unsaved = slices.Insert(next.unsaved, i, false)
	}
	d.publish(next)
}

// Close records that the editor closed a document. One that is not open is
// ignored.
func (d *Documents) Close(p Path) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, found := d.open.Load().find(p)
	if !found {
		return
	}
	next := d.open.Load().clone()
	next.docs = slices.Delete(next.docs, i, i+1)
	next.unsaved = slices.Delete(next.unsaved, i, i+1)
	d.publish(next)
}

// Saved records that the editor wrote a document to disk.
func (d *Documents) Saved(p Path) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, found := d.open.Load().find(p)
	if !found {
		return
	}
	next := d.open.Load().clone()
	next.unsaved[i] = false
	d.publish(next)
}

// Change records a new version and text of an open document and returns it. It
// fails when the document is not open. Any version is taken, as some editors
// repeat them; it is the text that counts.
func (d *Documents) Change(p Path, version int32, text edits.Text) (*Document, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, found := d.open.Load().find(p)
	if !found {
		return nil, fmt.Errorf("changing %s: the editor has not opened it", p)
	}
	next := d.open.Load().clone()
	doc := *next.docs[i]
	doc.Version, doc.Text = version, text
	next.docs[i], next.unsaved[i] = &doc, true
	d.publish(next)
	return &doc, nil
}

// Get returns the latest version of an open document.
func (d *Documents) Get(p Path) (*Document, bool) {
	open := d.open.Load()
	i, found := open.find(p)
	if !found {
		return nil, false
	}
	return open.docs[i], true
}

// All returns the open documents by ascending path. It costs nothing; the
// slice is shared and must not be changed.
func (d *Documents) All() []*Document {
	open := d.open.Load()
	if open == nil {
		return nil
	}
	return open.docs
}

// Unsaved reports whether an open document was changed since it was opened or
// last saved. A document without a file is always unsaved. A buffer that the
// editor restored with old changes in it counts as saved until it changes.
func (d *Documents) Unsaved(p Path) bool {
	open := d.open.Load()
	i, found := open.find(p)
	return found && (open.unsaved[i] || !p.IsFile())
}

// Changed returns a channel that is closed at the next Open, Change, Saved or
// Close. To wait for a state, take the channel first, then look, then wait.
func (d *Documents) Changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	return d.changed
}
