package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"emend/internal/workspace"
)

// didChange brings one document of the mirror up to date. It runs on the read
// loop at every keystroke: nothing here may wait or grow with the workspace.
func (s *session) didChange(_ context.Context, params *protocol.DidChangeTextDocumentParams) error {
	path, err := s.mirror.change(params.TextDocument.URI, params.TextDocument.Version, params.ContentChanges)
	if err != nil {
		return err
	}
	if doc, ok := s.mirror.docs.Get(path); ok && len(params.ContentChanges) > 0 {
		s.focus.changed(doc, params.ContentChanges[len(params.ContentChanges)-1])
	}
	s.documentMoved(path)
	return nil
}

// documentMoved tells the parts that depend on a document's text that it is not
// what it was.
func (s *session) documentMoved(path workspace.Path) {
	if s.board.touches(path) || s.published.touches(path) {
		s.refresh(path)
	}
}
