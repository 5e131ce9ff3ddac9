package lsptest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
)

// maxBody bounds one message of the server's, in bytes.
const maxBody = 256 << 20

// Pipe returns the two ends of a connection in memory: give one to Start and
// the other to the server. Closing one end ends the reads of the other.
func Pipe() (editor, server io.ReadWriteCloser) {
	return net.Pipe()
}

// message is one JSON-RPC message of either direction. Which members are
// there says what it is: method and id a request, method alone a
// notification, id alone a response.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *ResponseError
}

// ResponseError is the error of a JSON-RPC response.
type ResponseError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error gives code and message.
func (e *ResponseError) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

// JSON-RPC error codes the editor answers with.
const (
	codeParse          = -32700
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// encode gives the message's JSON text. A response without an error always has
// a result, null if need be.
func (m *message) encode() ([]byte, error) {
	members := map[string]any{"jsonrpc": "2.0"}
	if m.ID != nil {
		members["id"] = m.ID
	}
	switch {
	case m.Method != "":
		members["method"] = m.Method
		if m.Params != nil {
			members["params"] = m.Params
		}
	case m.Error != nil:
		members["error"] = m.Error
	case m.Result != nil:
		members["result"] = m.Result
	default:
		members["result"] = nil
	}
	return json.Marshal(members)
}

// decodeMessage reads a body, and says what is wrong with it as JSON-RPC. The
// complaints are about bodies that can still be understood.
func decodeMessage(body []byte) (m message, complaints []string, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return m, nil, fmt.Errorf("decoding a message of the server: %w", err)
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		complaints = append(complaints, `a message without "jsonrpc":"2.0"`)
	}
	_, hasResult := members["result"]
	rawError, hasError := members["error"]
	m.ID, m.Params, m.Result = members["id"], members["params"], members["result"]
	if raw, ok := members["method"]; ok {
		if err := json.Unmarshal(raw, &m.Method); err != nil || m.Method == "" {
			return m, nil, fmt.Errorf("the method of a message is %s", raw)
		}
		return m, complaints, nil
	}
	if hasError && string(rawError) != "null" {
		m.Error = new(ResponseError)
		if err := json.Unmarshal(rawError, m.Error); err != nil {
			return m, nil, fmt.Errorf("the error of a response is %s: %w", rawError, err)
		}
		if hasResult && string(m.Result) != "null" {
			complaints = append(complaints, "a response with both result and error")
		}
		return m, complaints, nil
	}
	if !hasResult {
		complaints = append(complaints, "a response with neither result nor error")
	}
	return m, complaints, nil
}

// frame puts the header before a body.
func frame(body []byte) []byte {
	return append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...)
}

// errFrame says that what the server wrote is not a frame; nothing after it
// can be read.
var errFrame = errors.New("the server wrote something that is not a protocol frame")

// readFrame reads one body. It returns io.EOF only between frames.
func readFrame(r *bufio.Reader) ([]byte, error) {
	length := -1
	for first := true; ; first = false {
		line, err := r.ReadString('\n')
		if err != nil {
			if first && line == "" {
				return nil, err
			}
			return nil, fmt.Errorf("%w: header cut off at %.80q: %w", errFrame, line, err)
		}
		line, ended := strings.CutSuffix(line, "\r\n")
		if !ended {
			return nil, fmt.Errorf("%w: header line %.80q", errFrame, line)
		}
		if line == "" {
			break
		}
		name, value, found := strings.Cut(line, ":")
		if !found {
			return nil, fmt.Errorf("%w: header line %.80q", errFrame, line)
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			length, err = strconv.Atoi(strings.TrimSpace(value))
			if err != nil || length < 0 || length > maxBody {
				return nil, fmt.Errorf("%w: Content-Length %.40q", errFrame, value)
			}
		}
	}
	if length < 0 {
		return nil, fmt.Errorf("%w: no Content-Length", errFrame)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("%w: a body of %d bytes is cut off: %w", errFrame, length, err)
	}
	return body, nil
}

// outbox writes frames in the order they were put, on a goroutine of its own,
// so that nobody who holds the editor's lock waits for the server to read.
type outbox struct {
	mu     sync.Mutex // guards the fields below
	queue  [][]byte
	closed bool
	wake   chan struct{} // holds one token when there is news
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// put queues bytes; after close it drops them.
func (o *outbox) put(data []byte) {
	o.mu.Lock()
	if !o.closed {
		o.queue = append(o.queue, data)
	}
	o.mu.Unlock()
	o.poke()
}

// close ends run once everything queued is written.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.poke()
}

func (o *outbox) poke() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// run writes until close or the first failed write.
func (o *outbox) run(w io.Writer) error {
	for {
		o.mu.Lock()
		queue, closed := o.queue, o.closed
		o.queue = nil
		o.mu.Unlock()
		for _, data := range queue {
			if _, err := w.Write(data); err != nil {
				o.close()
				return err
			}
		}
		if len(queue) > 0 {
			continue
		}
		if closed {
			return nil
		}
		<-o.wake
	}
}

// trace keeps the last messages of both directions, for the report of a
// failure.
type trace struct {
	lines []string
	next  int
	total int
}

// traceLines and traceWidth bound what is kept.
const (
	traceLines = 80
	traceWidth = 700
)

func (t *trace) add(direction string, body []byte) {
	line := direction + " " + shorten(string(body), traceWidth)
	if len(t.lines) < traceLines {
		t.lines = append(t.lines, line)
	} else {
		t.lines[t.next] = line
	}
	t.next = (t.next + 1) % traceLines
	t.total++
}

// String gives the messages kept, oldest first.
func (t *trace) String() string {
	var b strings.Builder
	if t.total > len(t.lines) {
		fmt.Fprintf(&b, "… %d earlier messages\n", t.total-len(t.lines))
	}
	start := 0
	if len(t.lines) == traceLines {
		start = t.next
	}
	for i := range t.lines {
		b.WriteString(t.lines[(start+i)%len(t.lines)])
		b.WriteByte('\n')
	}
	return b.String()
}

// shorten keeps the two ends of s when it is longer than width bytes.
func shorten(s string, width int) string {
	if len(s) <= width {
		return s
	}
	tail := width / 4
	head := width - tail
	return strings.ToValidUTF8(s[:head], "") + " … " + strings.ToValidUTF8(s[len(s)-tail:], "")
}
