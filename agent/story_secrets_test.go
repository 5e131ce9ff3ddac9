package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"emend/agent"
	"emend/agent/model/scripted"
	"emend/state"
)

const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// A repository may make its instructions a link to a file that is the person's
// secret.
func TestInstructionsThatAreSecrets(t *testing.T) {
	s := newStory(t, "> lacks \"hunter2\"\n< \"Fine.\"", map[string]string{".env": "PASSWORD=hunter2\n", "a.go": "package a\n"})
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		if err := os.Symlink(".env", filepath.Join(s.root, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	wants(t, s.run(agent.Task{Instruction: "what?", Mode: agent.ModeAsk}), state.RunDone)
	s.played()
}

// The line of a diagnostic is not shown when it holds a token.
func TestDiagnosticOnASecretLine(t *testing.T) {
	s := newStory(t, "> lacks \""+token+"\"\n< \"Fine.\"", map[string]string{
		"a.go": "package a\n", "b.go": "package a\n\nvar key = \"" + token + "\"\n",
	})
	p := s.path("b.go")
	start := strings.Index(s.now("b.go"), "var key")
	wants(t, s.run(agent.Task{
		Instruction: "why?", Mode: agent.ModeAsk,
		Diagnostics: []agent.Diagnostic{{Path: p, Start: start, End: start + 3, Message: "unused"}},
	}), state.RunDone)
	s.played()
}

// Who asks whether a secret may be sent says where it really goes.
func TestSecretQuestionNamesWhereItGoes(t *testing.T) {
	cloud := scripted.Model{Name: "cloud-coder", Remote: "https://cloud.example:443"}
	s := playStory(t, script(t, ""), map[string]string{".env": "PORT=1\n"}, cloud)
	s.host.Answers = map[string]string{agent.QuestionRemoteModel: agent.Allow}
	wants(t, s.run(agent.Task{Instruction: "x", Model: "cloud-coder", Focus: s.focus(".env", "PORT")}), state.RunRefused, "secrets")
	for _, q := range s.host.Questions() {
		if q.Kind == agent.QuestionSecret {
			wantText(t, q.Text, "cloud.example")
		}
	}
}

// A reply of very many blocks is turned down as a whole, quickly.
func TestManyBlocks(t *testing.T) {
	block := "a.go\n<<<<<<< SEARCH\nno such line\n=======\nx\n>>>>>>> REPLACE\n"
	var turns scripted.Script
	turns = append(turns, scripted.Turn{Text: strings.Repeat(block, 250)}, scripted.Turn{Last: []string{"250 blocks"}, Text: "Enough."}, scripted.Turn{Text: "Enough."})
	s := playStory(t, turns, map[string]string{"a.go": strings.Repeat("package a\n", 1000)})
	wants(t, s.run(agent.Task{Instruction: "x"}), state.RunRefused)
	s.played()
}
