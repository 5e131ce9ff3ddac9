package lsp

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"emend/lsp/lsptest"
)

// editing is a profile that differs in how it takes edits.
func editing(t *testing.T, name string, change func(*lsptest.EditBehaviour)) *lsptest.Profile {
	t.Helper()
	p, err := lsptest.LoadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	change(&p.Behaviour.Edits)
	return &p
}

// proposed is a world whose a.go, threeConsts, has three changes waiting.
func proposed(t *testing.T, su setup) *world {
	t.Helper()
	if su.files == nil {
		su.files = map[string]string{"a.go": threeConsts}
	}
	if su.script == "" {
		su.script = renameThree("a.go")
	}
	w := newWorld(t, su)
	w.Open("a.go")
	w.run("emend.run", "rename")
	w.AwaitDiagnostics("a.go", hasHint)
	return w
}

// TestRefusals has editors say no in all the ways there are; each time the
// outcome is told, the proposal waits on, and there is nothing to undo.
func TestRefusals(t *testing.T) {
	closed := func(*lsptest.EditBehaviour) {}
	for _, tt := range []struct {
		name, profile string
		change        func(*lsptest.EditBehaviour)
		want          string
	}{
		{"null", "eglot-1.24", closed, "not changed: b.go (the person declined)"},
		{"error", "eglot-1.24", func(b *lsptest.EditBehaviour) { b.Declined = "error:-32603" }, "not changed: b.go (the person declined)"},
		{"false", "eglot-1.24", func(b *lsptest.EditBehaviour) { b.Declined = "false" }, "not changed: b.go (the editor did not apply it)"},
		{"true", "eglot-1.24", func(b *lsptest.EditBehaviour) { b.Declined = "true" }, "cannot tell whether it was changed, open it to see: b.go"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var says atomic.Bool
			w := newWorld(t, setup{
				files:  map[string]string{"a.go": "package p\n", "b.go": "package p\n\nconst B = 0\n"},
				script: say(block("b.go", "const B = 0", "const B = 1")),
				config: lsptest.Config{
					Custom: editing(t, tt.profile, tt.change),
					Preview: func(lsptest.Preview) lsptest.Decision {
						return lsptest.Decision{Discard: !says.Load()}
					},
				},
			})
			w.Open("a.go")
			w.Execute("emend.run", "count")
			w.AwaitMessage("count: 1 change in 1 file")
			w.Execute("emend.apply")
			m := w.AwaitMessage(tt.want)
			if !strings.Contains(m.Text, "1 change still waiting") {
				t.Errorf("it does not say that the change waits: %q", m.Text)
			}
			if tt.name != "true" {
				w.Execute("emend.undo")
				w.AwaitMessage("cannot undo")
			}
			says.Store(true)
			w.Execute("emend.apply")
			w.AwaitMessage("1 file changed")
			w.AwaitHolds("b.go", "B = 1")
			w.Execute("emend.undo")
			w.AwaitMessage("1 file changed")
			w.AwaitHolds("b.go", "B = 0")
		})
	}
}

// TestNeverAnswers: the editor goes away while an edit waits for its person.
func TestNeverAnswers(t *testing.T) {
	asked := make(chan struct{})
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	w := newWorld(t, setup{
		files:  map[string]string{"a.go": "package p\n", "b.go": "package p\n\nconst B = 0\n"},
		script: say(block("b.go", "const B = 0", "const B = 1")),
		config: lsptest.Config{
			Profile: "eglot-1.24",
			Preview: func(lsptest.Preview) lsptest.Decision {
				close(asked)
				<-never
				return lsptest.Decision{}
			},
		},
	})
	w.Open("a.go")
	w.Execute("emend.run", "count")
	w.AwaitMessage("count: 1 change in 1 file")
	w.Execute("emend.apply")
	<-asked
	if err := w.Kill(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-w.code:
		w.code <- ExitUnasked
	case <-time.After(5 * time.Second):
		t.Fatal("the server stays although its editor is gone")
	}
	next := newWorld(t, setup{profile: "eglot-1.24", dir: w.dir, state: w.state})
	next.AwaitMessage("1 proposal from before still waiting")
	next.Execute("emend.apply")
	next.AwaitMessage("1 file changed")
}

// TestStale: the text moves after emend has planned its edit and before the
// editor looks at it. The person's typing and the change are both in the text,
// whether the editor refuses such an edit or says it did it.
func TestStale(t *testing.T) {
	for _, profile := range []string{"vscode", "neovim-0.12.4", "neovim-0.7.2", "helix-25.01.1", "eglot-1.24"} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			w := proposed(t, setup{profile: profile})
			// The command is on its way when the person types; what the server
			// sees first is up to chance, the result is not.
			call, err := w.Go("workspace/executeCommand", map[string]any{"command": "emend.apply"})
			if err != nil {
				t.Fatal(err)
			}
			for range 20 {
				w.Type("a.go", w.Find("a.go", "package p").End, "x")
			}
			w.Flush()
			if _, err := call.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.AwaitMessage("1 file changed")
			want := strings.NewReplacer("package p", "package p"+strings.Repeat("x", 20), "A =", "A1 =", "B =", "B1 =", "C =", "C1 =").Replace(threeConsts)
			w.has("a.go", want)
		})
	}
}
