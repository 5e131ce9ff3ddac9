package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// callTimeout bounds every request to the client but those that wait for a
// person: some clients never answer some of them.
const callTimeout = 10 * time.Second

// editor is the client as the session talks to it. Its methods may be called
// from any goroutine except the read loop, which must not wait for answers;
// notifications (message, publish, notify) may be sent from anywhere.
type editor struct {
	life   context.Context //nolint:containedctx // the session's: calls end with it
	conn   jsonrpc2.Conn
	caps   capabilities // settled by initialize
	quirks quirks       // settled by initialize
	log    *slog.Logger
}

// call sends a request and waits for the answer, at most limit (0: as long as
// ctx lasts), and no longer than the session: an editor that is leaving may
// never answer.
func (e *editor) call(ctx context.Context, limit time.Duration, method string, params, result any) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(e.life, cancel)
	defer stop()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if err := protocol.Call(ctx, e.conn, method, params, result); err != nil {
		return fmt.Errorf("the editor on %s: %w", method, err)
	}
	return nil
}

// notify sends a notification; that it could not be sent is logged only, since
// the connection's end shows elsewhere.
func (e *editor) notify(ctx context.Context, method string, params any) {
	if err := e.conn.Notify(ctx, method, params); err != nil {
		e.log.Debug("notifying the editor", "method", method, "error", err)
	}
}

// message shows one line (or, where the client takes them, several) to the
// person.
func (e *editor) message(ctx context.Context, kind protocol.MessageType, text string) {
	text = "emend: " + strings.TrimSpace(text)
	if e.quirks.oneLine {
		text = strings.Join(strings.Fields(text), " ")
	}
	e.notify(ctx, protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: text})
}

func (e *editor) info(ctx context.Context, format string, args ...any) {
	e.message(ctx, protocol.MessageTypeInfo, fmt.Sprintf(format, args...))
}

func (e *editor) warn(ctx context.Context, format string, args ...any) {
	e.message(ctx, protocol.MessageTypeWarning, fmt.Sprintf(format, args...))
}

func (e *editor) fail(ctx context.Context, format string, args ...any) {
	e.message(ctx, protocol.MessageTypeError, fmt.Sprintf(format, args...))
}

// choose shows text with buttons and returns the title that was picked, ""
// when none was: null and titles that were not offered are "none". It waits for
// the person as long as ctx lasts. The error is errCannotAsk where the client
// has no such request.
func (e *editor) choose(ctx context.Context, text string, titles ...string) (string, error) {
	params := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: "emend: " + text}
	for _, t := range titles {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: t})
	}
	var picked *protocol.MessageActionItem
	if err := e.call(ctx, 0, protocol.MethodWindowShowMessageRequest, params, &picked); err != nil {
		var wire *jsonrpc2.Error
		if errors.As(err, &wire) && wire.Code == jsonrpc2.MethodNotFound {
			return "", errCannotAsk
		}
		if !errors.Is(err, context.Canceled) {
			e.log.Info("asking the person", "error", err)
		}
		return "", nil
	}
	if picked == nil {
		return "", nil
	}
	for _, t := range titles {
		if picked.Title == t {
			return t, nil
		}
	}
	return "", nil
}

// errCannotAsk is returned when the client has no questions with buttons.
var errCannotAsk = errors.New("the editor cannot ask")

// show opens a document. It reports whether the client says that it did.
func (e *editor) show(ctx context.Context, u uri.URI) bool {
	if !e.caps.showDocument {
		return false
	}
	var result protocol.ShowDocumentResult
	err := e.call(ctx, callTimeout, protocol.MethodWindowShowDocument, &protocol.ShowDocumentParams{URI: u, TakeFocus: ptr(true)}, &result)
	if err != nil {
		e.log.Info("showing a document", "error", err)
	}
	return err == nil && result.Success
}
