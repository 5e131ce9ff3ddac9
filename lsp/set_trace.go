package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// setTrace is accepted and has no effect: emend's traces are files, see
// [Options.Trace].
func (s *session) setTrace(context.Context, *protocol.SetTraceParams) error { return nil }
