package verify

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"emend/edits"
	"emend/internal/sandbox"
	"emend/internal/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// project writes a txtar archive into a folder.
func tempProject(t *testing.T, archive string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, f.Data, 0o644))
	}
	return root
}

func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is missing: ", err)
	}
	if testing.Short() {
		t.Skip("runs the go command")
	}
	// Whatever the tests' modules say, nothing is fetched.
	t.Setenv("GOTOOLCHAIN", "local")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
}

// buffers are open documents by name relative to root.
func snapshot(root string, buffers map[string]string) *workspace.Snapshot {
	docs := new(workspace.Documents)
	for name, text := range buffers {
		docs.Open(workspace.Document{
			Path: workspace.Key(filepath.Join(root, filepath.FromSlash(name))), Language: "go", Version: 1, Text: edits.NewText(text),
		})
	}
	return workspace.NewSnapshot(workspace.NewRoots(root), workspace.Disk(docs))
}

// request is a Request for root in a folder of the test.
func request(t *testing.T, root string, buffers map[string]string) Request {
	t.Helper()
	return Request{
		Root: root, Snapshot: snapshot(root, buffers),
		Sandbox: sandbox.Config{Parent: filepath.Join(t.TempDir(), "scratch")},
	}
}

// list prints findings one a line, with names relative to root.
func list(root string, findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		rel, err := filepath.Rel(root, string(f.Path))
		if err != nil {
			rel = string(f.Path)
		}
		b.WriteString(filepath.ToSlash(rel) + ":" + itoa(f.Line) + ":" + itoa(f.Column) + ": " + string(f.Severity) + " " + f.Check)
		if f.Test != "" {
			b.WriteString(" " + f.Test)
		}
		b.WriteString(": " + strings.ReplaceAll(f.Message, "\n", "|") + "\n")
	}
	return b.String()
}

func diff(t *testing.T, what, got, want string) {
	t.Helper()
	got, want = strings.TrimSpace(got), strings.TrimSpace(want)
	if got != want {
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}
