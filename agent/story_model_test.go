package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"emend/agent"
	"emend/agent/model"
	"emend/state"
)

// Cancelling amid an answer: the server sees the client leave, the run is
// cancelled, nothing is proposed.
func TestCancelMidStream(t *testing.T) {
	s := newStory(t, "< \"I will\"\n! stall", map[string]string{"a.go": "package a\n"})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	s.host.OnEvent = func(e agent.Event) {
		if e.Kind == agent.KindToken {
			cancel(errors.New("the person pressed stop"))
		}
	}
	out, err := s.runErr(ctx, agent.Task{Instruction: "do it"})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, out, state.RunCancelled, "cancelled: the person pressed stop")
	select {
	case n := <-s.server.Left():
		if n != 1 {
			t.Errorf("request %d was left", n)
		}
	case <-t.Context().Done():
		t.Error("the server never saw the client leave")
	}
}

// A run that is cancelled before it begins is on record too.
func TestCancelBeforeTheFirstStep(t *testing.T) {
	s := newStory(t, "", map[string]string{"a.go": "package a\n"})
	ctx, cancel := context.WithCancel(t.Context())
	s.host.OnEvent = func(e agent.Event) {
		if e.Kind == agent.KindStarted {
			cancel()
		}
	}
	out, err := s.runErr(ctx, agent.Task{Instruction: "do it"})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, out, state.RunCancelled)
	if n := len(s.server.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// An answer that breaks off is asked for again, from the same messages.
func TestBrokenStreamIsRetried(t *testing.T) {
	s := newStory(t, `
< "I will now do a very long thing that breaks off"
! chunk 4
! break 200
---
< call write_file {"path": "a.go", "content": "package b\n"}
---
< "Done."
`, map[string]string{"a.go": "package a\n"})
	out := s.run(agent.Task{Instruction: "do it"})
	s.played()
	wants(t, out, state.RunDone)
	requests := s.server.Requests()
	if len(requests) != 3 || out.Steps != 2 {
		t.Fatalf("%d requests in %d steps", len(requests), out.Steps)
	}
	if string(requests[0].Raw) != string(requests[1].Raw) {
		t.Errorf("the second try is another request:\n%s\nwas:\n%s", requests[1].Raw, requests[0].Raw)
	}
	wantText(t, s.host.Trace(), "step\nwarning\ntool_call write_file a.go\n")
}

func TestBrokenStreamForEver(t *testing.T) {
	s := newStory(t, "< \"I will\"\n! break 20\n! forever", map[string]string{"a.go": "package a\n"})
	out := s.run(agent.Task{Instruction: "do it"})
	wants(t, out, state.RunFailed)
	if n := len(s.server.Requests()); n != 3 {
		t.Errorf("%d tries, want 3", n)
	}
	if model.KindOf(out.Cause) != model.BrokenStream {
		t.Errorf("cause: %v", out.Cause)
	}
}

func TestMissingModel(t *testing.T) {
	s := newStory(t, "", map[string]string{"a.go": "package a\n"})
	out := s.run(agent.Task{Instruction: "do it", Model: "no-such-model"})
	wants(t, out, state.RunFailed, "no-such-model", "ollama pull no-such-model")
	if model.KindOf(out.Cause) != model.MissingModel {
		t.Errorf("cause: %v", out.Cause)
	}
}

func TestUnreachableServer(t *testing.T) {
	s := newStory(t, "", map[string]string{"a.go": "package a\n"})
	if err := s.server.Close(); err != nil {
		t.Fatal(err)
	}
	out := s.run(agent.Task{Instruction: "do it"})
	wants(t, out, state.RunFailed, "ollama")
	if model.KindOf(out.Cause) != model.Unreachable {
		t.Errorf("cause: %v", out.Cause)
	}
}

func TestNoServerAtAll(t *testing.T) {
	s := newStory(t, "", nil)
	s.runner.Provider = nil
	out := s.run(agent.Task{Instruction: "do it"})
	wants(t, out, state.RunFailed, "no model server is set up", "emend doctor")
}

// What cannot be asked is refused before anybody is asked.
func TestBadTasks(t *testing.T) {
	for name, c := range map[string]struct {
		task agent.Task
		want string
	}{
		"no instruction": {agent.Task{}, "there is no instruction"},
		"unknown mode":   {agent.Task{Instruction: "x", Mode: "dance"}, `the mode "dance" is unknown`},
		"bad include":    {agent.Task{Instruction: "x", Include: []string{"../x"}}, "the file given with the request cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, "", nil)
			wants(t, s.run(c.task), state.RunRefused, c.want)
		})
	}
}

// The store of a run that cannot be opened is our fault and said so; the host
// hears of the end all the same.
func TestStoreThatFails(t *testing.T) {
	s := newStory(t, "", nil)
	if err := s.runner.Store.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := s.runner.Run(t.Context(), agent.Task{Instruction: "x"}, noSource{}, s.host)
	if !errors.Is(err, state.ErrClosed) || out.Status != state.RunFailed {
		t.Errorf("%+v, %v", out, err)
	}
	if got := s.host.Trace(); !strings.HasSuffix(got, "ended failed\n") || strings.Count(got, "ended") != 1 {
		t.Errorf("trace:\n%s", got)
	}
}
