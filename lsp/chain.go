package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// chain wraps dispatch in what every message needs. It replaces
// protocol.Handlers, which releases each message at once and so lets two
// didChange overtake each other.
//
//	guard         an error or panic outside a request's own handler ends nothing
//	CancelHandler $/cancelRequest cancels the request it names
//	ordered       notifications to their end in wire order, requests until they release
//	guard         the handler's own errors and panics become replies or log lines
func chain(dispatch jsonrpc2.Handler, log *slog.Logger) jsonrpc2.Handler {
	return guard(protocol.CancelHandler(ordered(guard(dispatch, log))), log)
}

// guard turns a panic into an error, answers nothing for a notification
// (jsonrpc2 ends the connection on a notification's error), and gives errors
// without a code one.
func guard(next jsonrpc2.Handler, log *slog.Logger) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
		isCall, method := req.IsCall(), req.Method()
		defer func() {
			if p := recover(); p != nil {
				log.Error("handler panicked", "method", string([]byte(method)), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "emend failed inside %s: %v. This is a fault of emend; the session goes on", method, p)
			}
			if err == nil {
				return
			}
			if !isCall {
				log.Warn("notification failed", "method", string([]byte(method)), "error", err)
				result, err = nil, nil
				return
			}
			err = wireError(err)
		}()
		return next(ctx, req)
	}
}

// wireError gives err a JSON-RPC code, once, at the edge.
func wireError(err error) error {
	var e *jsonrpc2.Error
	switch {
	case errors.As(err, &e):
		if e.Message == err.Error() {
			return e
		}
		return jsonrpc2.NewError(e.Code, err.Error())
	case errors.Is(err, context.Canceled):
		return protocol.ErrRequestCancelled
	default:
		return jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), err.Error())
	}
}

// releaseKey carries a request's release function in its context.
type releaseKey struct{}

// release lets the connection read on while the current request goes on. A
// handler calls it when it has taken what it needs of the documents; it may be
// called many times and outside a request, where it does nothing.
func release(ctx context.Context) {
	if f, ok := ctx.Value(releaseKey{}).(func()); ok {
		f()
	}
}

// ordered runs notifications to their end on the read loop, and a request until
// it releases the loop. It always releases a request by the time it returns:
// jsonrpc2 recycles the context of a request that never did, while
// CancelHandler's derived context still watches it, which can crash the
// process.
//
// A notification gets the connection's context, because its own is recycled
// when it returns.
func ordered(next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if !req.IsCall() {
			return next(jsonrpc2.DetachContext(ctx), req)
		}
		free := sync.OnceFunc(func() { jsonrpc2.Async(ctx) })
		defer free()
		return next(context.WithValue(ctx, releaseKey{}, free), req)
	}
}
