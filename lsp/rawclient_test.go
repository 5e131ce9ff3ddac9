package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"emend/lsp/lsptest"
)

// patience bounds the waits of these tests: nothing takes this long unless it
// hangs.
const patience = 20 * time.Second

// rawClient is the other end of a wire with no manners: it sends any bytes, and
// keeps whatever comes back.
type rawClient struct {
	t    testing.TB
	conn io.ReadWriteCloser
	sent chan []byte

	mu      sync.Mutex // guards the rest
	replies map[string][]rawReply
	others  []string          // methods of the server's own messages
	bodies  []json.RawMessage // their parameters
	ended   bool
	changed chan struct{}
}

type rawReply struct {
	Result json.RawMessage
	Error  *lsptest.ResponseError
}

// newRawClient reads from conn until it ends, and closes it with the test.
func newRawClient(t testing.TB, conn io.ReadWriteCloser) *rawClient {
	c := &rawClient{t: t, conn: conn, sent: make(chan []byte), replies: map[string][]rawReply{}, changed: make(chan struct{})}
	done := make(chan struct{})
	writer := make(chan struct{})
	go func() {
		defer close(done)
		c.read()
	}()
	go func() { // an unbounded queue: a test must not wait for the server to read
		defer close(writer)
		c.write()
	}()
	t.Cleanup(func() {
		close(c.sent)
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		<-done
		<-writer
	})
	return c
}

func (c *rawClient) write() {
	var queue [][]byte
	wake := make(chan struct{}, 1)
	var mu sync.Mutex
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range wake {
			mu.Lock()
			all := queue
			queue = nil
			mu.Unlock()
			for _, data := range all {
				if _, err := c.conn.Write(data); err != nil {
					return // the server has left
				}
			}
		}
	}()
	for data := range c.sent {
		mu.Lock()
		queue = append(queue, data)
		mu.Unlock()
		select {
		case wake <- struct{}{}:
		default:
		}
	}
	close(wake)
	<-done
}

func (c *rawClient) read() {
	r := textproto.NewReader(bufio.NewReader(c.conn))
	for {
		header, err := r.ReadMIMEHeader()
		if err != nil {
			break
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			c.t.Errorf("the server wrote the header %v", header)
			break
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r.R, body); err != nil {
			break
		}
		c.take(body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *rawClient) take(body []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
		rawReply
	}
	if err := json.Unmarshal(body, &m); err != nil {
		c.t.Errorf("the server wrote %q: %v", body, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Method != "" {
		c.others, c.bodies = append(c.others, m.Method), append(c.bodies, m.Params)
	} else {
		c.replies[string(m.ID)] = append(c.replies[string(m.ID)], m.rawReply)
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// raw sends bytes as they are.
func (c *rawClient) raw(data string) { c.sent <- []byte(data) }

// body sends one frame.
func (c *rawClient) body(body string) { c.raw(framed(body)) }

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// call sends a request; id is JSON.
func (c *rawClient) call(id, method, params string) {
	c.body(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
}

func (c *rawClient) notify(method, params string) {
	c.body(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// await waits for the nth reply (from 1) with an id.
func (c *rawClient) await(id string, n int) rawReply {
	c.t.Helper()
	var out rawReply
	c.until("reply "+strconv.Itoa(n)+" to "+id, func() bool {
		if len(c.replies[id]) < n {
			return false
		}
		out = c.replies[id][n-1]
		return true
	})
	return out
}

// until waits until cond holds; cond is called with the lock held.
func (c *rawClient) until(what string, cond func() bool) {
	c.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		c.mu.Lock()
		ok, ended, changed := cond(), c.ended, c.changed
		c.mu.Unlock()
		if ok {
			return
		}
		if ended {
			c.t.Fatalf("the server left while the test waited for %s", what)
		}
		select {
		case <-changed:
		case <-timer.C:
			c.t.Fatalf("waited in vain for %s; there came %s", what, c.summary())
		}
	}
}

func (c *rawClient) summary() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("replies %v and messages %v", c.replies, c.others)
}

// settled waits for the end of all that was sent before.
func (c *rawClient) settled(id string) {
	c.t.Helper()
	c.call(strconv.Quote(id), "test/none", "null")
	c.await(strconv.Quote(id), 1)
}

// params are those of the server's messages of a method, in order.
func (c *rawClient) params(method string) []json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []json.RawMessage
	for i, m := range c.others {
		if m == method {
			out = append(out, c.bodies[i])
		}
	}
	return out
}

// count is how many replies an id has.
func (c *rawClient) count(id string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.replies[id])
}

// serveHandler serves a dispatch function behind the whole chain, for the
// length of the test.
func serveHandler(t testing.TB, dispatch jsonrpc2.Handler) *rawClient {
	t.Helper()
	client, server := lsptest.Pipe()
	log := testLog(t)
	stream := newFrameStream(server, nil, log)
	conn := jsonrpc2.NewConn(stream, jsonrpc2.WithCodec(codec{}))
	conn.Go(context.WithoutCancel(t.Context()), chain(dispatch, log))
	t.Cleanup(func() {
		closeConn(conn, stream, log)
		<-stream.out.done
	})
	return newRawClient(t, client)
}

// rawSession is a session without an editor's manners, open to look into.
type rawSession struct {
	*rawClient
	s *session
}

// startSession serves a real session. after, when not nil, is called in turn
// when a message was handled.
func startSession(t testing.TB, opts Options, after func(method string)) *rawSession {
	t.Helper()
	client, server := lsptest.Pipe()
	s := sessionOn(t, opts, server, after)
	return &rawSession{newRawClient(t, client), s}
}

// sessionOn serves a real session on one end of a connection.
func sessionOn(t testing.TB, opts Options, server io.ReadWriteCloser, after func(method string)) *session {
	t.Helper()
	if opts.Log == nil {
		opts.Log = testLog(t)
	}
	if opts.StateHome == "" {
		opts.StateHome = t.TempDir()
	}
	opts = NewServer(opts).opts
	ctx, leave := context.WithCancel(context.WithoutCancel(t.Context()))
	stream := newFrameStream(server, nil, opts.Log)
	conn := jsonrpc2.NewConn(stream, jsonrpc2.WithCodec(codec{}))
	s := newSession(ctx, opts, conn, leave)
	conn.Go(ctx, chain(func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		method := strings.Clone(req.Method())
		result, err := s.dispatch(ctx, req)
		if after != nil {
			after(method)
		}
		return result, err
	}, opts.Log))
	t.Cleanup(func() {
		s.close()
		closeConn(conn, stream, opts.Log)
		<-stream.out.done
	})
	return s
}

// begin is initialize and initialized.
func (r *rawSession) begin(params string) rawReply {
	r.t.Helper()
	r.call(`"init"`, "initialize", params)
	reply := r.await(`"init"`, 1)
	if reply.Error != nil {
		r.t.Fatalf("initialize: %v", reply.Error)
	}
	r.notify("initialized", "{}")
	return reply
}

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func (r *rawSession) open(uri, text string) {
	r.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%s,"languageId":"go","version":1,"text":%s}}`, quoted(uri), quoted(text)))
}

// change sends one didChange; events is the JSON of each content change.
func (r *rawSession) change(uri string, version int, events ...string) {
	r.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%s,"version":%d},"contentChanges":[%s]}`, quoted(uri), version, strings.Join(events, ",")))
}

func (r *rawSession) closeDoc(uri string) {
	r.notify("textDocument/didClose", fmt.Sprintf(`{"textDocument":{"uri":%s}}`, quoted(uri)))
}

// partial is a content change of a range.
func partial(l0, c0, l1, c1 int, text string) string {
	return fmt.Sprintf(`{"range":%s,"text":%s}`, rangeJSON(l0, c0, l1, c1), quoted(text))
}

func rangeJSON(l0, c0, l1, c1 int) string {
	return fmt.Sprintf(`{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}`, l0, c0, l1, c1)
}

// code is an error's code, 0 for none.
func (r rawReply) code() int {
	if r.Error == nil {
		return 0
	}
	return r.Error.Code
}

var errTest = errors.New("a fault made by the test")

// diagnosticsAt is one diagnostic on a line.
func diagnosticsAt(line uint32) []protocol.Diagnostic {
	return []protocol.Diagnostic{{Range: protocol.Range{Start: protocol.Position{Line: line}, End: protocol.Position{Line: line, Character: 1}}, Message: protocol.String("m")}}
}

func protocolJSON(raw string, v any) error { return json.Unmarshal([]byte(raw), v) }

func unmarshal(t testing.TB, raw string, v any) {
	t.Helper()
	if err := protocolJSON(raw, v); err != nil {
		t.Fatal(err)
	}
}
