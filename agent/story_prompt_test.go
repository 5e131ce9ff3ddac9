package agent_test

import (
	"strings"
	"testing"

	"emend/agent"
	"emend/state"
)

// What belongs to a request is in its prompt: instructions, files named, the
// document, messages.
func TestPromptHoldsWhatBelongs(t *testing.T) {
	s := newStory(t, `
> contains "Always answer in rhymes"
> contains "Use tabs."
> contains "Use snake case."
> contains "named in the request"
> contains "given with the request"
> contains "holds parseThing"
> contains "a.go:3:6: undefined: x (compiler E1)"
> contains "     3\tfunc A() {}"
> lacks "topsecret"
> lacks "unrelated words"
< "Fine."
`, map[string]string{
		"AGENTS.md": "Use tabs.\n", "sub/CLAUDE.md": "Use snake case.\n",
		"a.go": "package a\n\nfunc A() {}\n", "util/helper.go": "package util\n", "notes.txt": "given words\n",
		"other.go": "package a\n\nfunc parseThing() {}\n", "unrelated.txt": "unrelated words\n", ".env": "K=topsecret parseThing\n",
		"sub/b.go": "package sub\n",
	})
	s.runner.Settings.Instructions = "Always answer in rhymes."
	out := s.run(agent.Task{
		Mode: agent.ModeAsk, Instruction: "does helper.go use parseThing?", Include: []string{"notes.txt"},
		Focus:       s.focus("sub/b.go", "package"),
		Diagnostics: []agent.Diagnostic{{Path: s.path("a.go"), Start: 16, End: 17, Message: "undefined: x", Source: "compiler", Code: "E1"}},
	})
	s.played()
	wants(t, out, state.RunDone)
	if out.Answer != "Fine." {
		t.Errorf("answer: %q", out.Answer)
	}
}

// A run that only asks has no tool that changes anything, and does not take
// blocks for edits.
func TestAskChangesNothing(t *testing.T) {
	s := newStory(t, `
< call write_file {"path": "a.go", "content": "x"}
---
> last "there is no tool \"write_file\""
< "a.go\n<<<<<<< SEARCH\npackage a\n=======\npackage b\n>>>>>>> REPLACE\n"
`, map[string]string{"a.go": "package a\n"})
	out := s.run(agent.Task{Mode: agent.ModeAsk, Instruction: "how would you rename it?"})
	s.played()
	wants(t, out, state.RunDone)
	if out.Proposal != "" || !strings.Contains(out.Answer, "package b") {
		t.Errorf("outcome: %+v", out)
	}
	for _, tool := range s.server.Requests()[0].Tools {
		switch tool.Name {
		case "search_replace", "multi_edit", "write_file", "create_file":
			t.Errorf("ask offers %s", tool.Name)
		}
	}
}

// A repair needs no words of the person's.
func TestRepairFromDiagnostics(t *testing.T) {
	s := newStory(t, "> last \"Fix: missing return\"\n"+editA, map[string]string{"a.go": "package a\n"})
	out := s.run(agent.Task{Mode: agent.ModeRepair, Diagnostics: []agent.Diagnostic{{Path: s.path("a.go"), Message: "missing return"}}})
	s.played()
	wants(t, out, state.RunDone)
	if got := s.record(out.Run).Mode; got != agent.ModeRepair {
		t.Errorf("mode %q", got)
	}
}

// A document that has no file is worked on like any other.
func TestUntitledDocument(t *testing.T) {
	s := newStory(t, `
> contains "The person is in Untitled-1"
< call search_replace {"path": "Untitled-1", "search": "hello", "replace": "goodbye"}
---
< "Done."
`, nil)
	s.openUntitled("untitled:Untitled-1", "hello\n")
	out := s.run(agent.Task{Instruction: "say goodbye", Focus: &agent.Focus{Path: "untitled:Untitled-1"}})
	s.played()
	wants(t, out, state.RunDone)
	if c := s.proposal(out.Proposal); len(c.Files) != 1 || c.Files[0].Path != "untitled:Untitled-1" || c.Texts[0].After != "goodbye\n" {
		t.Errorf("proposal: %+v", c.Proposal)
	}
}
