package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"emend/lsp/lsptest"
)

func rawList(t testing.TB, list string) []protocol.LSPAny {
	t.Helper()
	var raw []json.RawMessage
	unmarshal(t, list, &raw)
	var out []protocol.LSPAny
	for _, r := range raw {
		out = append(out, protocol.LSPAny(r))
	}
	return out
}

// TestArguments reads every shape that editors send.
func TestArguments(t *testing.T) {
	rng := protocol.Range{Start: protocol.Position{Line: 1, Character: 2}, End: protocol.Position{Line: 3, Character: 4}}
	rngJSON := rangeJSON(1, 2, 3, 4)
	for _, tt := range []struct {
		command, raw string
		want         arguments
	}{
		{"emend.run", `[]`, arguments{}},
		{"emend.run", `[null]`, arguments{}},
		{"emend.run", `["do it"]`, arguments{Instruction: "do it"}},
		{"emend.run", `["do it", null]`, arguments{Instruction: "do it"}},
		{"emend.run", `["x = 5 is wrong"]`, arguments{Instruction: "x = 5 is wrong"}},
		{"emend.run", `["a=b is wrong"]`, arguments{Instruction: "a=b is wrong"}},
		{"emend.run", `["=b"]`, arguments{Instruction: "=b"}},
		{"emend.run", `["do it", "uri=file:///a.go", "line=12-20"]`, arguments{Instruction: "do it", URI: "file:///a.go", Line: &lineRange{11, 19}}},
		{"emend.run", `["do it", "line=12"]`, arguments{Instruction: "do it", Line: &lineRange{11, 11}}},
		{"emend.run", `["instruction=do it", "mode=ask", "fresh=true", "model=m:1", "approval=auto", "version=7", "include=a.go, b.go,"]`,
			arguments{Instruction: "do it", Mode: "ask", Fresh: true, Model: "m:1", Approval: "auto", Version: ptr(int32(7)), Include: []string{"a.go", "b.go"}}},
		{"emend.run", `["do it", "uri=file:///a=b.go"]`, arguments{Instruction: "do it", URI: "file:///a=b.go"}},
		{"emend.run", `["", "uri=file:///a.go"]`, arguments{URI: "file:///a.go"}},
		{"emend.run", `[{"instruction":"do it","uri":"file:///a.go","range":` + rngJSON + `,"version":3}]`,
			arguments{Instruction: "do it", URI: "file:///a.go", Range: &rng, Version: ptr(int32(3))}},
		{"emend.run", `[null, {"prompt":"do it","textDocument":{"uri":"file:///a.go"}}]`,
			arguments{Instruction: "do it", Prompt: "do it", URI: "file:///a.go", TextDocument: &protocol.TextDocumentIdentifier{URI: "file:///a.go"}}},
		{"emend.run", `[{"line":4}]`, arguments{Line: &lineRange{4, 4}}},
		{"emend.run", `[{"line":"4-5"}]`, arguments{Line: &lineRange{3, 4}}},
		{"emend.run", `[{"line":null,"range":null,"include":null,"version":null}]`, arguments{}},
		{"emend.run", `[{}]`, arguments{}},
		{"emend.fix", `[{"uri":"file:///a.go"}, ` + rngJSON + `]`,
			arguments{URI: "file:///a.go", Range: &rng, TextDocument: &protocol.TextDocumentIdentifier{URI: "file:///a.go"}}},
		{"emend.fix", `[{"uri":"file:///a.go","version":3}, ` + rngJSON + `]`,
			arguments{URI: "file:///a.go", Range: &rng, TextDocument: &protocol.TextDocumentIdentifier{URI: "file:///a.go"}}},
		{"emend.fix", `[{"uri":"file:///a.go"}, null]`, arguments{URI: "file:///a.go"}},
		{"emend.verify", `["go test,go vet"]`, arguments{Checks: []string{"go test", "go vet"}}},
		{"emend.verify", `["checks="]`, arguments{Checks: []string{}}},
		{"emend.verify", `[{"checks":["go test"]}]`, arguments{Checks: []string{"go test"}}},
		{"emend.apply", `["p-1", "file=a.go", "hunk=h"]`, arguments{Proposal: "p-1", File: "a.go", Hunk: "h"}},
		{"emend.apply", `["hunk=h"]`, arguments{Hunk: "h"}},
		{"emend.approve", `["q-1", "scope=always"]`, arguments{Request: "q-1", Scope: "always"}},
		{"emend.undo", `["checkpoint=c", "files=a.go,b.go"]`, arguments{Checkpoint: "c", Files: []string{"a.go", "b.go"}}},
		{"emend.directive", `["uri=file:///a.go", "lines=3"]`, arguments{URI: "file:///a.go", Lines: 3}},
		{"emend.run", `["directive=true"]`, arguments{Directive: true}},
		{"emend.status", `[]`, arguments{}},
		{"emend.status", `[{}]`, arguments{}},
	} {
		cmd, ok := findCommand(tt.command)
		if !ok {
			t.Fatalf("no command %s", tt.command)
		}
		got, err := parseArguments(cmd.main, cmd.accepts, rawList(t, tt.raw))
		if err != nil {
			t.Errorf("%s %s: %v", tt.command, tt.raw, err)
			continue
		}
		if !reflect.DeepEqual(*got, tt.want) {
			t.Errorf("%s %s:\ngot  %+v\nwant %+v", tt.command, tt.raw, *got, tt.want)
		}
	}
}

// TestWrongArguments has errors that name what is wrong.
func TestWrongArguments(t *testing.T) {
	for _, tt := range []struct{ command, raw, want string }{
		{"emend.run", `["do it", "color=red"]`, `"color"`},
		{"emend.run", `["do it", "more"]`, "argument 2"},
		{"emend.run", `["do it", {"uri":"x"}]`, "argument 2"},
		{"emend.run", `["do it", "line=0"]`, "line=0"},
		{"emend.run", `["do it", "line=20-12"]`, "line=20-12"},
		{"emend.run", `["do it", "line=a"]`, "line=a"},
		{"emend.run", `["do it", "line=1-"]`, "line=1-"},
		{"emend.run", `["do it", "fresh=maybe"]`, "fresh=maybe"},
		{"emend.run", `["do it", "version=x"]`, "version=x"},
		{"emend.run", `["do it", "version=99999999999"]`, "version=99999999999"},
		{"emend.run", `["do it", "range=1"]`, "range"},
		{"emend.run", `["do it", "mode=ask", "mode=edit"]`, "mode is given twice"},
		{"emend.run", `["do it", "instruction=something else"]`, "instruction is given twice"},
		{"emend.run", `[{"color":"red"}]`, `"color"`},
		{"emend.run", `[{"URI":"file:///a.go"}]`, `"URI"`},
		{"emend.run", `[{"instruction":7}]`, "instruction"},
		{"emend.run", `[{"line":-1}]`, "line"},
		{"emend.run", `[{"line":[1,2]}]`, "line"},
		{"emend.run", `[{"range":{"start":{"line":-1}}}]`, "range"},
		{"emend.run", `[{"version":"3"}]`, "version"},
		{"emend.run", `[{"fresh":"true"}]`, "fresh"},
		{"emend.fix", `[{"diagnostics":[7]}]`, "diagnostics"},
		{"emend.run", `[7]`, "7"},
		{"emend.run", `[["do it"]]`, "do it"},
		{"emend.run", `[true]`, "true"},
		{"emend.run", `[{}, {}]`, "text document identifier"},
		{"emend.run", `[{"uri":"x"}, 7]`, "range"},
		{"emend.run", `[{}, {}, {}]`, "3 arguments"},
		{"emend.apply", `[{"uri":"x"}, {}]`, "no document and range"},
		{"emend.status", `["x"]`, "name=value"},
		{"emend.status", `["x=y"]`, "none"},
		{"emend.status", `[{"x":1}]`, "none"},
	} {
		cmd, _ := findCommand(tt.command)
		_, err := parseArguments(cmd.main, cmd.accepts, rawList(t, tt.raw))
		var e *jsonrpc2.Error
		if !errors.As(err, &e) || e.Code != jsonrpc2.InvalidParams || !strings.Contains(e.Message, tt.want) {
			t.Errorf("%s %s: got %v, want an error with %q", tt.command, tt.raw, err, tt.want)
		}
	}
}

// FuzzArguments feeds any JSON, and compares the two shapes that say the same.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`[]`, `["a","line=1-2"]`, `[{"uri":"x","line":3}]`, `[{"uri":"x"},{}]`, `[null,7]`, `["version=3","uri=\u0000"]`, `[{"diagnostics":[{"message":{"kind":"x"}}]}]`} {
		f.Add(s, "instruction text")
	}
	f.Fuzz(func(t *testing.T, list, text string) {
		var raw []json.RawMessage
		if json.Unmarshal([]byte(list), &raw) == nil {
			var args []protocol.LSPAny
			for _, r := range raw {
				args = append(args, protocol.LSPAny(r))
			}
			for _, cmd := range commands {
				got, err := parseArguments(cmd.main, cmd.accepts, args)
				var e *jsonrpc2.Error
				if (got == nil) == (err == nil) || err != nil && !errors.As(err, &e) {
					t.Fatalf("%s %s: %v, %v", cmd.name, list, got, err)
				}
			}
		}
		text = strings.ToValidUTF8(text, "?")
		cmd, _ := findCommand("emend.run")
		named, err := parseArguments(cmd.main, cmd.accepts, []protocol.LSPAny{mustJSON("instruction=" + text)})
		if err != nil {
			t.Fatal(err)
		}
		object, err := parseArguments(cmd.main, cmd.accepts, []protocol.LSPAny{mustJSON(map[string]string{"instruction": text})})
		if err != nil || named.Instruction != text || object.Instruction != text {
			t.Fatalf("%q became %q and %q, %v", text, named.Instruction, object.Instruction, err)
		}
	})
}

// TestUnknownCommand answers an error, and null for another server's command
// where the client sends those to everybody.
func TestUnknownCommand(t *testing.T) {
	for client, codes := range map[string][2]int{"": {-32602, -32602}, "emacs": {0, -32602}, "kakoune-lsp": {0, -32602}, "Visual Studio Code": {-32602, -32602}} {
		r := startSession(t, Options{}, nil)
		r.begin(`{"capabilities":{},"clientInfo":{"name":` + quoted(client) + `}}`)
		r.call("1", "workspace/executeCommand", `{"command":"gopls.tidy","arguments":[{}]}`)
		r.call("2", "workspace/executeCommand", `{"command":"emend.nonsense"}`)
		for i, want := range codes {
			if got := r.await(fmt.Sprint(i+1), 1); got.code() != want || want == 0 && string(got.Result) != "null" {
				t.Errorf("client %q, command %d: %s, code %d, want %d", client, i, got.Result, got.code(), want)
			}
		}
	}
}

// TestCommandsAnswerAtOnce runs each command while a model says nothing.
func TestCommandsAnswerAtOnce(t *testing.T) {
	w := newWorld(t, setup{
		files: map[string]string{"a.go": "package a\n"}, profile: "helix",
		script: "! stall\n! forever\n",
		config: lsptest.Config{},
	})
	w.Open("a.go")
	const limit = 100 * time.Millisecond
	timed := func(command string, args ...any) {
		t.Helper()
		best := time.Hour // of three: this machine may be busy with other things
		for range 3 {
			began := time.Now()
			params := map[string]any{"command": command, "arguments": args}
			if args == nil {
				delete(params, "arguments")
			}
			_, err := w.Editor.Request(t.Context(), "workspace/executeCommand", params)
			best = min(best, time.Since(began))
			var refused *lsptest.ResponseError
			if err != nil && !errors.As(err, &refused) {
				t.Fatal(err)
			}
		}
		if best > limit {
			t.Errorf("%s was answered after %v", command, best)
		}
	}
	timed("emend.run", "do it")
	if _, err := w.model.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		if c.name != "emend.verify" { // runs the Go tool; its own test sees to it
			timed(c.name)
		}
	}
	timed("emend.ask", "why")
	timed("emend.fix", map[string]any{"uri": w.URI("a.go"), "line": 0})
	timed("emend.none")
}

// TestRelativeName takes a file name for a URI, from the workspace's folder.
func TestRelativeName(t *testing.T) {
	w := newWorld(t, setup{
		profile: "neovim",
		files:   map[string]string{"sub/greet.go": greet},
		script:  "> contains \"sub/greet.go\"\n" + say(block("sub/greet.go", `	return "Hello, " + name`, `	return "Bonjour, " + name`)),
	})
	w.Open("sub/greet.go")
	w.Execute("emend.run", "greet in French", "uri=sub/greet.go", "line=5")
	w.AwaitDiagnostics("sub/greet.go", hasHint)
}
