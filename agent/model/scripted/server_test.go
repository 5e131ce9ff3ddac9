package scripted_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"emend/agent/model"
	"emend/agent/model/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a server with a client.
func start(t *testing.T, a scripted.Answers) (*scripted.Server, model.Provider) {
	t.Helper()
	s, err := scripted.Start(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	p, err := model.New(model.Config{BaseURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	return s, p
}

func say(text string) model.Request {
	return model.Request{Model: scripted.DefaultModel, Messages: []model.Message{{Role: model.User, Content: text}}}
}

func TestScriptIsPlayedInOrder(t *testing.T) {
	s, p := start(t, scripted.Script{
		{Contains: []string{"one"}, Text: "1"},
		{Last: []string{"two"}, Lacks: []string{"three"}, Text: "2"},
		{Text: "more", Forever: true},
	})
	if n := len(s.Unused()); n != 3 {
		t.Errorf("%d turns are unused at the start", n)
	}
	for _, step := range []struct{ say, want string }{
		{"one", "1"}, {"two", "2"}, {"x", "more"}, {"y", "more"},
	} {
		got, err := p.Chat(t.Context(), say(step.say), nil)
		if err != nil || got.Message.Content != step.want {
			t.Fatalf("%s: got %+v, %v", step.say, got, err)
		}
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if got := s.Requests(); len(got) != 4 || got[3].Text() != "y" {
		t.Errorf("requests %+v", got)
	}
}

func TestMisfitsAreReported(t *testing.T) {
	script, err := scripted.ParseScript("> contains \"one\"\n---\n< \"2\"\n")
	if err != nil {
		t.Fatal(err)
	}
	s, p := start(t, script)
	for range 2 { // a turn that does not fit is not used up
		if _, err := p.Chat(t.Context(), say("zero"), nil); err == nil || !strings.Contains(err.Error(), `do not contain "one"`) {
			t.Errorf("error %v", err)
		}
	}
	if got := s.Failures(); len(got) != 2 || !strings.Contains(got[0], "request 1 does not fit turn 1 (line 1)") {
		t.Errorf("failures %q", got)
	}
	if got := s.Unused(); len(got) != 2 || !strings.Contains(got[1], "turn 2 (line 3)") {
		t.Errorf("unused %q", got)
	}
	if s.Check() == nil {
		t.Error("Check finds nothing")
	}

	s, p = start(t, scripted.Script{})
	if _, err := p.Chat(t.Context(), say("x"), nil); err == nil || !strings.Contains(err.Error(), "no turn left") {
		t.Errorf("error %v", err)
	}
	if len(s.Failures()) != 1 {
		t.Errorf("failures %q", s.Failures())
	}
}

func TestFunc(t *testing.T) {
	n := 0
	_, p := start(t, scripted.Func(func(r scripted.Request) scripted.Turn {
		n++
		return scripted.Turn{Text: fmt.Sprint(n, r.Text())}
	}))
	for i := range 3 {
		got, err := p.Chat(t.Context(), say("x"), nil)
		if want := fmt.Sprint(i+1, "x"); err != nil || got.Message.Content != want {
			t.Errorf("got %+v, %v; want %s", got, err, want)
		}
	}
}

func TestGates(t *testing.T) {
	s, p := start(t, scripted.Script{
		{Gate: "load", Text: "a", Steps: []scripted.Step{{Gate: "mid"}, {Text: "b"}}},
		{Gate: "load", Text: "c"}, // open by now
	})
	seen := make(chan string, 10)
	answer := make(chan error, 1)
	go func() {
		_, err := p.Chat(t.Context(), say("x"), func(c model.Chunk) { seen <- c.Text })
		answer <- err
	}()
	if r, err := s.Await(t.Context(), 1); err != nil || r.Text() != "x" {
		t.Fatalf("got %+v, %v", r, err)
	}
	<-s.Reached("load")
	if len(seen) != 0 {
		t.Error("something came before the load was done")
	}
	s.Release("load")
	if got := <-seen; got != "a" {
		t.Errorf("first came %q", got)
	}
	<-s.Reached("mid")
	s.Release("mid")
	s.Release("mid")
	if got := <-seen; got != "b" {
		t.Errorf("then came %q", got)
	}
	if err := <-answer; err != nil {
		t.Error(err)
	}
	if _, err := p.Chat(t.Context(), say("x"), nil); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Await(ctx, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestCloseEndsEverything closes a server whose clients wait at a gate, in a stall
// and nowhere; what goleak finds afterwards is the real test.
func TestCloseEndsEverything(t *testing.T) {
	s, p := start(t, scripted.Script{{Gate: "never"}, {Text: "a", Steps: []scripted.Step{{Gate: "mid"}}, Stall: true}})
	answers := make(chan error, 2)
	for i := range 2 {
		go func() {
			_, err := p.Chat(t.Context(), say("x"), nil)
			answers <- err
		}()
		if _, err := s.Await(t.Context(), i+1); err != nil {
			t.Fatal(err)
		}
	}
	<-s.Reached("never")
	<-s.Reached("mid")
	s.Release("mid")
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		if err := <-answers; model.KindOf(err) != model.BrokenStream {
			t.Errorf("error %v", err)
		}
	}
	if _, err := p.Chat(t.Context(), say("x"), nil); model.KindOf(err) != model.Unreachable {
		t.Errorf("error %v", err)
	}
	if n := len(s.Left()); n != 0 {
		t.Errorf("%d clients are said to have left, but the server did", n)
	}
}

func TestBadRequests(t *testing.T) {
	s, _ := start(t, scripted.Script{{Text: "x"}})
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/api/version", "", 200, `"version"`},
		{"POST", "/api/chat", "{", 400, "cannot be read"},
		{"POST", "/v1/chat/completions", "[]", 400, "cannot be read"},
		{"POST", "/api/chat", `{"model":"nobody"}`, 404, "model 'nobody' not found"},
		{"POST", "/v1/chat/completions", `{"model":"nobody","stream":true}`, 404, "model_not_found"},
		{"POST", "/api/chat", `{"model":"scripted-coder","stream":false}`, 400, "only streams"},
		{"POST", "/v1/chat/completions", `{"model":"scripted-coder"}`, 400, "only streams"},
		{"POST", "/api/show", `{"name":"scripted-coder"}`, 200, "context_length"},
		{"POST", "/api/show", `{"model":"nobody"}`, 404, "not found"},
		{"GET", "/api/pull", "", 404, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), test.method, s.URL()+test.path, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Close = true
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("%s %s %s: %d %s", test.method, test.path, test.body, resp.StatusCode, body)
		}
	}
	if len(s.Requests()) != 0 || len(s.Failures()) != 0 {
		t.Errorf("requests %v, failures %v", s.Requests(), s.Failures())
	}
}
