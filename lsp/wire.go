package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// flushTime bounds the wait, at the end, for an editor to read what it was sent.
const flushTime = 200 * time.Millisecond

// frameStream reads and writes messages in the base protocol's framing.
//
// jsonrpc2's own stream ends the connection at the first frame it cannot
// decode. This one answers such a frame with an error and reads on: a session
// of many hours must survive one bad message. Read is for one goroutine at a
// time, Write for any; Write does not wait for the editor.
type frameStream struct {
	conn  io.ReadWriteCloser
	in    *frameReader
	out   *outbox
	trace *Trace
	log   *slog.Logger

	end   chan struct{} // closed when nothing more can be read
	ended sync.Once

	closing  sync.Once
	closeErr error
}

// newFrameStream starts the stream's writer, which ends with Close.
func newFrameStream(conn io.ReadWriteCloser, trace *Trace, log *slog.Logger) *frameStream {
	return &frameStream{
		conn: conn, in: newFrameReader(conn), out: newOutbox(conn), trace: trace, log: log, end: make(chan struct{}),
	}
}

// Read returns the next message that can be decoded. io.EOF means that the peer
// has closed the stream.
func (s *frameStream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			s.ended.Do(func() { close(s.end) })
			return nil, 0, err
		}
		body, err := s.in.next()
		var bad *badFrameError
		switch {
		case errors.As(err, &bad):
			s.refuse(ctx, jsonrpc2.ID{}, jsonrpc2.NewError(jsonrpc2.ParseError, bad.Error()))
			continue
		case err != nil:
			s.ended.Do(func() { close(s.end) })
			return nil, 0, err
		}
		s.trace.record("in", body)
		if msg := s.decode(ctx, body); msg != nil {
			return msg, int64(len(body)), nil
		}
	}
}

// decode returns the message in body, nil when there is none: then it has been
// answered, unless it is a response.
func (s *frameStream) decode(ctx context.Context, body []byte) jsonrpc2.Message {
	msg, err := jsonrpc2.DecodeMessage(body)
	if err == nil {
		return msg
	}
	env, isJSON := readEnvelope(body)
	switch {
	case !isJSON:
		s.refuse(ctx, jsonrpc2.ID{}, jsonrpc2.Errorf(jsonrpc2.ParseError, "message is not valid JSON: %v", err))
	case env.Method == nil && env.id().IsValid():
		// A response is never answered: its id is one of ours, and would be
		// taken for one of the editor's.
		return env.response()
	default:
		s.refuse(ctx, env.id(), jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "message is not a JSON-RPC 2.0 request or response: %v", err))
	}
	return nil
}

// envelope is the members of a message that the library does not take.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method json.RawMessage `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// readEnvelope reads what there is to read; isJSON is false when body is no
// JSON at all. JSON that is no object has no members.
func readEnvelope(body []byte) (e envelope, isJSON bool) {
	if json.Unmarshal(body, &e) != nil {
		return envelope{}, json.Valid(body)
	}
	return e, true
}

// id is the id an answer has to carry: the null id where there is none to read.
func (e envelope) id() jsonrpc2.ID {
	var number *int64
	var name *string
	switch {
	case json.Unmarshal(e.ID, &number) == nil && number != nil:
		return jsonrpc2.NewNumberID(*number)
	case json.Unmarshal(e.ID, &name) == nil && name != nil:
		return jsonrpc2.NewStringID(*name)
	default:
		return jsonrpc2.ID{}
	}
}

// response reads what some clients send for one: both members, the one that
// does not hold being null; neither; an error of another shape.
func (e envelope) response() *jsonrpc2.Response {
	if len(e.Error) == 0 || string(e.Error) == "null" {
		return jsonrpc2.NewResponse(e.id(), jsonrpc2.RawMessage(e.Result), nil)
	}
	wire := struct {
		Code    float64 `json:"code"`
		Message string  `json:"message"`
	}{Code: float64(jsonrpc2.InternalError)}
	if err := json.Unmarshal(e.Error, &wire); err != nil || wire.Message == "" {
		wire.Message = fmt.Sprintf("the editor answered with an error: %.200s", e.Error)
	}
	return jsonrpc2.NewResponse(e.id(), nil, jsonrpc2.NewError(jsonrpc2.Code(wire.Code), wire.Message))
}

// refuse answers a message that cannot be handled.
func (s *frameStream) refuse(ctx context.Context, id jsonrpc2.ID, e *jsonrpc2.Error) {
	s.log.Warn("bad message", "error", e.Message)
	if _, err := s.Write(ctx, jsonrpc2.NewResponse(id, nil, e)); err != nil {
		s.log.Warn("answering a bad message", "error", err)
	}
}

// Write sends msg as one frame, behind those before it. That it could not be
// delivered shows at a later Write.
func (s *frameStream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	body, err := jsonrpc2.EncodeMessage(msg)
	if err != nil {
		return 0, fmt.Errorf("encoding a message: %w", err)
	}
	frame := make([]byte, 0, len(body)+32)
	frame = append(frame, "Content-Length: "...)
	frame = strconv.AppendInt(frame, int64(len(body)), 10)
	frame = append(frame, "\r\n\r\n"...)
	frame = append(frame, body...)
	if err := s.out.put(frame, func() { s.trace.record("out", body) }); err != nil {
		return 0, fmt.Errorf("writing a message: %w", err)
	}
	return int64(len(frame)), nil
}

// Close sends what waits to be sent, as long as flushTime allows, and closes
// the connection underneath, which unblocks a Read. Further calls return what
// the first did.
func (s *frameStream) Close() error {
	s.closing.Do(func() {
		s.out.close(flushTime)
		s.closeErr = s.conn.Close()
	})
	return s.closeErr
}
