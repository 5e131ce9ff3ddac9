//go:build unix

package workspace

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestPipeIsNotRead(t *testing.T) {
	name := filepath.Join(string(Key(t.TempDir())), "pipe")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	if _, _, err := Disk(nil).ReadFile(t.Context(), Path(name)); !errors.Is(err, ErrNotRegular) {
		t.Errorf("got %v", err)
	}
}
