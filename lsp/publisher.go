package lsp

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"emend/internal/workspace"
)

// layers of diagnostics on one document; each is replaced as a whole.
const (
	layerHunks    = "hunks"    // hints on a proposal's hunks
	layerFindings = "findings" // what checks found
)

// publisher sends diagnostics: all layers of a document as one set, never the
// same set twice, and never one of an older version after one of a newer.
type publisher struct {
	editor *editor
	mirror *mirror

	mu   sync.Mutex // guards docs, and sending in order
	docs map[workspace.Path]*publishedDoc
}

type publishedDoc struct {
	layers map[string][]protocol.Diagnostic
	sent   [sha256.Size]byte // of the set last sent
	uri    uri.URI           // under which it was sent
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

// set replaces one layer of a document and sends the whole set when it differs
// from the one sent last. doc is the version the diagnostics speak of, nil for
// a document that is not open; one that the mirror has moved past is dropped,
// since the next change publishes anew.
func (p *publisher) set(ctx context.Context, path workspace.Path, doc *workspace.Document, layer string, ds []protocol.Diagnostic) {
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
		d = &publishedDoc{layers: map[string][]protocol.Diagnostic{}}
		p.docs[path] = d
	}
	if len(ds) == 0 {
		delete(d.layers, layer)
	} else {
		d.layers[layer] = ds
	}
	p.send(ctx, path, doc, d)
	if len(d.layers) == 0 {
		delete(p.docs, path)
	}
}

func (p *publisher) send(ctx context.Context, path workspace.Path, doc *workspace.Document, d *publishedDoc) {
	params := &protocol.PublishDiagnosticsParams{URI: p.mirror.uriOf(path), Diagnostics: []protocol.Diagnostic{}}
	if doc != nil {
		params.Version = protocol.NewOptional(doc.Version)
	}
	for _, layer := range slices.Sorted(maps.Keys(d.layers)) {
		params.Diagnostics = append(params.Diagnostics, d.layers[layer]...)
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
