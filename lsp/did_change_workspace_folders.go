package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"
)

// didChangeWorkspaceFolders opens and closes folders. Runs under way keep the
// folders they began with.
func (s *session) didChangeWorkspaceFolders(_ context.Context, params *protocol.DidChangeWorkspaceFoldersParams) error {
	dirs := slices.Clone(s.roots.Load().Dirs())
	for _, f := range params.Event.Removed {
		gone := string(pathFromURI(string(f.URI)))
		dirs = slices.DeleteFunc(dirs, func(d string) bool { return d == gone })
	}
	var added []string
	for _, f := range params.Event.Added {
		added = appendRoot(added, string(f.URI))
	}
	s.setRoots(append(dirs, added...))
	s.tasks.spawn("recover", func(ctx context.Context) {
		for _, dir := range added {
			s.recoverProject(ctx, dir)
		}
	})
	return nil
}
