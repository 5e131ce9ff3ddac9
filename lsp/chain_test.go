package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// TestChangesInOrder sends 2,000 changes of alternating size between requests:
// each is applied before the next one begins.
func TestChangesInOrder(t *testing.T) {
	var mu sync.Mutex
	var versions []int32
	var r *rawSession
	r = startSession(t, Options{}, func(method string) {
		if method != protocol.MethodTextDocumentDidChange {
			return
		}
		doc, ok := r.s.mirror.docs.Get("untitled:a")
		if !ok {
			t.Error("the document is not open")
			return
		}
		mu.Lock()
		versions = append(versions, doc.Version)
		mu.Unlock()
	})
	r.begin(`{"capabilities":{}}`)
	r.open("untitled:a", "")
	big := strings.Repeat("x", 2_000)
	const n = 2000
	for v := 2; v < n+2; v++ {
		text := fmt.Sprint(v)
		if v%2 == 0 {
			text += big
		}
		r.change("untitled:a", v, fmt.Sprintf(`{"text":%q}`, text))
		if v%10 == 0 {
			r.call(fmt.Sprint(v), "textDocument/codeAction", `{"textDocument":{"uri":"untitled:a"},"range":`+rangeJSON(0, 0, 0, 1)+`,"context":{"diagnostics":[]}}`)
			r.notify("$/cancelRequest", fmt.Sprintf(`{"id":%d}`, v))
		}
	}
	r.settled("end")
	mu.Lock()
	defer mu.Unlock()
	if len(versions) != n {
		t.Fatalf("%d changes were applied, want %d", len(versions), n)
	}
	for i, v := range versions {
		if int(v) != i+2 {
			t.Fatalf("change %d left version %d", i, v)
		}
	}
}

// TestOneFaultEndsNothing sends what a handler cannot take. The session lives,
// and each request has one reply.
func TestOneFaultEndsNothing(t *testing.T) {
	const place = `{"textDocument":{"uri":"file:///none.go"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"context":{"diagnostics":[]}}`
	messages := []struct{ method, params string }{
		{"textDocument/didChange", `{"textDocument":{"uri":"file:///none.go","version":2},"contentChanges":[{"text":"x"}]}`},
		{"textDocument/didChange", `{"textDocument":{"uri":"untitled:a","version":2},"contentChanges":[{"range":` + rangeJSON(9, 0, 9, 1) + `,"text":"x"}]}`},
		{"textDocument/didChange", `[]`}, {"textDocument/didChange", `7`}, {"textDocument/didChange", `null`},
		{"textDocument/didOpen", `{}`}, {"textDocument/didOpen", `{"textDocument":7}`}, {"textDocument/didOpen", `{"textDocument":{"uri":"::","text":""}}`},
		{"textDocument/didClose", `{"textDocument":{"uri":"file:///none.go"}}`}, {"textDocument/didClose", `{"textDocument":null}`},
		{"textDocument/didSave", `{"textDocument":{"uri":5}}`},
		{"textDocument/codeAction", place}, {"textDocument/codeAction", `[]`}, {"textDocument/codeAction", `{}`}, {"textDocument/codeAction", `null`},
		{"workspace/executeCommand", `{}`}, {"workspace/executeCommand", `{"command":"emend.none","arguments":[1]}`},
		{"workspace/executeCommand", `{"command":"emend.run","arguments":[[[]]]}`}, {"workspace/executeCommand", `{"command":5}`},
		{"workspace/didChangeConfiguration", `{"settings":[1,2]}`}, {"workspace/didChangeConfiguration", `7`},
		{"workspace/didChangeWorkspaceFolders", `{"event":{"added":[{"uri":"::","name":"x"}],"removed":[{"uri":"","name":""}]}}`},
		{"workspace/didChangeWorkspaceFolders", `{"event":7}`},
		{"workspace/didChangeWatchedFiles", `{"changes":[{"uri":"::","type":99}]}`}, {"workspace/didChangeWatchedFiles", `{"changes":7}`},
		{"window/workDoneProgress/cancel", `{"token":{}}`}, {"window/workDoneProgress/cancel", `{"token":"none"}`},
		{"$/setTrace", `{"value":"loud"}`}, {"$/setTrace", `7`}, {"$/custom", `{"x":1}`}, {"$/progress", `[]`},
		{"$/cancelRequest", `{"id":{}}`}, {"$/cancelRequest", `{"id":null}`}, {"$/cancelRequest", `[]`}, {"$/cancelRequest", `{"id":12345}`},
		{"$/cancelRequest", `{"id":99999999999}`}, {"nonsense", `{}`}, {"", `{}`}, {"initialized", `7`}, {"codeAction/resolve", `{}`},
		{strings.Repeat("m", 100_000), `{}`},
	}
	r := startSession(t, Options{}, nil)
	r.begin(`{"capabilities":{}}`)
	r.open("untitled:a", "text")
	for i, m := range messages {
		r.notify(m.method, m.params)
		r.call(fmt.Sprint(i), m.method, m.params)
	}
	r.settled("end")
	for i, m := range messages {
		if n := r.count(fmt.Sprint(i)); n != 1 {
			t.Errorf("%.40s %s: %d replies", m.method, m.params, n)
		}
	}
	if n := r.count("null"); n != 0 {
		t.Errorf("%d replies without an id", n)
	}
	if doc, ok := r.s.mirror.docs.Get("untitled:a"); !ok || doc.Text.String() != "text" || doc.Version != 1 {
		t.Errorf("the document is %+v, open %v", doc, ok)
	}
}

// TestHandlerFaults has handlers fail in every way there is.
func TestHandlerFaults(t *testing.T) {
	c := serveHandler(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		switch req.Method() {
		case "panic":
			panic("made by the test")
		case "panic after release":
			release(ctx)
			panic(errTest)
		case "error":
			return nil, fmt.Errorf("trying: %w", errTest)
		case "coded":
			return nil, fmt.Errorf("trying: %w", jsonrpc2.NewError(-32001, "own"))
		case "cancelled":
			return nil, context.Canceled
		case "unencodable":
			return make(chan int), nil
		case "nil":
			return nil, nil
		case "release twice":
			release(ctx)
			release(ctx)
		}
		return "ok", nil
	})
	want := map[string]int{
		"panic": -32603, "panic after release": -32603, "error": -32803, "coded": -32001, "cancelled": -32800,
		"unencodable": -32603, "nil": 0, "release twice": 0, "other": 0,
	}
	for round := range 3 {
		for method, code := range want {
			c.notify(method, "{}")
			id := fmt.Sprintf(`"%s %d"`, method, round)
			c.call(id, method, "{}")
			if got := c.await(id, 1).code(); got != code {
				t.Errorf("%s: code %d, want %d", method, got, code)
			}
		}
	}
	c.settled("end")
	for method := range want {
		if n := c.count(fmt.Sprintf(`"%s 0"`, method)); n != 1 {
			t.Errorf("%s: %d replies", method, n)
		}
	}
}

// TestDuplicateIDs has two requests under way with one id: both are answered.
func TestDuplicateIDs(t *testing.T) {
	first := make(chan struct{})
	c := serveHandler(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		switch req.Method() {
		case "wait":
			release(ctx)
			<-first
		case "go":
			close(first)
		}
		return req.Method(), nil
	})
	c.call("7", "wait", "{}")
	c.call("7", "other", "{}")
	if got := string(c.await("7", 1).Result); got != `"other"` {
		t.Errorf("first reply %s", got)
	}
	c.notify("go", "{}")
	if got := string(c.await("7", 2).Result); got != `"wait"` {
		t.Errorf("second reply %s", got)
	}
}

// TestCancel cancels requests that wait, by ids of every kind.
func TestCancel(t *testing.T) {
	c := serveHandler(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.Method() == "wait" {
			release(ctx)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return "ok", nil
	})
	for _, id := range []string{"1", `"a"`, `"1"`, "-5", "5000000000", `"ü\u0000"`} {
		c.call(id, "wait", "{}")
		c.notify("$/cancelRequest", `{"id":`+id+`}`)
	}
	for _, id := range []string{"1", `"a"`, `"1"`, "-5", "5000000000"} {
		if got := c.await(id, 1).code(); got != -32800 {
			t.Errorf("request %s: code %d", id, got)
		}
	}
	c.await(`"ü\u0000"`, 1)
}

// TestCancelOfInlineCalls cancels requests that are answered on the read loop.
// With contexts derived from jsonrpc2's own this is a race, and now and then
// the end of the process.
func TestCancelOfInlineCalls(t *testing.T) {
	for range 3 {
		r := startSession(t, Options{}, nil)
		r.begin(`{"capabilities":{}}`)
		r.open("untitled:a", "x")
		for i := range 50 {
			r.notify("$/cancelRequest", fmt.Sprintf(`{"id":%d}`, i))
			r.call(fmt.Sprint(i), "textDocument/codeAction", `{"textDocument":{"uri":"untitled:a"},"range":`+rangeJSON(0, 0, 0, 1)+`,"context":{"diagnostics":[]}}`)
			r.notify("$/cancelRequest", fmt.Sprintf(`{"id":%d}`, i))
		}
		for i := range 50 {
			r.call(fmt.Sprint(50+i), "shutdown", "null")
			r.notify("$/cancelRequest", fmt.Sprintf(`{"id":%d}`, 50+i))
		}
		for i := range 100 {
			r.await(fmt.Sprint(i), 1)
		}
		for i := range 100 {
			if n := r.count(fmt.Sprint(i)); n != 1 {
				t.Errorf("request %d: %d replies", i, n)
			}
		}
	}
}

// TestContextOfInlineCalls has handlers keep a context that jsonrpc2's own is
// above, and watch it after they have returned.
func TestContextOfInlineCalls(t *testing.T) {
	var watchers sync.WaitGroup
	c := serveHandler(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.IsCall() && req.Method() == "watch" {
			child, cancel := context.WithCancel(ctx)
			watchers.Go(func() {
				<-child.Done()
				cancel()
			})
		}
		return "ok", nil
	})
	for i := range 2000 {
		c.call(fmt.Sprint(i), "watch", "{}")
	}
	c.settled("end")
	watchers.Wait() // each ended with its request
}

// TestLateRelease calls release when the request is over: it must not let go of
// another.
func TestLateRelease(t *testing.T) {
	kept := make(chan context.Context, 1)
	c := serveHandler(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		switch req.Method() {
		case "keep":
			kept <- ctx
		case "use":
			release(<-kept)
			release(ctx) // fails when the line above did this already
		}
		return "ok", nil
	})
	for i := range 100 {
		c.call(fmt.Sprintf(`"keep %d"`, i), "keep", "{}")
		c.call(fmt.Sprintf(`"use %d"`, i), "use", "{}")
	}
	c.settled("end")
	for i := range 100 {
		if got := c.await(fmt.Sprintf(`"use %d"`, i), 1); got.Error != nil {
			t.Fatal(got.Error)
		}
	}
}

// TestDecodedStringsDoNotPin opens many documents by messages of much else,
// keeps what it keeps of them, and weighs it.
func TestDecodedStringsDoNotPin(t *testing.T) {
	r := startSession(t, Options{}, nil)
	r.begin(`{"capabilities":{},"initializationOptions":{"pad":` + quoted(strings.Repeat("p", 1<<17)) + `}}`)
	r.settled("before")
	before := heap()
	pad := strings.Repeat("x", 1<<17)
	const n = 20
	for i := range n {
		uri := fmt.Sprintf("untitled:pin-%d", i)
		r.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":"%s-still","languageId":"go","version":1,"text":"t"},"pad":%q}`, uri, pad))
		r.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"go","version":1,"text":"t"},"pad":%q}`, uri, pad))
		r.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":2},"contentChanges":[{"text":"u"}],"pad":%q}`, uri, pad))
		r.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":3},"contentChanges":[{"range":%s,"text":"v"}],"pad":%q}`, uri, rangeJSON(0, 0, 0, 0), pad))
		r.call(fmt.Sprintf("%d", i), "textDocument/codeAction", fmt.Sprintf(`{"textDocument":{"uri":%q},"range":%s,"context":{"diagnostics":[{"range":%s,"message":"m"}]},"pad":%q}`, uri, rangeJSON(0, 0, 0, 1), rangeJSON(0, 0, 0, 1), pad))
		r.notify("$/cancelRequest", fmt.Sprintf(`{"id":"none-%d","pad":%q}`, i, pad))
	}
	r.settled("after")
	if got := len(r.s.mirror.docs.All()); got != 2*n {
		t.Fatalf("%d documents are open", got)
	}
	if grown := heap() - before; grown > n<<17/4 {
		t.Errorf("what %d messages left behind holds %d KiB", n, grown>>10)
	}
}

// FuzzChain sends any bytes and then a request: it is answered, once.
func FuzzChain(f *testing.F) {
	for _, s := range []string{
		"", framed(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{}}`), framed(`{"jsonrpc":"2.0","method":"exi","params":[]}`),
		framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"general":7}}}`), framed(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`),
		framed(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:x","version":1,"text":"a"}}}`) +
			framed(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"untitled:x","version":2},"contentChanges":[{"range":{"start":{"line":-1}},"text":"b"}]}}`),
		framed(`{"jsonrpc":"2.0","id":"x","method":"workspace/executeCommand","params":{"command":"emend.status"}}`),
		framed(`{"jsonrpc":"2.0","id":2,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"untitled:x"},"range":{},"context":{"diagnostics":[{"code":1.5}]}}}`),
		"Content-Length: 7\r\n\r\n{}", framed(`[]`), framed(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":[]}}`),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strings.Contains(string(data), "xit") { // exit ends the session, as it should
			t.Skip()
		}
		r := startSession(t, Options{}, nil)
		r.begin(`{"capabilities":{}}`)
		r.raw(string(data))
		// The second ping is found even where data ends inside of a body.
		r.raw("\r\n\r\n" + framed(`{"jsonrpc":"2.0","id":"ping-1","method":"test/ping"}`))
		r.raw(framed(`{"jsonrpc":"2.0","id":"ping-2","method":"test/ping"}`))
		r.await(`"ping-2"`, 1)
		if n := r.count(`"ping-2"`); n != 1 {
			t.Errorf("%d replies", n)
		}
	})
}

var _ io.Closer = (*frameStream)(nil)

// TestWireError gives each error one code.
func TestWireError(t *testing.T) {
	own := jsonrpc2.NewError(-32099, "own")
	for _, tt := range []struct {
		err  error
		code int32
		text string
	}{
		{own, -32099, "own"},
		{fmt.Errorf("trying: %w", own), -32099, "trying: own"},
		{fmt.Errorf("trying: %w", context.Canceled), -32800, ""},
		{errors.Join(errTest, own), -32099, ""},
		{errTest, -32803, errTest.Error()},
	} {
		var e *jsonrpc2.Error
		if err := wireError(tt.err); !errors.As(err, &e) || int32(e.Code) != tt.code || tt.text != "" && e.Message != tt.text {
			t.Errorf("%v: got %+v", tt.err, err)
		}
	}
}
