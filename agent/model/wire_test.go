package model_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"emend/agent/model"
)

// canned is a provider whose server answers everything with one body.
func canned(t *testing.T, wire, contentType, body string) model.Provider {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		if _, err := io.WriteString(w, body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	p, err := model.New(model.Config{Provider: wire, BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sse makes a stream of events.
func sse(events ...string) string {
	return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
}

// delta is an event with a delta of the first choice.
func delta(s string) string { return `{"choices":[{"index":0,"delta":` + s + `}]}` }

const stopped = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

// TestServersThatDiffer holds what servers that call themselves compatible send.
func TestServersThatDiffer(t *testing.T) {
	call := func(id, name, args string) model.Call {
		return model.Call{ID: id, Name: name, Arguments: json.RawMessage(args)}
	}
	said := func(text string, calls ...model.Call) model.Response {
		stop := model.StopEnd
		if len(calls) > 0 {
			stop = model.StopCalls
		}
		return model.Response{Message: model.Message{Role: model.Assistant, Content: text, Calls: calls}, Stop: stop}
	}
	thought := said("b")
	thought.Message.Thinking = "a"
	cut := said("a")
	cut.Stop = model.StopLength
	for name, test := range map[string]struct {
		wire, contentType, body string
		want                    model.Response
	}{
		"calls without index": {"openai", "text/event-stream", sse(
			delta(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}`),
			delta(`{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{}"}}]}`), stopped, "[DONE]",
		), said("", call("a", "f", `{"x":1}`), call("b", "g", `{}`))},
		"two calls in one event without index": {"openai", "text/event-stream", sse(
			delta(`{"tool_calls":[{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"g"}}]}`), stopped,
		), said("", call("call_1", "f", `{}`), call("call_2", "g", `{}`))},
		"interleaved calls": {"openai", "text/event-stream", sse(
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}`),
			delta(`{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\""}}]}`),
			delta(`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`),
			delta(`{"tool_calls":[{"index":1,"function":{"arguments":":2}"}}]}`), stopped,
		), said("", call("a", "f", `{"x":1}`), call("b", "g", `{"y":2}`))},
		"name again with every piece": {"openai", "text/event-stream", sse(
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}]}`), stopped,
		), said("", call("a", "f", `{}`))},
		"same id twice": {"openai", "text/event-stream", sse(
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}},{"index":1,"id":"a","function":{"name":"g"}}]}`), stopped,
		), said("", call("a", "f", `{}`), call("call_2", "g", `{}`))},
		"arguments as object": {"openai", "text/event-stream", sse(
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}}]}`), stopped,
		), said("", call("a", "f", `{"x":1}`))},
		"arguments not JSON": {"openai", "text/event-stream", sse(
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"x=1"}}]}`), stopped,
		), said("", call("a", "f", `"x=1"`))},
		"error null":        {"openai", "text/event-stream", sse(`{"error":null,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"}]}`, "[DONE]"), cut},
		"reasoning":         {"openai", "text/event-stream", sse(delta(`{"reasoning":"a","content":null}`), delta(`{"content":"b"}`), stopped), thought},
		"reasoning content": {"openai", "text/event-stream", sse(delta(`{"reasoning":"a","reasoning_content":"a"}`), delta(`{"content":"b"}`), stopped), thought},
		"comments":          {"openai", "text/event-stream", ": OPENROUTER PROCESSING\n\n" + sse(delta(`{"content":"a"}`), "[DONE]"), said("a")},
		"CRLF":              {"openai", "text/event-stream", strings.ReplaceAll(sse(delta(`{"content":"a"}`), "[DONE]"), "\n", "\r\n"), said("a")},
		"no end mark":       {"openai", "text/event-stream", sse(delta(`{"content":"a"}`), stopped), said("a")},
		"does not stream": {"openai", "application/json",
			`{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`, said("a")},
		"other choices": {"openai", "text/event-stream", sse(
			`{"choices":[{"index":1,"delta":{"content":"x"}},{"index":0,"delta":{"content":"a"}}]}`, stopped), said("a")},
		"call without id": {"ollama", "application/x-ndjson",
			`{"message":{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"b":1,"a":2}}}]}}` + "\n" +
				`{"done":true,"done_reason":"stop"}` + "\n", said("", call("call_1", "f", `{"b":1,"a":2}`))},
		"last line open": {"ollama", "application/x-ndjson", `{"message":{"content":"a"},"done":true,"done_reason":"stop"}`, said("a")},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := canned(t, test.wire, test.contentType, test.body).Chat(t.Context(), ask("x"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, *got); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
		})
	}
}

// TestServersThatLie holds replies that must not pass for answers.
func TestServersThatLie(t *testing.T) {
	for name, test := range map[string]struct {
		wire, contentType, body string
		kind                    model.Kind
	}{
		"ends early":           {"ollama", "application/x-ndjson", `{"message":{"content":"a"}}` + "\n", model.BrokenStream},
		"ends within a line":   {"ollama", "application/x-ndjson", `{"message":{"content":"a"}}` + "\n" + `{"mess`, model.BrokenStream},
		"nothing":              {"ollama", "application/x-ndjson", "", model.BrokenStream},
		"unannounced page":     {"ollama", "application/octet-stream", "\n <!DOCTYPE html>", model.BadReply},
		"error with words":     {"ollama", "application/x-ndjson", `{"error":"an error: it broke"}` + "\n", model.Failed},
		"events end early":     {"openai", "text/event-stream", sse(delta(`{"content":"a"}`)), model.BrokenStream},
		"no events":            {"openai", "text/event-stream", "", model.BrokenStream},
		"page as events":       {"openai", "text/event-stream", "<html>", model.BadReply},
		"page as JSON":         {"openai", "application/json", "<html>", model.BadReply},
		"JSON of another kind": {"openai", "application/json", `{"hello":1}`, model.BadReply},
		"error with a status":  {"openai", "text/event-stream", sse(`{"error":{"code":429,"message":"busy"}}`), model.Overloaded},
		"error in words":       {"openai", "text/event-stream", sse(`{"error":"boom"}`), model.Failed},
		"too many calls": {"openai", "text/event-stream", sse(delta(`{"tool_calls":[` +
			strings.Repeat(`{"function":{"name":"f"}},`, 200) + `{}]}`)), model.BadReply},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := canned(t, test.wire, test.contentType, test.body).Chat(t.Context(), ask("x"), nil)
			if got != nil || model.KindOf(err) != test.kind {
				t.Errorf("got %v, kind %q, error %v; want kind %q", got, model.KindOf(err), err, test.kind)
			}
		})
	}
}

// pipeTransport answers with a stream that the test writes.
type pipeTransport struct {
	load time.Duration
	body func(ctx context.Context, w *io.PipeWriter)
}

func (p pipeTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-time.After(p.load):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	r, w := io.Pipe()
	stop := context.AfterFunc(req.Context(), func() { w.CloseWithError(req.Context().Err()) })
	go func() {
		defer stop()
		p.body(req.Context(), w)
	}()
	return &http.Response{StatusCode: http.StatusOK, Body: r, Header: http.Header{}, Request: req}, nil
}

// TestTime: loading takes as long as it takes; from the first piece on, silence is
// timed.
func TestTime(t *testing.T) {
	for name, test := range map[string]struct {
		gaps []time.Duration
		ok   bool
	}{
		"slow load, steady pieces": {[]time.Duration{20 * time.Second, 29 * time.Second, 29 * time.Second}, true},
		"silence after a piece":    {[]time.Duration{20 * time.Second, 31 * time.Second}, false},
		"silence before the first": {[]time.Duration{time.Hour}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := pipeTransport{load: 10 * time.Minute, body: func(ctx context.Context, w *io.PipeWriter) {
					for _, gap := range test.gaps {
						select {
						case <-time.After(gap):
						case <-ctx.Done():
							return
						}
						if _, err := io.WriteString(w, `{"message":{"content":"a"}}`+"\n"); err != nil {
							return
						}
					}
					if _, err := io.WriteString(w, `{"done":true,"done_reason":"stop"}`+"\n"); err != nil {
						return
					}
					w.CloseWithError(io.EOF)
				}}
				p, err := model.New(model.Config{
					HTTPClient: &http.Client{Transport: transport}, IdleTimeout: 30 * time.Second,
				})
				if err != nil {
					t.Fatal(err)
				}
				_, err = p.Chat(t.Context(), ask("x"), nil)
				if test.ok && err != nil || !test.ok && model.KindOf(err) != model.BrokenStream {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Skipf("no unix sockets: %v", err)
	}
	s := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if _, err := io.WriteString(w, sse(delta(`{"content":"`+r.URL.Path+`"}`), "[DONE]")); err != nil {
			t.Error(err)
		}
	})}}
	s.Start()
	defer s.Close()
	p, err := model.New(model.Config{Provider: "openai", BaseURL: "unix:" + path})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Chat(t.Context(), ask("x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Message.Content != "/v1/chat/completions" || !p.Loopback() || p.Host() != "unix:"+path {
		t.Errorf("got %q from %s, loopback %v", got.Message.Content, p.Host(), p.Loopback())
	}
}
