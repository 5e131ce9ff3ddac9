package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"emend/agent"
	"emend/agent/agenttest"
	"emend/agent/model"
	"emend/agent/model/scripted"
	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

const listGo = "package list\n\nfunc First() {}\n\nfunc Middle() {}\n\nfunc Last() {}\n"

// Ask, then ask again before applying: the second run begins from the first
// one's proposal and takes its place.
func TestFollowUp(t *testing.T) {
	s := newStory(t, `
< call search_replace {"path": "list.go", "search": "func First() {}", "replace": "func Head() {}"}
---
< "Renamed First to Head."
---
> contains "rename First"
> contains "Renamed First to Head."
> contains "which the person has not applied yet"
> contains "+func Head() {}"
> last "func Head() {}"
> last "The request:\n\nand Last to Tail"
< call search_replace {"path": "list.go", "search": "func Last() {}", "replace": "func Tail() {}"}
---
< "Renamed Last to Tail."
`, map[string]string{"list.go": listGo})
	first := s.run(agent.Task{Instruction: "rename First to Head", Focus: s.focus("list.go", "First")})
	wants(t, first, state.RunDone)
	second := s.run(agent.Task{Instruction: "and Last to Tail", Session: first.Session, Focus: s.focus("list.go", "Last")})
	s.played()
	wants(t, second, state.RunDone)
	if second.Session != first.Session {
		t.Errorf("session %s, want %s", second.Session, first.Session)
	}
	wantText(t, s.after(second, "list.go"), "func Head() {}", "func Middle() {}", "func Tail() {}")
	if got := s.proposal(first.Proposal).Status; got != state.ProposalSuperseded {
		t.Errorf("the first proposal is %s", got)
	}
	if p := s.proposal(second.Proposal); p.Supersedes != first.Proposal || p.Status != state.ProposalPending {
		t.Errorf("the second proposal is %s, superseding %q", p.Status, p.Supersedes)
	}
}

// What the person typed meanwhile is there; what they refused is told.
func TestFollowUpAfterTypingAndRefusing(t *testing.T) {
	s := newStory(t, `
< call multi_edit {"path": "list.go", "edits": [{"search": "func First() {}", "replace": "func Head() {}"}, {"search": "func Last() {}", "replace": "func Tail() {}"}]}
---
< "Renamed."
---
> contains "The person refused this change of list.go"
> contains "+func Tail() {}"
> contains "// typed"
> contains "func Head() {}\n"
< call search_replace {"path": "list.go", "search": "func Middle() {}", "replace": "func Center() {}"}
---
< "Renamed Middle."
`, map[string]string{"list.go": listGo})
	s.open("list.go", listGo)
	first := s.run(agent.Task{Instruction: "rename them", Focus: s.focus("list.go", "First")})
	err := s.runner.Store.Update(t.Context(), func(tx *state.Tx) error {
		c, err := proposal.Load(tx, first.Proposal)
		if err != nil {
			return err
		}
		c.Discard(proposal.Selection{Hunk: c.Files[0].Hunks[1].ID})
		return proposal.Save(tx, c)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.open("list.go", "// typed\n"+listGo)
	second := s.run(agent.Task{Instruction: "and Middle", Session: first.Session, Focus: s.focus("list.go", "Middle")})
	s.played()
	wants(t, second, state.RunDone)
	want := "// typed\npackage list\n\nfunc Head() {}\n\nfunc Center() {}\n\nfunc Last() {}\n"
	if got := s.after(second, "list.go"); got != want {
		t.Errorf("after:\n%s\nwant:\n%s", got, want)
	}
}

// Fresh begins from the workspace, and still takes the old one's place.
func TestFreshFollowUp(t *testing.T) {
	s := newStory(t, `
< call write_file {"path": "list.go", "content": "package one\n"}
---
< "One."
---
> lacks "package one\n"
< call create_file {"path": "two.go", "content": "package two\n"}
---
< "Two."
`, map[string]string{"list.go": listGo})
	first := s.run(agent.Task{Instruction: "one"})
	second := s.run(agent.Task{Instruction: "two", Session: first.Session, Fresh: true})
	s.played()
	if files := s.proposal(second.Proposal).Files; len(files) != 1 || files[0].Kind != "create" {
		t.Errorf("files: %+v", files)
	}
	if got := s.proposal(first.Proposal).Status; got != state.ProposalSuperseded {
		t.Errorf("the first proposal is %s", got)
	}
}

// A follow-up that changes nothing leaves the pending proposal as it is.
func TestFollowUpThatOnlyAsks(t *testing.T) {
	s := newStory(t, `
< call write_file {"path": "list.go", "content": "package one\n"}
---
< "One."
---
> contains "package one"
< "Because you asked."
`, map[string]string{"list.go": listGo})
	first := s.run(agent.Task{Instruction: "one"})
	second := s.run(agent.Task{Instruction: "why?", Session: first.Session, Mode: agent.ModeAsk})
	s.played()
	wants(t, second, state.RunDone)
	if second.Answer != "Because you asked." || second.Proposal != "" {
		t.Errorf("outcome: %+v", second)
	}
	if got := s.proposal(first.Proposal).Status; got != state.ProposalPending {
		t.Errorf("the first proposal is %s", got)
	}
}

// A follow-up that takes everything back leaves nothing pending.
func TestFollowUpThatTakesBack(t *testing.T) {
	s := newStory(t, `
< call create_file {"path": "new.go", "content": "package list\n"}
< call write_file {"path": "list.go", "content": "package one\n"}
---
< "One."
---
< call write_file {"path": "list.go", "content": "package list\n\nfunc First() {}\n\nfunc Middle() {}\n\nfunc Last() {}\n"}
---
< "Taken back."
`, map[string]string{"list.go": listGo})
	first := s.run(agent.Task{Instruction: "one"})
	if files := s.proposal(first.Proposal).Files; len(files) != 2 {
		t.Fatalf("files: %+v", files)
	}
	second := s.run(agent.Task{Instruction: "not list.go", Session: first.Session})
	s.played()
	if files := s.proposal(second.Proposal).Files; len(files) != 1 || files[0].Kind != "create" {
		t.Errorf("files: %+v", files)
	}
}

// A run that was stopped leaves its request in the conversation, and the two
// still take turns.
func TestFollowUpAfterAStop(t *testing.T) {
	s := newStory(t, `
< "I"
! stall
---
> contains "first thing"
> contains "stopped before there was an answer"
< "Fine."
`, map[string]string{"list.go": listGo})
	ctx, cancel := context.WithCancel(t.Context())
	s.host.OnEvent = func(e agent.Event) {
		if e.Kind == agent.KindToken {
			cancel()
		}
	}
	first, err := s.runErr(ctx, agent.Task{Instruction: "do the first thing"})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, first, state.RunCancelled)
	s.host.OnEvent = nil
	wants(t, s.run(agent.Task{Instruction: "and?", Session: first.Session, Mode: agent.ModeAsk}), state.RunDone)
	requests := s.server.Requests()
	var roles []string
	for _, m := range requests[len(requests)-1].Messages {
		roles = append(roles, string(m.Role))
	}
	if got := strings.Join(roles, " "); got != "system user assistant user" {
		t.Errorf("roles: %s", got)
	}
}

// Runs of one Runner do not get into each other's way.
func TestRunsAtOnce(t *testing.T) {
	s := playStory(t, scripted.Func(func(r scripted.Request) scripted.Turn {
		last := r.Messages[len(r.Messages)-1]
		if last.Role == model.ToolRole {
			return scripted.Turn{Text: "Done."}
		}
		name := last.Content[strings.LastIndexByte(last.Content, ' ')+1:]
		return scripted.Turn{Calls: []model.Call{{Name: "create_file", Arguments: []byte(fmt.Sprintf(`{"path":%q,"content":"x"}`, name))}}}
	}), map[string]string{"a.go": "package a\n"})
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			name := fmt.Sprintf("new%d.txt", i)
			out, err := s.runner.Run(t.Context(), agent.Task{Instruction: "create " + name}, workspace.Disk(&s.docs), &agenttest.Host{})
			if err != nil {
				t.Error(err)
				return
			}
			if got := s.after(out, name); got != "x\n" {
				t.Errorf("%s: %q", name, got)
			}
			if n := len(s.proposal(out.Proposal).Files); n != 1 {
				t.Errorf("%s: %d files", name, n)
			}
		})
	}
	wait.Wait()
}
