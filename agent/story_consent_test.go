package agent_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"emend/agent"
	"emend/agent/agenttest"
	"emend/agent/model"
	"emend/agent/model/scripted"
	"emend/internal/workspace"
	"emend/state"
)

// noSource has no documents and no files.
type noSource struct{}

func (noSource) Documents() []*workspace.Document { return nil }

func (noSource) ReadFile(context.Context, workspace.Path) ([]byte, fs.FileMode, error) {
	return nil, 0, fs.ErrNotExist
}

// remote is a provider that says it is on another machine.
type remote struct{ model.Provider }

func (remote) Loopback() bool { return false }
func (remote) Host() string   { return "models.example:443" }

// Before text leaves for another machine the person is asked, once.
func TestRemoteModelAllowed(t *testing.T) {
	s := newStory(t, "< \"It adds.\"\n! forever", map[string]string{"a.go": "package a\n"})
	s.runner.Provider = remote{s.runner.Provider}
	s.host.Answers = map[string]string{agent.QuestionRemoteModel: agent.Allow}
	wants(t, s.run(agent.Task{Instruction: "what?", Mode: agent.ModeAsk}), state.RunDone)
	questions := s.host.Questions()
	if len(questions) != 1 || questions[0].Default != agent.Deny {
		t.Fatalf("questions: %+v", questions)
	}
	wantText(t, questions[0].Text, "models.example:443")
	wantText(t, s.host.Trace(), "question remote-model\nquestion allow\nstep\n")
	// Another run, and another host that would say no: the answer is remembered.
	s.host = &agenttest.Host{}
	wants(t, s.run(agent.Task{Instruction: "what?", Mode: agent.ModeAsk}), state.RunDone)
	if asked := s.host.Questions(); len(asked) != 0 {
		t.Errorf("asked again: %+v", asked)
	}
}

// Whatever is not a yes is a no: nothing is sent, and it is asked again next
// time.
func TestRemoteModelDenied(t *testing.T) {
	for name, host := range map[string]*agenttest.Host{
		"by default":     {},
		"by the person":  {Answers: map[string]string{agent.QuestionRemoteModel: agent.Deny}},
		"by nonsense":    {Answers: map[string]string{agent.QuestionRemoteModel: "perhaps"}},
		"nobody there":   {AskErr: errors.New("no window")},
		"error and a no": {AskErr: errors.New("no window"), Answers: map[string]string{agent.QuestionRemoteModel: agent.Allow}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, "", map[string]string{"a.go": "package a\n"})
			s.runner.Provider = remote{s.runner.Provider}
			s.host = host
			for range 2 {
				wants(t, s.run(agent.Task{Instruction: "do it"}), state.RunRefused, "may not be sent to models.example:443")
			}
			if n := len(s.server.Requests()); n != 0 {
				t.Errorf("%d requests", n)
			}
			if n := len(s.host.Questions()); n != 2 {
				t.Errorf("%d questions, want 2", n)
			}
		})
	}
}

// A server on this machine may hand the text on to another one: that is asked
// for as well.
func TestModelThatRunsElsewhere(t *testing.T) {
	cloud := scripted.Model{Name: "cloud-coder", Remote: "https://cloud.example:443"}
	s := playStory(t, script(t, "< \"It adds.\""), map[string]string{"a.go": "package a\n"}, cloud)
	task := agent.Task{Instruction: "what?", Mode: agent.ModeAsk, Model: "cloud-coder"}
	wants(t, s.run(task), state.RunRefused, "cloud.example")
	s.host.Answers = map[string]string{agent.QuestionRemoteModel: agent.Allow}
	wants(t, s.run(task), state.RunDone)
	s.played()
}

// A document that looks like it holds secrets is sent only after a yes.
func TestSecretFocus(t *testing.T) {
	for _, answer := range []string{agent.Deny, agent.Allow} {
		t.Run(answer, func(t *testing.T) {
			text := ""
			if answer == agent.Allow {
				text = "> contains \"PORT=1\"\n< call search_replace {\"path\": \".env\", \"search\": \"PORT=1\", \"replace\": \"PORT=2\"}\n---\n< \"Done.\""
			}
			s := newStory(t, text, map[string]string{".env": "PORT=1\n"})
			s.host.Answers = map[string]string{agent.QuestionSecret: answer}
			out := s.run(agent.Task{Instruction: "use port 2", Focus: s.focus(".env", "PORT")})
			s.played()
			if answer == agent.Deny {
				wants(t, out, state.RunRefused, "looks like it holds secrets")
				return
			}
			wants(t, out, state.RunDone)
			wantText(t, s.after(out, ".env"), "PORT=2")
		})
	}
}
