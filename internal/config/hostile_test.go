package config_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"emend/internal/config"
)

// A pattern with a line break in it would be several, of which the second may
// take back what the person ignores.
func TestWorkspaceCannotUnignore(t *testing.T) {
	for _, pattern := range []string{"!private", `a\n!private`, `a\r\n!private`, `a\r!private`} {
		s, warnings := config.Load(toml(`ignore = ["private"]`), workspace(`ignore = ["`+pattern+`"]`))
		if len(s.Ignore) != 1 || len(warnings) != 1 {
			t.Errorf("%q: %q, %v", pattern, s.Ignore, warnings)
		}
	}
}

// The folder of a workspace's settings may not be a link either.
func TestWorkspaceFolderBehindALink(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "config.toml"), []byte(`instructions = "x"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(root, ".emend")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	layer, err := config.ReadFile(config.WorkspaceFile(root), true)
	if err == nil || len(layer.Data) > 0 {
		t.Errorf("read %q, %v", layer.Data, err)
	}
	if _, err := config.ReadFile(config.WorkspaceFile(t.TempDir()), true); err != nil {
		t.Errorf("without the folder: %v", err)
	}
}

// A file that only means harm is read quickly and does no harm.
func TestHostileFiles(t *testing.T) {
	var manyKeys strings.Builder
	for i := range 8_000 {
		manyKeys.WriteString("k" + strconv.Itoa(i) + "=1\n")
	}
	for name, text := range map[string]string{
		"deep array":  "ignore = " + strings.Repeat("[", 500_000),
		"deep tables": "a = " + strings.Repeat("{a=", 300_000),
		"long key":    strings.Repeat("a.", 500_000) + "b = 1",
		"many keys":   strings.Repeat("[[checks.commands]]\nargs=[\"x\"]\n", 30_000),
		"long header": "[" + strings.Repeat("a", 50_000) + "]\n" + manyKeys.String(),
		"headers":     "[" + strings.Repeat("a.", 400_000) + "b]",
	} {
		begin := time.Now()
		config.Load(workspace(text))
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}
