package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// workDoneProgressCancel stops the job that shows the token.
func (s *session) workDoneProgressCancel(_ context.Context, params *protocol.WorkDoneProgressCancelParams) error {
	if token, ok := params.Token.(protocol.String); ok {
		s.jobs.cancelToken(string(token))
	}
	return nil
}
