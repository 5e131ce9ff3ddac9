package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// didChangeWatchedFiles tells the index of files that changed outside the
// editor.
func (s *session) didChangeWatchedFiles(_ context.Context, params *protocol.DidChangeWatchedFilesParams) error {
	for _, change := range params.Changes {
		s.projects.changed(pathFromURI(string(change.URI)))
	}
	return nil
}
