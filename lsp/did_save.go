package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// didSave notes that the disk has the document's text now.
func (s *session) didSave(_ context.Context, params *protocol.DidSaveTextDocumentParams) error {
	path := s.mirror.path(params.TextDocument.URI)
	s.mirror.docs.Saved(path)
	s.projects.changed(path)
	return nil
}
