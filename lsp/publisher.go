package lsp

import (
	"context"
	"crypto/sha256"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"emend/internal/workspace"
)

// publisher sends diagnostics: never the same set twice, and never one of an
// older version after one of a newer.
type publisher struct {
	editor *editor
	mirror *mirror

	mu   sync.Mutex                       // guards docs, and sending in order
	docs map[workspace.Path]*publishedDoc // those with anything published on them
}

type publishedDoc struct {
	sent [sha256.Size]byte // of the set last sent
	uri  uri.URI           // under which it was sent
}

func newPublisher(e *editor, m *mirror) *publisher {
	return &publisher{editor: e, mirror: m, docs: map[workspace.Path]*publishedDoc{}}
}

// touches reports whether anything is published on a document.
func (p *publisher) touches(path workspace.Path) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.docs[path] != nil
}

// set replaces what is published on a document, and sends it when it differs
// from what was sent last. doc is the version the diagnostics speak of, nil for
// a document that is not open; one that the mirror has moved past is dropped,
// since the next change publishes anew.
func (p *publisher) set(ctx context.Context, path workspace.Path, doc *workspace.Document, ds []protocol.Diagnostic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now, ok := p.mirror.docs.Get(path); ok && (doc == nil || doc.Version != now.Version) {
		return
	}
	d := p.docs[path]
	if d == nil {
		if len(ds) == 0 {
			return
		}
		d = &publishedDoc{}
		p.docs[path] = d
	}
	p.send(ctx, path, doc, d, ds)
	if len(ds) == 0 {
		delete(p.docs, path)
	}
}

func (p *publisher) send(ctx context.Context, path workspace.Path, doc *workspace.Document, d *publishedDoc, ds []protocol.Diagnostic) {
	params := &protocol.PublishDiagnosticsParams{URI: p.mirror.uriOf(path), Diagnostics: append([]protocol.Diagnostic{}, ds...)}
	if doc != nil {
		params.Version = protocol.NewOptional(doc.Version)
	}
	// The version counts as a difference only for clients that may have dropped
	// the last set because of it; for the others each keystroke would resend
	// what they have.
	same := *params
	if !p.editor.quirks.versionedDiagnostics {
		same.Version.Clear()
	}
	raw, err := protocol.Marshal(&same)
	if err != nil {
		p.editor.log.Error("encoding diagnostics", "error", err)
		return
	}
	if d.uri != "" && d.uri != params.URI { // opened meanwhile under another name
		p.editor.notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, &protocol.PublishDiagnosticsParams{URI: d.uri, Diagnostics: []protocol.Diagnostic{}})
	}
	if sum := sha256.Sum256(raw); sum != d.sent {
		d.sent, d.uri = sum, params.URI
		p.editor.notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, params)
	}
}
