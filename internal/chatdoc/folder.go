package chatdoc

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// openFolder opens the folder with these parts below root, and makes it where
// it is missing and makeIt is true. It goes down one folder at a time and
// makes sure that what it opened is the folder it looked at, so that a link
// that appears meanwhile is refused like one that was there. The caller must
// close what it returns.
func openFolder(root string, makeIt bool, parts ...string) (*os.Root, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		next, err := enter(dir, part, makeIt)
		if cerr := dir.Close(); err == nil && cerr != nil {
			err = errors.Join(cerr, next.Close())
		}
		if err != nil {
			return nil, fmt.Errorf("opening %s in %s: %w", part, dir.Name(), err)
		}
		dir = next
	}
	return dir, nil
}

// enter opens one folder of dir.
func enter(dir *os.Root, name string, makeIt bool) (*os.Root, error) {
	if makeIt {
		if err := dir.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	here, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !here.IsDir() {
		return nil, fmt.Errorf("%w (%v); remove it, or move it away", ErrUnsafe, here.Mode().Type())
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(here, opened) {
		err = fmt.Errorf("%w: it was exchanged", ErrUnsafe)
	}
	if err != nil {
		return nil, errors.Join(err, next.Close())
	}
	return next, nil
}

// ignoreOwn keeps the documents of dir out of version control, unless the
// person has put a file of their own there.
func ignoreOwn(dir *os.Root) error {
	_, err := dir.Lstat(ignoreFile)
	if errors.Is(err, fs.ErrNotExist) {
		return replace(dir, ignoreFile, []byte(ignoreAll))
	}
	return err
}

// replace writes a file beside the one with this name and puts it in its
// place. A link of that name is replaced, not followed.
func replace(dir *os.Root, name string, data []byte) (err error) {
	temp := "." + name + "." + rand.Text()[:10] + ".tmp"
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, dir.Remove(temp))
		}
	}()
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return dir.Rename(temp, name)
}

// closeInto closes dir and reports a failure where there is no other.
func closeInto(dir *os.Root, err *error) {
	if cerr := dir.Close(); *err == nil && cerr != nil {
		*err = cerr
	}
}
