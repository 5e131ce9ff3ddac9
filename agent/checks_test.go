package agent

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"emend/internal/workspace"
	"emend/verify"
)

// TestChecks tells what a draft broke from what was broken before.
func TestChecks(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go program")
	}
	if testing.Short() {
		t.Skip("builds a module several times")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.24\n",
		"old.go": "package m\n\nvar Old int = \"was broken before\"\n",
		"new.go": "package m\n\nvar New = 1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	roots := workspace.NewRoots(dir)
	draft := workspace.NewDraft(workspace.NewSnapshot(roots, workspace.Disk(nil)))
	checks := []verify.Check{{Name: "go build", Args: []string{"go", "build", "./..."}, Parser: "go-build"}}
	check := func(ctx context.Context, draft *workspace.Draft) (Checked, error) {
		return CheckDraft(ctx, roots.Dirs()[0], draft, checks, time.Minute)
	}

	got, err := check(t.Context(), draft)
	if err != nil || got.Broken != "" || !strings.Contains(got.Summary, "before") {
		t.Errorf("nothing changed: %+v, %v", got, err)
	}
	p, err := roots.Resolve("new.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := draft.Write(t.Context(), p, "package m\n\nvar New int = \"is broken now\"\n"); err != nil {
		t.Fatal(err)
	}
	got, err = check(t.Context(), draft)
	if err != nil || !strings.Contains(got.Broken, "new.go:3") || strings.Contains(got.Broken, "old.go") {
		t.Errorf("one more broken: %+v, %v", got, err)
	}
}
