package lsp

import (
	"fmt"
	"strings"
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
// The read loop alone writes; anyone may read.
type mirror struct {
	docs workspace.Documents
	enc  edits.Encoding // set by initialize, before any document is open

	mu    sync.Mutex // guards paths and moved
	paths map[uri.URI]workspace.Path
	moved map[workspace.Path]*history
}

// path is the identity of the document that u names: that of the open document,
// else what the URI's file resolves to.
func (m *mirror) path(u uri.URI) workspace.Path {
	m.mu.Lock()
	p, ok := m.paths[u]
	m.mu.Unlock()
	if ok {
		return p
	}
	return pathFromURI(string(u))
}

// get returns the open document that u names.
func (m *mirror) get(u uri.URI) (*workspace.Document, bool) {
	return m.docs.Get(m.path(u))
}

// open adds a document. raw is the URI as the editor spelled it, which is how
// it is sent back.
func (m *mirror) open(item *protocol.TextDocumentItem, raw string) workspace.Path {
	p := pathFromURI(raw)
	m.mu.Lock()
	if m.paths == nil {
		m.paths = map[uri.URI]workspace.Path{}
		m.moved = map[workspace.Path]*history{}
	}
	m.paths[uri.URI(strings.Clone(string(item.URI)))] = p
	m.moved[p] = &history{}
	m.mu.Unlock()
	m.docs.Open(workspace.Document{
		Path:     p,
		URI:      strings.Clone(raw),
		Language: strings.Clone(string(item.LanguageID)),
		Version:  item.Version,
		Text:     edits.NewText(strings.Clone(item.Text)),
	})
	return p
}

// close forgets a document.
func (m *mirror) close(u uri.URI) workspace.Path {
	p := m.path(u)
	m.docs.Close(p)
	m.mu.Lock()
	delete(m.paths, u)
	delete(m.moved, p)
	m.mu.Unlock()
	return p
}

// change applies one didChange. Each event's range speaks of the text the
// events before it left. An event that does not fit the text leaves the
// document as it was before the message: half a change is worse than none.
func (m *mirror) change(u uri.URI, version int32, events []protocol.TextDocumentContentChangeEvent) (workspace.Path, error) {
	doc, ok := m.get(u)
	if !ok {
		return "", fmt.Errorf("didChange for %s, which is not open", u)
	}
	text := doc.Text
	var steps []step
	for i, event := range events {
		var err error
		var st step
		if text, st, err = m.splice(text, event); err != nil {
			return doc.Path, fmt.Errorf("change %d of %d to %s version %d: %w", i+1, len(events), u, version, err)
		}
		steps = append(steps, st)
	}
	m.mu.Lock()
	if h := m.moved[doc.Path]; h != nil {
		h.add(doc.Version, version, steps)
	}
	m.mu.Unlock()
	_, err := m.docs.Change(doc.Path, version, text)
	return doc.Path, err
}

// splice applies one event to text.
func (m *mirror) splice(text edits.Text, event protocol.TextDocumentContentChangeEvent) (edits.Text, step, error) {
	switch event := event.(type) {
	case *protocol.TextDocumentContentChangeWholeDocument:
		return edits.NewText(strings.Clone(event.Text)), step{whole: true}, nil
	case *protocol.TextDocumentContentChangePartial:
		start, end, err := offsets(text, event.Range, m.enc)
		if err != nil {
			return text, step{}, err
		}
		next, err := text.Splice(start, end, event.Text)
		if err != nil {
			return text, step{}, err
		}
		// The range is taken from the offsets it came to, so that history
		// speaks of clamped positions only.
		return next, step{
			start: text.Position(start, m.enc),
			end:   text.Position(end, m.enc),
			after: next.Position(start+len(event.Text), m.enc),
		}, nil
	default:
		return text, step{}, fmt.Errorf("content change of unknown shape %T", event)
	}
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
	h := m.moved[doc.Path]
	if h == nil {
		return r, staleError(doc, from)
	}
	start, end, ok := h.carry(from, doc.Version, fromProtoPosition(r.Start), fromProtoPosition(r.End))
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
