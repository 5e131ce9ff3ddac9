package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"emend/internal/config"
	"emend/lsp/lsptest"
)

// never is what belongs to the language's own server: some editors ask only the
// first server that offers it. resolve breaks other servers' actions in one
// editor, and freezes another.
var never = []string{
	"renameProvider", "definitionProvider", "declarationProvider", "typeDefinitionProvider", "implementationProvider",
	"referencesProvider", "documentFormattingProvider", "documentRangeFormattingProvider", "documentOnTypeFormattingProvider",
	"completionProvider", "documentHighlightProvider", "signatureHelpProvider", "documentSymbolProvider", "workspaceSymbolProvider",
	"foldingRangeProvider", "selectionRangeProvider", "semanticTokensProvider", "linkedEditingRangeProvider", "callHierarchyProvider",
	"typeHierarchyProvider", "inlineValueProvider", "inlayHintProvider", "colorProvider", "monikerProvider", "diagnosticProvider",
	"inlineCompletionProvider", "resolveProvider",
}

// TestCapabilities reads what is offered to each editor, which is all static.
func TestCapabilities(t *testing.T) {
	for _, name := range lsptest.Profiles() {
		t.Run(name, func(t *testing.T) {
			p, err := lsptest.LoadProfile(name)
			if err != nil {
				t.Fatal(err)
			}
			r := startSession(t, Options{Version: "v1"}, nil)
			reply := r.begin(string(p.Initialize))
			var result struct {
				Capabilities map[string]json.RawMessage
				ServerInfo   struct{ Name, Version string }
			}
			unmarshal(t, string(reply.Result), &result)
			for _, n := range never {
				if bytes.Contains(reply.Result, []byte(`"`+n+`"`)) {
					t.Errorf("%s is offered", n)
				}
			}
			caps := result.Capabilities
			if got := string(caps["positionEncoding"]); got != `"utf-16"` && bytes.Contains(p.Initialize, []byte("positionEncodings")) {
				t.Errorf("positionEncoding %s", got)
			}
			var sync struct {
				OpenClose bool
				Change    int
				Save      struct{ IncludeText bool }
			}
			unmarshal(t, string(caps["textDocumentSync"]), &sync)
			if !sync.OpenClose || sync.Change != 2 || sync.Save.IncludeText {
				t.Errorf("textDocumentSync %s", caps["textDocumentSync"])
			}
			var commands struct{ Commands []string }
			unmarshal(t, string(caps["executeCommandProvider"]), &commands)
			for _, c := range commands.Commands {
				if !strings.HasPrefix(c, "emend.") {
					t.Errorf("command %s has no name of its own", c)
				}
			}
			if !slices.Contains(commands.Commands, "emend.run") || result.ServerInfo.Name != "emend" || result.ServerInfo.Version != "v1" {
				t.Errorf("commands %v of %+v", commands.Commands, result.ServerInfo)
			}
			// The only dynamic registration is that of file watchers, where it is offered.
			r.settled("end")
			for _, raw := range r.params("client/registerCapability") {
				if !bytes.Contains(raw, []byte("workspace/didChangeWatchedFiles")) || bytes.Count(raw, []byte(`"method"`)) != 1 {
					t.Errorf("registered %s", raw)
				}
			}
		})
	}
}

// TestStrangeInitialize has members of a wrong shape, which are taken for
// absent, and none of which keeps the session from starting.
func TestStrangeInitialize(t *testing.T) {
	const good = `"rootUri":null,"capabilities":{"window":{"workDoneProgress":true},"workspace":{"applyEdit":true}}`
	for _, params := range []string{
		`{}`, `{` + good + `}`, `{` + good + `,"processId":"x"}`, `{` + good + `,"processId":4294967296}`, `{` + good + `,"processId":-1}`,
		`{` + good + `,"clientInfo":{"name":"x","version":5}}`, `{` + good + `,"clientInfo":null}`, `{` + good + `,"clientInfo":[]}`,
		`{` + good + `,"initializationOptions":[1]}`, `{` + good + `,"initializationOptions":"x"}`, `{` + good + `,"trace":7}`,
		`{"capabilities":{"window":{"workDoneProgress":true,"showDocument":7},"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":"yes"}},"general":{"positionEncodings":["utf-16",5]}}}`,
		`{"capabilities":{"textDocument":5,"window":{"workDoneProgress":true},"workspace":{"applyEdit":true}},"workspaceFolders":7}`,
	} {
		r := startSession(t, Options{}, nil)
		r.begin(params)
		if strings.Contains(params, "applyEdit") && (!r.s.editor.caps.applyEdit || !r.s.editor.caps.progress) {
			t.Errorf("%s: what was right of the capabilities is lost: %+v", params, r.s.editor.caps)
		}
	}
	r := startSession(t, Options{}, nil)
	for i, params := range []string{`[]`, `7`, `"x"`} {
		r.call(fmt.Sprint(i), "initialize", params)
		if got := r.await(fmt.Sprint(i), 1).code(); got != -32602 {
			t.Errorf("%s: code %d", params, got)
		}
	}
	r.begin(`{"capabilities":{}}`) // the session has not begun by those
}

// TestLifecycle sends messages before initialize, behind shutdown, and twice.
func TestLifecycle(t *testing.T) {
	r := startSession(t, Options{}, nil)
	code := func(id, method, params string) int {
		t.Helper()
		r.call(id, method, params)
		return r.await(id, 1).code()
	}
	const place = `{"textDocument":{"uri":"untitled:a"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"context":{"diagnostics":[]}}`
	want := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: code %d, want %d", what, got, want)
		}
	}
	r.open("untitled:early", "x")
	want("codeAction before initialize", code("1", "textDocument/codeAction", place), -32002)
	want("shutdown before initialize", code("2", "shutdown", "null"), -32002)
	want("nonsense before initialize", code("3", "nonsense", "{}"), -32002)
	want("initialize", code("4", "initialize", `{"capabilities":{}}`), 0)
	want("initialize twice", code("5", "initialize", `{"capabilities":{}}`), -32600)
	if _, ok := r.s.mirror.docs.Get("untitled:early"); ok {
		t.Error("a document opened before initialize is there")
	}
	r.open("untitled:a", "x") // before initialized: some clients do
	want("codeAction", code("6", "textDocument/codeAction", place), 0)
	r.notify("initialized", "{}")
	r.notify("initialized", "{}")
	want("nonsense", code("7", "nonsense", "{}"), -32601)
	want("$/nonsense", code("8", "$/nonsense", "{}"), -32601)
	want("resolve", code("9", "codeAction/resolve", `{"title":"x"}`), -32601)
	want("shutdown", code("10", "shutdown", "null"), 0)
	want("shutdown twice", code("11", "shutdown", "null"), -32600)
	want("codeAction behind shutdown", code("12", "textDocument/codeAction", place), -32600)
	want("initialize behind shutdown", code("13", "initialize", `{"capabilities":{}}`), -32600)
	r.change("untitled:a", 2, `{"text":"late"}`)
	want("nonsense behind shutdown", code("14", "nonsense", "{}"), -32600)
	if text, _ := r.text("untitled:a"); text != "x" {
		t.Errorf("a change behind shutdown was taken: %q", text)
	}
}

// TestClientSettings lays what a client sends later over what it sent at first.
func TestClientSettings(t *testing.T) {
	var got []string
	r := startSession(t, Options{Settings: func(client []byte, _ []string) (config.Settings, []config.Warning) {
		got = append(got, string(client)) // on the read loop, which settled waits for
		return config.Defaults(), nil
	}}, nil)
	r.begin(`{"capabilities":{"workspace":{"configuration":true}},"initializationOptions":{"model":{"name":"a","provider":"ollama"},"approval":"auto"}}`)
	for i, tt := range []struct{ settings, want string }{
		{`{"model":{"name":"b"}}`, `{"approval":"auto","model":{"name":"b","provider":"ollama"}}`},
		{`{"emend":{"model":{"name":"c"}},"gopls":{"x":1}}`, `{"approval":"auto","model":{"name":"c","provider":"ollama"}}`},
		{`{}`, `{"approval":"auto","model":{"name":"a","provider":"ollama"}}`},
		{`[]`, `{"model":{"name":"a","provider":"ollama"},"approval":"auto"}`},
	} {
		r.notify("workspace/didChangeConfiguration", `{"settings":`+tt.settings+`}`)
		r.settled(fmt.Sprint("settings ", i))
		if last := got[len(got)-1]; last != tt.want {
			t.Errorf("%s: settings %s, want %s", tt.settings, last, tt.want)
		}
	}
	n := len(got)
	r.notify("workspace/didChangeConfiguration", `{"settings":null}`)
	r.until("the question", func() bool { return slices.Contains(r.others, "workspace/configuration") })
	if len(got) != n {
		t.Errorf("null settings were taken for some: %s", got[n:])
	}
}
