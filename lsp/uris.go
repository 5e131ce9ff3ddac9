package lsp

import (
	"strings"

	"go.lsp.dev/uri"

	"emend/internal/workspace"
)

// pathFromURI is the identity of the document a URI names, in whatever spelling
// the editor has (percent signs, drive letters). What is no file with a name
// (untitled:, the "file://" of an unnamed buffer) is known by its URI.
func pathFromURI(raw string) workspace.Path {
	return workspace.FromURI(strings.Clone(raw))
}

// uriOf is the URI under which the editor knows p: its own spelling when the
// document is open, else one made from the path.
func (m *mirror) uriOf(p workspace.Path) uri.URI {
	if doc, ok := m.docs.Get(p); ok {
		return uri.URI(doc.URI)
	}
	if !p.IsFile() {
		return uri.URI(p)
	}
	return uri.File(string(p))
}

// canonical is raw in the library's spelling, by which the mirror is keyed.
func canonical(raw string) uri.URI {
	u, err := uri.Parse(raw)
	if err != nil {
		return uri.URI(raw)
	}
	return u
}
