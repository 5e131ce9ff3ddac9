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
// document is or was open, else one made of its spelling of the workspace
// folder around it, which may be a symbolic link.
func (m *mirror) uriOf(p workspace.Path) uri.URI {
	if doc, ok := m.docs.Get(p); ok {
		return uri.URI(doc.URI)
	}
	if !p.IsFile() {
		return uri.URI(p)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if raw, ok := m.spelled[p]; ok {
		return uri.URI(raw)
	}
	full := uri.File(string(p))
	best := folder{}
	for _, f := range m.folders {
		if len(f.dir) > len(best.dir) && isAbove(f.dir, string(p)) {
			best = f
		}
	}
	if best.dir == "" {
		return full
	}
	rest, ok := strings.CutPrefix(string(full), strings.TrimRight(string(uri.File(best.dir)), "/"))
	if !ok {
		return full
	}
	return uri.URI(strings.TrimRight(best.spelled, "/") + rest)
}

// spelling is the URI of a file of which a URI was kept: that may be the
// editor's of an earlier session, or only one made of the path.
func (m *mirror) spelling(p workspace.Path, kept string) uri.URI {
	m.mu.Lock()
	_, known := m.spelled[p]
	m.mu.Unlock()
	if known || kept == "" || kept == p.URI() {
		return m.uriOf(p)
	}
	return uri.URI(kept)
}

// setFolders replaces the workspace folders by whose names URIs are made.
func (m *mirror) setFolders(folders []folder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.folders = folders
}

// workspaceFolders returns the folders; the list must not be changed.
func (m *mirror) workspaceFolders() []folder {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.folders
}

// canonical is raw in the library's spelling, by which the mirror is keyed.
func canonical(raw string) uri.URI {
	u, err := uri.Parse(raw)
	if err != nil {
		return uri.URI(strings.Clone(raw))
	}
	return u
}
