package lsptest

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
)

// counterpart is a scripted server: it answers what its handlers say, keeps a
// mirror of the documents by its own arithmetic, and sends what a test tells
// it to.
type counterpart struct {
	t   *testing.T
	rwc io.ReadWriteCloser

	mu       sync.Mutex // guards all below
	caps     map[string]any
	handlers map[string]func(params json.RawMessage) (any, *ResponseError)
	mirror   map[string]string
	versions map[string]int
	log      []string // methods taken in, "reply" for replies, in order
	params   map[string]json.RawMessage
	replies  map[string]chan message
	nextID   int
	encoding string
	leave    func() // on exit, instead of closing
}

func newCounterpart(t *testing.T, rwc io.ReadWriteCloser) *counterpart {
	return &counterpart{
		t: t, rwc: rwc, encoding: utf16Units,
		caps: map[string]any{
			"textDocumentSync":       map[string]any{"openClose": true, "change": 2, "save": map[string]any{"includeText": true}},
			"codeActionProvider":     true,
			"executeCommandProvider": map[string]any{"commands": []any{"emend.run", "emend.fix"}},
		},
		handlers: map[string]func(json.RawMessage) (any, *ResponseError){},
		mirror:   map[string]string{}, versions: map[string]int{}, replies: map[string]chan message{},
		params: map[string]json.RawMessage{},
	}
}

// on sets the answer to a method; nil is never to answer.
func (c *counterpart) on(method string, handler func(json.RawMessage) (any, *ResponseError)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handlers[method] = handler
}

// answer sets a constant answer to a method.
func (c *counterpart) answer(method string, result any) {
	c.on(method, func(json.RawMessage) (any, *ResponseError) { return result, nil })
}

func (c *counterpart) serve() {
	reader := bufio.NewReader(c.rwc)
	for {
		body, err := readFrame(reader)
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  *ResponseError
		}
		if err := json.Unmarshal(body, &m); err != nil {
			c.send(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": -32700, "message": "parse error"}})
			continue
		}
		if m.Method == "exit" {
			if c.leave != nil {
				c.leave()
				return
			}
			if err := c.rwc.Close(); err != nil {
				c.t.Error(err)
			}
			return
		}
		c.take(message{ID: m.ID, Method: m.Method, Params: m.Params, Result: m.Result, Error: m.Error})
	}
}

func (c *counterpart) take(m message) {
	c.mu.Lock()
	c.log = append(c.log, m.Method)
	c.params[m.Method] = m.Params
	if m.Method == "" {
		c.log[len(c.log)-1] = "reply"
		reply := c.replies[string(m.ID)]
		c.mu.Unlock()
		reply <- m
		return
	}
	c.follow(m)
	handler, known := c.handlers[m.Method]
	caps := c.caps
	c.mu.Unlock()
	if m.ID == nil || known && handler == nil {
		return
	}
	var result any
	var failed *ResponseError
	switch {
	case handler != nil:
		result, failed = handler(m.Params)
	case m.Method == "initialize":
		result = map[string]any{"capabilities": caps}
	}
	if failed != nil {
		c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": failed})
		return
	}
	c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

// follow keeps the mirror. c.mu is held.
func (c *counterpart) follow(m message) {
	var params struct {
		TextDocument struct {
			URI     string
			Version int
			Text    string
		}
		ContentChanges []struct {
			Range *Range
			Text  string
		}
		Text *string
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return
	}
	uri := params.TextDocument.URI
	switch m.Method {
	case "textDocument/didOpen":
		if _, open := c.mirror[uri]; open {
			c.t.Errorf("%s is opened twice", uri)
		}
		c.mirror[uri], c.versions[uri] = params.TextDocument.Text, params.TextDocument.Version
	case "textDocument/didClose":
		delete(c.mirror, uri)
	case "textDocument/didChange":
		if params.TextDocument.Version <= c.versions[uri] {
			c.t.Errorf("version of %s goes from %d to %d", uri, c.versions[uri], params.TextDocument.Version)
		}
		c.versions[uri] = params.TextDocument.Version
		for _, change := range params.ContentChanges {
			text := c.mirror[uri]
			if change.Range == nil {
				text = change.Text
			} else {
				start, end := c.place(text, change.Range.Start), c.place(text, change.Range.End)
				text = text[:start] + change.Text + text[end:]
			}
			c.mirror[uri] = text
		}
	case "textDocument/didSave":
		if params.Text != nil && *params.Text != c.mirror[uri] {
			c.t.Errorf("%s is saved as %q, the mirror holds %q", uri, *params.Text, c.mirror[uri])
		}
	}
}

// place goes to a position by encoding the whole line.
func (c *counterpart) place(text string, p Position) int {
	offset := 0
	for range p.Line {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			c.t.Errorf("position %v is beyond %q", p, text)
			return len(text)
		}
		offset += next + 1
	}
	line := text[offset:]
	switch c.encoding {
	case utf8Units:
		return offset + p.Character
	case utf32Units:
		return offset + len(string([]rune(line)[:p.Character]))
	}
	return offset + len(string(utf16.Decode(utf16.Encode([]rune(line))[:p.Character])))
}

func (c *counterpart) text(uri string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.mirror[uri]
	return text, ok
}

func (c *counterpart) methods() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.log, " ")
}

func (c *counterpart) lastParams(method string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.params[method])
}

func (c *counterpart) send(v any) {
	body, err := json.Marshal(v)
	if err != nil {
		c.t.Error(err)
		return
	}
	if _, err := c.rwc.Write(frame(body)); err != nil {
		c.t.Logf("counterpart: %v", err)
	}
}

func (c *counterpart) notify(method string, params any) {
	c.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// ask sends a request; the channel gets its reply.
func (c *counterpart) ask(method string, params any) chan message {
	c.mu.Lock()
	c.nextID++
	id := strconv.Itoa(c.nextID)
	reply := make(chan message, 1)
	c.replies[id] = reply
	c.mu.Unlock()
	c.send(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
	return reply
}

// request is ask and the wait for the reply, as one word.
func (c *counterpart) request(method string, params any) string {
	m := <-c.ask(method, params)
	if m.Error != nil {
		return "error " + strconv.Itoa(m.Error.Code)
	}
	return string(m.Result)
}

// start plays an editor against a counterpart, in a folder of its own.
func start(t *testing.T, cfg Config, files map[string]string) (*Env, *counterpart) {
	t.Helper()
	if cfg.Root == "" {
		cfg.Root = t.TempDir()
	}
	for name, text := range files {
		if err := writeFile(cfg.Root+"/"+name, text, true); err != nil {
			t.Fatal(err)
		}
	}
	editorEnd, serverEnd := Pipe()
	c := newCounterpart(t, serverEnd)
	if len(cfg.Encodings) > 0 {
		c.encoding = cfg.Encodings[0]
		c.caps["positionEncoding"] = cfg.Encodings[0]
	}
	go c.serve()
	return New(t, editorEnd, cfg), c
}

// anyViolation tolerates all of them: a test that provokes them looks itself.
func anyViolation(string) bool { return true }

func rawJSON(s string) json.RawMessage { return json.RawMessage(s) }

func quote(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// takeFrame is take for a frame that was kept back.
func (c *counterpart) takeFrame(data []byte) {
	body, err := readFrame(bufio.NewReader(strings.NewReader(string(data))))
	if err != nil {
		c.t.Error(err)
		return
	}
	var m message
	if m, _, err = decodeMessage(body); err != nil {
		c.t.Error(err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.follow(m)
}

// unplugged is an editor whose messages stay in its outbox.
func unplugged(t *testing.T, profile Profile, encoding string) (*Editor, *counterpart) {
	e, err := newEditor(nil, Config{Custom: &profile})
	if err != nil {
		t.Fatal(err)
	}
	e.encoding = encoding
	server := newCounterpart(t, nil)
	server.encoding = encoding
	return e, server
}
