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
	folder, err := r.folder(p, after != nil)
	if errors.Is(err, fs.ErrNotExist) {
		return &StaleError{p}
	}
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }() // nothing was written through it
	name := filepath.Base(string(p))
	if err := unchanged(folder, name, p, before); err != nil {
		return err
	}
	if after == nil {
		return folder.Remove(name)
	}
	return replaceFile(folder, name, after, before)
}

// folder opens the folder that p is in, and makes it where it is missing and
// makeIt is true. It goes down one folder at a time and makes sure that what it
// opened is a folder and the one it looked at: a link that appears after the
// check is refused like one that was there, and what is opened stays what it
// is, whatever becomes of its name.
func (r Roots) folder(p Path, makeIt bool) (*os.Root, error) {
	if err := r.check(p); err != nil {
		return nil, err
	}
	dir, ok := r.Of(p)
	if !ok || string(p) == dir {
		return nil, &OutsideError{Name: string(p), Reason: "it is no file inside the workspace"}
	}
	at, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	for _, part := range parts(filepath.Dir(string(p))[len(dir):]) {
		next, err := enter(at, part, makeIt)
		_ = at.Close() // nothing was written through it
		if err != nil {
			return nil, fmt.Errorf("opening the folder of %s: %w", p, err)
		}
		at = next
	}
	return at, nil
}

// enter opens one folder of dir.
func enter(dir *os.Root, name string, makeIt bool) (*os.Root, error) {
	here, err := dir.Lstat(name)
	if makeIt && errors.Is(err, fs.ErrNotExist) {
		if err := dir.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		here, err = dir.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	moved := &OutsideError{Name: name, Reason: "a symbolic link or a file has taken the place of a folder"}
	if !here.IsDir() {
		return nil, moved
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(here, opened) {
		err = moved
	}
	if err != nil {
		return nil, errors.Join(err, next.Close())
	}
	return next, nil
}

// unchanged reports whether the disk still holds before.
func unchanged(folder *os.Root, name string, p Path, before *File) error {
	info, err := folder.Lstat(name)
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
	want := before.Bytes()
	if info.Size() != int64(len(want)) {
		return &StaleError{p}
	}
	f, err := folder.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return fmt.Errorf("reading %s: %w", p, err)
	}
	data, err := readAtMost(f, make([]byte, 0, len(want)+1), int64(len(want))+1)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("reading %s: %w", p, err)
	}
	if !bytes.Equal(data, want) {
		return &StaleError{p}
	}
	return nil
}

// replaceFile writes a new file beside name and renames it over name.
func replaceFile(folder *os.Root, name string, after, before *File) (err error) {
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
	tmp := ".emend-" + hex.EncodeToString(suffix[:])
	f, err := folder.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("writing beside %s: %w", after.Path, err)
	}
	defer func() {
		if err != nil {
			_ = folder.Remove(tmp) // the error that matters is err
		}
	}()
	_, err = f.Write(after.Bytes())
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("writing %s: %w", after.Path, err)
	}
	if err = folder.Rename(tmp, name); err != nil {
		return fmt.Errorf("replacing %s: %w", after.Path, err)
	}
	return nil
}

// MakeFolder makes the folder that a new file is to be in, for editors that do
// not make it themselves.
func (r Roots) MakeFolder(p Path) error {
	folder, err := r.folder(p, true)
	if err != nil {
		return err
	}
	_ = folder.Close() // nothing was written through it
	return nil
}
