package tool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"emend/edits"
	"emend/internal/workspace"
)

const privateKey = "-----BEGIN RSA PRIVATE KEY-----\nMIIsecretbody\n-----END RSA PRIVATE KEY-----\n"

// What may not be read may not be found line by line either: neither the lines
// of a key, nor those around a match.
func TestGrepKeepsKeys(t *testing.T) {
	for _, open := range []string{"", "open:"} {
		p := newPlace(t, map[string]string{open + "notes.txt": "one\nneedle\n" + privateKey, "a.go": "package a // needle\n"})
		for _, call := range []string{
			`grep {"pattern": "MII"}`, `grep {"pattern": "needle", "context": 5}`, `grep {"pattern": ".", "regexp": true}`,
		} {
			r := p.call(call)
			if strings.Contains(r.Text, "secretbody") {
				t.Errorf("%s%s: %s", open, call, r.Text)
			}
		}
		if r := p.call(`grep {"pattern": "needle"}`); !strings.Contains(r.Text, "package a") || !strings.Contains(r.Text, "notes.txt:2") {
			t.Errorf("%swhat is no secret is gone: %s", open, r.Text)
		}
	}
}

// What the person has open from elsewhere is not the model's to see.
func TestOpenDocumentsOutside(t *testing.T) {
	p := newPlace(t, map[string]string{"a.go": "package a\n"})
	outside := filepath.Join(t.TempDir(), "diary.txt")
	for _, name := range []string{outside, filepath.Join(p.root, ".git", "COMMIT_EDITMSG")} {
		path := workspace.Key(name)
		p.docs.Open(workspace.Document{Path: path, URI: path.URI(), Version: 1, Text: edits.NewText("dear diary\n")})
	}
	p.docs.Open(workspace.Document{Path: "untitled:Untitled-1", URI: "untitled:Untitled-1", Version: 1, Text: edits.NewText("dear scratch\n")})
	p.env.Draft = workspace.NewDraft(workspace.NewSnapshot(p.env.Roots, workspace.Disk(&p.docs)))
	for _, call := range []string{`grep {"pattern": "dear"}`, `list_files {}`, `find_file {"query": "d"}`} {
		r := p.call(call)
		if strings.Contains(r.Text, "diary") || strings.Contains(r.Text, "COMMIT_EDITMSG") {
			t.Errorf("%s: %s", call, r.Text)
		}
	}
	if r := p.call(`grep {"pattern": "dear"}`); !strings.Contains(r.Text, "scratch") {
		t.Errorf("a document without a file is gone: %s", r.Text)
	}
}

// A name for secrets stays one when it is a link to something else.
func TestLinkWithASecretName(t *testing.T) {
	p := newPlace(t, map[string]string{"conf/dev": "PASSWORD=hunter2\n"})
	if err := os.Symlink("conf/dev", filepath.Join(p.root, ".env")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if r := p.call(`read_file {"path": ".env"}`); !r.Refused || strings.Contains(r.Text, "hunter2") {
		t.Error(r.Text)
	}
}

// A glob costs what it is long, whatever it says.
func TestGlobThatGrows(t *testing.T) {
	p := newPlace(t, map[string]string{strings.Repeat("a", 60) + "b": "x\n"})
	for _, glob := range []string{strings.Repeat("{a,aa}", 40) + "c", strings.Repeat("a*", 40) + "c", strings.Repeat("**/", 40) + "c"} {
		for _, call := range []string{`list_files {"glob": "` + glob + `"}`, `grep {"pattern": "x", "globs": ["` + glob + `"]}`} {
			p.call(call)
		}
	}
}

// A call costs and answers within bounds, whatever it asks for.
func TestManyEdits(t *testing.T) {
	p := newPlace(t, map[string]string{"a.txt": strings.Repeat("a line of the file\n", 5000)})
	p.env.MaxBytes = 2000
	call := func(n int) string {
		return `multi_edit {"path": "a.txt", "edits": [` + strings.TrimSuffix(strings.Repeat(`{"search": "no such line\n", "replace": ""},`, n), ",") + `]}`
	}
	if r := p.call(call(10_000)); !r.Refused || !strings.Contains(r.Text, "at most") {
		t.Errorf("%.200s", r.Text)
	}
	if r := p.call(call(50)); !r.Refused || len(r.Text) > 3*p.env.MaxBytes {
		t.Errorf("%d bytes: %.200s", len(r.Text), r.Text)
	}
}
