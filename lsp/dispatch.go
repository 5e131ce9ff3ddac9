package lsp

import (
	"context"
	"errors"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// errDropped marks a notification that the lifecycle does not admit; it is
// dropped without a word, as the protocol asks.
var errDropped = errors.New("notification dropped")

// method handles one message. raw is borrowed: it is valid until the method
// returns or releases.
type method func(ctx context.Context, s *session, raw jsonrpc2.RawMessage) (any, error)

// methods is every message that emend understands, each implemented in the file
// named for it.
var methods = map[string]method{
	protocol.MethodInitialize:                         initialize,
	protocol.MethodInitialized:                        notification((*session).initialized),
	protocol.MethodShutdown:                           bare((*session).shutdown),
	protocol.MethodExit:                               bare((*session).exit),
	protocol.MethodSetTrace:                           notification((*session).setTrace),
	protocol.MethodTextDocumentDidOpen:                didOpen,
	protocol.MethodTextDocumentDidChange:              didChange,
	protocol.MethodTextDocumentDidSave:                notification((*session).didSave),
	protocol.MethodTextDocumentDidClose:               notification((*session).didClose),
	protocol.MethodTextDocumentCodeAction:             codeAction,
	protocol.MethodWorkspaceExecuteCommand:            request((*session).executeCommand),
	protocol.MethodWorkspaceDidChangeConfiguration:    notification((*session).didChangeConfiguration),
	protocol.MethodWorkspaceDidChangeWorkspaceFolders: didChangeWorkspaceFolders,
	protocol.MethodWorkspaceDidChangeWatchedFiles:     notification((*session).didChangeWatchedFiles),
	protocol.MethodWindowWorkDoneProgressCancel:       notification((*session).workDoneProgressCancel),
}

// dispatch is the end of the chain: it finds the method and calls it.
func (s *session) dispatch(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	name := req.Method()
	if err := s.life.admit(name, req.IsCall()); err != nil {
		if errors.Is(err, errDropped) {
			return nil, nil
		}
		return nil, err
	}
	m, ok := methods[name]
	switch {
	case ok:
		return m(ctx, s, req.Params())
	case !req.IsCall() || strings.HasPrefix(name, "$/"):
		if req.IsCall() {
			return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "emend does not implement %.200q", name)
		}
		return nil, nil // a notification nobody needs
	default:
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "emend does not implement %.200q", name)
	}
}

// request adapts a typed handler of a request.
func request[P, R any](f func(*session, context.Context, *P) (R, error)) method {
	return func(ctx context.Context, s *session, raw jsonrpc2.RawMessage) (any, error) {
		params, err := decode[P](raw)
		if err != nil {
			return nil, err
		}
		return f(s, ctx, params)
	}
}

// notification adapts a typed handler of a notification.
func notification[P any](f func(*session, context.Context, *P) error) method {
	return func(ctx context.Context, s *session, raw jsonrpc2.RawMessage) (any, error) {
		params, err := decode[P](raw)
		if err != nil {
			return nil, err
		}
		return nil, f(s, ctx, params)
	}
}

// codeAction takes over the context's diagnostics, which may be any server's, as
// far as they can be read.
func codeAction(ctx context.Context, s *session, raw jsonrpc2.RawMessage) (any, error) {
	params, err := decodeLenient[protocol.CodeActionParams](raw, "textDocument", "range")
	if err != nil {
		return nil, err
	}
	return s.codeAction(ctx, params)
}

// bare adapts a handler of a message without parameters.
func bare(f func(*session, context.Context) error) method {
	return func(ctx context.Context, s *session, _ jsonrpc2.RawMessage) (any, error) {
		return nil, f(s, ctx)
	}
}

// decode reads parameters into a value of their own. Strings in it may share
// one copy of the message: clone what outlives the handler.
func decode[P any](raw jsonrpc2.RawMessage) (*P, error) {
	params := new(P)
	if len(raw) == 0 {
		return params, nil
	}
	if err := protocol.Unmarshal(raw, params); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "parameters do not fit the method: %v", err)
	}
	return params, nil
}
