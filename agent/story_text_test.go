package agent_test

import (
	"strings"
	"testing"

	"emend/agent"
	"emend/agent/model/scripted"
	"emend/state"
)

// script parses a script or ends the test.
func script(t *testing.T, text string) scripted.Script {
	t.Helper()
	turns, err := scripted.ParseScript(text)
	if err != nil {
		t.Fatal(err)
	}
	return turns
}

var noTools = scripted.Model{Name: "plain-coder", NoTools: true}

const addGo = "package add\n\nfunc Add(a, b int) int {\n\treturn a - b\n}\n\nfunc Sub(a, b int) int {\n\treturn a - b\n}\n"

// A model without tools edits by blocks; all applied ends the run.
func TestTextBlocks(t *testing.T) {
	s := playStory(t, script(t, `
> contains "<<<<<<< SEARCH"
> contains "read_file(path=…, start_line=…, end_line=…)"
> contains "return a - b"
> last "Add subtracts"
<<<
Add has to add.

add.go
<<<<<<< SEARCH
func Add(a, b int) int {
	return a - b
=======
func Add(a, b int) int {
	return a + b
>>>>>>> REPLACE
>>>
`), map[string]string{"add.go": addGo}, noTools)
	out := s.run(agent.Task{Instruction: "Add subtracts", Focus: s.focus("add.go", "Add")})
	s.played()
	wants(t, out, state.RunDone)
	wantText(t, s.diff(out), "-\treturn a - b\n+\treturn a + b\n }\n \n func Sub")
	if out.Answer == "" || out.Steps != 1 {
		t.Errorf("outcome: %+v", out)
	}
	for _, r := range s.server.Requests() {
		if len(r.Tools) > 0 {
			t.Errorf("tools were offered to a model without tools: %v", r.Tools)
		}
	}
}

// Blocks that do not match come back with the reason; the good ones stay.
func TestTextBlocksRefusedThenRepaired(t *testing.T) {
	s := playStory(t, script(t, `
<<<
add.go
<<<<<<< SEARCH
package add
=======
// Package add adds.
package add
>>>>>>> REPLACE

add.go
<<<<<<< SEARCH
	return a - b
=======
	return a + b
>>>>>>> REPLACE
>>>
---
> last "Block 1 was applied; do not send it again."
> last "Block 2 (add.go): "
> last "4"
> last "8"
<<<
add.go
<<<<<<< SEARCH
func Add(a, b int) int {
	return a - b
=======
func Add(a, b int) int {
	return a + b
>>>>>>> REPLACE
>>>
`), map[string]string{"add.go": addGo}, noTools)
	out := s.run(agent.Task{Instruction: "Add subtracts", Focus: s.focus("add.go", "Add")})
	s.played()
	s.prefixKept()
	wants(t, out, state.RunDone)
	wantText(t, s.diff(out), "+// Package add adds.", "+\treturn a + b")
}

// A model that cannot get its blocks right is given up.
func TestTextBlocksNeverApply(t *testing.T) {
	s := playStory(t, scripted.Func(func(r scripted.Request) scripted.Turn {
		n := string(rune('a' + len(r.Messages)))
		return scripted.Turn{Text: "add.go\n<<<<<<< SEARCH\nnothing like " + n + "\n=======\nx\n>>>>>>> REPLACE\n"}
	}), map[string]string{"add.go": addGo}, noTools)
	out := s.run(agent.Task{Instruction: "Add subtracts"})
	wants(t, out, state.RunRefused, "did not apply 4 times in a row")
	if out.Proposal != "" {
		t.Errorf("a refused run proposes: %+v", out)
	}
}

// The same wrong blocks again and again end the run sooner or later.
func TestTextBlocksRepeated(t *testing.T) {
	s := playStory(t, script(t, "< \"add.go\\n<<<<<<< SEARCH\\nnope\\n=======\\nx\\n>>>>>>> REPLACE\\n\"\n! forever"),
		map[string]string{"add.go": addGo}, noTools)
	s.runner.Settings.Agent.MaxRepeats = 1
	out := s.run(agent.Task{Instruction: "Add subtracts"})
	wants(t, out, state.RunRefused, "the same blocks 2 times")
}

// A unified diff is understood as well.
func TestUnifiedDiff(t *testing.T) {
	s := playStory(t, script(t, "< \"So:\\n\\n```diff\\n--- a/add.go\\n+++ b/add.go\\n@@ -3,3 +3,3 @@\\n func Add(a, b int) int {\\n-\\treturn a - b\\n+\\treturn a + b\\n }\\n```\\nDone.\""),
		map[string]string{"add.go": addGo}, noTools)
	out := s.run(agent.Task{Instruction: "Add subtracts"})
	s.played()
	wants(t, out, state.RunDone)
	wantText(t, s.after(out, "add.go"), "return a + b\n}\n\nfunc Sub(a, b int) int {\n\treturn a - b")
}

// A patch that moves one file and deletes another.
func TestPatchMovesAndDeletes(t *testing.T) {
	s := playStory(t, script(t, `
<<<
*** Begin Patch
*** Update File: add.go
*** Move to: sum/add.go
@@
-package add
+package sum
*** Delete File: old.go
*** End Patch
>>>
`), map[string]string{"add.go": addGo, "old.go": "package old\n"}, noTools)
	out := s.run(agent.Task{Instruction: "move it"})
	s.played()
	wants(t, out, state.RunDone)
	wantText(t, s.diff(out), "rename to", "sum/add.go", "deleted file", "+package sum")
}

// A block that is cut off is named once, and the others stay.
func TestCutBlock(t *testing.T) {
	s := playStory(t, script(t, `
<<<
add.go
<<<<<<< SEARCH
package add
=======
package sum
>>>>>>> REPLACE

add.go
<<<<<<< SEARCH
func Sub
>>>
---
> last "Block 1 was applied; do not send it again."
> last "Block 2 (add.go): "
> lacks "Block 3"
< "add.go\n<<<<<<< SEARCH\nfunc Sub(a, b int) int {\n=======\nfunc Subtract(a, b int) int {\n>>>>>>> REPLACE\n"
`), map[string]string{"add.go": addGo}, noTools)
	out := s.run(agent.Task{Instruction: "rename"})
	s.played()
	wants(t, out, state.RunDone)
	wantText(t, s.after(out, "add.go"), "package sum", "func Subtract")
	last := s.server.Requests()[1].Messages
	if n := strings.Count(last[len(last)-1].Content, "Block 2"); n != 1 {
		t.Errorf("the cut block is named %d times:\n%s", n, last[len(last)-1].Content)
	}
}

// A new file, by a block with an empty SEARCH.
func TestTextBlockCreatesAFile(t *testing.T) {
	s := playStory(t, script(t, `
<<<
sub/new.go
<<<<<<< SEARCH
=======
package sub
>>>>>>> REPLACE
>>>
`), map[string]string{"add.go": addGo}, noTools)
	out := s.run(agent.Task{Instruction: "make a package sub"})
	s.played()
	wants(t, out, state.RunDone)
	if got := s.after(out, "sub/new.go"); got != "package sub\n" {
		t.Errorf("new file: %q", got)
	}
}

// A model without tools may still look around, by calls as text.
func TestTextCallsThenBlocks(t *testing.T) {
	s := playStory(t, script(t, `
< "I need to see the file.\n\nread_file(path=\"add.go\", start_line=7)"
---
> last "Result of read_file"
> last "7\tfunc Sub"
<<<
add.go
<<<<<<< SEARCH
func Sub(a, b int) int {
=======
// Sub subtracts.
func Sub(a, b int) int {
>>>>>>> REPLACE
>>>
`), map[string]string{"add.go": addGo}, noTools)
	out := s.run(agent.Task{Instruction: "document Sub"})
	s.played()
	s.prefixKept()
	wants(t, out, state.RunDone)
	wantText(t, s.after(out, "add.go"), "// Sub subtracts.\nfunc Sub")
}

// A model with tools that writes its calls or its blocks as text is understood.
func TestToolModelWritesText(t *testing.T) {
	s := newStory(t, "< \"```json\\n{\\\"name\\\": \\\"read_file\\\", \\\"arguments\\\": {\\\"path\\\": \\\"add.go\\\"}}\\n```\"\n---\n"+
		"> last \"func Sub\"\n< \"add.go\\n<<<<<<< SEARCH\\nfunc Sub(a, b int) int {\\n=======\\nfunc Subtract(a, b int) int {\\n>>>>>>> REPLACE\\n\"\n",
		map[string]string{"add.go": addGo})
	out := s.run(agent.Task{Instruction: "rename Sub to Subtract"})
	s.played()
	wants(t, out, state.RunDone)
	wantText(t, s.after(out, "add.go"), "func Subtract")
}

// The server says only when asked that the model takes no tools.
func TestToolsRefusedByTheServer(t *testing.T) {
	s := newStory(t, `
! status 400 "registry.example/plain does not support tools"
---
> contains "<<<<<<< SEARCH"
< "add.go\n<<<<<<< SEARCH\npackage add\n=======\npackage sum\n>>>>>>> REPLACE\n"
`, map[string]string{"add.go": addGo})
	out := s.run(agent.Task{Instruction: "rename the package"})
	s.played()
	wants(t, out, state.RunDone)
	if out.Steps != 1 {
		t.Errorf("%d steps, want 1", out.Steps)
	}
}

// Words alone change nothing: once that is said, then the run is refused.
func TestNothingUsefulTwice(t *testing.T) {
	s := newStory(t, `
< "You could use a plus sign."
---
> last "Nothing was changed."
< "As I said."
`, map[string]string{"add.go": addGo})
	out := s.run(agent.Task{Instruction: "Add subtracts"})
	s.played()
	wants(t, out, state.RunRefused, "the model changed nothing; it says: As I said.")
}

func TestNothingAtAllTwice(t *testing.T) {
	s := newStory(t, "< \"\"\n---\n> last \"Your reply was empty\"\n< \" \"", map[string]string{"add.go": addGo})
	out := s.run(agent.Task{Instruction: "What is Add?", Mode: agent.ModeAsk})
	s.played()
	wants(t, out, state.RunRefused, "said nothing")
}

// A model that is done without a change says so by finish.
func TestFinishWithoutAChange(t *testing.T) {
	s := newStory(t, `< call finish {"summary": "It adds already."}`, map[string]string{"add.go": addGo})
	out := s.run(agent.Task{Instruction: "make Sub subtract"})
	s.played()
	wants(t, out, state.RunDone)
	if out.Answer != "It adds already." || out.Proposal != "" || len(s.host.Proposals()) != 0 {
		t.Errorf("outcome: %+v", out)
	}
}
