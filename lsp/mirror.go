package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"emend/edits"
	"emend/internal/workspace"
)

// mirror is the editor's open documents as the server knows them, with what the
// wire needs beside the text: the position encoding, which path a URI means,
// and how places moved from version to version.
//
// An editor may have one file open under two names, as two buffers with texts
// of their own: one of them, the one the person was in last, is the document.
//
// The read loop alone writes; anyone may read.
type mirror struct {
	docs workspace.Documents
	enc  edits.Encoding // set by initialize, before any document is open

	mu      sync.Mutex // guards the rest
	buffers map[uri.URI]*buffer
	front   map[workspace.Path]*buffer // the one of a file's buffers that docs has
	spelled map[workspace.Path]string  // URIs of files that were open, as the editor spells them
	folders []folder
}

// buffer is one document the editor has open, by its name there.
type buffer struct {
	doc     *workspace.Document
	moved   history
	changed bool // since it was opened
	lost    bool // a change was missed: the text is not the editor's any more
}

// folder is a workspace folder.
type folder struct {
	dir     string
	spelled string // its URI in the editor's spelling
}

// path is the identity of the document that u names: that of the open document,
// else what the URI's file resolves to.
func (m *mirror) path(u uri.URI) workspace.Path {
	m.mu.Lock()
	b := m.buffers[u]
	m.mu.Unlock()
	if b != nil {
		return b.doc.Path
	}
	return pathFromURI(string(u))
}

// get returns the open document that u names, which is where the person is now.
// It is for the read loop.
func (m *mirror) get(u uri.URI) (*workspace.Document, bool) {
	m.mu.Lock()
	b := m.buffers[u]
	m.mu.Unlock()
	if b == nil {
		return m.docs.Get(pathFromURI(string(u)))
	}
	m.raise(b)
	return b.doc, true
}

// raise makes b the document of its file.
func (m *mirror) raise(b *buffer) {
	m.mu.Lock()
	is := m.front[b.doc.Path] == b
	m.front[b.doc.Path] = b
	m.mu.Unlock()
	if is {
		return
	}
	m.docs.Open(*b.doc)
	if b.changed {
		m.store(b)
	}
}

// store makes b's document the newest version of its file.
func (m *mirror) store(b *buffer) {
	if doc, err := m.docs.Change(b.doc.Path, b.doc.Version, b.doc.Text); err == nil {
		b.doc = doc
	}
}

// open adds a document. raw is the URI as the editor spelled it, which is how
// it is sent back. The strings must not be parts of a message.
func (m *mirror) open(raw, language string, version int32, text string) workspace.Path {
	b := &buffer{doc: &workspace.Document{
		Path:     pathFromURI(raw),
		URI:      raw,
		Language: language,
		Version:  version,
		Text:     edits.NewText(text),
	}}
	m.mu.Lock()
	if m.buffers == nil {
		m.buffers = map[uri.URI]*buffer{}
		m.front = map[workspace.Path]*buffer{}
		m.spelled = map[workspace.Path]string{}
	}
	m.buffers[canonical(b.doc.URI)] = b
	m.front[b.doc.Path] = b
	m.spelled[b.doc.Path] = b.doc.URI
	m.mu.Unlock()
	m.docs.Open(*b.doc)
	return b.doc.Path
}

// close forgets a document. Another buffer of the same file takes its place.
func (m *mirror) close(u uri.URI) workspace.Path {
	m.mu.Lock()
	b := m.buffers[u]
	if b == nil {
		m.mu.Unlock()
		return pathFromURI(string(u))
	}
	delete(m.buffers, u)
	p := b.doc.Path
	var other *buffer
	if m.front[p] == b {
		delete(m.front, p)
		for _, o := range m.buffers {
			if o.doc.Path == p {
				other = o
			}
		}
	}
	shown := m.front[p] != nil
	m.mu.Unlock()
	switch {
	case other != nil:
		m.raise(other)
	case !shown:
		m.docs.Close(p)
	}
	return p
}

// documentChange is a didChange as it is read here. The library's reading takes
// an event whose range it does not understand for one without a range, which
// replaces the document.
type documentChange struct {
	TextDocument struct {
		URI     string       `json:"uri"`
		Version *json.Number `json:"version"`
	} `json:"textDocument"`
	Events []changeEvent `json:"contentChanges"`
}

// changeEvent replaces a range, or the whole document when there is none.
type changeEvent struct {
	Range *protocol.Range `json:"range"`
	Text  *string         `json:"text"`
}

// versionOf reads a version: some clients send null, or a whole number with a
// fraction. otherwise stands for none.
func versionOf(v *json.Number, otherwise int32) int32 {
	if v != nil {
		if f, err := v.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32 {
			return int32(f)
		}
	}
	return otherwise
}

// errLost is a document of which a change was missed before.
var errLost = errors.New("a change before this one was missed")

// change applies one didChange. Each event's range speaks of the text the
// events before it left. An event that does not fit the text leaves the
// document as it was before the message, at its old version, and so do all that
// follow, until one brings the whole text: a change to another text than the
// editor's would put every later one in a wrong place.
func (m *mirror) change(c *documentChange) (*workspace.Document, error) {
	m.mu.Lock()
	b := m.buffers[canonical(c.TextDocument.URI)]
	m.mu.Unlock()
	if b == nil {
		return nil, fmt.Errorf("didChange for %s, which is not open", c.TextDocument.URI)
	}
	events := c.Events
	for i := len(events) - 1; i >= 0; i-- { // what is before a whole text does not count
		if events[i].Range == nil && events[i].Text != nil {
			events, b.lost = events[i:], false
			break
		}
	}
	if b.lost {
		return b.doc, errLost
	}
	m.raise(b)
	text := b.doc.Text
	var steps []step
	for i, event := range events {
		var err error
		var st step
		if text, st, err = m.splice(text, event); err != nil {
			b.lost = true
			return b.doc, fmt.Errorf("change %d of %d to %s version %d: %w", i+1, len(events), b.doc.URI, versionOf(c.TextDocument.Version, b.doc.Version), err)
		}
		steps = append(steps, st)
	}
	next := *b.doc
	next.Version, next.Text = versionOf(c.TextDocument.Version, b.doc.Version), text
	m.mu.Lock()
	b.moved.add(b.doc.Version, next.Version, steps)
	m.mu.Unlock()
	b.doc, b.changed = &next, true
	m.store(b)
	return b.doc, nil
}

// lose notes that a change of a document could not even be read. It returns the
// document when this is news.
func (m *mirror) lose(raw string) (*workspace.Document, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.buffers[canonical(raw)]
	if b == nil || b.lost {
		return nil, false
	}
	b.lost = true
	return b.doc, true
}

// splice applies one event to text.
func (m *mirror) splice(text edits.Text, event changeEvent) (edits.Text, step, error) {
	if event.Text == nil {
		return text, step{}, errors.New("there is no text in it")
	}
	if event.Range == nil {
		return edits.NewText(*event.Text), step{whole: true}, nil
	}
	start, end, err := offsets(text, *event.Range, m.enc)
	if err != nil {
		return text, step{}, err
	}
	next, err := text.Splice(start, end, *event.Text)
	if err != nil {
		return text, step{}, err
	}
	// The range is taken from the offsets it came to, so that history speaks of
	// clamped positions only.
	return next, step{
		start: text.Position(start, m.enc),
		end:   text.Position(end, m.enc),
		after: next.Position(start+len(*event.Text), m.enc),
	}, nil
}

// carry takes a range that spoke of version from to the document's version now.
// It fails when the versions between are not known or the range's own text
// changed since.
func (m *mirror) carry(doc *workspace.Document, r protocol.Range, from int32) (protocol.Range, error) {
	if from == doc.Version {
		return r, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.front[doc.Path]
	if b == nil {
		return r, staleError(doc, from)
	}
	start, end, ok := b.moved.carry(from, doc.Version, fromProtoPosition(r.Start), fromProtoPosition(r.End))
	if !ok {
		return r, staleError(doc, from)
	}
	return protocol.Range{Start: toProtoPosition(start), End: toProtoPosition(end)}, nil
}

func staleError(doc *workspace.Document, from int32) error {
	return jsonrpc2.Errorf(protocol.CodeContentModified,
		"the range is of version %d of %s, which is at version %d now, and its text has changed since; select it again",
		from, doc.Path.Base(), doc.Version)
}
