package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

// echo answers every request with its method's name.
func echo(_ context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		return nil, nil
	}
	return req.Method(), nil
}

func ping(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

const nullID = "null"

// TestBadFrames sends what is no message between two that are: both are
// answered, and what can be answered in between is, once.
func TestBadFrames(t *testing.T) {
	long := ping(5)
	for _, tt := range []struct {
		name string
		raw  string
		want map[string]int // replies by id, beside 1 and 2; "null" is a refusal
	}{
		{"body is no JSON", framed(`{"jsonrpc":"2.0","id":5,`), map[string]int{nullID: 1}},
		{"body is text", framed(`hello`), map[string]int{nullID: 1}},
		{"body is a JSON string", framed(`"hello"`), map[string]int{nullID: 1}},
		{"body is blank", framed(`   `), map[string]int{nullID: 1}},
		{"two values in a body", framed(long + `{}`), map[string]int{nullID: 1}},
		{"batch", framed(`[` + long + `]`), map[string]int{nullID: 1}},
		{"empty batch", framed(`[]`), map[string]int{nullID: 1}},
		{"no method, no id", framed(`{"jsonrpc":"2.0"}`), map[string]int{nullID: 1}},
		{"method is a number", framed(`{"jsonrpc":"2.0","id":5,"method":7}`), map[string]int{"5": 1}},
		{"method is null", framed(`{"jsonrpc":"2.0","id":5,"method":null}`), map[string]int{"5": 1}},
		{"no version", framed(`{"id":"a","method":"ping"}`), map[string]int{`"a"`: 1}},
		{"request with a result", framed(`{"jsonrpc":"2.0","id":5,"method":"x","result":1}`), map[string]int{"5": 1}},
		{"id is an object", framed(`{"jsonrpc":"2.0","id":{},"method":"x"}`), map[string]int{nullID: 1}},
		{"id is a fraction", framed(`{"jsonrpc":"2.0","id":1.5,"method":"x"}`), map[string]int{nullID: 1}},
		{"empty method", framed(`{"jsonrpc":"2.0","id":5,"method":""}`), map[string]int{"5": 1}},
		{"response nobody waits for", framed(`{"jsonrpc":"2.0","id":5,"result":1}`), nil},
		{"response with neither member", framed(`{"jsonrpc":"2.0","id":5}`), nil},
		{"response with both members", framed(`{"jsonrpc":"2.0","id":5,"result":1,"error":{"code":1,"message":"x"}}`), nil},
		{"response with a strange error", framed(`{"jsonrpc":"2.0","id":5,"error":"no"}`), nil},
		{"other header first", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + framed(long), map[string]int{"5": 1}},
		{"lower case header", strings.Replace(framed(long), "Content-Length", "content-length", 1), map[string]int{"5": 1}},
		{"line feeds only", strings.Replace(framed(long), "\r\n", "\n", 2), map[string]int{"5": 1}},
		{"blank lines between", "\r\n\r\n" + framed(long) + "\r\n\n", map[string]int{"5": 1}},
		{"no length", "Content-Type: x\r\n\r\n", map[string]int{nullID: 1}},
		{"no length, with a body", "Content-Type: x\r\n\r\n" + long, map[string]int{nullID: 1}},
		{"length zero", "Content-Length: 0\r\n\r\n", map[string]int{nullID: 1}},
		{"length negative", "Content-Length: -5\r\n\r\n", map[string]int{nullID: 1}},
		{"length is a word", "Content-Length: many\r\n\r\n", map[string]int{nullID: 1}},
		{"length overflows", "Content-Length: 99999999999999999999\r\n\r\n" + long, map[string]int{nullID: 1}},
		{"length over the limit, a lie", "Content-Length: 999999999999\r\n\r\n" + long, map[string]int{nullID: 1}},
		{"length over the limit, pretty body", "Content-Length: 999999999999\r\n\r\n{\r\n\r\n\"a\": 1\r\n\r\n}\r\n", map[string]int{nullID: 1}},
		{"garbage", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", map[string]int{nullID: 1}},
		{"binary garbage", "\x00\xff\x17\r\n\r\n", map[string]int{nullID: 1}},
		{"garbage without a line end", "\x00\xff\x17 what", nil},
		{"a very long line of garbage", strings.Repeat("x", 3*maxHeaderLine), nil},
		{"length one too short", lying(long, -1), map[string]int{nullID: 1}},
		{"length much too short", lying(long, -20), map[string]int{nullID: 1}},
		{"length one too long", lying(long, 1), map[string]int{"5": 1}},
		{"length a header too long", lying(long, 20), map[string]int{"5": 1}},
		{"length much too long", lying(long, 1<<20), map[string]int{"5": 1}},
		{"length twice", "Content-Length: 3\r\n" + framed(long), map[string]int{"5": 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := serveHandler(t, echo)
			c.raw(framed(ping(1)) + tt.raw + framed(ping(2)))
			c.await("1", 1)
			c.await("2", 1)
			c.settled("end")
			want := map[string]int{"1": 1, "2": 1, `"end"`: 1}
			for id, n := range tt.want {
				want[id] = n
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			for id, all := range c.replies {
				if len(all) != want[id] {
					t.Errorf("%d replies to %s, want %d: %v", len(all), id, want[id], all)
				}
			}
			for id, n := range want {
				if len(c.replies[id]) != n {
					t.Errorf("%d replies to %s, want %d", len(c.replies[id]), id, n)
				}
			}
		})
	}
}

// lying is a frame whose length is off by n.
func lying(body string, n int) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body)+n, body)
}

// TestLyingLengthKeepsText makes sure that text in a document that looks like a
// header is not taken for one.
func TestLyingLengthKeepsText(t *testing.T) {
	text := "Content-Length: 5\r\n\r\nhello\r\nContent-Length: 7\r\n\r\n"
	params, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	c := serveHandler(t, func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		return jsonrpc2.RawMessage(bytes.Clone(req.Params())), nil
	})
	c.call("1", "echo", string(params))
	var got map[string]string
	if err := json.Unmarshal(c.await("1", 1).Result, &got); err != nil || got["text"] != text {
		t.Errorf("got %q, %v", got["text"], err)
	}
}

// TestHugeLengthCostsNothing announces much and sends little.
func TestHugeLengthCostsNothing(t *testing.T) {
	before := heap()
	f := newFrameReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n{", maxFrame)))
	if _, err := f.next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want EOF", err)
	}
	if grown := heap() - before; grown > 8<<20 {
		t.Errorf("a length that lies cost %d bytes", grown)
	}
	runtime.KeepAlive(f)
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first one made free
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestResponseShapes reads what clients send for a response.
func TestResponseShapes(t *testing.T) {
	for _, tt := range []struct {
		members string
		result  string
		fails   bool
	}{
		{`"result":7`, "7", false},
		{`"result":null`, "null", false},
		{`"result":7,"error":null`, "7", false},
		{`"result":null,"error":null`, "null", false},
		{`"error":null`, "", false},
		{`"x":1`, "", false},
		{`"error":{"code":-32601,"message":"no"}`, "", true},
		{`"result":null,"error":{"code":-32601,"message":"no"}`, "", true},
		{`"error":{"code":-32601.0,"message":"no"}`, "", true},
		{`"error":{}`, "", true},
		{`"error":"no"`, "", true},
	} {
		s := &frameStream{log: slog.New(slog.DiscardHandler)}
		msg := s.decode(t.Context(), []byte(`{"jsonrpc":"2.0","id":3,`+tt.members+`}`))
		r, ok := msg.(*jsonrpc2.Response)
		if !ok {
			t.Errorf("%s: got %T", tt.members, msg)
			continue
		}
		if n, _ := r.ID().Number(); n != 3 || (r.Err() != nil) != tt.fails || string(r.Result()) != tt.result {
			t.Errorf("%s: got id %v, result %s, error %v", tt.members, r.ID(), r.Result(), r.Err())
		}
	}
}

// TestWriteDoesNotWait has a peer that sends without end before it reads: if
// answering waited for it to read, both would wait for ever.
func TestWriteDoesNotWait(t *testing.T) {
	client, server := net.Pipe() // holds nothing: a write waits for its read
	stream := newFrameStream(server, nil, testLog(t))
	conn := jsonrpc2.NewConn(stream)
	conn.Go(context.WithoutCancel(t.Context()), chain(echo, testLog(t)))
	const n = 5000
	for i := range n {
		if _, err := io.WriteString(client, framed(ping(i))); err != nil {
			t.Fatal(err)
		}
	}
	in := newFrameReader(client)
	for i := range n {
		body, err := in.next()
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"ping"}`, i); string(body) != want {
			t.Fatalf("reply %d is %s", i, body)
		}
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	<-stream.end
	closeConn(conn, stream, testLog(t))
	<-stream.out.done
}

// TestEveryReplyBeforeTheEnd is a script piped into the server: the end of its
// input comes right behind the last request, and every reply is still written.
func TestEveryReplyBeforeTheEnd(t *testing.T) {
	for range 50 {
		var in strings.Builder
		const n = 20
		for i := range n {
			in.WriteString(framed(ping(i)))
		}
		rw := &pipedInput{in: strings.NewReader(in.String()), closed: make(chan struct{})}
		stream := newFrameStream(rw, nil, testLog(t))
		conn := jsonrpc2.NewConn(stream)
		conn.Go(context.WithoutCancel(t.Context()), chain(echo, testLog(t)))
		<-stream.end
		closeConn(conn, stream, testLog(t))
		<-stream.out.done
		if got := bytes.Count(rw.out.Bytes(), []byte(`"result":"ping"`)); got != n {
			t.Fatalf("%d replies of %d", got, n)
		}
	}
}

// pipedInput is a connection whose input is known from the start.
type pipedInput struct {
	in     io.Reader
	out    bytes.Buffer
	closed chan struct{}
}

func (s *pipedInput) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s *pipedInput) Write(p []byte) (int, error) { return s.out.Write(p) }
func (s *pipedInput) Close() error                { close(s.closed); return nil }

// TestWriteFails has a peer that is gone for writing.
func TestWriteFails(t *testing.T) {
	o := newOutbox(failing{})
	for o.put([]byte("x"), nil) == nil {
		<-o.done // the first write fails, which ends the writer
	}
	if err := o.put([]byte("x"), nil); !errors.Is(err, errTest) {
		t.Errorf("got %v", err)
	}
	o.close(patience)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errTest }

// TestOutboxIsBounded has a peer that never reads: a sender waits in the end,
// and close lets it go.
func TestOutboxIsBounded(t *testing.T) {
	client, server := net.Pipe()
	o := newOutbox(server)
	frame := make([]byte, maxQueued/4)
	sender := make(chan int)
	go func() {
		n := 0
		for o.put(frame, nil) == nil {
			n++
		}
		sender <- n
	}()
	o.mu.Lock()
	for o.size <= maxQueued {
		o.news.Wait()
	}
	o.mu.Unlock()
	o.close(0)
	if n := <-sender; n > 16 {
		t.Errorf("%d frames were queued", n)
	}
	for _, c := range []io.Closer{client, server} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	<-o.done
}

// TestTraceInOrder checks that a trace has the messages as they were on the
// wire.
func TestTraceInOrder(t *testing.T) {
	var file bytes.Buffer
	rw := &pipedInput{in: strings.NewReader(framed(ping(1)) + framed(`{"jsonrpc":"2.0",`) + framed(ping(2))), closed: make(chan struct{})}
	stream := newFrameStream(rw, NewTrace(&file), testLog(t))
	conn := jsonrpc2.NewConn(stream)
	conn.Go(context.WithoutCancel(t.Context()), chain(echo, testLog(t)))
	<-stream.end
	closeConn(conn, stream, testLog(t))
	<-stream.out.done
	var dirs, wire string
	for line := range strings.Lines(file.String()) {
		var l TraceLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		dirs += l.Dir + " "
		if l.Dir == "out" {
			wire += framed(string(l.Message))
		}
	}
	if want := "in out in out in out "; dirs != want {
		t.Errorf("the trace has %s, want %s", dirs, want)
	}
	if wire != rw.out.String() {
		t.Errorf("the trace's messages\n%s\nare not those of the wire\n%s", wire, rw.out.String())
	}
}

// FuzzFrames feeds any bytes to the reader: it ends, keeps within bounds, and
// finds a message behind them.
func FuzzFrames(f *testing.F) {
	for _, s := range []string{
		"", "\r\n\r\n", framed("{}"), "Content-Length: 0\r\n\r\n", "Content-Length: 99\r\n\r\n{}", "Content-Length: 1\r\n\r\n{}",
		"Content-Length: 268435457\r\n\r\n{}", "content-length : 2\r\n\r\n{}", "x\r\nContent-Length: 2\nY: z\n\n{}", "\x00\xff}",
		"Content-Length: 40\r\n\r\nContent-Length: 2\r\n\r\n{}", "Content-Length: 5\r\n\r\n\"}\"}x", "-Content-Length: 2\r\n\r\n{}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newFrameReader(bytes.NewReader(data))
		total, refused := 0, 0
		for {
			body, err := r.next()
			var bad *badFrameError
			switch {
			case errors.As(err, &bad):
				refused++
			case errors.Is(err, io.EOF):
				if total > len(data) || refused > len(data)/4+1 {
					t.Fatalf("%d bytes in bodies and %d refusals of %d bytes", total, refused, len(data))
				}
				return
			case err != nil:
				t.Fatal(err)
			default:
				total += len(body)
				if len(body) > 0 && headerIn(body, 0) >= 0 {
					t.Fatalf("a body holds a header: %q", body)
				}
			}
		}
	})
}
