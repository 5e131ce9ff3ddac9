package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"emend/agent/model"
	"emend/agent/model/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wires are the protocols every behaviour is tested in.
var wires = []string{"ollama", "openai"}

// start runs a script and a provider that talks to it.
func start(t *testing.T, wire, script string, models ...scripted.Model) (*scripted.Server, model.Provider) {
	t.Helper()
	turns, err := scripted.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scripted.Start(turns, models...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, provider(t, wire, s, model.Config{})
}

func provider(t *testing.T, wire string, s *scripted.Server, cfg model.Config) model.Provider {
	t.Helper()
	cfg.Provider, cfg.BaseURL = wire, s.URL()
	if wire == "openai" {
		cfg.BaseURL = s.OpenAI()
	}
	p, err := model.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ask is the simplest request.
func ask(text string) model.Request {
	return model.Request{Model: scripted.DefaultModel, Messages: []model.Message{{Role: model.User, Content: text}}}
}

func eachWire(t *testing.T, f func(t *testing.T, wire string)) {
	for _, wire := range wires {
		t.Run(wire, func(t *testing.T) { f(t, wire) })
	}
}

func TestChatStreams(t *testing.T) {
	eachWire(t, func(t *testing.T, wire string) {
		s, p := start(t, wire, `
> contains "hello"
! chunk 4
< thinking "let me see"
< "Grüße, Welt\n"
< call read_file {"path":"a.go","lines":[1,2]}
< call finish {}
! usage 11 22
`)
		var text, thinking strings.Builder
		var calls []string
		pieces := 0
		got, err := p.Chat(t.Context(), ask("hello"), func(c model.Chunk) {
			pieces++
			text.WriteString(c.Text)
			thinking.WriteString(c.Thinking)
			if c.Call != nil {
				calls = append(calls, c.Call.Name)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		want := &model.Response{
			Message: model.Message{
				Role: model.Assistant, Content: "Grüße, Welt\n", Thinking: "let me see",
				Calls: []model.Call{
					{ID: "call_1_1", Name: "read_file", Arguments: json.RawMessage(`{"path":"a.go","lines":[1,2]}`)},
					{ID: "call_1_2", Name: "finish", Arguments: json.RawMessage(`{}`)},
				},
			},
			Usage: model.Usage{Prompt: 11, Output: 22}, Stop: model.StopCalls, Model: scripted.DefaultModel,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("response (-want +got):\n%s", diff)
		}
		if text.String() != want.Message.Content || thinking.String() != want.Message.Thinking || len(calls) != 2 {
			t.Errorf("emitted %q, %q, %q", text.String(), thinking.String(), calls)
		}
		if pieces < 7 {
			t.Errorf("%d pieces: it did not stream", pieces)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	})
}

func TestChatSends(t *testing.T) {
	tenth, five, seed := 0.1, 5, 7
	req := model.Request{
		Model: scripted.DefaultModel,
		Messages: []model.Message{
			{Role: model.System, Content: "be good"},
			{Role: model.User, Content: "look"},
			{Role: model.Assistant, Thinking: "hm", Calls: []model.Call{
				{ID: "c1", Name: "read_file", Arguments: json.RawMessage(`{"z":1,"a":"x"}`)},
				{ID: "c2", Name: "grep", Arguments: json.RawMessage(`"not json {"`)},
			}},
			{Role: model.ToolRole, Content: "text", CallID: "c1", ToolName: "read_file"},
		},
		Tools: []model.Tool{
			{Name: "read_file", Description: "reads", Schema: json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}`)},
			{Name: "finish"},
		},
		Options: model.Options{
			NumCtx: 8192, MaxTokens: 100, Temperature: &tenth, TopP: &tenth, TopK: &five,
			MinP: &tenth, RepeatPenalty: &tenth, Seed: &seed, KeepAlive: "10m", Think: "low",
		},
	}
	ollamaMessages := []model.Message{req.Messages[0], req.Messages[1], req.Messages[2], req.Messages[3]}
	ollamaMessages[2].Calls = []model.Call{req.Messages[2].Calls[0], {ID: "c2", Name: "grep", Arguments: json.RawMessage(`{"arguments":"not json {"}`)}}
	openaiMessages := []model.Message{req.Messages[0], req.Messages[1], req.Messages[2], req.Messages[3]}
	openaiMessages[2].Thinking, openaiMessages[3].ToolName = "", ""
	openaiMessages[2].Calls = []model.Call{req.Messages[2].Calls[0], {ID: "c2", Name: "grep", Arguments: json.RawMessage(`not json {`)}}

	for wire, want := range map[string]struct {
		messages []model.Message
		options  map[string]any
		raw      []string
	}{
		"ollama": {ollamaMessages, map[string]any{
			"num_ctx": 8192.0, "num_predict": 100.0, "temperature": 0.1, "top_p": 0.1, "top_k": 5.0,
			"min_p": 0.1, "repeat_penalty": 0.1, "seed": 7.0,
		}, []string{`"keep_alive":"10m0s"`, `"think":"low"`, `"truncate":false`, `"shift":false`, `"tool_name":"read_file"`}},
		"openai": {openaiMessages, map[string]any{
			"stream": true, "stream_options": map[string]any{"include_usage": true}, "max_tokens": 100.0,
			"temperature": 0.1, "top_p": 0.1, "top_k": 5.0, "min_p": 0.1, "repeat_penalty": 0.1,
			"repetition_penalty": 0.1, "seed": 7.0, "reasoning_effort": "low",
		}, []string{`"tool_call_id":"c1"`}},
	} {
		t.Run(wire, func(t *testing.T) {
			s, p := start(t, wire, `< "ok"`)
			if _, err := p.Chat(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			got := s.Requests()[0]
			if diff := cmp.Diff(want.messages, got.Messages); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.options, got.Options); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
			for _, part := range want.raw {
				if !strings.Contains(string(got.Raw), part) {
					t.Errorf("the request lacks %s: %s", part, got.Raw)
				}
			}
			if len(got.Tools) != 2 || got.Tools[0].Description != "reads" ||
				!strings.Contains(string(got.Tools[0].Schema), `"required":["path"]`) {
				t.Errorf("tools %+v", got.Tools)
			}
		})
	}
}

func TestChatSendsLittleByDefault(t *testing.T) {
	for wire, want := range map[string]map[string]any{
		"ollama": {"num_ctx": 16384.0},
		"openai": {"stream": true, "stream_options": map[string]any{"include_usage": true}},
	} {
		t.Run(wire, func(t *testing.T) {
			t.Setenv("OPENAI_API_KEY", "sk-from-the-environment")
			t.Setenv("OPENAI_ORG_ID", "org")
			s, p := start(t, wire, `< "ok"`)
			if _, err := p.Chat(t.Context(), ask("x"), nil); err != nil {
				t.Fatal(err)
			}
			got := s.Requests()[0]
			if diff := cmp.Diff(want, got.Options); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
			for _, field := range []string{"think", "keep_alive", "tools", "max_tokens"} {
				if strings.Contains(string(got.Raw), `"`+field+`"`) {
					t.Errorf("the request holds %s: %s", field, got.Raw)
				}
			}
			if got.Authorization != "" {
				t.Errorf("a key from the environment was sent: %q", got.Authorization)
			}
		})
	}
}

// TestChatFails plays what goes wrong at real servers.
func TestChatFails(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		only   string // a wire; "" means each
		kind   model.Kind
		text   string // somewhere in the error
		retry  bool
	}{
		"broken off":        {script: "< \"hello\"\n< \"world\"\n! break 200", kind: model.BrokenStream, text: "broke off", retry: true},
		"broken at once":    {script: "! break 0", kind: model.BrokenStream, text: "connection broke", retry: true},
		"web page":          {script: "! html", kind: model.BadReply, text: "web page"},
		"garbage":           {script: "< \"a\"\n! garbage \"data: {[\\n\"", kind: model.BadReply, text: "cannot be read"},
		"wrong types":       {script: "! garbage \"{\\\"message\\\":7}\"", only: "ollama", kind: model.BadReply, text: "cannot be read"},
		"wrong event":       {script: "! garbage \"data: {\\\"choices\\\":7}\\n\"", only: "openai", kind: model.BadReply, text: "cannot be read"},
		"error mid-stream":  {script: "< \"a\"\n! error \"runner terminated\"", kind: model.Failed, text: "runner terminated"},
		"too long at once":  {script: `! status 400 "the input length exceeds the context length"`, kind: model.TooLong, text: "model.num_ctx"},
		"too long later":    {script: `! error "the input length exceeds the context length"`, kind: model.TooLong, text: "model.num_ctx"},
		"busy":              {script: `! status 503 "server busy, please try again"`, kind: model.Overloaded, text: "server busy", retry: true},
		"too many":          {script: `! status 429 "slow down"`, kind: model.Overloaded, text: "slow down", retry: true},
		"no key":            {script: `! status 401 "unauthorized"`, kind: model.Refused, text: "model.key_env"},
		"out of memory":     {script: `! status 500 "model requires more system memory (9 GiB)"`, kind: model.Failed, text: "smaller model"},
		"no tools":          {script: `! status 400 "m does not support tools"`, kind: model.Refused, text: "agent.tools"},
		"server fault":      {script: `! status 500 "boom"`, kind: model.Failed, text: "500 Internal Server Error: boom"},
		"missing":           {script: `! status 404 "model 'm' not found"`, kind: model.MissingModel, text: "model.name"},
		"missing at ollama": {script: `! status 404 "model 'm' not found"`, only: "ollama", kind: model.MissingModel, text: "`ollama pull scripted-coder:latest`"},
		"unexpected":        {script: "> contains \"y\"\n< \"never\"", kind: model.Failed, text: `do not contain \"y\"`},
	} {
		t.Run(name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, wire string) {
				if test.only != "" && test.only != wire {
					t.Skipf("concerns %s", test.only)
				}
				_, p := start(t, wire, test.script)
				got, err := p.Chat(t.Context(), ask("x"), nil)
				if got != nil || model.KindOf(err) != test.kind {
					t.Fatalf("got %+v and %q (kind %q), want kind %q", got, err, model.KindOf(err), test.kind)
				}
				want := strings.ReplaceAll(test.text, `\"`, `"`)
				if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), p.Host()) {
					t.Errorf("error %q, want it to name the host and hold %q", err, want)
				}
				if model.Retryable(err) != test.retry {
					t.Errorf("retryable: %v", !test.retry)
				}
			})
		})
	}
}

func TestCancelMakesTheServerStop(t *testing.T) {
	scripts := map[string]string{
		"while loading":    `! gate load`,
		"while generating": "< \"one\"\n! gate here\n! stall",
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, wire string) {
				s, p := start(t, wire, script)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				stopped := errors.New("the person said so")
				gate := "here"
				if name == "while loading" {
					gate = "load"
				}
				go func() {
					<-s.Reached(gate)
					cancel(stopped)
				}()
				got, err := p.Chat(ctx, ask("x"), nil)
				if got != nil || model.KindOf(err) != model.Cancelled {
					t.Fatalf("got %v, %v", got, err)
				}
				if !errors.Is(err, context.Canceled) || !errors.Is(err, stopped) {
					t.Errorf("%v does not wrap the cancel and its cause", err)
				}
				if model.Retryable(err) {
					t.Error("a cancel is to be retried")
				}
				if n := <-s.Left(); n != 1 {
					t.Errorf("the client of request %d left", n)
				}
			})
		})
	}
}

func TestStallAfterFirstPiece(t *testing.T) {
	eachWire(t, func(t *testing.T, wire string) {
		s, _ := start(t, wire, "< \"one\"\n! stall")
		p := provider(t, wire, s, model.Config{IdleTimeout: 1})
		_, err := p.Chat(t.Context(), ask("x"), nil)
		if model.KindOf(err) != model.BrokenStream || !strings.Contains(err.Error(), "stalled") {
			t.Errorf("error %v", err)
		}
		<-s.Left()
	})
}

func TestReplyIsBounded(t *testing.T) {
	eachWire(t, func(t *testing.T, wire string) {
		s, _ := start(t, wire, "! chunk 1\n< \""+strings.Repeat("again ", 200)+"\"")
		p := provider(t, wire, s, model.Config{MaxReply: 2000})
		_, err := p.Chat(t.Context(), ask("x"), nil)
		if model.KindOf(err) != model.BadReply || !strings.Contains(err.Error(), "longer than 2000 bytes") {
			t.Errorf("error %v", err)
		}
	})
	eachWire(t, func(t *testing.T, wire string) {
		_, p := start(t, wire, "< \""+strings.Repeat("x", 5<<20)+"\"")
		_, err := p.Chat(t.Context(), ask("x"), nil)
		if model.KindOf(err) != model.BadReply || !strings.Contains(err.Error(), "a line") {
			t.Errorf("error %v", err)
		}
	})
}

func TestKeyIsSentAndNeverTold(t *testing.T) {
	const key = "top-secret-key-0123"
	eachWire(t, func(t *testing.T, wire string) {
		s, _ := start(t, wire, "< \"ok\"\n---\n! status 401 \"bad key "+key+" and sk-ab**cd1234\"")
		p := provider(t, wire, s, model.Config{Key: key})
		if _, err := p.Chat(t.Context(), ask("x"), nil); err != nil {
			t.Fatal(err)
		}
		if got := s.Requests()[0].Authorization; got != "Bearer "+key {
			t.Errorf("sent %q", got)
		}
		_, err := p.Chat(t.Context(), ask("x"), nil)
		cfg := model.Config{Key: key}
		for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%+v", p), fmt.Sprint(cfg), fmt.Sprintf("%+v", cfg)} {
			if strings.Contains(text, "sk-ab") || strings.Contains(text, key) {
				t.Errorf("tells a key: %s", text)
			}
		}
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	s, _ := start(t, "ollama", `< "never"`)
	away := httptest.NewServer(http.RedirectHandler(s.URL()+"/api/chat", http.StatusTemporaryRedirect))
	defer away.Close()
	eachWire(t, func(t *testing.T, wire string) {
		p, err := model.New(model.Config{Provider: wire, BaseURL: away.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Chat(t.Context(), ask("x"), nil)
		if model.KindOf(err) != model.BadReply || !strings.Contains(err.Error(), "redirects are not followed") {
			t.Errorf("error %v", err)
		}
	})
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests went to another host", n)
	}
}

func TestNobodyThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	eachWire(t, func(t *testing.T, wire string) {
		p, err := model.New(model.Config{Provider: wire, BaseURL: addr})
		if err != nil {
			t.Fatal(err)
		}
		_, chatErr := p.Chat(t.Context(), ask("x"), nil)
		_, listErr := p.Models(t.Context())
		_, showErr := p.Describe(t.Context(), "m")
		_, pickErr := model.Pick(t.Context(), p, "auto")
		for _, err := range []error{chatErr, listErr, showErr, pickErr} {
			if model.KindOf(err) != model.Unreachable || !strings.Contains(err.Error(), "model.base_url") {
				t.Errorf("error %v", err)
			}
		}
	})
}
