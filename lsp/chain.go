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
//	guard    errors and panics become replies or log lines
//	ordered  notifications to their end in wire order, requests until they
//	         release; $/cancelRequest cancels the request it names
func chain(dispatch jsonrpc2.Handler, log *slog.Logger) jsonrpc2.Handler {
	return guard(ordered(dispatch), log)
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
// it releases the loop or returns.
//
// What a handler gets is derived from the connection's context: jsonrpc2
// recycles a request's own when it returns, and a context that was derived from
// that one would still watch it, which is a race and can crash the process.
func ordered(next jsonrpc2.Handler) jsonrpc2.Handler {
	var running cancels
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		lasting := jsonrpc2.DetachContext(ctx)
		if !req.IsCall() {
			if req.Method() == protocol.MethodCancelRequest {
				return nil, running.cancel(req.Params())
			}
			return next(lasting, req)
		}
		lasting, remove := running.add(lasting, req.ID())
		defer remove()
		var once sync.Once
		defer once.Do(func() {}) // from here on ctx is not ours any more
		free := func() { once.Do(func() { jsonrpc2.Async(ctx) }) }
		return next(context.WithValue(lasting, releaseKey{}, free), req)
	}
}

// cancels is the requests that can be cancelled. The zero value is ready.
type cancels struct {
	mu   sync.Mutex // guards byID
	byID map[jsonrpc2.ID]*context.CancelFunc
}

// add returns the context of the request with an id, which remove ends. Of two
// requests with the same id the later can be cancelled.
func (c *cancels) add(ctx context.Context, id jsonrpc2.ID) (_ context.Context, remove func()) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID = map[jsonrpc2.ID]*context.CancelFunc{}
	}
	c.byID[id] = &cancel
	return ctx, func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.byID[id] == &cancel {
			delete(c.byID, id)
		}
	}
}

// cancel does what a $/cancelRequest asks. A request that is not there any more
// is no error.
func (c *cancels) cancel(params []byte) error {
	env, _ := readEnvelope(params)
	id := env.id()
	if !id.IsValid() {
		return fmt.Errorf("$/cancelRequest names no request: %.100s", params)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.byID[id]; cancel != nil {
		(*cancel)()
	}
	return nil
}
