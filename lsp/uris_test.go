package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"emend/internal/workspace"
)

// fileURI spells a file's URI without escaping anything.
func fileURI(name string) string { return "file://" + filepath.ToSlash(name) }

// escaped spells it with everything but plain letters, digits and slashes
// escaped, the letters of the escapes in lower case.
func escaped(name string) string {
	var b strings.Builder
	b.WriteString("file://")
	for _, c := range []byte(filepath.ToSlash(name)) {
		if c == '/' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

func linkedFolder(t *testing.T) (real, link string) {
	t.Helper()
	top := string(workspace.Key(t.TempDir()))
	real, link = filepath.Join(top, "real"), filepath.Join(top, "a link+(1)")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Skip("no symbolic links:", err)
	}
	return real, link
}

// TestSpellings opens one file by many spellings, one after another: each is
// the same document, and is sent back as it came.
func TestSpellings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of unix")
	}
	real, link := linkedFolder(t)
	name := "sp ace ünï 100% c:+[x].go"
	if err := os.WriteFile(filepath.Join(real, name), []byte("disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := workspace.Key(filepath.Join(real, name))
	r := startSession(t, Options{}, nil)
	r.begin(`{"capabilities":{}}`)
	for i, raw := range []string{
		fileURI(filepath.Join(real, name)), escaped(filepath.Join(real, name)), strings.ToUpper("file") + escaped(filepath.Join(real, name))[4:],
		"file://localhost" + escaped(filepath.Join(real, name))[7:], "file:" + escaped(filepath.Join(real, name))[7:],
		escaped(filepath.Join(link, name)), fileURI(filepath.Join(link, name)), fileURI(real) + "/../real/" + escaped(name)[7:],
	} {
		r.open(raw, "one")
		r.change(raw, 2, partial(0, 0, 0, 0, "two "))
		r.settled(fmt.Sprintf("open %d", i))
		docs := r.s.mirror.docs.All()
		if len(docs) != 1 || docs[0].Path != path || docs[0].URI != raw || docs[0].Text.String() != "two one" {
			t.Errorf("%s: the documents are %+v", raw, docs)
		}
		if got := string(r.s.mirror.uriOf(path)); got != raw {
			t.Errorf("sent back as %s, want %s", got, raw)
		}
		r.call(fmt.Sprint(i), "textDocument/codeAction", `{"textDocument":{"uri":`+quoted(raw)+`},"range":`+rangeJSON(0, 0, 0, 1)+`,"context":{"diagnostics":[]}}`)
		if got := string(r.await(fmt.Sprint(i), 1).Result); !strings.Contains(got, jsonInside(raw)) {
			t.Errorf("%s: no action names the document: %s", raw, got)
		}
		r.closeDoc(raw)
		r.settled(fmt.Sprintf("close %d", i))
		if n := len(r.s.mirror.docs.All()); n != 0 {
			t.Errorf("%s: %d documents are open behind its close", raw, n)
		}
		if got := string(r.s.mirror.uriOf(path)); got != raw {
			t.Errorf("sent back as %s when closed, want %s", got, raw)
		}
	}
}

// jsonInside is a string as it stands inside of JSON.
func jsonInside(s string) string { return strings.Trim(quoted(s), `"`) }

// TestNoFiles has documents that are no files.
func TestNoFiles(t *testing.T) {
	r := startSession(t, Options{}, nil)
	r.begin(`{"capabilities":{}}`)
	all := []string{"untitled:Untitled-1", "file://", "vscode-notebook-cell:/x/y.ipynb#W0sZmlsZQ==", "git:/x/a.go?%7B%22ref%22%3A%22~%22%7D", "buffer://1", "x", "emacs:*scratch*"}
	for _, raw := range all {
		r.open(raw, raw)
		r.change(raw, 2, partial(0, 0, 0, 0, "2"))
	}
	r.settled("open")
	for i, raw := range all {
		doc, ok := r.s.mirror.docs.Get(workspace.Path(raw))
		if !ok || doc.URI != raw || doc.Text.String() != "2"+raw || doc.Path.IsFile() {
			t.Errorf("%s: the document is %+v", raw, doc)
		}
		r.call(fmt.Sprint(i), "textDocument/codeAction", `{"textDocument":{"uri":`+quoted(raw)+`},"range":`+rangeJSON(0, 0, 0, 1)+`,"context":{"diagnostics":[]}}`)
		if got := r.await(fmt.Sprint(i), 1); got.Error != nil {
			t.Errorf("%s: %v", raw, got.Error)
		}
		r.closeDoc(raw)
	}
	r.settled("close")
	if docs := r.s.mirror.docs.All(); len(docs) != 0 {
		t.Errorf("open behind their close: %+v", docs)
	}
}

// TestFolders reads the workspace folders of initialize.
func TestFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of unix")
	}
	real, link := linkedFolder(t)
	home := string(workspace.Key(t.TempDir()))
	t.Setenv("HOME", home)
	inHome := filepath.Join(home, "project")
	uri := func(name string) string { return quoted(fileURI(name)) }
	for _, tt := range []struct {
		name, params string
		want         []string
	}{
		{"rootUri", `"rootUri":` + uri(real), []string{real}},
		{"rootUri null", `"rootUri":null`, nil},
		{"nothing", `"processId":null`, nil},
		{"rootUri empty", `"rootUri":""`, nil},
		{"link", `"rootUri":` + quoted(escaped(link)), []string{real}},
		{"with a slash", `"rootUri":` + quoted(fileURI(real)+"/"), []string{real}},
		{"root of the disk", `"rootUri":"file:///"`, nil},
		{"home", `"rootUri":` + uri(home), nil},
		{"inside home", `"rootUri":` + uri(inHome), []string{inHome}},
		{"no file", `"rootUri":"vscode-vfs://github/x/y"`, nil},
		{"rootPath", `"rootPath":` + quoted(real), []string{real}},
		{"rootPath beside a null rootUri", `"rootUri":null,"rootPath":` + quoted(real), []string{real}},
		{"rootPath beside rootUri", `"rootUri":` + uri(inHome) + `,"rootPath":` + quoted(real), []string{inHome}},
		{"rootPath null", `"rootPath":null`, nil},
		{"folders", `"rootUri":` + uri(home) + `,"workspaceFolders":[{"uri":` + uri(real) + `,"name":"a"},{"uri":` + uri(inHome) + `,"name":"b"}]`, []string{real, inHome}},
		{"folders empty", `"rootUri":` + uri(real) + `,"workspaceFolders":[]`, []string{real}},
		{"folders null", `"rootUri":` + uri(real) + `,"workspaceFolders":null`, []string{real}},
		{"folders with home", `"workspaceFolders":[{"uri":` + uri(home) + `,"name":"a"},{"uri":` + uri(real) + `,"name":"b"}]`, []string{real}},
		{"the same folder twice", `"workspaceFolders":[{"uri":` + uri(link) + `,"name":"a"},{"uri":` + uri(real) + `,"name":"b"}]`, []string{real}},
		{"strange members", `"rootUri":` + uri(real) + `,"processId":"x","clientInfo":7,"trace":{},"locale":5,"workspaceFolders":[7,{"uri":7}]`, []string{real}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := startSession(t, Options{}, nil)
			r.begin(`{"capabilities":{},` + tt.params + `}`)
			if got := r.s.roots.Load().Dirs(); !slices.Equal(got, tt.want) {
				t.Errorf("folders %v, want %v", got, tt.want)
			}
		})
	}
}

// TestChangeFolders opens and closes folders, by other spellings than before.
func TestChangeFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of unix")
	}
	real, link := linkedFolder(t)
	other := string(workspace.Key(t.TempDir()))
	r := startSession(t, Options{}, nil)
	r.begin(`{"capabilities":{},"rootUri":` + quoted(fileURI(real)) + `}`)
	change := func(id, added, removed string, want ...string) {
		t.Helper()
		r.notify("workspace/didChangeWorkspaceFolders", `{"event":{"added":[`+added+`],"removed":[`+removed+`]}}`)
		r.settled(id)
		if got := r.s.roots.Load().Dirs(); !slices.Equal(got, want) {
			t.Errorf("%s: folders %v, want %v", id, got, want)
		}
	}
	f := func(uri string) string { return `{"uri":` + quoted(uri) + `,"name":"x"}` }
	change("add", f(escaped(other)), "", real, other)
	change("add the root", f("file:///"), "", real, other)
	change("remove by link", "", f(escaped(link)), other)
	change("swap", f(fileURI(link)), f(fileURI(other)), real)
	if got, want := string(r.s.mirror.uriOf(workspace.Path(filepath.Join(real, "a b.go")))), fileURI(link)+"/a%20b.go"; got != want {
		t.Errorf("a file there is %s, want %s", got, want)
	}
	change("remove", "", f(fileURI(real)))
}

// TestLinkedFolder works in a folder that is a symbolic link: what the server
// names by itself, it names as the editor would.
func TestLinkedFolder(t *testing.T) {
	real, link := linkedFolder(t)
	if err := os.WriteFile(filepath.Join(real, "greet.go"), []byte(greet), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, setup{
		profile: "vscode", dir: link,
		script: "> contains \"greet in French\"\n" + say(block("greet.go", `	return "Hello, " + name`, `	return "Bonjour, " + name`)+
			"sub/new.go\n<<<<<<< SEARCH\n=======\npackage sub\n>>>>>>> REPLACE\n"),
	})
	w.Open("greet.go")
	w.Pick("greet.go", w.at("greet.go", "emend:"), "emend: Do what this comment asks")
	w.AwaitDiagnostics("greet.go", hasHint)
	w.Execute("emend.apply")
	w.AwaitMessage("2 files changed")
	w.has("greet.go", greetFrench)
	edit := w.AwaitEdit(1)
	var sent any
	if err := json.Unmarshal(edit.Edit, &sent); err != nil {
		t.Fatal(err)
	}
	named := 0
	eachString(sent, func(s string) {
		if !strings.HasPrefix(s, "file:") {
			return
		}
		if named++; !strings.HasPrefix(s, w.URI("")) {
			t.Errorf("the edit names %s, the folder is %s", s, w.URI(""))
		}
	})
	if named < 2 {
		t.Errorf("the edit names %d files: %s", named, edit.Edit)
	}
}

func eachString(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			eachString(e, f)
		}
	case map[string]any:
		for k, e := range v {
			f(k)
			eachString(e, f)
		}
	}
}

// TestPublishSpelling publishes for a file before it is open, while it is, and
// behind its close: each time under the name the editor has for it.
func TestPublishSpelling(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of unix")
	}
	dir := string(workspace.Key(t.TempDir()))
	file := filepath.Join(dir, "a+b.go")
	path := workspace.Key(file)
	r := startSession(t, Options{}, nil)
	r.begin(`{"capabilities":{}}`)
	d := diagnosticsAt(0)
	ctx := t.Context()
	r.s.published.set(ctx, path, nil, d)
	r.s.mirror.open(fileURI(file), "go", 1, "x")
	doc, _ := r.s.mirror.docs.Get(path)
	r.s.published.set(ctx, path, doc, d)
	r.s.mirror.close(canonical(fileURI(file)))
	r.s.published.set(ctx, path, nil, nil)
	r.settled("end")
	var got []string
	for _, p := range r.params("textDocument/publishDiagnostics") {
		var params struct {
			URI         string
			Diagnostics []json.RawMessage
		}
		unmarshal(t, string(p), &params)
		got = append(got, fmt.Sprintf("%s %d", strings.TrimPrefix(params.URI, "file://"+dir), len(params.Diagnostics)))
	}
	want := []string{"/a%2Bb.go 1", "/a%2Bb.go 0", "/a+b.go 1", "/a+b.go 0"}
	if !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
}
