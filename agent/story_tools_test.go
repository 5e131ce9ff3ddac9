package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"emend/agent"
	"emend/index"
	"emend/state"
)

const counterGo = `package counter

// Count returns how many words a text has.
func Count(text string) int {
	n := 0
	for range text {
		n++
	}
	return n
}
`

// A model with tools reads, edits the editor's unsaved text and finishes.
func TestToolCalls(t *testing.T) {
	s := newStory(t, `
> contains "Count counts letters"
> contains "The person selected line 4"
< thinking "Let me look at the file."
< "I will read it."
< call read_file {"path": "counter.go"}
---
> last "for range text"
> last "// unsaved"
< call search_replace {"path": "counter.go", "search": "\tfor range text {\n", "replace": "\tfor range strings.Fields(text) {\n"}
---
> last "was changed"
< call finish {"summary": "Count now counts words."}
`, map[string]string{"counter.go": "stale", "go.mod": "module counter\n"})
	s.open("counter.go", counterGo+"// unsaved\n")
	out := s.run(agent.Task{Instruction: "Count counts letters, make it count words", Focus: s.focus("counter.go", "func Count")})
	s.played()
	s.prefixKept()
	wants(t, out, state.RunDone)
	if out.Answer != "Count now counts words." || out.Steps != 3 {
		t.Errorf("outcome: %+v", out)
	}
	wantText(t, s.diff(out), "-\tfor range text {", "+\tfor range strings.Fields(text) {")
	want := strings.Join([]string{
		"started", "step", "tool_call read_file counter.go", "tool_result read_file counter.go",
		"step", "tool_call search_replace counter.go", "tool_result search_replace counter.go",
		"step", "tool_call finish", "tool_result finish", "proposal", "ended done", "",
	}, "\n")
	if got := s.host.Trace(); got != want {
		t.Errorf("trace:\n%s\nwant:\n%s", got, want)
	}
	if shown := s.host.Proposals(); len(shown) != 1 || shown[0].ID != out.Proposal {
		t.Errorf("shown: %v", shown)
	}
	s.view(func(tx *state.Tx) error {
		turns, err := tx.Turns(out.Session)
		if err != nil {
			return err
		}
		if len(turns) != 2 || turns[0].Role != "user" || turns[1].Content != out.Answer {
			t.Errorf("turns: %+v", turns)
		}
		return nil
	})
	record := s.record(out.Run)
	if record.Focus != "counter.go:4" || record.Mode != agent.ModeEdit || record.Model != out.Model || record.PromptTokens == 0 {
		t.Errorf("record: %+v", record)
	}
}

// What a tool will not do is a result the model reads; the run goes on.
func TestRefusalsAreResults(t *testing.T) {
	s := newStory(t, `
< call read_file {"path": "../outside.txt"}
< call read_file {"path": "/etc/passwd"}
< call read_file {"path": "link.txt"}
< call read_file {"path": ".env"}
< call grep {"pattern": "hunter2"}
< call read_file {"path": "picture.png"}
< call read_file {"path": ".git/config"}
< call read_file {"path": "missing.go"}
< call read_file {"file": "a.go"}
< call read_file {"path": "a.go", "start_line": "many"}
< call delete_everything {}
< call finish {"summary": "too early"}
---
> contains "\"..\" is not allowed"
> contains "refusing \"/etc/passwd\""
> contains "refusing \"link.txt\""
> contains ".env looks like it holds secrets"
> contains "No line matches \"hunter2\""
> contains "picture.png is not a text file"
> contains "refusing \".git/config\""
> contains "missing.go does not exist"
> contains "argument \"file\" is unknown; the arguments are path (required), start_line, end_line"
> contains "argument \"start_line\" must be a whole number, not \"many\""
> contains "there is no tool \"delete_everything\"; the tools are read_file, "
> lacks "topsecret"
> lacks "root:x"
> last "Not finished: a call before this one was refused"
< call search_replace {"path": "a.go", "search": "func A() {}", "replace": "func B() {}"}
---
< "Renamed."
`, map[string]string{
		"a.go": "package a\n\nfunc A() {}\n", ".env": "PASSWORD=topsecret hunter2\n", "picture.png": "\x89PNG\x00\x00",
		".git/config": "x",
	})
	outside := filepath.Join(t.TempDir(), "outside.txt")
	if err := os.WriteFile(outside, []byte("topsecret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.root, "link.txt")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	out := s.run(agent.Task{Instruction: "rename A to B"})
	s.played()
	wants(t, out, state.RunDone)
	wantText(t, s.after(out, "a.go"), "func B() {}")
}

// brokenIndex is an index whose code has a fault.
type brokenIndex struct{ *index.Index }

func (brokenIndex) Find(context.Context, string, int) ([]index.Entry, error) {
	var entries []index.Entry
	return entries[:1:1], nil
}

// A panic in a tool ends the run, not the process, and is our error.
func TestPanicInATool(t *testing.T) {
	s := newStory(t, `< call find_file {"query": "x"}`, map[string]string{"a.go": "package a\n"})
	s.runner.Index = brokenIndex{s.runner.Index.(*index.Index)}
	s.runner.Log = nil
	out, err := s.runErr(t.Context(), agent.Task{Instruction: "find x"})
	s.played()
	if err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("error: %v", err)
	}
	wants(t, out, state.RunFailed, "the tool find_file broke down")
}
