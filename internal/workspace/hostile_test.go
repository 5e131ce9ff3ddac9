package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Names that some disk takes for .git, however long, are refused; names that
// only look like it are not.
func TestInternalDisguises(t *testing.T) {
	roots := NewRoots(t.TempDir())
	for name, refused := range map[string]bool{
		".GIT/hooks/x":                    true,
		".git /hooks/x":                   true,
		".git./hooks/x":                   true,
		"sub/.Git/config":                 true,
		".git::$INDEX_ALLOCATION/hooks/x": true,
		".git" + strings.Repeat("\u200c", 100) + "/hooks/x": true,
		".git" + strings.Repeat(" ", 300) + "/hooks/x":      true,
		"GIT~1/config":        true,
		".ſvn/x":              true,
		".emend/config.toml":  true,
		".EMEND./config.toml": true,
		".github/x":           false,
		".gitignore":          false,
		"git/x":               false,
	} {
		if _, err := roots.Resolve(name); (err != nil) != refused {
			t.Errorf("%.60q: %v", name, err)
		}
	}
}

// The folder that a .git file of a root names is git's, wherever it lies.
func TestGitFolderElsewhere(t *testing.T) {
	for _, text := range []string{"gitdir: .bare\n", "gitdir: ./.bare/worktrees/x", "gitdir: ABS/.bare\n"} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, ".bare", "worktrees", "x"), 0o755); err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, "ABS", dir)
		if strings.Contains(text, "worktrees") {
			if err := os.WriteFile(filepath.Join(dir, ".bare", "worktrees", "x", "commondir"), []byte("../..\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, ".git"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		roots := NewRoots(dir)
		if _, err := roots.Resolve(".bare/hooks/post-checkout"); err == nil {
			t.Errorf("%q: a hook may be written", text)
		}
		if _, err := roots.Resolve("a.go"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSensitiveDisguises(t *testing.T) {
	for name, want := range map[string]bool{
		"/w/.ENV": true, "/w/id_rsa.": true, "/w/id_rsa ": true, "/w/id_rsa::$DATA": true, "/w/.env:stream": true,
		"/w/a.pem...": true, "/w/a:b.go": false, "/w/main.go.": false, "/w/..": false,
	} {
		if got := Sensitive(Path(name)); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// A run that reads and reads does not use up the machine's memory.
func TestSnapshotIsBounded(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("x", 100)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := NewSnapshot(NewRoots(dir), Disk(nil))
	s.room = 250
	for i, name := range []string{"a", "b", "a", "c", "b"} {
		_, err := s.Read(t.Context(), Key(filepath.Join(dir, name)))
		if full := name == "c"; errors.Is(err, ErrFull) != full {
			t.Errorf("read %d of %s: %v", i, name, err)
		}
	}
}
