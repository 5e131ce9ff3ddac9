package workspace

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// StaleError is returned when a file on disk is not what it was when a change
// to it was made.
type StaleError struct{ Path Path }

func (e *StaleError) Error() string {
	return fmt.Sprintf("%s has changed on disk since it was read; nothing was written", e.Path)
}

// Write puts a text on disk, for the cases in which the editor cannot: before
// is the file as it was read, after as it is to be; nil means that it does not
// exist. Folders are made as needed. The file is replaced by an atomic rename,
// after a check that its bytes are still those of before (a window of some
// microseconds stays open to other writers). Nothing outside the roots, behind
// a link, or that is no regular file is ever written; the mode stays.
func (r Roots) Write(p Path, before, after *File) error {
	if err := r.check(p); err != nil {
		return err
	}
	dir, ok := r.Of(p)
	if !ok {
		return &OutsideError{Name: string(p), Reason: "it is outside the workspace"}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening %s: %w", dir, err)
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	name, err := filepath.Rel(dir, string(p))
	if err != nil {
		return fmt.Errorf("writing %s: %w", p, err)
	}
	if err := unchanged(root, name, p, before); err != nil {
		return err
	}
	if after == nil {
		return root.Remove(name)
	}
	return replaceFile(root, name, after, before)
}

// unchanged reports whether the disk still holds before.
func unchanged(root *os.Root, name string, p Path, before *File) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if before == nil || !before.Exists {
			return nil
		}
		return &StaleError{p}
	}
	if err != nil {
		return fmt.Errorf("looking at %s: %w", p, err)
	}
	if before == nil || !before.Exists || !info.Mode().IsRegular() {
		return &StaleError{p}
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading %s: %w", p, err)
	}
	if !bytes.Equal(data, before.Bytes()) {
		return &StaleError{p}
	}
	return nil
}

// replaceFile writes a new file beside name and renames it over name.
func replaceFile(root *os.Root, name string, after, before *File) (err error) {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", after.Path, err)
	}
	mode := after.Mode.Perm()
	if mode == 0 && before != nil {
		mode = before.Mode.Perm()
	}
	if mode == 0 {
		mode = 0o644
	}
	var suffix [8]byte
	if _, err := rand.Read(suffix[:]); err != nil {
		return fmt.Errorf("naming a new file: %w", err)
	}
	tmp := filepath.Join(filepath.Dir(name), ".emend-"+hex.EncodeToString(suffix[:]))
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("writing beside %s: %w", after.Path, err)
	}
	defer func() {
		if err != nil {
			_ = root.Remove(tmp) // the error that matters is err
		}
	}()
	_, err = f.Write(after.Bytes())
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("writing %s: %w", after.Path, err)
	}
	if err = root.Rename(tmp, name); err != nil {
		return fmt.Errorf("replacing %s: %w", after.Path, err)
	}
	return nil
}

// MakeFolder makes the folder that a new file is to be in, for editors that do
// not make it themselves.
func (r Roots) MakeFolder(p Path) error {
	if err := r.check(p); err != nil {
		return err
	}
	dir, _ := r.Of(p)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening %s: %w", dir, err)
	}
	defer func() { _ = root.Close() }() // nothing is kept in it
	name, err := filepath.Rel(dir, filepath.Dir(string(p)))
	if err != nil {
		return fmt.Errorf("making the folder of %s: %w", p, err)
	}
	return root.MkdirAll(name, 0o755)
}
