package lsptest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestActionContext: what a request for code actions carries.
func TestActionContext(t *testing.T) {
	tests := []struct {
		profile string
		want    []string // messages of the context
		trigger string
		related bool
		end     int // column of the end of the range asked for
	}{
		{"vscode", []string{"own here", "foreign here"}, `"triggerKind":1`, true, 1},
		{"neovim-0.12.4", []string{"own here", "own on the line"}, `"triggerKind":1`, true, 1},
		{"neovim-0.7.2", []string{"own here", "own on the line"}, "", true, 1},
		{"helix", []string{"own here", "foreign here"}, `"triggerKind":1`, false, 2},
		{"eglot", []string{"own here"}, `"triggerKind":1`, true, 1},
	}
	for _, tt := range tests {
		t.Run(tt.profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: tt.profile}, map[string]string{"a.txt": "alpha beta\ngamma\n"})
				env.Open("a.txt")
				server.notify("textDocument/publishDiagnostics", fill(env, `{"uri":"$A","diagnostics":[
					{"range":`+span(0, 0, 0, 5)+`,"message":"own here","relatedInformation":[],"x":1},
					{"range":`+span(0, 6, 0, 10)+`,"message":"own on the line"},
					{"range":`+span(1, 0, 1, 5)+`,"message":"own elsewhere"}]}`))
				env.AwaitDiagnostics("a.txt", func(ds []Diagnostic) bool { return len(ds) == 3 })
				env.SetForeign("a.txt", Diagnostic{Range: At(0, 1), Message: "foreign here", Source: "gopls"})
				env.CodeActions("a.txt", At(0, 1))
				var params struct {
					Range   Range
					Context struct{ Diagnostics []Diagnostic }
				}
				raw := server.lastParams("textDocument/codeAction")
				if err := json.Unmarshal(rawJSON(raw), &params); err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, d := range params.Context.Diagnostics {
					got = append(got, d.Message)
				}
				if !slices.Equal(got, tt.want) || !strings.Contains(raw, tt.trigger) || params.Range.End.Character != tt.end {
					t.Errorf("asked with %s, want %q %s", raw, tt.want, tt.trigger)
				}
				if strings.Contains(raw, "relatedInformation") != tt.related || !strings.Contains(raw, `"x":1`) {
					t.Errorf("members of the diagnostics: %s", raw)
				}
			})
		})
	}
}

// TestPick: edit first, then command; rows that are not shown; choice by
// title.
func TestPick(t *testing.T) {
	const actions = `[
		{"title":"emend: Both","edit":{"documentChanges":[{"textDocument":{"uri":"$A","version":null},"edits":[` + upperEdit + `]}]},
			"command":{"title":"c","command":"emend.run","arguments":[{"n":1}]}},
		{"title":"emend: Disabled","disabled":{"reason":"no model"}},
		{"title":"emend: Command","command":"emend.fix"}]`
	for _, profile := range []string{"vscode", "neovim", "helix", "eglot"} {
		t.Run(profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: profile}, map[string]string{"a.txt": "alpha\n"})
				env.Open("a.txt")
				server.answer("textDocument/codeAction", fill(env, actions))
				server.answer("workspace/executeCommand", map[string]any{"run": "r1"})
				if result := env.Pick("a.txt", At(0, 0), "emend: B"); string(result) != `{"run":"r1"}` {
					t.Errorf("result is %s", result)
				}
				if text := env.Text("a.txt"); text != "ALPHA\n" {
					t.Errorf("text is %q", text)
				}
				if methods := server.methods(); !strings.Contains(methods, "didChange workspace/executeCommand") {
					t.Errorf("the server saw %s", methods)
				}
				hidden := profile == "vscode" || profile == "helix"
				if titles := env.Titles("a.txt", At(0, 0)); (len(titles) == 2) != hidden {
					t.Errorf("rows shown: %q", titles)
				}
				if profile == "neovim" {
					if _, err := env.Editor.Pick(t.Context(), "a.txt", At(0, 0), "emend: D"); !errors.Is(err, ErrDisabled) {
						t.Errorf("picking a disabled row: %v", err)
					}
				}
				if _, err := env.Editor.Pick(t.Context(), "a.txt", At(0, 0), "emend: "); err == nil {
					t.Error("an ambiguous title is picked")
				}
				env.Pick("a.txt", At(0, 0), "emend: Command")
			})
		})
	}
}

// TestResolve: who asks for what is missing.
func TestResolve(t *testing.T) {
	for profile, want := range map[string]bool{"vscode": true, "neovim-0.7.2": true, "neovim-0.12.4": true, "helix": true, "eglot": false} {
		t.Run(profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				editorEnd, serverEnd := Pipe()
				server := newCounterpart(t, serverEnd)
				server.caps["codeActionProvider"] = map[string]any{"resolveProvider": true}
				action := rawJSON(`{"title":"emend: Fix","command":{"title":"c","command":"emend.fix"}}`)
				server.answer("textDocument/codeAction", []any{action})
				server.answer("codeAction/resolve", action)
				go server.serve()
				env := New(t, editorEnd, Config{Profile: profile})
				env.OpenText("untitled:Untitled-1", "go", "a\n")
				env.Pick("untitled:Untitled-1", At(0, 0), "emend: Fix")
				if got := strings.Contains(server.methods(), "codeAction/resolve"); got != want {
					t.Errorf("resolved: %t, want %t", got, want)
				}
			})
		})
	}
}

// TestCursorMoves: the requests an editor makes by itself.
func TestCursorMoves(t *testing.T) {
	for profile, want := range map[string]bool{"vscode": true, "neovim": false, "helix": false} {
		t.Run(profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: profile}, map[string]string{"a.txt": "alpha\n"})
				env.Open("a.txt")
				if err := env.MoveCursor(t.Context(), "a.txt", At(0, 3)); err != nil {
					t.Fatal(err)
				}
				if got := strings.Contains(server.lastParams("textDocument/codeAction"), `"triggerKind":2`); got != want {
					t.Errorf("asked by itself: %t, want %t", got, want)
				}
			})
		})
	}
}

// TestExecute: what a person can run, and for how long the editor waits.
func TestExecute(t *testing.T) {
	tests := []struct {
		name, profile, command string
		args                   []any
		want                   string // in the error; "" for none
	}{
		{"arguments", "neovim", "emend.run", []any{map[string]any{"instruction": "x"}}, ""},
		{"no arguments", "helix", "emend.run", nil, ""},
		{"arguments", "helix", "emend.run", []any{"x"}, "cannot pass arguments"},
		{"not announced", "neovim", "emend.none", nil, "has not announced"},
		{"not announced", "neovim-0.7.2", "emend.none", nil, ""},
		{"slow", "helix", "emend.fix", nil, "gave up"},
		{"slow", "vscode", "emend.fix", nil, "patience"},
	}
	for _, tt := range tests {
		t.Run(tt.name+"/"+tt.profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: tt.profile, Patience: time.Minute}, nil)
				if tt.name == "slow" {
					env.Tolerate = anyViolation
					server.on("workspace/executeCommand", nil)
				}
				began := time.Now()
				_, err := env.Editor.Execute(t.Context(), tt.command, tt.args...)
				if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
					t.Errorf("error is %v, want %q", err, tt.want)
				}
				if tt.want == "gave up" && (time.Since(began) != 20*time.Second || !errors.Is(err, ErrCommandTimeout) || len(env.Violations()) != 1) {
					t.Errorf("gave up after %v, %q", time.Since(began), env.Violations())
				}
			})
		})
	}
}

// TestReads: hover and lenses.
func TestReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env, server := start(t, Config{}, map[string]string{"a.txt": "alpha\n"})
		env.Open("a.txt")
		server.answer("textDocument/codeLens", rawJSON(`[{"range":`+span(0, 0, 0, 0)+`,"command":{"title":"Apply","command":"emend.fix"}}]`))
		lenses := env.CodeLenses("a.txt")
		if len(lenses) != 1 || lenses[0].Command.Title != "Apply" {
			t.Errorf("lenses are %+v", lenses)
		}
		if _, err := env.RunLens(t.Context(), lenses[0]); err != nil {
			t.Error(err)
		}
		for _, tt := range []struct{ contents, want string }{
			{`"plain"`, "plain"},
			{`{"kind":"markdown","value":"marked"}`, "marked"},
			{`["one",{"language":"go","value":"two"}]`, "one\n\ntwo"},
		} {
			server.answer("textDocument/hover", rawJSON(`{"contents":`+tt.contents+`}`))
			if got := env.Hover("a.txt", Position{}); got != tt.want {
				t.Errorf("hover is %q, want %q", got, tt.want)
			}
		}
		server.answer("textDocument/hover", nil)
		if got := env.Hover("a.txt", Position{}); got != "" {
			t.Errorf("no hover is %q", got)
		}
	})
}

// TestPublish: which diagnostics are kept.
func TestPublish(t *testing.T) {
	for profile, want := range map[string]int{"vscode": 1, "neovim": 1, "helix": 0, "eglot": 0} {
		t.Run(profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: profile}, map[string]string{"a.txt": "alpha\n"})
				env.Open("a.txt")
				b, _ := env.Buffer("a.txt")
				env.Type("a.txt", Position{}, "x")
				server.notify("textDocument/publishDiagnostics", map[string]any{"uri": env.URI("a.txt"), "version": b.Version, "diagnostics": []any{
					map[string]any{"range": At(0, 0), "message": "m"},
				}})
				env.Await("a publication", func(s *State) bool { return s.Published == 1 })
				if got := len(env.Diagnostics("a.txt")); got != want {
					t.Errorf("%d diagnostics of an old version kept, want %d", got, want)
				}
			})
		})
	}
}
