package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"emend/lsp/lsptest"
)

// offered are the titles at a document's beginning, without what is offered
// anywhere.
func (w *world) offered(file string) []string {
	w.t.Helper()
	return slices.DeleteFunc(w.Titles(file, lsptest.At(0, 0)), func(title string) bool { return title == "emend: Verify workspace" })
}

// TestNoOffer: documents that emend does not work on get no offers, and a
// command on them a clear word.
func TestNoOffer(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.txt")
	if err := os.WriteFile(secret, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, profile := range sessionProfiles {
		t.Run(profile, func(t *testing.T) {
			w := newWorld(t, setup{profile: profile, files: map[string]string{"a.txt": "a\n"}, script: "# it is not asked\n"})
			link := filepath.Join(w.dir, "link.txt")
			if err := os.Symlink(secret, link); err != nil {
				t.Skip("no symbolic links here:", err)
			}
			for name, want := range map[string]string{
				"file://":             "save it",
				"untitled:Untitled-1": "save it",
				secret:                "outside",
				link:                  "outside",
			} {
				if strings.Contains(name, ":") {
					if err := w.Editor.OpenText(name, "plaintext", "x\n"); err != nil {
						t.Fatal(err)
					}
				} else {
					w.Open(name)
				}
				if titles := w.offered(name); len(titles) > 0 {
					t.Errorf("%s: offered %q", name, titles)
				}
				_, err := w.Editor.Request(t.Context(), "workspace/executeCommand", map[string]any{
					"command": "emend.run", "arguments": []any{map[string]any{"instruction": "do it", "uri": w.URI(name)}},
				})
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("emend.run on %s: %v", name, err)
				}
			}
		})
	}
}

// TestLargeFile works on 5 MB, and answers code actions there.
func TestLargeFile(t *testing.T) {
	line := "the quick brown fox jumps over the lazy dog\n"
	text := strings.Repeat(line, 5<<20/len(line)) + "the end\n"
	w := newWorld(t, setup{
		profile: "neovim", files: map[string]string{"big.txt": text},
		script: say(block("big.txt", "the end", "the very end")),
	})
	w.Open("big.txt")
	end := w.Find("big.txt", "the end")
	w.Type("big.txt", end.End, "")
	w.Pick("big.txt", end, "emend: Fix this line")
	w.AwaitDiagnostics("big.txt", hasHint)
	w.Execute("emend.apply")
	w.AwaitMessage("1 file changed")
	w.AwaitHolds("big.txt", "the very end")
}

// TestHugeFile is beyond what is read from the disk.
func TestHugeFile(t *testing.T) {
	w := newWorld(t, setup{profile: "vscode", files: map[string]string{"a.txt": "a\n", "huge.txt": strings.Repeat("x\n", 6<<20)}, script: "# it is not asked\n"})
	w.Open("a.txt")
	_, err := w.Editor.Execute(t.Context(), "emend.run", map[string]any{"instruction": "do it", "uri": w.URI("huge.txt")})
	if err == nil || !strings.Contains(err.Error(), "huge.txt") {
		t.Errorf("a huge file: %v", err)
	}
}

// TestBinaryFile is refused by name, as focus and as target of an edit.
func TestBinaryFile(t *testing.T) {
	w := newWorld(t, setup{
		profile: "vscode", files: map[string]string{"a.txt": "a\n", "pic.bin": "\x00\x01\x02 old"},
		script: "< call search_replace {\"path\":\"pic.bin\",\"search\":\"old\",\"replace\":\"new\"}\n---\n> last \"pic.bin\"\n< call finish {\"summary\":\"it is binary\"}\n",
	})
	w.Open("a.txt")
	if _, err := w.Editor.Execute(t.Context(), "emend.run", map[string]any{"instruction": "do it", "uri": w.URI("pic.bin")}); err == nil || !strings.Contains(err.Error(), "binary") {
		t.Errorf("a binary file: %v", err)
	}
	w.Execute("emend.run", "change it")
	w.AwaitMessage("nothing was changed")
	if w.disk("pic.bin") != "\x00\x01\x02 old" {
		t.Error("it was written")
	}
}

// TestNothingOutside has a model try every way out of the workspace: by tools
// and by blocks, by .., absolute names, links to files and links to folders.
func TestNothingOutside(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "f.txt"), []byte("mine only\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "folder")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := os.Symlink(filepath.Join(outside, "f.txt"), filepath.Join(dir, "file.txt")); err != nil {
		t.Fatal(err)
	}
	up, err := filepath.Rel(dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	inside := ""
	for i, name := range []string{
		"file.txt", "folder/f.txt", "folder/new.txt", up + "/f.txt", up + "/new.txt",
		filepath.Join(outside, "f.txt"), filepath.Join(outside, "new.txt"), ".git/config", ".emend/config.toml",
	} {
		fmt.Fprintf(&script, "> lacks \"mine only\"\n< call read_file {\"path\":%q}\n", name)
		fmt.Fprintf(&script, "< call search_replace {\"path\":%q,\"search\":\"mine\",\"replace\":\"yours\"}\n", name)
		fmt.Fprintf(&script, "< call create_file {\"path\":%q,\"content\":\"yours\"}\n---\n> lacks \"mine only\"\n", name)
		line := fmt.Sprintf("line %d.", i) // a block that is fine keeps the run going
		inside += line + "\n"
		script.WriteString(say(block(name, "mine", "yours")+block("a.txt", line, line+" done")) + "---\n")
	}
	script.WriteString("< call finish {\"summary\":\"done\"}\n")
	for _, profile := range []string{"vscode", "eglot-1.17.30"} {
		t.Run(profile, func(t *testing.T) {
			w := newWorld(t, setup{profile: profile, dir: dir, files: map[string]string{"a.txt": inside}, script: script.String()})
			w.Open("a.txt")
			w.Execute("emend.run", "get out")
			w.AwaitProgressEnd("get out")
			w.Execute("emend.apply")
			w.AwaitMessage("1 file changed")
			entries, err := os.ReadDir(outside)
			if err != nil || len(entries) != 1 {
				t.Errorf("outside are %v, %v", entries, err)
			}
			if data, err := os.ReadFile(filepath.Join(outside, "f.txt")); err != nil || string(data) != "mine only\n" {
				t.Errorf("outside is %q, %v", data, err)
			}
			for _, name := range []string{".git/config", ".emend/config.toml"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
					t.Errorf("%s was made", name)
				}
			}
		})
	}
}

// TestFolderBecomesLink: between the proposal and its apply, a folder is
// exchanged for a link that leads out.
func TestFolderBecomesLink(t *testing.T) {
	outside := t.TempDir()
	for _, profile := range []string{"vscode", "neovim-0.7.2", "eglot-1.17.30"} {
		t.Run(profile, func(t *testing.T) {
			w := newWorld(t, setup{
				profile: profile, files: map[string]string{"a.txt": "a\n"},
				script: "< call create_file {\"path\":\"sub/new.txt\",\"content\":\"new\\n\"}\n---\n< call finish {\"summary\":\"done\"}\n",
			})
			w.Open("a.txt")
			w.run("emend.run", "make it")
			w.AwaitProgressEnd("make it")
			if err := os.Symlink(outside, filepath.Join(w.dir, "sub")); err != nil {
				t.Skip("no symbolic links here:", err)
			}
			w.Execute("emend.apply")
			w.AwaitMessage("conflict at ")
			if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
				t.Errorf("outside are %v, %v", entries, err)
			}
		})
	}
}
