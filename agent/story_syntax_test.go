package agent_test

import (
	"strings"
	"testing"

	"emend/agent"
	"emend/state"
)

// An edit that makes a file parse worse is sent back with the line, whatever
// way it came.
func TestSyntaxGate(t *testing.T) {
	for name, script := range map[string]string{
		"call": `
< call search_replace {"path": "counter.go", "search": "\tn := 0\n", "replace": "\tn := (0\n"}
---
> last "would not parse"
> last "line 5"
< call search_replace {"path": "counter.go", "search": "\tn := 0\n", "replace": "\tn := 1\n"}
---
> last "was changed"
< call finish {"summary": "done"}
`,
		"blocks": `
<<<
counter.go
<<<<<<< SEARCH
	n := 0
=======
	n := (0
>>>>>>> REPLACE
>>>
---
> last "would not parse"
> last "line 5"
<<<
counter.go
<<<<<<< SEARCH
	n := 0
=======
	n := 1
>>>>>>> REPLACE
>>>
`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, script, map[string]string{"counter.go": counterGo})
			out := s.run(agent.Task{Instruction: "start at one", Focus: s.focus("counter.go", "func Count")})
			s.played()
			wants(t, out, state.RunDone)
			wantText(t, s.diff(out), "-\tn := 0", "+\tn := 1")
			if strings.Contains(out.Checks, "syntax") {
				t.Errorf("checks: %q", out.Checks)
			}
		})
	}
}

// The same edit sent once more is taken, and the proposal says so.
func TestSyntaxGateInsists(t *testing.T) {
	s := newStory(t, `
< call search_replace {"path": "counter.go", "search": "\tn := 0\n", "replace": "\tn := (0\n"}
---
> last "would not parse"
< call search_replace {"path": "counter.go", "search": "\tn := 0\n", "replace": "\tn := (0\n"}
---
> last "was changed"
< call finish {"summary": "done"}
`, map[string]string{"counter.go": counterGo})
	out := s.run(agent.Task{Instruction: "start at one", Focus: s.focus("counter.go", "func Count")})
	s.played()
	wants(t, out, state.RunDone)
	if !strings.Contains(out.Checks, "syntax: worse in counter.go (line ") {
		t.Errorf("checks: %q", out.Checks)
	}
}
