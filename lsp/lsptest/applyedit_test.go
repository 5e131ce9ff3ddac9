package lsptest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
)

// The profiles looked at; of Neovim 0.10 only what sets it apart from 0.7 is
// named below.
var columns = []string{"neovim-0.7.2", "neovim-0.10.4", "neovim-0.12.4", "helix-25.01.1", "vscode-1.139.1", "eglot-1.17.30", "eglot-1.24"}

// versions in a scripted edit: "$a" is the version a.txt has when the edit is
// sent, "$a-" the one before the last change, "$a+" one that is yet to come.
var editCases = []struct {
	name  string
	typed string // files that are changed after the edit was made
	edit  string
	want  map[string]string // by column; "*" for those not named
}{
	{
		name: "stale version, first document", typed: "a",
		edit: `{"documentChanges":[` + upper("a", "$a-") + `]}`,
		want: map[string]string{
			"neovim-0.7.2":   `{"applied":true} a=. b=.`,
			"neovim-0.12.4":  `{"applied":true} a=. b=.`,
			"helix-25.01.1":  `{"applied":false,"failedChange":0,"failureReason":R} a=. b=.`,
			"vscode-1.139.1": `{"applied":false} a=. b=.`,
			"*":              `error -32603 a=. b=.`,
		},
	},
	{
		name: "stale version, second document", typed: "b",
		edit: `{"documentChanges":[` + upper("a", "$a") + `,` + upper("b", "$b-") + `]}`,
		want: map[string]string{
			"neovim-0.7.2":   `{"applied":true} a=UP b=UP`,
			"neovim-0.12.4":  `{"applied":true} a=UP b=UP`,
			"helix-25.01.1":  `{"applied":false,"failedChange":1,"failureReason":R} a=UP b=.`,
			"vscode-1.139.1": `{"applied":false} a=. b=.`,
			"*":              `error -32603 a=UP b=.`,
		},
	},
	{
		name: "version 0", typed: "a",
		edit: `{"documentChanges":[` + upper("a", "0") + `]}`,
		want: map[string]string{
			"neovim-0.7.2":   `{"applied":true} a=UP b=.`,
			"neovim-0.12.4":  `{"applied":true} a=UP b=.`,
			"helix-25.01.1":  `{"applied":false,"failedChange":0,"failureReason":R} a=. b=.`,
			"vscode-1.139.1": `{"applied":false} a=. b=.`,
			"*":              `error -32603 a=. b=.`,
		},
	},
	{
		name: "newer version",
		edit: `{"documentChanges":[` + upper("a", "$a+") + `]}`,
		want: map[string]string{
			"neovim-0.7.2":   `{"applied":true} a=UP b=.`,
			"neovim-0.12.4":  `{"applied":true} a=UP b=.`,
			"helix-25.01.1":  `{"applied":false,"failedChange":0,"failureReason":R} a=. b=.`,
			"vscode-1.139.1": `{"applied":false} a=. b=.`,
			"*":              `error -32603 a=. b=.`,
		},
	},
	{
		name: "version null", typed: "a",
		edit: `{"documentChanges":[` + upper("a", "null") + `]}`,
		want: map[string]string{"*": `{"applied":true} a=UP b=.`},
	},
	{
		name: "current versions",
		edit: `{"documentChanges":[` + upper("a", "$a") + `,` + upper("b", "$b") + `]}`,
		want: map[string]string{"*": `{"applied":true} a=UP b=UP`},
	},
	{
		name: "the changes map", typed: "a",
		edit: `{"changes":{"$A":[` + upperEdit + `]}}`,
		want: map[string]string{"*": `{"applied":true} a=UP b=.`},
	},
	{
		name: "no version member",
		edit: `{"documentChanges":[{"textDocument":{"uri":"$A"},"edits":[` + upperEdit + `]},` + upper("b", "$b") + `]}`,
		want: map[string]string{
			"neovim-0.12.4":  `{"applied":false,"failureReason":R} a=. b=.`,
			"vscode-1.139.1": `error -32603 a=. b=.`,
			"*":              `{"applied":true} a=UP b=UP`,
		},
	},
	{
		name: "create in a missing folder",
		edit: `{"documentChanges":[{"kind":"create","uri":"$R/new/c.txt","options":{"overwrite":false}}]}`,
		want: map[string]string{
			"neovim-0.7.2":  `{"applied":false,"failureReason":R} a=. b=.`,
			"neovim-0.10.4": `{"applied":true} a=. b=. new/c.txt=`,
			"eglot-1.17.30": `error -32603 a=. b=.`,
			"*":             `{"applied":true} a=. b=. new/c.txt=`,
		},
	},
	{
		name: "create over a file, without options",
		edit: `{"documentChanges":[{"kind":"create","uri":"$R/closed.txt"}]}`,
		want: map[string]string{
			"vscode-1.139.1": `{"applied":false} a=. b=.`,
			"eglot-1.17.30":  `error -32603 a=. b=.`,
			"eglot-1.24":     `error -32603 a=. b=.`,
			"*":              `{"applied":true} a=. b=. closed.txt=`,
		},
	},
	{
		name: "create over a file, ignoreIfExists",
		edit: `{"documentChanges":[{"kind":"create","uri":"$R/closed.txt","options":{"ignoreIfExists":true}}]}`,
		want: map[string]string{
			"eglot-1.17.30": `error -32603 a=. b=.`,
			"*":             `{"applied":true} a=. b=.`,
		},
	},
	{
		name: "create a file, ignoreIfExists",
		edit: `{"documentChanges":[{"kind":"create","uri":"$R/c.txt","options":{"ignoreIfExists":true}}]}`,
		want: map[string]string{
			"neovim-0.7.2":  `{"applied":true} a=. b=.`,
			"neovim-0.12.4": `{"applied":true} a=. b=.`,
			"eglot-1.17.30": `error -32603 a=. b=.`,
			"*":             `{"applied":true} a=. b=. c.txt=`,
		},
	},
	{
		name: "an operation that fails in the middle",
		edit: `{"documentChanges":[` + upper("a", "$a") + `,{"kind":"rename","oldUri":"$R/none.txt","newUri":"$R/x.txt"},` + upper("b", "$b") + `]}`,
		want: map[string]string{
			"neovim-0.7.2":   `{"applied":false,"failureReason":R} a=UP b=.`,
			"neovim-0.12.4":  `{"applied":false,"failureReason":R} a=UP b=.`,
			"helix-25.01.1":  `{"applied":false,"failedChange":1,"failureReason":R} a=UP b=.`,
			"vscode-1.139.1": `{"applied":false} a=UP b=.`,
			"eglot-1.17.30":  `error -32603 a=. b=.`,
			"eglot-1.24":     `error -32603 a=UP b=.`,
		},
	},
	{
		name: "a kind nobody knows",
		edit: `{"documentChanges":[` + upper("a", "$a") + `,{"kind":"frobnicate","uri":"$B"}]}`,
		want: map[string]string{
			"neovim-0.7.2":   `{"applied":false,"failureReason":R} a=UP b=.`,
			"neovim-0.12.4":  `{"applied":false,"failureReason":R} a=UP b=.`,
			"helix-25.01.1":  `error -32700 a=. b=.`,
			"vscode-1.139.1": `error -32603 a=. b=.`,
			"eglot-1.17.30":  `error -32603 a=. b=.`,
			"eglot-1.24":     `error -32603 a=UP b=.`,
		},
	},
	{
		name: "a file that is not open",
		edit: `{"documentChanges":[{"textDocument":{"uri":"$R/closed.txt","version":null},"edits":[` + upperEdit + `]}]}`,
		want: map[string]string{
			"neovim-0.7.2": `{"applied":true} a=. b=. closed.txt in memory`,
			"*":            `{"applied":true} a=. b=. closed.txt in memory, opened`,
		},
	},
	{
		name: "overlapping edits",
		edit: `{"documentChanges":[{"textDocument":{"uri":"$A","version":$a},"edits":[` +
			`{"range":` + span(0, 0, 0, 5) + `,"newText":"ALPHA"},{"range":` + span(0, 3, 0, 5) + `,"newText":"HAAA"}]}]}`,
		want: map[string]string{
			"helix-25.01.1":  `{"applied":true} a=UP b=.`,
			"vscode-1.139.1": `{"applied":false} a=. b=.`,
			"*":              `{"applied":true} a="ALPHAAA\nbeta\n" b=.`,
		},
	},
	{
		name: "a snippet",
		edit: `{"documentChanges":[{"textDocument":{"uri":"$A","version":$a},"edits":[` +
			`{"range":` + span(0, 0, 0, 5) + `,"snippet":{"kind":"snippet","value":"ALPHA"}}]}]}`,
		want: map[string]string{
			"neovim-0.7.2":   `{"applied":false,"failureReason":R} a=. b=.`,
			"neovim-0.12.4":  `{"applied":false,"failureReason":R} a=. b=.`,
			"helix-25.01.1":  `error -32700 a=. b=.`,
			"vscode-1.139.1": `{"applied":true} a=UP b=.`,
			"*":              `error -32603 a=. b=.`,
		},
	},
	{
		name: "rename and delete",
		edit: `{"documentChanges":[{"kind":"rename","oldUri":"$A","newUri":"$R/r.txt"},{"kind":"delete","uri":"$R/closed.txt"}]}`,
		want: map[string]string{
			"eglot-1.17.30": `error -32603 a=. b=.`,
			"*":             `{"applied":true} a=gone b=. closed.txt=gone r.txt=alpha beta`,
		},
	},
}

const upperEdit = `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":5}},"newText":"ALPHA"}`

func upper(file, version string) string {
	return `{"textDocument":{"uri":"$` + strings.ToUpper(file) + `","version":` + version + `},"edits":[` + upperEdit + `]}`
}

func span(l1, c1, l2, c2 int) string {
	return fmt.Sprintf(`{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}`, l1, c1, l2, c2)
}

// TestApplyEdit holds every profile against what was observed of its editor.
func TestApplyEdit(t *testing.T) {
	for _, tt := range editCases {
		for _, profile := range columns {
			t.Run(tt.name+"/"+profile, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					want, ok := tt.want[profile]
					if !ok && profile == "neovim-0.10.4" {
						want, ok = tt.want["neovim-0.7.2"]
					}
					if !ok {
						want = tt.want["*"]
					}
					if got := runEdit(t, profile, tt.typed, tt.edit); got != want {
						t.Errorf("got  %s\nwant %s", got, want)
					}
				})
			})
		}
	}
}

// runEdit has a server send an edit, and tells what became of it.
func runEdit(t *testing.T, profile, typed, edit string) string {
	files := map[string]string{"a.txt": "alpha\nbeta\n", "b.txt": "alpha\nbeta\n", "closed.txt": "alpha\nbeta\n"}
	env, server := start(t, Config{Profile: profile}, files)
	env.Tolerate = anyViolation
	before := map[string]int{}
	for _, name := range []string{"a", "b"} {
		env.Open(name + ".txt")
		env.Type(name+".txt", Position{Line: 1, Character: 4}, "-")
		env.Replace(name+".txt", Range{Start: Position{1, 4}, End: Position{1, 5}}, "")
		b, _ := env.Buffer(name + ".txt")
		before[name] = b.Version
	}
	for name := range strings.SplitSeq(typed, "") {
		env.Type(name+".txt", Position{Line: 1, Character: 4}, "") // a new version of the same text
	}
	env.Flush()
	reply := server.request("workspace/applyEdit", map[string]any{"edit": json.RawMessage(fillEdit(env, edit, before))})
	synctest.Wait()
	return regexp.MustCompile(`"failureReason":"[^"]*("|\\")+[^}]*}|"failureReason":"[^"]*"}`).ReplaceAllString(reply, `"failureReason":R}`) +
		tell(t, env, server, "a") + tell(t, env, server, "b") + tellDisk(t, env, files)
}

// fillEdit puts URIs and versions into a scripted edit.
func fillEdit(env *Env, edit string, before map[string]int) string {
	replace := []string{"$R", env.URI("")}
	for _, name := range []string{"a", "b"} {
		b, _ := env.Buffer(name + ".txt")
		replace = append(replace,
			"$"+name+"-", fmt.Sprint(before[name]), "$"+name+"+", fmt.Sprint(b.Version+5), "$"+name, fmt.Sprint(b.Version),
			"$"+strings.ToUpper(name), env.URI(name+".txt"))
	}
	return strings.NewReplacer(replace...).Replace(edit)
}

// tell compares a document with its beginning, and with the server's mirror.
func tell(t *testing.T, env *Env, server *counterpart, name string) string {
	b, ok := env.Buffer(name + ".txt")
	if !ok {
		return " " + name + "=gone"
	}
	env.Flush()
	synctest.Wait()
	if mirror, _ := server.text(b.URI); mirror != b.Text {
		t.Errorf("the mirror of %s is %q, the buffer %q", name, mirror, b.Text)
	}
	switch b.Text {
	case "alpha\nbeta\n":
		return " " + name + "=."
	case "ALPHA\nbeta\n":
		return " " + name + "=UP"
	}
	return fmt.Sprintf(" %s=%q", name, b.Text)
}

// tellDisk tells of other files what has changed.
func tellDisk(t *testing.T, env *Env, files map[string]string) string {
	told := ""
	err := filepath.WalkDir(env.cfg.Root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(env.cfg.Root, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if was, known := files[name]; !known || was != string(data) {
			told += " " + filepath.ToSlash(name) + "=" + strings.Join(strings.Fields(string(data)), " ")
		} else if b, ok := env.Buffer(name); ok && name == "closed.txt" && b.Text == "ALPHA\nbeta\n" {
			told += " " + name + " in memory"
			if b.Open {
				told += ", opened"
			}
			if !b.Hidden || !b.Dirty {
				t.Errorf("closed.txt is hidden %t, dirty %t", b.Hidden, b.Dirty)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(env.cfg.Root + "/closed.txt"); err != nil {
		told = " closed.txt=gone" + told
	}
	return told
}
