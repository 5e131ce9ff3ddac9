package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// maxWatched bounds how many changed files are looked at one by one. Behind a
// change of branch there are thousands, and each name costs a look at the disk.
const maxWatched = 100

// didChangeWatchedFiles tells the index of files that changed outside the
// editor.
func (s *session) didChangeWatchedFiles(_ context.Context, params *protocol.DidChangeWatchedFilesParams) error {
	if len(params.Changes) > maxWatched {
		s.projects.refresh()
		return nil
	}
	for _, change := range params.Changes {
		s.projects.changed(pathFromURI(string(change.URI)))
	}
	return nil
}
