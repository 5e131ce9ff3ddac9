package lsptest

import (
	"encoding/json"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// TestProfiles: every embedded profile says everything, in words that are
// known.
func TestProfiles(t *testing.T) {
	for _, name := range Profiles() {
		t.Run(name, func(t *testing.T) {
			profile, err := LoadProfile(name)
			if err != nil {
				t.Fatal(err)
			}
			data, err := profileFiles.ReadFile("profiles/" + name + "/behaviour.json")
			if err != nil {
				t.Fatal(err)
			}
			var said map[string]map[string]any
			if err := json.Unmarshal(data, &said); err != nil {
				t.Fatal(err)
			}
			behaviour := reflect.TypeFor[Behaviour]()
			for i := range behaviour.NumField() {
				group := behaviour.Field(i)
				for j := range group.Type.NumField() {
					member := group.Type.Field(j).Tag.Get("json")
					if _, ok := said[group.Tag.Get("json")][member]; !ok {
						t.Errorf("%s.%s is not said", group.Tag.Get("json"), member)
					}
				}
			}
			checkWords(t, profile.Behaviour)
			var params map[string]any
			if err := json.Unmarshal(profile.Initialize, &params); err != nil || params["capabilities"] == nil {
				t.Errorf("initialize params: %v", err)
			}
		})
	}
}

func checkWords(t *testing.T, b Behaviour) {
	words := []struct {
		name, value string
		known       []string // "reply": a Reply
	}{
		{"lineEnds", b.Documents.LineEnds, []string{"majority", "uniform", "lf", "verbatim"}},
		{"insertedLineEnds", b.Documents.InsertedLineEnds, []string{"document", "verbatim"}},
		{"lines", b.Documents.Lines, []string{"free", "0.7", "0.8", "0.12"}},
		{"changes", b.Documents.Changes, []string{"incremental", "full"}},
		{"changeOrder", b.Documents.ChangeOrder, []string{"ascending", "descending"}},
		{"checked", b.Edits.Checked, []string{"all", "first"}},
		{"stale", b.Edits.Stale, []string{"skip", "reply"}},
		{"missingVersion", b.Edits.MissingVersion, []string{"apply", "reply"}},
		{"confirm", b.Edits.Confirm, []string{"ignore", "preview", "document", "files"}},
		{"declined", b.Edits.Declined, []string{"reply"}},
		{"unknownOperation", b.Edits.UnknownOperation, []string{"reply"}},
		{"createExisting", b.Edits.CreateExisting, []string{"truncate", "keep", "reply"}},
		{"missingFile", b.Edits.MissingFile, []string{"empty", "reply"}},
		{"failure", b.Edits.Failure, []string{"reply"}},
		{"overlap", b.Edits.Overlap, []string{"garbage", "drop", "reply"}},
		{"snippet", b.Edits.Snippet, []string{"apply", "drop", "reply"}},
		{"undo", b.Edits.Undo, []string{"all", "buffer"}},
		{"disabled", b.Actions.Disabled, []string{"shown", "hidden", "runs"}},
		{"resolve", b.Actions.Resolve, []string{"edit", "either", "both"}},
	}
	replies := []string{"true", "false", "false reason", "false reason index", "null reason", "error:-32603", "error:-32700"}
	for _, w := range words {
		if slices.Contains(w.known, w.value) || slices.Contains(w.known, "reply") && slices.Contains(replies, w.value) {
			continue
		}
		t.Errorf("%s is %q, known are %q", w.name, w.value, w.known)
	}
}

func TestLoadProfile(t *testing.T) {
	for name, want := range map[string]string{
		"neovim": "neovim-0.12.4", "neovim-0.7.2": "neovim-0.7.2", "eglot": "eglot-1.24", "vscode": "vscode-1.139.1", "helix": "helix-25.01.1",
	} {
		if profile, err := LoadProfile(name); err != nil || profile.Name != want {
			t.Errorf("%s is %s, %v, want %s", name, profile.Name, err, want)
		}
	}
	for _, name := range []string{"", "ed", "neovi"} {
		if profile, err := LoadProfile(name); err == nil || !strings.Contains(err.Error(), "helix-25.01.1") {
			t.Errorf("%q is %s, %v", name, profile.Name, err)
		}
	}
}

// TestInitialize: the parameters of a session in place of the recorded ones.
func TestInitialize(t *testing.T) {
	for _, name := range Profiles() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := Config{
					Profile: name, Folders: []string{t.TempDir()}, InitOptions: map[string]any{"events": true}, ProcessID: 77,
					Encodings: []string{utf8Units}, PatchInit: func(params map[string]any) { params["locale"] = "tlh" },
				}
				env, server := start(t, cfg, nil)
				var params struct {
					ProcessID             int
					RootURI               string
					WorkspaceFolders      []struct{ Name, URI string }
					InitializationOptions map[string]any
					Locale                string
					Capabilities          struct {
						General struct{ PositionEncodings []string }
					}
				}
				if err := json.Unmarshal(rawJSON(server.lastParams("initialize")), &params); err != nil {
					t.Fatal(err)
				}
				if params.ProcessID != 77 || params.RootURI != env.URI("") || params.Locale != "tlh" || params.InitializationOptions["events"] != true {
					t.Errorf("initialize is %+v", params)
				}
				if len(params.WorkspaceFolders) != 2 || params.WorkspaceFolders[1].URI != env.URI(env.cfg.Folders[0]) || params.WorkspaceFolders[0].Name == "" {
					t.Errorf("folders are %+v", params.WorkspaceFolders)
				}
				if !slices.Equal(params.Capabilities.General.PositionEncodings, []string{utf8Units}) || env.Encoding() != utf8Units {
					t.Errorf("encodings are %q, agreed on %q", params.Capabilities.General.PositionEncodings, env.Encoding())
				}
			})
		})
	}
}

// TestNoFolder: an editor without a folder says null.
func TestNoFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		editorEnd, serverEnd := Pipe()
		server := newCounterpart(t, serverEnd)
		go server.serve()
		New(t, editorEnd, Config{Profile: "helix"})
		if params := server.lastParams("initialize"); !strings.Contains(params, `"rootUri":null`) || !strings.Contains(params, `"workspaceFolders":null`) {
			t.Error(params)
		}
		if got := server.request("workspace/workspaceFolders", nil); got != "null" {
			t.Errorf("folders are %s", got)
		}
	})
}

// TestBadCapabilities: what a server may not answer to initialize.
func TestBadCapabilities(t *testing.T) {
	tests := []struct {
		name, capabilities, want string
	}{
		{"encoding not offered", `{"positionEncoding":"utf-8","textDocumentSync":2}`, `"utf-8" is not among those offered`},
		{"no text", `{}`, "asks for no document text"},
		{"command twice", `{"textDocumentSync":1,"executeCommandProvider":{"commands":["a","a"]}}`, "announced twice"},
		{"none", `null`, "has no capabilities"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				editorEnd, serverEnd := Pipe()
				server := newCounterpart(t, serverEnd)
				server.answer("initialize", rawJSON(`{"capabilities":`+tt.capabilities+`}`))
				go server.serve()
				env := New(t, editorEnd, Config{})
				env.Tolerate = func(v string) bool { return strings.Contains(v, tt.want) }
				if len(env.Violations()) != 1 {
					t.Errorf("violations are %q", env.Violations())
				}
			})
		})
	}
}

// TestURI: spellings of one file.
func TestURI(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the names below are not absolute on Windows")
	}
	tests := []struct{ name, plain, escaped string }{
		{"/w/a b.go", "file:///w/a%20b.go", "file:///w/a%20b.go"},
		{"/w/a+(1)@x.go", "file:///w/a+(1)@x.go", "file:///w/a%2B%281%29%40x.go"},
		{"/w/é.go", "file:///w/%C3%A9.go", "file:///w/%C3%A9.go"},
		{"/w/50%#?.go", "file:///w/50%25%23%3F.go", "file:///w/50%25%23%3F.go"},
	}
	for _, tt := range tests {
		if plain, escaped := fileURI(tt.name, false), fileURI(tt.name, true); plain != tt.plain || escaped != tt.escaped {
			t.Errorf("%s is spelled %s and %s, want %s and %s", tt.name, plain, escaped, tt.plain, tt.escaped)
		}
		if documentKey(tt.plain) != documentKey(tt.escaped) || filePath(tt.escaped) != tt.name {
			t.Errorf("%s comes back as %s", tt.escaped, filePath(tt.escaped))
		}
	}
	for _, uri := range []string{"untitled:Untitled-1", "file://", "emend:///x"} {
		if filePath(uri) != "" || documentKey(uri) != uri {
			t.Errorf("%s is taken for a file", uri)
		}
	}
}
