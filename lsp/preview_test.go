package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"emend/internal/config"
	"emend/lsp/lsptest"
)

const threeConsts = "package p\n\nconst A = 1\n\n// between\n\nconst B = 2\n\n// between\n\nconst C = 3\n"

// renameThree is a script's turn that renames all of threeConsts in a file.
func renameThree(file string) string {
	return say(block(file, "const A = 1", "const A1 = 1") + block(file, "const B = 2", "const B1 = 2") + block(file, "const C = 3", "const C1 = 3"))
}

// held is a person who takes their time over previews.
type held struct {
	shown  chan lsptest.Preview
	decide chan lsptest.Decision
}

func newHeld() *held {
	return &held{shown: make(chan lsptest.Preview, 8), decide: make(chan lsptest.Decision)}
}

func (h *held) preview(p lsptest.Preview) lsptest.Decision {
	h.shown <- p
	return <-h.decide
}

func previewWorld(t *testing.T, h *held, change func(*setup)) *world {
	t.Helper()
	su := setup{
		profile: "vscode",
		files:   map[string]string{"a.go": threeConsts},
		script:  renameThree("a.go"),
		config:  lsptest.Config{Preview: h.preview},
	}
	if change != nil {
		change(&su)
	}
	w := newWorld(t, su)
	w.Open("a.go")
	w.Execute("emend.run", "rename")
	w.AwaitDiagnostics("a.go", hasHint)
	return w
}

// TestPreviewTicked opens with every change ticked but the one that opens it.
func TestPreviewTicked(t *testing.T) {
	h := newHeld()
	w := previewWorld(t, h, nil)
	w.Execute("emend.review")
	p := <-h.shown
	if len(p.Edits) != 4 {
		t.Fatalf("the preview has %d rows: %+v", len(p.Edits), p.Edits)
	}
	for i, e := range p.Edits {
		opener := i == 3
		if e.Ticked == opener || (e.NewText == "") != opener {
			t.Errorf("row %d: %+v", i, e)
		}
	}
	h.decide <- lsptest.Decision{}
	w.AwaitMessage("1 file changed")
	w.has("a.go", strings.NewReplacer("A =", "A1 =", "B =", "B1 =", "C =", "C1 =").Replace(threeConsts))
	w.AwaitDiagnostics("a.go", func(ds []lsptestDiagnostic) bool { return len(ds) == 0 })
}

// TestPreviewOldVersion asks plainly where the way to tick them is not known to
// work.
func TestPreviewOldVersion(t *testing.T) {
	h := newHeld()
	w := previewWorld(t, h, func(su *setup) {
		su.config.PatchInit = func(params map[string]any) {
			params["clientInfo"] = map[string]any{"name": "Visual Studio Code", "version": "1.200.0"}
		}
	})
	w.Execute("emend.review")
	p := <-h.shown
	if len(p.Edits) != 3 {
		t.Fatalf("the preview has %d rows: %+v", len(p.Edits), p.Edits)
	}
	h.decide <- lsptest.Decision{Ticks: []bool{true, true, true}}
	w.AwaitMessage("1 file changed")
}

// TestPreviewSome applies what was ticked and leaves the rest waiting.
func TestPreviewSome(t *testing.T) {
	h := newHeld()
	w := previewWorld(t, h, nil)
	w.Execute("emend.review")
	<-h.shown
	h.decide <- lsptest.Decision{Ticks: []bool{false, true, false, true}}
	w.AwaitMessage("only partly changed: a.go; 2 changes still waiting")
	w.has("a.go", strings.Replace(threeConsts, "B =", "B1 =", 1))
	w.Execute("emend.undo")
	w.AwaitMessage("1 file changed")
	w.has("a.go", threeConsts)
}

// TestPreviewDiscarded leaves the proposal pending, and nothing to undo.
func TestPreviewDiscarded(t *testing.T) {
	h := newHeld()
	w := previewWorld(t, h, nil)
	w.Execute("emend.review")
	<-h.shown
	h.decide <- lsptest.Decision{Discard: true}
	w.AwaitMessage("not changed: a.go")
	w.has("a.go", threeConsts)
	w.Execute("emend.undo")
	w.AwaitMessage("cannot undo")
	w.Execute("emend.apply")
	w.AwaitMessage("1 file changed")
}

// TestPreviewTyping types while the preview is open: the editor will never
// answer, and nobody waits for it for ever.
func TestPreviewTyping(t *testing.T) {
	h := newHeld()
	w := previewWorld(t, h, nil)
	w.Execute("emend.review")
	<-h.shown
	w.Type("a.go", w.Find("a.go", "package p").End, " // mine")
	w.AwaitMessage("its text was changed while the preview was open")
	w.AwaitProgressEnd("review")
	h.decide <- lsptest.Decision{}
	w.Execute("emend.apply")
	w.AwaitMessage("1 file changed")
	w.AwaitHolds("a.go", "// mine")
	w.AwaitHolds("a.go", "const C1")
}

// TestPreviewHoldsNobodyUp applies, discards and undoes while one is open.
func TestPreviewHoldsNobodyUp(t *testing.T) {
	h := newHeld()
	w := previewWorld(t, h, nil)
	hunks := w.Diagnostics("a.go")
	w.Execute("emend.review")
	<-h.shown
	var data hintData
	if err := json.Unmarshal(hunks[1].Data, &data); err != nil {
		t.Fatal(err)
	}
	w.Execute("emend.discard", map[string]any{"hunk": data.Hunk})
	w.AwaitMessage("1 change discarded")
	w.Execute("emend.apply")
	w.AwaitMessage("1 file changed")
	w.Execute("emend.undo")
	w.AwaitMessage("1 file changed")
	w.AwaitMessage("its text was changed while the preview was open")
	h.decide <- lsptest.Decision{Discard: true}
	w.has("a.go", threeConsts)
}

// TestPreviewOneAtATime has the second one wait for the first. The fake editor
// calls it a violation when it does not.
func TestPreviewOneAtATime(t *testing.T) {
	h := newHeld()
	w := previewWorld(t, h, nil)
	w.Execute("emend.review")
	<-h.shown
	w.Execute("emend.review")
	w.AwaitProgressBegin("review")
	w.AwaitProgressBegin("review")
	h.decide <- lsptest.Decision{Discard: true}
	<-h.shown
	h.decide <- lsptest.Decision{}
	w.AwaitMessage("1 file changed")
}

// TestPreviewCancelled stops waiting for the person; they are free to say no.
func TestPreviewCancelled(t *testing.T) {
	h := newHeld()
	w := previewWorld(t, h, nil)
	w.Execute("emend.review")
	<-h.shown
	w.Execute("emend.cancel")
	w.AwaitMessage("not changed: a.go")
	h.decide <- lsptest.Decision{Discard: true}
	w.AwaitEdit(1)
	w.has("a.go", threeConsts)
}

// TestApprovalPreview opens the preview by itself, unless the person typed in
// the document meanwhile.
func TestApprovalPreview(t *testing.T) {
	for _, typed := range []bool{false, true} {
		h := newHeld()
		w := newWorld(t, setup{
			profile:  "vscode",
			files:    map[string]string{"a.go": threeConsts},
			script:   "! gate open\n" + renameThree("a.go"),
			settings: func(s *config.Settings) { s.Approval = "preview" },
			config:   lsptest.Config{Preview: h.preview},
		})
		w.Open("a.go")
		w.Execute("emend.run", "rename")
		<-w.model.Reached("open")
		if typed {
			w.Type("a.go", w.Find("a.go", "package p").End, " // mine")
		}
		w.model.Release("open")
		if typed {
			w.AwaitQuestion("rename: 3 changes in 1 file")
			w.Inspect(func(s *lsptest.State) {
				if len(s.Edits) > 0 {
					t.Error("a preview opened under the person's hands")
				}
			})
			continue
		}
		<-h.shown
		h.decide <- lsptest.Decision{}
		w.AwaitMessage("1 file changed")
	}
}

// TestNoBareConfirm: an editor that announces annotations and shows no preview
// is not made to ask yes or no.
func TestNoBareConfirm(t *testing.T) {
	w := newWorld(t, setup{
		profile: "neovim-0.12.4",
		files:   map[string]string{"a.go": threeConsts},
		script:  renameThree("a.go"),
		config: lsptest.Config{Preview: func(lsptest.Preview) lsptest.Decision {
			t.Error("the editor was made to ask")
			return lsptest.Decision{}
		}},
	})
	w.Open("a.go")
	w.Execute("emend.run", "rename")
	w.AwaitDiagnostics("a.go", hasHint)
	w.Execute("emend.review")
	w.Await("a diff", func(s *lsptest.State) bool { return len(s.Shown) == 1 && strings.HasSuffix(s.Shown[0].URI, ".diff") })
	w.Execute("emend.apply")
	w.AwaitMessage("1 file changed")
}

// TestNotice takes each of the buttons.
func TestNotice(t *testing.T) {
	for button, after := range map[string]string{"Apply": "1 file changed", "Discard": "3 changes discarded", "Review": "1 file changed"} {
		t.Run(button, func(t *testing.T) {
			w := newWorld(t, setup{
				profile: "vscode",
				files:   map[string]string{"a.go": threeConsts},
				script:  renameThree("a.go"),
				config: lsptest.Config{
					Answer: func(lsptest.Question) string { return button },
				},
			})
			w.Open("a.go")
			w.Execute("emend.run", "rename")
			w.AwaitMessage(after)
		})
	}
}
