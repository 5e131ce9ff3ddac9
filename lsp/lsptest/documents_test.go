package lsptest

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"
)

// TestOpen: what the server is told of a file, and what saving writes back.
func TestOpen(t *testing.T) {
	const bom = byteOrderMark
	tests := []struct {
		name, profile, file, told, saved string
	}{
		{"plain", "vscode", "a\nb\n", "a\nb\n", "a\nb\n"},
		{"mark", "vscode", bom + "a\n", "a\n", bom + "a\n"},
		{"mark", "neovim-0.7.2", bom + "a\n", "a\n", bom + "a\n"},
		{"mark", "helix", bom + "a\n", "a\n", bom + "a\n"},
		{"crlf", "vscode", "a\r\nb\r\n", "a\r\nb\r\n", "a\r\nb\r\n"},
		{"crlf", "neovim", "a\r\nb\r\n", "a\r\nb\r\n", "a\r\nb\r\n"},
		{"crlf", "helix", "a\r\nb\r\n", "a\r\nb\r\n", "a\r\nb\r\n"},
		{"crlf", "eglot", "a\r\nb\r\n", "a\nb\n", "a\r\nb\r\n"},
		{"mixed", "vscode", "a\r\nb\r\nc\n", "a\r\nb\r\nc\r\n", "a\r\nb\r\nc\r\n"},
		{"mixed", "neovim", "a\r\nb\r\nc\n", "a\r\nb\r\nc\n", "a\r\nb\r\nc\n"},
		{"mixed", "helix", "a\r\nb\r\nc\n", "a\r\nb\r\nc\n", "a\r\nb\r\nc\n"},
		{"mixed", "eglot", "a\r\nb\r\nc\n", "a\r\nb\r\nc\n", "a\r\nb\r\nc\n"},
		{"empty", "vscode", "", "", ""},
		{"empty", "neovim", "", "\n", "\n"},
		{"unended", "neovim", "a", "a", "a"},
		{"unended", "helix", "a", "a", "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name+"/"+tt.profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: tt.profile}, map[string]string{"a b.txt": tt.file})
				env.Open("a b.txt")
				synctest.Wait()
				if told, _ := server.text(env.URI("a b.txt")); told != tt.told {
					t.Errorf("the server is told %q, want %q", told, tt.told)
				}
				wantVersion := `"version":0`
				if tt.profile == "vscode" {
					wantVersion = `"version":1`
				}
				if params := server.lastParams("textDocument/didOpen"); !strings.Contains(params, wantVersion) {
					t.Errorf("didOpen is %s, want %s", params, wantVersion)
				}
				env.Save("a b.txt")
				data, err := os.ReadFile(env.cfg.Root + "/a b.txt")
				if err != nil || string(data) != tt.saved {
					t.Errorf("saved %q, %v, want %q", data, err, tt.saved)
				}
			})
		})
	}
}

// TestInsertedText: what text the server inserts becomes, at places where
// editors differ.
func TestInsertedText(t *testing.T) {
	const create = `{"kind":"create","uri":"$F","options":{"ignoreIfExists":true}},`
	tests := []struct {
		name, profile, file, operation, span, insert, want string
	}{
		{"crlf into lf", "vscode", "a\n", "", span(0, 0, 0, 0), "x\r\n", "x\na\n"},
		{"lf into crlf", "vscode", "a\r\n", "", span(0, 0, 0, 0), "x\n", "x\r\na\r\n"},
		{"lf into crlf", "neovim", "a\r\n", "", span(0, 0, 0, 0), "x\n", "x\r\na\r\n"},
		{"lf into crlf", "helix", "a\r\n", "", span(0, 0, 0, 0), "x\n", "x\na\r\n"},
		{"after the last line", "vscode", "a\n", "", span(1, 0, 1, 0), "x\n", "a\nx\n"},
		{"after the last line", "helix", "a\n", "", span(1, 0, 1, 0), "x\n", "a\nx\n"},
		{"after the last line", "neovim-0.7.2", "a\n", "", span(1, 0, 1, 0), "x\n", "a\nx\n"},
		{"after the last line", "neovim-0.10.4", "a\n", "", span(1, 0, 1, 0), "x\n", "a\nx\n\n"},
		{"after the last line", "neovim-0.12.4", "a\n", "", span(1, 0, 1, 0), "x\n", "a\nx\n"},
		{"at the end of the last line", "neovim-0.10.4", "a\n", "", span(0, 1, 0, 1), "\nx", "a\nx\n"},
		{"at the end of the last line", "neovim-0.12.4", "a\n", "", span(0, 1, 0, 1), "\nx", "a\nx\n"},
		{"from the end of the last line", "neovim-0.12.4", "a\n", "", span(0, 1, 1, 0), "\nx\n", "a\nx\n"},
		{"the last line away", "neovim-0.12.4", "a\nb\n", "", span(1, 0, 2, 0), "", "a\n"},
		{"the last end away", "neovim-0.12.4", "a\n", "", span(0, 1, 1, 0), "", "a\n"},
		{"everything", "neovim-0.12.4", "a\nb\n", "", span(0, 0, 2, 0), "x\ny\n", "x\ny\n"},
		{"into a new file", "vscode", "-", create, span(0, 0, 0, 0), "x\n", "x\n"},
		{"into a new file", "neovim-0.7.2", "-", create, span(0, 0, 0, 0), "x\n", "x\n\n"},
		{"into a new file", "neovim-0.12.4", "-", create, span(0, 0, 0, 0), "x\n", "x\n\n"},
		{"over a new file", "neovim-0.12.4", "-", create, span(0, 0, 1, 0), "x\n", "x\n"},
		{"over a new file", "neovim-0.7.2", "-", create, span(0, 0, 1, 0), "x\n", "x\n"},
		{"over a new file", "helix", "-", create, span(0, 0, 1, 0), "x\n", "x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name+"/"+tt.profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				files := map[string]string{"a.txt": tt.file}
				if tt.file == "-" {
					files = nil
				}
				env, server := start(t, Config{Profile: tt.profile}, files)
				if tt.file != "-" {
					env.Open("a.txt")
				}
				edit := strings.ReplaceAll(`{"documentChanges":[`+tt.operation+`{"textDocument":{"uri":"$F","version":null},"edits":[]}]}`, "$F", env.URI("a.txt"))
				edit = strings.Replace(edit, `"edits":[]`, `"edits":[{"range":`+tt.span+`,"newText":`+quote(tt.insert)+`}]`, 1)
				server.request("workspace/applyEdit", map[string]any{"edit": rawJSON(edit)})
				env.AwaitText("a.txt", tt.want)
				env.Flush()
				synctest.Wait()
				if mirror, open := server.text(env.URI("a.txt")); open && mirror != tt.want {
					t.Errorf("the mirror is %q, want %q", mirror, tt.want)
				}
			})
		})
	}
}

// TestMirror: whatever the person and the server do to a document, what the
// server is told adds up to the buffer, in every editor and encoding.
func TestMirror(t *testing.T) {
	piece := rapid.SampledFrom([]string{"", "a", "\n", "é", "𝄞", "word ", "\r\n", "line\n", "x\ny"})
	for _, name := range Profiles() {
		profile, err := LoadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, encoding := range []string{utf8Units, utf16Units, utf32Units} {
			t.Run(name+"/"+encoding, func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					e, server := unplugged(t, profile, encoding)
					text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(rt, "text"), "")
					if err := e.OpenText("untitled:Untitled-1", "plaintext", text); err != nil {
						rt.Fatal(err)
					}
					for range rapid.IntRange(1, 6).Draw(rt, "edits") {
						randomEdit(rt, e, piece)
					}
					e.Flush()
					for _, m := range e.out.queue {
						server.takeFrame(m)
					}
					b, _ := e.Buffer("untitled:Untitled-1")
					if mirror, _ := server.text(b.URI); mirror != b.Text || server.versions[b.URI] != b.Version {
						rt.Fatalf("the mirror is %q at %d, the buffer %q at %d", mirror, server.versions[b.URI], b.Text, b.Version)
					}
					if len(e.state.Violations) > 0 {
						rt.Fatalf("violations: %q", e.state.Violations)
					}
				})
			})
		}
	}
}

// randomEdit is one of the person's, of a server's, or an undo.
func randomEdit(rt *rapid.T, e *Editor, piece *rapid.Generator[string]) {
	const file = "untitled:Untitled-1"
	b := e.find(file)
	place := func(name string) int {
		at := rapid.IntRange(0, len(b.text)).Draw(rt, name)
		for splits(b.text, at) {
			at--
		}
		return at
	}
	start, end := place("start"), place("end")
	r := e.rangeOf(b.text, min(start, end), max(start, end))
	text := piece.Draw(rt, "insert")
	switch rapid.IntRange(0, 2).Draw(rt, "who") {
	case 0:
		if err := e.Replace(file, r, text); err != nil {
			rt.Fatal(err)
		}
	case 1:
		c := change{kind: "edit", uri: file, edits: []textEdit{{Range: r, NewText: text}, {Range: Range{r.End, r.End}, NewText: "!"}}}
		if o := e.applyAll(&workspaceEdit{changes: []change{c}}); o.reply != "true" {
			rt.Fatal(o)
		}
		e.settle()
	default:
		if len(b.undo) == 0 {
			return
		}
		was := b.undo[len(b.undo)-1].before
		if err := e.Undo(file); err != nil || b.text != was {
			rt.Fatalf("undo gives %q, %v, want %q", b.text, err, was)
		}
	}
}

// TestUndo: one undo takes back all files of an edit, or only its own.
func TestUndo(t *testing.T) {
	for _, profile := range []string{"vscode", "neovim", "helix"} {
		t.Run(profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				files := map[string]string{"a.txt": "alpha\n", "b.txt": "alpha\n"}
				env, server := start(t, Config{Profile: profile}, files)
				env.Open("a.txt")
				env.Open("b.txt")
				edit := fillEdit(env, `{"documentChanges":[`+upper("a", "null")+`,`+upper("b", "null")+`]}`, nil)
				server.request("workspace/applyEdit", map[string]any{"edit": rawJSON(edit)})
				env.Undo("a.txt")
				want := "ALPHA\n"
				if profile == "vscode" {
					want = "alpha\n"
				}
				if a, b := env.Text("a.txt"), env.Text("b.txt"); a != "alpha\n" || b != want {
					t.Errorf("a is %q, b is %q, want %q", a, b, want)
				}
			})
		})
	}
}

// TestReplyOrder: the reply to applyEdit comes before or after its didChange.
func TestReplyOrder(t *testing.T) {
	want := map[string]string{
		"neovim-0.7.2": "reply textDocument/didChange", "eglot-1.24": "reply textDocument/didChange",
		"neovim-0.12.4": "textDocument/didChange reply", "helix-25.01.1": "textDocument/didChange reply",
		"vscode-1.139.1": "textDocument/didChange reply",
	}
	for profile, order := range want {
		t.Run(profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, server := start(t, Config{Profile: profile}, map[string]string{"a.txt": "alpha\n"})
				env.Open("a.txt")
				edit := fillEdit(env, `{"documentChanges":[`+upper("a", "null")+`]}`, nil)
				server.request("workspace/applyEdit", map[string]any{"edit": rawJSON(edit)})
				if _, err := env.Editor.Request(t.Context(), "x/flushes", nil); err != nil {
					t.Fatal(err)
				}
				if got := server.methods(); !strings.Contains(got, order) {
					t.Errorf("the server saw %s, want %s", got, order)
				}
			})
		})
	}
}

// TestFullSync: a server that asks for full text gets it.
func TestFullSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		editorEnd, serverEnd := Pipe()
		server := newCounterpart(t, serverEnd)
		server.caps["textDocumentSync"] = 1
		go server.serve()
		env := New(t, editorEnd, Config{})
		env.OpenText("untitled:Untitled-1", "go", "a")
		env.Type("untitled:Untitled-1", Position{0, 1}, "b")
		synctest.Wait()
		if params := server.lastParams("textDocument/didChange"); !strings.Contains(params, `"contentChanges":[{"text":"ab"}]`) {
			t.Error(params)
		}
	})
}
