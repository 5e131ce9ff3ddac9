package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// didClose takes a document out of the mirror: from here on the disk is the
// truth about it.
func (s *session) didClose(_ context.Context, params *protocol.DidCloseTextDocumentParams) error {
	path := s.mirror.close(params.TextDocument.URI)
	if _, open := s.mirror.docs.Get(path); !open {
		s.focus.closed(path)
		s.rewrites.forget(path)
	}
	s.projects.changed(path)
	s.documentMoved(path)
	return nil
}
