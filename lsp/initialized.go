package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// initialized starts what could wait until the client was answered: the
// proposals and runs an earlier server left behind, and the file watchers.
func (s *session) initialized(_ context.Context, _ *protocol.InitializedParams) error {
	dirs := s.roots.Load().Dirs()
	s.tasks.spawn("recover", func(ctx context.Context) {
		for _, dir := range dirs {
			s.recoverProject(ctx, dir)
		}
	})
	if s.editor.caps.watchFiles {
		s.tasks.spawn("watch files", s.registerWatchers)
	}
	return nil
}

// registerWatchers asks the client to tell of files that change outside it.
func (s *session) registerWatchers(ctx context.Context) {
	options, err := protocol.Marshal(&protocol.DidChangeWatchedFilesRegistrationOptions{
		Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/*")}},
	})
	if err != nil {
		s.log.Error("encoding the watchers", "error", err)
		return
	}
	params := &protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: "emend-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
	}}}
	if err := s.editor.call(ctx, callTimeout, protocol.MethodClientRegisterCapability, params, nil); err != nil {
		s.log.Info("the client does not watch files", "error", err)
	}
}
