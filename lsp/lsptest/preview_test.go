package lsptest

import (
	"strings"
	"testing"
	"testing/synctest"
)

// previewEdit changes both files. The edits need what annotation "e" says; a
// no-op of annotation "n" can make a preview open without unticking them.
const previewEdit = `{"edit":{"changeAnnotations":{"e":{"label":"emend","needsConfirmation":$E},"n":{"label":"preview","needsConfirmation":true}},
	"documentChanges":[
	{"textDocument":{"uri":"$R/a.txt","version":null},"edits":[$N{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":5}},"newText":"ALPHA","annotationId":"e"}]},
	{"textDocument":{"uri":"$R/b.txt","version":null},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":5}},"newText":"ALPHA","annotationId":"e"}]}]}}`

const noop = `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"","annotationId":"n"},`

// TestPreview: what a person is shown, and what comes of it.
func TestPreview(t *testing.T) {
	discard := func(Preview) Decision { return Decision{Discard: true} }
	accept := func(Preview) Decision { return Decision{} }
	only := func(part string) func(Preview) Decision {
		return func(p Preview) Decision {
			var d Decision
			for _, row := range p.Edits {
				d.Ticks = append(d.Ticks, strings.Contains(row.URI, part))
			}
			return d
		}
	}
	tests := []struct {
		name, profile, confirm, noop string
		decide                       func(Preview) Decision
		previews                     int
		reply, a, b                  string
	}{
		{"unticked", "vscode", "true", "", accept, 1, `{"applied":false}`, ".", "."},
		{"unticked, no person", "vscode", "true", "", nil, 0, `{"applied":false}`, ".", "."},
		{"ticked by a no-op", "vscode", "false", noop, accept, 1, `{"applied":true}`, "UP", "UP"},
		{"ticked by a no-op, no person", "vscode", "false", noop, nil, 0, `{"applied":true}`, "UP", "UP"},
		{"discarded", "vscode", "false", noop, discard, 1, `{"applied":false}`, ".", "."},
		{"in part", "vscode", "true", "", only("b.txt"), 1, `{"applied":true}`, ".", "UP"},
		{"not asked", "vscode", "false", "", discard, 0, `{"applied":true}`, "UP", "UP"},
		{"per document", "neovim", "true", "", accept, 2, `{"applied":true}`, "UP", "UP"},
		{"per document, declined", "neovim", "true", "", discard, 2, `{"applied":true}`, ".", "."},
		{"ignored", "helix", "true", "", discard, 0, `{"applied":true}`, "UP", "UP"},
		{"files not open", "eglot-1.17.30", "false", "", discard, 1, `{"applied":true}`, ".", "."},
		{"files not open", "eglot-1.24", "false", "", discard, 1, `{"applied":null,"failureReason":"the person declined"}`, ".", "."},
	}
	for _, tt := range tests {
		t.Run(tt.profile+"/"+tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shown := 0
				cfg := Config{Profile: tt.profile}
				if tt.decide != nil {
					cfg.Preview = func(p Preview) Decision { shown++; return tt.decide(p) }
				}
				env, server := start(t, cfg, map[string]string{"a.txt": "alpha\nbeta\n", "b.txt": "alpha\nbeta\n"})
				env.Tolerate = anyViolation
				env.Open("a.txt")
				if tt.name != "files not open" {
					env.Open("b.txt")
				}
				params := strings.NewReplacer("$E", tt.confirm, "$N", tt.noop).Replace(previewEdit)
				if reply := server.request("workspace/applyEdit", fill(env, params)); reply != tt.reply {
					t.Errorf("reply is %s, want %s", reply, tt.reply)
				}
				synctest.Wait()
				if shown != tt.previews {
					t.Errorf("%d previews, want %d", shown, tt.previews)
				}
				if a := tell(t, env, server, "a"); a != " a="+tt.a {
					t.Errorf("got %s, want a=%s", a, tt.a)
				}
				if tt.name == "files not open" {
					return
				}
				if b := tell(t, env, server, "b"); b != " b="+tt.b {
					t.Errorf("got %s, want b=%s", b, tt.b)
				}
			})
		})
	}
}

// TestPreviewTyping: a preview whose file is typed in is never answered.
func TestPreviewTyping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		typed := make(chan struct{})
		open := make(chan struct{})
		cfg := Config{Preview: func(Preview) Decision { close(open); <-typed; return Decision{} }}
		env, server := start(t, cfg, map[string]string{"a.txt": "alpha\nbeta\n", "b.txt": "alpha\nbeta\n"})
		env.Open("a.txt")
		server.ask("workspace/applyEdit", fill(env, strings.NewReplacer("$E", "false", "$N", noop).Replace(previewEdit)))
		<-open
		env.Type("a.txt", Position{}, "x")
		close(typed)
		if edit := env.AwaitEdit(1); !edit.Stuck || edit.Reply != "" || env.Text("a.txt") != "xalpha\nbeta\n" {
			t.Errorf("recorded %+v, text %q", edit, env.Text("a.txt"))
		}
	})
}

// TestAutoSave: a refactoring of several files is saved where the editor does.
func TestAutoSave(t *testing.T) {
	for profile, want := range map[string]bool{"vscode": true, "helix": false} {
		t.Run(profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: profile}, map[string]string{"a.txt": "alpha\n", "b.txt": "alpha\n"})
				env.Open("a.txt")
				edit := fillEdit(env, `{"metadata":{"isRefactoring":true},"documentChanges":[`+upper("a", "null")+`,`+upper("b", "null")+`]}`, nil)
				server.request("workspace/applyEdit", map[string]any{"edit": rawJSON(edit)})
				for _, name := range []string{"a.txt", "b.txt"} {
					if b, _ := env.Buffer(name); b.Dirty == want || b.Text != "ALPHA\n" {
						t.Errorf("%s: %+v, saved %t wanted", name, b, want)
					}
				}
			})
		})
	}
}
