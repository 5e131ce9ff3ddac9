package lsp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"emend/lsp/lsptest"
	"emend/state"
)

// gone waits for the end of Serve after the editor was killed.
func (w *world) gone() {
	w.t.Helper()
	select {
	case code := <-w.code:
		w.code <- code
	case <-time.After(5 * time.Second):
		w.t.Fatal("the server stays although its editor is gone")
	}
}

// runs are the records of all runs, newest first.
func (w *world) runs() (out []state.Run) {
	w.store(func(tx *state.Tx) error {
		all, err := tx.Runs()
		for _, r := range all {
			out = append(out, *r)
		}
		return err
	})
	return out
}

// TestKilledInMidstream: the editor dies while the model talks. The model is
// let go, the run is closed on record, and the next server offers what waited.
func TestKilledInMidstream(t *testing.T) {
	w := newWorld(t, setup{
		profile: "vscode", files: map[string]string{"a.go": threeConsts},
		script: renameThree("a.go") + "---\n< \"thinking\"\n! gate hang\n",
	})
	w.Open("a.go")
	w.Execute("emend.run", "rename")
	w.AwaitDiagnostics("a.go", hasHint)
	w.Execute("emend.run", "and more")
	<-w.model.Reached("hang")
	if err := w.Kill(); err != nil {
		t.Fatal(err)
	}
	w.gone()
	<-w.model.Left()
	runs := w.runs()
	if len(runs) != 2 || runs[0].Status != state.RunCancelled && runs[0].Status != state.RunInterrupted || runs[1].Status != state.RunDone {
		t.Errorf("on record are %+v", runs)
	}
	next := newWorld(t, setup{profile: "helix", dir: w.dir, state: w.state})
	next.AwaitMessage("1 proposal from before still waiting: rename")
	next.Open("a.go")
	next.AwaitDiagnostics("a.go", hasHint)
}

// TestLeavingDenies: an editor that shuts down while it is asked has not said
// yes.
func TestLeavingDenies(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	for _, profile := range []string{"vscode", "helix"} {
		t.Run(profile, func(t *testing.T) {
			w := newWorld(t, setup{
				profile: profile, files: map[string]string{"a.go": threeConsts}, script: "# it is not asked\n",
				options: func(o *Options) { o.NewProvider = remoteProvider },
				config:  lsptest.Config{Answer: func(lsptest.Question) string { <-never; return "Allow" }},
			})
			w.Open("a.go")
			w.run("emend.run", "rename")
			if profile == "vscode" {
				w.AwaitQuestion("models.example")
			} else {
				w.AwaitMessage("models.example")
			}
			w.Exit()
			w.store(func(tx *state.Tx) error {
				grants, err := tx.Grants()
				if len(grants) > 0 {
					t.Errorf("granted is %+v", grants)
				}
				return err
			})
			if runs := w.runs(); len(runs) != 1 || runs[0].Status != state.RunCancelled {
				t.Errorf("on record are %+v", runs)
			}
		})
	}
}

// TestRedo takes an undo back by its checkpoint.
func TestRedo(t *testing.T) {
	w := proposed(t, setup{profile: "vscode"})
	w.Execute("emend.apply")
	w.AwaitMessage("1 file changed")
	after := w.Text("a.go")
	w.Execute("emend.undo")
	w.AwaitMessage("1 file changed")
	w.has("a.go", threeConsts)
	var rows []struct{ ID, Label string }
	if err := json.Unmarshal(w.Execute("emend.checkpoints"), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || !strings.HasPrefix(rows[0].Label, "undo of ") {
		t.Fatalf("the checkpoints are %+v", rows)
	}
	w.Execute("emend.undo", map[string]any{"checkpoint": rows[0].ID})
	w.AwaitMessage("1 file changed")
	w.has("a.go", after)
	w.Execute("emend.undo")
	w.AwaitMessage("1 file changed")
	w.has("a.go", threeConsts)
}

// TestUndoOneFile takes one file back, then the rest.
func TestUndoOneFile(t *testing.T) {
	w := proposed(t, setup{
		profile: "vscode",
		files:   map[string]string{"a.go": threeConsts, "b.go": threeConsts},
		script:  say(block("a.go", "const A = 1", "const A1 = 1") + block("b.go", "const B = 2", "const B1 = 2")),
	})
	w.Open("b.go")
	w.Execute("emend.apply")
	w.AwaitMessage("2 files changed")
	w.Execute("emend.undo", map[string]any{"files": []string{"b.go"}})
	w.AwaitMessage("1 file changed")
	w.has("b.go", threeConsts)
	w.AwaitHolds("a.go", "A1")
	w.Execute("emend.undo")
	w.AwaitMessage("1 file changed")
	w.has("a.go", threeConsts)
	w.Execute("emend.undo")
	w.AwaitMessage("cannot undo")
}

// TestRewriteByInput: a plug-in that has an input box asks for the words and
// sends them itself.
func TestRewriteByInput(t *testing.T) {
	w := newWorld(t, setup{
		profile: "vscode", files: map[string]string{"a.go": threeConsts}, script: renameThree("a.go"),
		config: lsptest.Config{InitOptions: map[string]any{"input": true}},
	})
	// The plug-in registers the command itself; it is none of the server's.
	w.Tolerate = func(violation string) bool { return strings.Contains(violation, "runs emend.input") }
	w.Open("a.go")
	for _, a := range w.CodeActions("a.go", w.at("a.go", "const B = 2")) {
		if a.Title != "emend: Rewrite…" {
			continue
		}
		if a.Edit != nil || a.Command == nil || a.Command.Command != "emend.input" {
			t.Fatalf("the action is %s", a.Raw)
		}
		var ask struct {
			Command   string         `json:"command"`
			Arguments map[string]any `json:"arguments"`
		}
		if err := json.Unmarshal(a.Command.Arguments[0], &ask); err != nil {
			t.Fatal(err)
		}
		ask.Arguments["instruction"] = "rename"
		w.Execute(ask.Command, ask.Arguments)
		w.AwaitDiagnostics("a.go", hasHint)
		if focus := w.runs()[0].Focus; focus != "a.go:7" {
			t.Errorf("the run was about %s", focus)
		}
		return
	}
	t.Fatal("Rewrite is not offered")
}

// TestStaleRange: a range of a version that is gone is carried forward, or
// refused by name when its own text has changed.
func TestStaleRange(t *testing.T) {
	w := newWorld(t, setup{profile: "vscode", files: map[string]string{"a.go": threeConsts}, script: "> contains \"line 8\"\n" + renameThree("a.go")})
	w.Open("a.go")
	at := w.at("a.go", "const B = 2")
	run := map[string]any{"instruction": "rename", "uri": w.URI("a.go"), "range": at, "version": 1}
	w.Type("a.go", lsptest.Position{}, "// a line above\n")
	w.Execute("emend.run", run)
	w.AwaitDiagnostics("a.go", hasHint)
	w.Replace("a.go", w.at("a.go", "B = 2"), "Bee = 2")
	if _, err := w.Editor.Execute(t.Context(), "emend.run", run); err == nil || !strings.Contains(err.Error(), "select it again") {
		t.Errorf("a range whose text has changed: %v", err)
	}
}
