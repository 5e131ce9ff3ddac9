package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// maxFrame bounds the body of one message. A larger one is read past and
// refused; nothing of it is kept.
const maxFrame = 256 << 20

// maxHeaderLine bounds one header line, so that a stream that is not LSP at all
// cannot make the reader grow.
const maxHeaderLine = 8 << 10

// frameStream reads and writes messages in the base protocol's framing.
//
// jsonrpc2's own stream ends the connection at the first frame it cannot
// decode. This one answers such a frame with an error and reads on: a session
// of many hours must survive one bad message. Read is for one goroutine, Write
// for any.
type frameStream struct {
	conn  io.ReadWriteCloser
	in    *bufio.Reader
	trace *Trace
	log   *slog.Logger

	writeMu sync.Mutex // guards one frame's write to conn
}

func newFrameStream(conn io.ReadWriteCloser, trace *Trace, log *slog.Logger) *frameStream {
	return &frameStream{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), trace: trace, log: log}
}

// Read returns the next message that can be decoded. io.EOF means that the peer
// has closed the stream, in the middle of a frame or between two.
func (s *frameStream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		body, err := s.readFrame()
		var bad *badFrameError
		switch {
		case errors.As(err, &bad):
			s.refuse(ctx, jsonrpc2.ID{}, jsonrpc2.NewError(jsonrpc2.ParseError, bad.Error()))
			continue
		case err != nil:
			return nil, 0, err
		}
		s.trace.record("in", body)
		msg, err := jsonrpc2.DecodeMessage(body)
		if err != nil {
			id, refusal := refusalFor(body, err)
			s.refuse(ctx, id, refusal)
			continue
		}
		return msg, int64(len(body)), nil
	}
}

// refusalFor tells text that is no JSON from JSON that is no message, and finds
// the id that the answer should carry: the null id where there is none to read.
func refusalFor(body []byte, err error) (jsonrpc2.ID, *jsonrpc2.Error) {
	var envelope struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(body, &envelope) != nil && !json.Valid(body) {
		return jsonrpc2.ID{}, jsonrpc2.Errorf(jsonrpc2.ParseError, "message is not valid JSON: %v", err)
	}
	var id jsonrpc2.ID
	var number int64
	var name string
	switch {
	case json.Unmarshal(envelope.ID, &number) == nil && string(envelope.ID) != "null":
		id = jsonrpc2.NewNumberID(number)
	case json.Unmarshal(envelope.ID, &name) == nil && string(envelope.ID) != "null":
		id = jsonrpc2.NewStringID(name)
	}
	return id, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "message is not a JSON-RPC 2.0 request or response: %v", err)
}

// refuse answers a message that cannot be handled.
func (s *frameStream) refuse(ctx context.Context, id jsonrpc2.ID, e *jsonrpc2.Error) {
	s.log.Warn("bad message", "error", e.Message)
	if _, err := s.Write(ctx, jsonrpc2.NewResponse(id, nil, e)); err != nil {
		s.log.Warn("answering a bad message", "error", err)
	}
}

// badFrameError is a frame that was read past and cannot be used.
type badFrameError struct{ what string }

func (e *badFrameError) Error() string { return e.what }

// readFrame returns the body of the next frame in a buffer of its own.
//
// A header block without a usable Content-Length is dropped; reading goes on at
// the next header line that has one, which finds the stream's footing again
// after a client's slip.
func (s *frameStream) readFrame() ([]byte, error) {
	length := -1
	var junk bool
	for {
		line, err := s.readHeaderLine()
		if err != nil {
			return nil, err
		}
		if line == "" {
			if length >= 0 {
				break
			}
			if junk {
				return nil, &badFrameError{"frame has no usable Content-Length header; it was skipped"}
			}
			continue // blank lines between frames are harmless
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			junk = true // an unknown field is fine when a length follows
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n <= 0 {
			junk, length = true, -1
			continue
		}
		length = n
	}
	if length > maxFrame {
		if _, err := io.CopyN(io.Discard, s.in, int64(length)); err != nil {
			return nil, endOfStream(err)
		}
		return nil, &badFrameError{fmt.Sprintf("message of %d bytes is over the limit of %d; it was skipped", length, maxFrame)}
	}
	return s.readBody(length)
}

// readBody reads n bytes, growing as they come: a length that lies does not
// cost memory that never arrives.
func (s *frameStream) readBody(n int) ([]byte, error) {
	const step = 1 << 20
	body := make([]byte, 0, min(n, step))
	for len(body) < n {
		part := min(n-len(body), step)
		start := len(body)
		body = append(body, make([]byte, part)...)
		if _, err := io.ReadFull(s.in, body[start:]); err != nil {
			return nil, endOfStream(err)
		}
	}
	return body, nil
}

func (s *frameStream) readHeaderLine() (string, error) {
	var line []byte
	for {
		part, err := s.in.ReadSlice('\n')
		if len(line) < maxHeaderLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return "", endOfStream(err)
		}
		return strings.TrimRight(string(line), "\r\n"), nil
	}
}

// endOfStream folds the ways a peer's end shows into io.EOF.
func endOfStream(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) {
		return io.EOF
	}
	return err
}

// Write sends msg as one frame.
func (s *frameStream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	body, err := jsonrpc2.EncodeMessage(msg)
	if err != nil {
		return 0, fmt.Errorf("encoding a message: %w", err)
	}
	s.trace.record("out", body)
	frame := make([]byte, 0, len(body)+32)
	frame = append(frame, "Content-Length: "...)
	frame = strconv.AppendInt(frame, int64(len(body)), 10)
	frame = append(frame, "\r\n\r\n"...)
	frame = append(frame, body...)
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	n, err := s.conn.Write(frame)
	return int64(n), err
}

// Close closes the connection underneath, which unblocks a Read.
func (s *frameStream) Close() error { return s.conn.Close() }
