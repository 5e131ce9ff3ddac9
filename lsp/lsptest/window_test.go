package lsptest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestQuestions: who can be asked, and what comes back.
func TestQuestions(t *testing.T) {
	ask := map[string]any{"type": 3, "message": "Go on?", "actions": []any{map[string]any{"title": "Yes"}, map[string]any{"title": "No"}}}
	tests := []struct{ name, profile, answer, want string }{
		{"picked", "vscode", "Yes", `{"title":"Yes"}`},
		{"dismissed", "neovim", "", `null`},
		{"unknown", "helix", "Yes", `error -32601`},
		{"picked", "eglot", "No", `{"title":"No"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name+"/"+tt.profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: tt.profile, Answer: func(Question) string { return tt.answer }}, nil)
				if got := server.request("window/showMessageRequest", ask); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				if tt.profile == "helix" {
					return
				}
				if q := env.AwaitQuestion("Go on"); q.Answer != tt.answer || !q.Done || !slices.Equal(q.Actions, []string{"Yes", "No"}) {
					t.Errorf("recorded %+v", q)
				}
			})
		})
	}
}

// TestQuestionOpen: while a question is open everything else goes on, and a
// server may take it back.
func TestQuestionOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{})
		env, server := start(t, Config{Answer: func(Question) string { <-asked; return "Yes" }}, nil)
		reply := server.ask("window/showMessageRequest", map[string]any{
			"type": 3, "message": "Go on?", "actions": []any{map[string]any{"title": "Yes"}},
		})
		if q := env.AwaitQuestion("Go on"); q.Done {
			t.Error("answered at once")
		}
		server.notify("window/showMessage", map[string]any{"type": 3, "message": "meanwhile"})
		env.AwaitMessage("meanwhile")
		server.notify("$/cancelRequest", map[string]any{"id": 1})
		if m := <-reply; m.Error == nil || m.Error.Code != -32800 {
			t.Errorf("taken back, and the reply is %s, %v", m.Result, m.Error)
		}
		close(asked)
		synctest.Wait()
	})
}

// TestShowDocument: who shows what.
func TestShowDocument(t *testing.T) {
	tests := []struct{ profile, uri, want string }{
		{"vscode", "$F", `{"success":true}`},
		{"vscode", "emend:///x", `{"success":true}`},
		{"neovim-0.7.2", "$F", `error -32601`},
		{"neovim-0.12.4", "emend:///x", `{"success":true}`},
		{"helix", "$F", `{"success":true}`},
		{"helix", "emend:///x", `{"success":false}`},
		{"eglot", "$F", `{"success":true}`},
		{"eglot", "$F.none", `{"success":false}`},
	}
	for _, tt := range tests {
		t.Run(tt.profile+"/"+tt.uri, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: tt.profile}, map[string]string{"p.diff": "+a\n"})
				env.Tolerate = anyViolation
				uri := strings.Replace(tt.uri, "$F", env.URI("p.diff"), 1)
				if got := server.request("window/showDocument", map[string]any{"uri": uri}); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				b, open := env.Buffer("p.diff")
				if want := tt.uri == "$F" && strings.Contains(tt.want, "true"); open != want || b.Open != want {
					t.Errorf("open %t, want %t", open, want)
				}
			})
		})
	}
}

// TestProgress: the stream of a token as a test sees it.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env, server := start(t, Config{}, nil)
		server.request("window/workDoneProgress/create", map[string]any{"token": "run-1"})
		say := func(value map[string]any) {
			server.notify("$/progress", map[string]any{"token": "run-1", "value": value})
		}
		say(map[string]any{"kind": "begin", "title": "emend", "cancellable": true, "message": "1/5"})
		if p := env.AwaitProgressBegin("emend"); p.Token != "run-1" || !p.Cancellable {
			t.Errorf("begun: %+v", p)
		}
		env.Cancel("run-1")
		say(map[string]any{"kind": "report", "message": "2/5", "percentage": 40})
		say(map[string]any{"kind": "end", "message": "cancelled"})
		p := env.AwaitProgressEnd("emend")
		if p.End != "cancelled" || p.Percentage != 40 || !slices.Equal(p.Messages, []string{"1/5", "2/5", "cancelled"}) {
			t.Errorf("ended: %+v", p)
		}
		synctest.Wait()
		if params := server.lastParams("window/workDoneProgress/cancel"); params != `{"token":"run-1"}` {
			t.Errorf("cancel is %s", params)
		}
	})
}

// TestServices: the small requests a server may make of its client.
func TestServices(t *testing.T) {
	registration := map[string]any{"registrations": []any{
		map[string]any{"id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": map[string]any{}},
	}}
	tests := []struct {
		profile, method string
		params          any
		want            string
	}{
		{"vscode", "workspace/configuration", map[string]any{"items": []any{
			map[string]any{"section": "emend.model"}, map[string]any{"section": "none"},
		}}, `["small",null]`},
		{"vscode", "workspace/codeLens/refresh", nil, `null`},
		{"neovim-0.7.2", "workspace/codeLens/refresh", nil, `error -32601`},
		{"helix", "workspace/codeLens/refresh", nil, `error -32601`},
		{"vscode", "client/registerCapability", registration, `null`},
		{"vscode", "frobnicate", nil, `error -32601`},
	}
	for _, tt := range tests {
		t.Run(tt.profile+"/"+tt.method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := Config{Profile: tt.profile, Settings: map[string]any{"emend": map[string]any{"model": "small"}}}
				env, server := start(t, cfg, map[string]string{"a.txt": "a\n"})
				env.Tolerate = anyViolation
				if got := server.request(tt.method, tt.params); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				env.Open("a.txt")
				env.Save("a.txt")
				synctest.Wait()
				registered := tt.want == "null" && tt.method == "client/registerCapability"
				if told := strings.Contains(server.methods(), "didChangeWatchedFiles"); told != registered {
					t.Errorf("a save is told to a watcher: %t, want %t", told, registered)
				}
			})
		})
	}
}

// TestAwaitFails: a wait ends with its context, with the patience and with the
// server, and then says what was going on.
func TestAwaitFails(t *testing.T) {
	never := func(*State) bool { return false }
	synctest.Test(t, func(t *testing.T) {
		env, server := start(t, Config{Patience: time.Minute}, nil)
		env.Tolerate = anyViolation
		server.notify("window/showMessage", map[string]any{"type": 1, "message": "said before"})
		env.AwaitMessage("said before")
		err := env.Editor.Await(t.Context(), "pigs to fly", never)
		if !errors.Is(err, errPatience) || !strings.Contains(err.Error(), "pigs to fly") || !strings.Contains(err.Error(), "said before") {
			t.Errorf("without an event: %v", err)
		}
		if err := server.rwc.Close(); err != nil {
			t.Fatal(err)
		}
		if err := env.Editor.Await(t.Context(), "pigs to fly", never); !errors.Is(err, ErrClosed) {
			t.Errorf("without a server: %v", err)
		}
		if _, err := env.Editor.Request(t.Context(), "x", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("a request without a server: %v", err)
		}
	})
}

// TestAwaitOnce: two waits for the same words get two events.
func TestAwaitOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env, server := start(t, Config{Patience: time.Second}, nil)
		for _, text := range []string{"done 1", "other", "done 2"} {
			server.notify("window/showMessage", map[string]any{"type": 3, "message": text})
		}
		for _, want := range []string{"done 1", "done 2"} {
			if m := env.AwaitMessage("done"); m.Text != want {
				t.Errorf("got %q, want %q", m.Text, want)
			}
		}
		if m := env.AwaitMessage("other"); m.Text != "other" {
			t.Errorf("got %q", m.Text)
		}
		if m, err := env.Editor.AwaitMessage(t.Context(), "done"); err == nil {
			t.Errorf("got %q once more", m.Text)
		}
	})
}
