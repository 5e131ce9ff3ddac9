package lsptest

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestViolations: what a server may not do, and that it is noticed.
func TestViolations(t *testing.T) {
	tests := []struct {
		name, profile string
		do            func(env *Env, s *counterpart)
		want          string // in a violation; "" for none at all
	}{
		{"fine", "vscode", func(env *Env, s *counterpart) {
			s.notify("window/logMessage", map[string]any{"type": 4, "message": "two\nlines"})
			s.notify("emend/event", map[string]any{})
		}, ""},
		{"unknown request", "vscode", request("window/frobnicate", `{}`), "no request an editor knows"},
		{"not announced", "neovim-0.7.2", request("window/showDocument", `{"uri":"file:///x"}`), "window.showDocument.support was not announced"},
		{"not announced either", "helix", request("workspace/codeLens/refresh", `null`), "codeLens.refreshSupport was not announced"},
		{"registered unannounced", "neovim", request("client/registerCapability",
			`{"registrations":[{"id":"1","method":"workspace/didChangeWatchedFiles"}]}`), "dynamicRegistration was not announced"},
		{"annotation", "helix", edit(`{"changeAnnotations":{"x":{"label":"l"}},"documentChanges":[{"textDocument":{"uri":"$A","version":null},
			"edits":[{"range":` + span(0, 0, 0, 1) + `,"newText":"","annotationId":"x"}]}]}`), "changeAnnotationSupport was not announced"},
		{"annotation not listed", "vscode", edit(`{"documentChanges":[{"textDocument":{"uri":"$A","version":null},
			"edits":[{"range":` + span(0, 0, 0, 1) + `,"newText":"","annotationId":"x"}]}]}`), `"x" is not in changeAnnotations`},
		{"operation", "eglot-1.17.30", edit(`{"documentChanges":[{"kind":"create","uri":"$R/x","options":{}}]}`), `"create", which was not announced`},
		{"unknown kind", "vscode", edit(`{"documentChanges":[{"kind":"chmod","uri":"$R/x"}]}`), `"chmod", which was not announced`},
		{"create over", "vscode", edit(`{"documentChanges":[{"kind":"create","uri":"$R/b.txt","options":{}}]}`), "exists, without ignoreIfExists"},
		{"create bare", "vscode", edit(`{"documentChanges":[{"kind":"create","uri":"$R/c.txt"}]}`), "without options"},
		{"no version", "helix", edit(`{"documentChanges":[{"textDocument":{"uri":"$A"},"edits":[]}]}`), "not even null"},
		{"version of a closed file", "vscode", edit(`{"documentChanges":[{"textDocument":{"uri":"$R/b.txt","version":1},"edits":[` + upperEdit + `]}]}`), "which was not open"},
		{"two entries", "vscode", edit(`{"documentChanges":[` + upper("a", "null") + `,` + upper("a", "null") + `]}`), "several entries"},
		{"both forms", "vscode", edit(`{"changes":{"$A":[]},"documentChanges":[` + upper("a", "null") + `]}`), "both changes and documentChanges"},
		{"overlap", "neovim", textEdits(span(0, 0, 0, 3), span(0, 2, 0, 4)), "overlap at 0:2"},
		{"touching", "neovim", textEdits(span(0, 0, 0, 3), span(0, 3, 0, 4)), ""},
		{"two inserts at a place", "neovim", textEdits(span(0, 1, 0, 1), span(0, 1, 0, 1)), ""},
		{"beyond the line", "vscode", textEdits(span(0, 0, 0, 99)), "beyond the end of its line"},
		{"beyond the text", "vscode", textEdits(span(7, 0, 7, 0)), "beyond the text"},
		{"the end of the text", "vscode", textEdits(span(0, 0, 2, 0)), ""},
		{"surrogate", "vscode", textEdits(span(1, 1, 1, 2)), "inside the character '𝄞'"},
		{"backwards", "vscode", textEdits(span(1, 0, 0, 0)), "ends before it starts"},
		{"spelling", "vscode", edit(`{"documentChanges":[{"textDocument":{"uri":"$R/./a.txt","version":null},"edits":[]}]}`), "spells"},
		{"no token", "vscode", notify("$/progress", `{"token":"x","value":{"kind":"begin","title":"t"}}`), "never created"},
		{"after the end", "vscode", progress("begin", "end", "report"), "report after its end"},
		{"two begins", "vscode", progress("begin", "begin"), "begins twice"},
		{"no begin", "vscode", progress("report"), "before its begin"},
		{"in order", "helix", progress("begin", "report", "end"), ""},
		{"lines in Helix", "helix", notify("window/showMessage", `{"type":3,"message":"two\nlines"}`), "line breaks"},
		{"lines elsewhere", "vscode", notify("window/showMessage", `{"type":3,"message":"two\nlines"}`), ""},
		{"empty message", "vscode", notify("window/showMessage", `{"type":3,"message":""}`), "is empty"},
		{"no choice", "vscode", request("window/showMessageRequest", `{"type":3,"message":"Go on?"}`), "without actions"},
		{"diagnostic place", "vscode", diagnostic(`{"range":` + span(9, 0, 9, 1) + `,"message":"m"}`), "beyond the text"},
		{"diagnostic text", "vscode", diagnostic(`{"range":` + span(0, 0, 0, 1) + `,"message":""}`), "without a message"},
		{"diagnostic version", "vscode", notify("textDocument/publishDiagnostics", `{"uri":"$A","version":99,"diagnostics":[]}`), "for version 99"},
		{"reply to nothing", "vscode", func(_ *Env, s *counterpart) {
			s.send(map[string]any{"jsonrpc": "2.0", "id": 99, "result": nil})
		}, "a reply to request 99"},
		{"bare reply", "vscode", func(_ *Env, s *counterpart) { s.send(map[string]any{"jsonrpc": "2.0", "id": 99}) }, "neither result nor error"},
		{"not JSON-RPC", "vscode", func(_ *Env, s *counterpart) { s.send(map[string]any{"method": "x"}) }, `without "jsonrpc":"2.0"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: tt.profile}, map[string]string{"a.txt": "alpha\n𝄞\n", "b.txt": "b\n"})
				env.Tolerate = anyViolation
				env.Open("a.txt")
				tt.do(env, server)
				synctest.Wait()
				got := strings.Join(env.Violations(), "\n")
				if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
					t.Errorf("violations are %q, want %q", got, tt.want)
				}
			})
		})
	}
}

func fill(env *Env, params string) any {
	return rawJSON(strings.NewReplacer("$A", env.URI("a.txt"), "$R", env.URI("")).Replace(params))
}

func request(method, params string) func(*Env, *counterpart) {
	return func(env *Env, s *counterpart) { s.request(method, fill(env, params)) }
}

func notify(method, params string) func(*Env, *counterpart) {
	return func(env *Env, s *counterpart) { s.notify(method, fill(env, params)) }
}

func edit(params string) func(*Env, *counterpart) {
	return request("workspace/applyEdit", `{"edit":`+params+`}`)
}

func textEdits(spans ...string) func(*Env, *counterpart) {
	var edits []string
	for _, s := range spans {
		edits = append(edits, `{"range":`+s+`,"newText":"x"}`)
	}
	return edit(`{"documentChanges":[{"textDocument":{"uri":"$A","version":null},"edits":[` + strings.Join(edits, ",") + `]}]}`)
}

func diagnostic(d string) func(*Env, *counterpart) {
	return func(env *Env, s *counterpart) {
		notify("textDocument/publishDiagnostics", `{"uri":"$A","version":1,"diagnostics":[`+d+`]}`)(env, s)
	}
}

func progress(kinds ...string) func(*Env, *counterpart) {
	return func(_ *Env, s *counterpart) {
		s.request("window/workDoneProgress/create", map[string]any{"token": 7})
		for _, kind := range kinds {
			s.notify("$/progress", map[string]any{"token": 7, "value": map[string]any{"kind": kind, "title": "t"}})
		}
	}
}

// TestNoReply: a request that is never answered is noticed at the end.
func TestNoReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env, server := start(t, Config{}, nil)
		env.Tolerate = func(v string) bool { return strings.HasPrefix(v, "no reply to x/slow") }
		server.on("x/slow", nil)
		if _, err := env.Go("x/slow", nil); err != nil {
			t.Fatal(err)
		}
		env.Exit()
		if got := env.Violations(); len(got) != 1 {
			t.Errorf("violations are %q", got)
		}
	})
}

// TestServerLeaves: a server that goes by itself is noticed.
func TestServerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env, server := start(t, Config{}, nil)
		env.Tolerate = func(v string) bool { return strings.HasPrefix(v, "the server closed the connection by itself") }
		if err := server.rwc.Close(); err != nil {
			t.Fatal(err)
		}
		env.Await("the end", func(s *State) bool { return s.Closed || len(s.Violations) > 0 })
		synctest.Wait()
		if got := env.Violations(); len(got) != 1 {
			t.Errorf("violations are %q", got)
		}
	})
}
