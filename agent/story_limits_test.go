package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"emend/agent"
	"emend/agent/model"
	"emend/agent/model/scripted"
	"emend/state"
)

// The same call again and again: first a warning as a result, then the end.
func TestRepeatedCalls(t *testing.T) {
	s := newStory(t, `
< call read_file {"path": "a.go", "start_line": 1}
---
> last "package a"
< call read_file {"start_line": 1,   "path": "a.go"}
---
> last "package a"
< call read_file {"path": "a.go", "start_line": 1}
---
> last "You have made this very call 2 times"
< call read_file {"path": "a.go", "start_line": 1}
`, map[string]string{"a.go": "package a\n"})
	s.runner.Settings.Agent.MaxRepeats = 2
	out := s.run(agent.Task{Instruction: "read"})
	s.played()
	wants(t, out, state.RunRefused, "same call of read_file 4 times", "a.go")
}

// A change in between makes the same call a new one.
func TestRepeatsAreForgottenAfterAChange(t *testing.T) {
	var turns scripted.Script
	for i := range 4 {
		turns = append(turns,
			scripted.Turn{Calls: []model.Call{{Name: "read_file", Arguments: []byte(`{"path":"a.go"}`)}}},
			scripted.Turn{Last: []string{fmt.Sprintf("// v%d", i)}, Calls: []model.Call{{Name: "write_file",
				Arguments: []byte(fmt.Sprintf(`{"path":"a.go","content":"// v%d\n"}`, i+1))}}})
	}
	turns = append(turns, scripted.Turn{Text: "Done."})
	s := playStory(t, turns, map[string]string{"a.go": "// v0\n"})
	s.runner.Settings.Agent.MaxRepeats = 1
	out := s.run(agent.Task{Instruction: "count up"})
	s.played()
	wants(t, out, state.RunDone)
	wantText(t, s.after(out, "a.go"), "// v4\n")
}

func TestStepLimit(t *testing.T) {
	s := playStory(t, scripted.Func(func(r scripted.Request) scripted.Turn {
		return scripted.Turn{Calls: []model.Call{{Name: "grep", Arguments: []byte(fmt.Sprintf(`{"pattern":"x%d"}`, len(r.Messages)))}}}
	}), map[string]string{"a.go": "package a\n"})
	s.runner.Settings.Agent.MaxSteps = 3
	out := s.run(agent.Task{Instruction: "search"})
	wants(t, out, state.RunRefused, "stopped after 3 steps", "agent.max_steps")
	requests := s.server.Requests()
	if out.Steps != 3 || len(requests) != 3 {
		t.Fatalf("%d steps, %d requests", out.Steps, len(requests))
	}
	s.prefixKept()
	wantText(t, requests[2].Text(), "This is your last step")
	if strings.Contains(requests[1].Text(), "This is your last step") {
		t.Error("the last step was announced too early")
	}
}

func TestTimeLimit(t *testing.T) {
	s := newStory(t, `< call grep {"pattern": "x"}`, map[string]string{"a.go": "package a\n"})
	s.runner.Settings.Agent.MaxMinutes = 5
	clock := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	s.runner.Now = func() time.Time { return clock }
	s.host.OnEvent = func(e agent.Event) {
		if e.Kind == agent.KindToolResult {
			clock = clock.Add(6 * time.Minute)
		}
	}
	out := s.run(agent.Task{Instruction: "search"})
	s.played()
	wants(t, out, state.RunRefused, "stopped after 5 minutes", "agent.max_minutes")
}

func TestTokenLimit(t *testing.T) {
	s := newStory(t, "< call grep {\"pattern\": \"x\"}\n! usage 900 200\n", map[string]string{"a.go": "package a\n"})
	s.runner.MaxTokens = 1000
	out := s.run(agent.Task{Instruction: "search"})
	s.played()
	wants(t, out, state.RunRefused, "stopped after 1100 tokens")
	if out.Prompt != 900 || out.Output != 200 {
		t.Errorf("outcome: %+v", out)
	}
}

// A prompt that does not fit is never cut, and never sent.
func TestTooBigAPrompt(t *testing.T) {
	s := newStory(t, "", map[string]string{"a.go": "package a\n"})
	s.runner.Settings.Model.NumCtx = 4096
	out := s.run(agent.Task{Instruction: strings.Repeat("please do this and that. ", 4000)})
	wants(t, out, state.RunRefused, "tokens long", "of 4096", "model.num_ctx")
	if n := len(s.server.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// The model's own window counts where it is the smaller one.
func TestTooBigForTheModel(t *testing.T) {
	s := playStory(t, script(t, ""), map[string]string{"a.go": "package a\n"}, scripted.Model{Name: "tiny", Window: 2048})
	out := s.run(agent.Task{Instruction: strings.Repeat("please do this and that. ", 1000)})
	wants(t, out, state.RunRefused, "of 2048")
}

// A big document is shown around the place of the request, and that is said.
func TestBigDocumentIsShownInPart(t *testing.T) {
	var big strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&big, "var v%d = %d\n", i, i)
	}
	s := newStory(t, `
> contains "var v2500 = 2500"
> contains "of 5001 are shown"
> contains "The person selected line 2501"
> lacks "var v1 = 1\n"
> lacks "var v4999 = 4999"
< call search_replace {"path": "big.go", "search": "var v2500 = 2500\n", "replace": "var v2500 = 0\n"}
---
< "Done."
`, map[string]string{"big.go": big.String()})
	out := s.run(agent.Task{Instruction: "set it to 0", Focus: s.focus("big.go", "var v2500")})
	s.played()
	wants(t, out, state.RunDone)
	wantText(t, s.after(out, "big.go"), "var v2499 = 2499\nvar v2500 = 0\nvar v2501 = 2501\n")
}

// Results that no longer fit are dropped, the oldest first, and the person is
// told; what is left of the prompt stays as it was.
func TestOldResultsMakeRoom(t *testing.T) {
	files := map[string]string{}
	for i := range 8 {
		files[fmt.Sprintf("f%d.txt", i)] = strings.Repeat(fmt.Sprintf("file %c of words\n", 'a'+i), 200)
	}
	read := 0
	s := playStory(t, scripted.Func(func(scripted.Request) scripted.Turn {
		if read == 8 {
			return scripted.Turn{Text: "All read."}
		}
		read++
		return scripted.Turn{Calls: []model.Call{{Name: "read_file", Arguments: []byte(fmt.Sprintf(`{"path":"f%d.txt"}`, read-1))}}}
	}), files)
	s.runner.Settings.Model.NumCtx = 8192
	out := s.run(agent.Task{Instruction: "read them all", Mode: agent.ModeAsk})
	wants(t, out, state.RunDone)
	requests := s.server.Requests()
	last := requests[len(requests)-1]
	wantText(t, last.Text(), "This result was dropped to make room", "file h of words")
	if strings.Contains(last.Text(), "file a of words") {
		t.Error("the oldest result is still there")
	}
	if n := model.EstimateRequest(model.Request{Messages: last.Messages, Tools: last.Tools}); n > 8192-2048 {
		t.Errorf("the last prompt is about %d tokens", n)
	}
	warned := false
	for _, e := range s.host.Events() {
		warned = warned || e.Kind == agent.KindWarning && strings.Contains(e.Text, "dropped from the prompt")
	}
	if !warned {
		t.Errorf("nothing was said:\n%s", s.host.Trace())
	}
}
