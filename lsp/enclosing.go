package lsp

import (
	"os"
	"path/filepath"

	"emend/internal/workspace"
)

// enclosing is the project folder of a file that was opened without a
// workspace: the nearest folder above it with a .git. A folder without one is
// taken only when it is neither the home folder nor above it, since whatever is
// inside can be read and sent to the model.
func enclosing(p workspace.Path) (string, error) {
	dir := filepath.Dir(string(p))
	home, err := os.UserHomeDir()
	if err == nil {
		home = string(workspace.Key(home))
	}
	for d := dir; ; d = filepath.Dir(d) {
		if d == home || d == filepath.Dir(d) {
			break
		}
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d, nil
		}
	}
	if dir == filepath.Dir(dir) || home != "" && (dir == home || isAbove(dir, home)) {
		return "", noRoot(p)
	}
	return dir, nil
}

// isAbove reports whether dir contains name.
func isAbove(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}
