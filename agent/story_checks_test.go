package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"emend/agent"
	"emend/internal/workspace"
	"emend/state"
)

const editA = "< call write_file {\"path\": \"a.go\", \"content\": \"package b\\n\"}\n---\n< \"Done.\"\n"

// What the run broke goes back to the model, which mends it.
func TestChecksSendTheModelBack(t *testing.T) {
	s := newStory(t, editA+`---
> last "these problems are new"
> last "a.go:1: want package c"
< call write_file {"path": "a.go", "content": "package c\n"}
---
< "Mended."
`, map[string]string{"a.go": "package a\n"})
	checks := 0
	s.runner.Check = func(ctx context.Context, draft *workspace.Draft) (agent.Checked, error) {
		checks++
		f, err := draft.Read(ctx, s.path("a.go"))
		if err != nil {
			return agent.Checked{}, err
		}
		if f.Text != "package c\n" {
			return agent.Checked{Summary: "1 finding", Broken: "a.go:1: want package c"}, nil
		}
		return agent.Checked{Summary: "builds"}, nil
	}
	out := s.run(agent.Task{Instruction: "rename the package"})
	s.played()
	s.prefixKept()
	wants(t, out, state.RunDone)
	if checks != 2 || out.Checks != "builds" || s.proposal(out.Proposal).Checks != "builds" || out.Answer != "Mended." {
		t.Errorf("%d checks, outcome %+v", checks, out)
	}
}

// After a bounded number of repairs the change is proposed with what is wrong.
func TestChecksThatStayRed(t *testing.T) {
	s := newStory(t, editA+"---\n< \"It is fine.\"\n! forever", map[string]string{"a.go": "package a\n"})
	s.runner.Check = func(context.Context, *workspace.Draft) (agent.Checked, error) {
		return agent.Checked{Summary: "1 test fails", Broken: "TestA"}, nil
	}
	out := s.run(agent.Task{Instruction: "rename the package"})
	wants(t, out, state.RunDone)
	if out.Steps != 4 || s.proposal(out.Proposal).Checks != "1 test fails" {
		t.Errorf("outcome: %+v", out)
	}
}

func TestChecksThatCannotRun(t *testing.T) {
	s := newStory(t, editA, map[string]string{"a.go": "package a\n"})
	s.runner.Check = func(context.Context, *workspace.Draft) (agent.Checked, error) {
		return agent.Checked{}, errors.New("no go program found")
	}
	out := s.run(agent.Task{Instruction: "rename the package"})
	s.played()
	wants(t, out, state.RunDone)
	if out.Checks != "not checked: no go program found" {
		t.Errorf("outcome: %+v", out)
	}
}

// A proposal that cannot be shown is stored all the same.
func TestProposalThatCannotBeShown(t *testing.T) {
	s := newStory(t, editA, map[string]string{"a.go": "package a\n"})
	s.host.ProposeErr = errors.New("the editor said no")
	out := s.run(agent.Task{Instruction: "rename the package"})
	wants(t, out, state.RunDone)
	if got := s.proposal(out.Proposal).Status; got != state.ProposalPending {
		t.Errorf("the proposal is %s", got)
	}
	wantText(t, s.host.Trace(), "proposal\nwarning\nended done\n")
}

// The comment that asked for the change leaves with it, whatever the model did.
func TestDirectiveLeaves(t *testing.T) {
	const before = "package a\n\n// emend: add a body\nfunc A() {}\n"
	const want = "package a\n\nfunc A() { println() }\n"
	for name, edit := range map[string]string{
		"kept by the model":    `{"path": "a.go", "search": "func A() {}", "replace": "func A() { println() }"}`,
		"removed by the model": `{"path": "a.go", "search": "// emend: add a body\nfunc A() {}", "replace": "func A() { println() }"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, "< call search_replace "+edit+"\n---\n< \"Done.\"", map[string]string{"a.go": before})
			start := strings.Index(before, "// emend")
			out := s.run(agent.Task{
				Instruction: "add a body",
				Directive:   &agent.Directive{Path: s.path("a.go"), Start: start, End: start + len("// emend: add a body\n")},
			})
			s.played()
			wants(t, out, state.RunDone)
			if got := s.after(out, "a.go"); got != want {
				t.Errorf("after:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// Without a change the comment stays.
func TestDirectiveStaysWithoutAChange(t *testing.T) {
	s := newStory(t, `< call finish {"summary": "Nothing to do."}`, map[string]string{"a.go": "// emend: x\n"})
	out := s.run(agent.Task{Instruction: "x", Directive: &agent.Directive{Path: s.path("a.go"), Start: 0, End: 12}})
	wants(t, out, state.RunDone)
	if out.Proposal != "" {
		t.Errorf("outcome: %+v", out)
	}
}
