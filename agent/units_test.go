package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"emend/agent/model"
	"emend/edits"
	"emend/internal/config"
	"emend/internal/proposal"
)

func TestWithout(t *testing.T) {
	const before = "a\n// emend: go\nb\nc\n"
	start := strings.Index(before, "//")
	end := start + len("// emend: go\n")
	cases := []struct{ name, now, want string }{
		{"untouched", before, "a\nb\nc\n"},
		{"removed already", "a\nB\nc\n", "a\nB\nc\n"},
		{"changed elsewhere", "a\n// emend: go\nb\nC\nd\n", "a\nb\nC\nd\n"},
		{"changed beside it", "A\n// emend: go\nB\nc\n", "A\nB\nc\n"},
		{"indented by the model", "if {\n\t// emend: go\n\tb\n}\n", "if {\n\tb\n}\n"},
		{"moved behind code", "a // emend: go\r\nb", "a\r\nb"},
		{"last line", "a\n// emend: go", "a\n"},
		{"amid code", "f(/*x*/ // emend: go\n)", "f(/*x*/\n)"},
	}
	for _, c := range cases {
		got, ok := without(before, c.now, start, end)
		if !ok {
			t.Errorf("%s: not removed", c.name)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// The same words twice: the place decides.
	const twice = "// emend: go\na\n// emend: go\nb\n"
	if got, ok := without(twice, strings.Replace(twice, "a\n", "A\n", 1), 0, len("// emend: go\n")); !ok || got != "A\n// emend: go\nb\n" {
		// What stands beside a change may be refused, but never guessed.
		if ok {
			t.Errorf("twice: %q", got)
		}
	}
	if got, ok := without(twice, twice+"c\n", 0, len("// emend: go\n")); !ok || got != "a\n// emend: go\nb\nc\n" {
		t.Errorf("twice, changed at the end: %q, %v", got, ok)
	}
}

func TestRepeats(t *testing.T) {
	var r repeats
	call := func(name, arguments string) int {
		return r.count(model.Call{Name: name, Arguments: []byte(arguments)})
	}
	for i, c := range []struct {
		name, arguments string
		want            int
	}{
		{"read", `{"a":1,"b":2}`, 0}, {"read", `{"b": 2, "a": 1}`, 1}, {"read", `{"a":1}`, 0},
		{"grep", `{"a":1,"b":2}`, 0}, {"read", `not json`, 0}, {"read", `not json`, 1}, {"read", `{"a":1,"b":2}`, 2},
	} {
		if got := call(c.name, c.arguments); got != c.want {
			t.Errorf("call %d: %d repeats, want %d", i, got, c.want)
		}
	}
	r.forget()
	if got := call("read", `{"a":1,"b":2}`); got != 0 {
		t.Errorf("after forgetting: %d", got)
	}
}

func TestWindow(t *testing.T) {
	cases := []struct{ model, setting, answer, size, room int }{
		{0, 0, 0, 16384, 16384 - 4096},
		{32768, 16384, 0, 16384, 16384 - 4096},
		{4096, 16384, 0, 4096, 3072},
		{0, 100000, 0, 100000, 100000 - 4096},
		{0, 8192, 1000, 8192, 7192},
		{0, 8192, 8192, 8192, 6144},
	}
	for _, c := range cases {
		w := newWindow(c.model, config.Model{NumCtx: c.setting, MaxTokens: c.answer})
		if w.size != c.size || w.room() != c.room {
			t.Errorf("%+v: window %d with room for %d", c, w.size, w.room())
		}
	}
	// What the server counts corrects the guess, upwards only.
	w := newWindow(0, config.Model{})
	req := model.Request{Messages: []model.Message{{Content: strings.Repeat("word ", 100)}}}
	guess := w.count(req)
	w.learn(guess, guess*2)
	if got := w.count(req); got != guess*2 {
		t.Errorf("corrected to %d, want %d", got, guess*2)
	}
	w.learn(guess, guess/2)
	if got := w.count(req); got != guess {
		t.Errorf("corrected to %d, want %d", got, guess)
	}
}

func TestAround(t *testing.T) {
	text := edits.NewText("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	cases := []struct{ first, last, budget, from, to int }{
		{5, 5, 0, 5, 5}, {5, 5, 6, 4, 6}, {0, 0, 6, 0, 2}, {10, 10, 4, 8, 10}, {3, 6, 1, 3, 6}, {5, 5, 1000, 0, 10},
	}
	for _, c := range cases {
		if from, to := around(text, c.first, c.last, c.budget); from != c.from || to != c.to {
			t.Errorf("%+v: %d to %d", c, from, to)
		}
	}
}

func TestWholeWord(t *testing.T) {
	for line, want := range map[string]bool{
		"parse(x)": true, "reparse(x)": false, "parser": false, "reparse parse": true, "x.parse": true, "_parse": false, "": false, "éparse": false,
	} {
		if got := wholeWord(line, "parse"); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestFenced(t *testing.T) {
	if got, want := fenced("a\n```\nb", "md"), "````md\na\n```\nb\n````\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// busy is a server that is overloaded a number of times.
type busy struct {
	model.Provider
	times int
	asked []time.Time
}

func (b *busy) Chat(context.Context, model.Request, func(model.Chunk)) (*model.Response, error) {
	b.asked = append(b.asked, time.Now())
	if len(b.asked) <= b.times {
		return nil, &model.Error{Kind: model.Overloaded, Message: "busy"}
	}
	return &model.Response{}, nil
}

// nobody is a host that does nothing.
type nobody struct{}

func (nobody) Propose(context.Context, *proposal.Content) error { return nil }
func (nobody) Ask(_ context.Context, q Question) (Answer, error) {
	return Answer{Choice: q.Default}, nil
}
func (nobody) Emit(Event) {}

// A busy server is given time between the tries.
func TestOverloadedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{times: 2}
		u := newRun(&Runner{Provider: b}, Task{}, nil, nobody{})
		if _, err := u.chat(t.Context(), model.Request{}); err != nil {
			t.Fatal(err)
		}
		if len(b.asked) != 3 || b.asked[1].Sub(b.asked[0]) != time.Second || b.asked[2].Sub(b.asked[1]) != 2*time.Second {
			t.Errorf("asked at %v", b.asked)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := &busy{times: 9}
		u := newRun(&Runner{Provider: b}, Task{}, nil, nobody{})
		ctx, cancel := context.WithTimeoutCause(t.Context(), 1500*time.Millisecond, errors.New("enough"))
		defer cancel()
		_, err := u.chat(ctx, model.Request{})
		if model.KindOf(err) != model.Overloaded || len(b.asked) != 2 {
			t.Errorf("%v after %d tries", err, len(b.asked))
		}
		if end := u.modelEnding(ctx, err); end.reason != "cancelled: enough" {
			t.Errorf("ending: %+v", end)
		}
	})
}

// The wall clock ends a run as refused, not as cancelled.
func TestTimeLimitEnding(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errTimeLimit)
	u := newRun(&Runner{Settings: config.Defaults()}, Task{}, nil, nobody{})
	if end := u.ended(ctx); end.status != "refused" || !strings.Contains(end.reason, "20 minutes") {
		t.Errorf("%+v", end)
	}
}

// systemPrompt never depends on the request, so that servers can keep it.
func TestSystemPromptIsStable(t *testing.T) {
	prompts := map[string]bool{}
	for i := range 3 {
		u := newRun(&Runner{Settings: config.Defaults()}, Task{Instruction: fmt.Sprint(i)}, nil, nobody{})
		u.native = true
		prompts[u.systemPrompt()] = true
	}
	if len(prompts) != 1 {
		t.Errorf("%d system prompts for one mode", len(prompts))
	}
}
