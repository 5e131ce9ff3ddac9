package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// MaxFileSize is the size in bytes of the largest file that is read.
const MaxFileSize = 10 << 20

// TooLargeError is returned when a file is larger than Limit bytes.
type TooLargeError struct {
	Path        Path
	Size, Limit int64 // in bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes; at most %d are read", e.Path, e.Size, e.Limit)
}

// ErrNotRegular is returned when what is to be read or written is a folder, a
// device or anything else that is not a regular file.
var ErrNotRegular = errors.New("not a regular file")

// errUnsteady is returned when a file was replaced or rewritten during every
// attempt to read it.
var errUnsteady = errors.New("it kept changing while it was read")

// Source is where documents come from: what is open, and the bytes of files
// that may or may not be. Implementations are safe for concurrent use.
type Source interface {
	// Documents returns what is open now. It is quick and never fails; the
	// slice must not be changed.
	Documents() []*Document
	// ReadFile returns what the disk has for p, whether or not p is open, and
	// its permission bits. The error is fs.ErrNotExist when there is no such
	// file, a *TooLargeError, or ErrNotRegular, each possibly wrapped. It may
	// take time.
	ReadFile(ctx context.Context, p Path) (data []byte, mode fs.FileMode, err error)
}

// Disk returns the source made of an editor's open documents over the local
// disk. docs may be nil: nothing is open then.
//
// A file is read only under its own real name: when a symbolic link took the
// place of any part of it after the path was resolved, the read is refused
// with an *[OutsideError], so that a path once admitted by [Roots] cannot come
// to mean another file.
func Disk(docs *Documents) Source { return diskSource{docs} }

type diskSource struct{ docs *Documents }

func (s diskSource) Documents() []*Document {
	if s.docs == nil {
		return nil
	}
	return s.docs.All()
}

func (s diskSource) ReadFile(ctx context.Context, p Path) ([]byte, fs.FileMode, error) {
	if !p.IsFile() {
		return nil, 0, &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}
	}
	const attempts = 3
	for range attempts {
		if err := ctx.Err(); err != nil {
			return nil, 0, fmt.Errorf("reading %s: %w", p, err)
		}
		data, mode, err := readOnce(p, MaxFileSize)
		if !errors.Is(err, errUnsteady) {
			return data, mode, err
		}
	}
	return nil, 0, &fs.PathError{Op: "read", Path: string(p), Err: errUnsteady}
}

// readOnce opens p and then makes sure that what was opened is the file that
// has this real name. Looking after opening leaves no gap between the two.
func readOnce(p Path, limit int64) (data []byte, mode fs.FileMode, err error) {
	name := string(p)
	// A look before opening: opening a pipe may block, a device may act.
	if err := regularHere(name, nil); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, 0, missing(err)
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = cerr
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if err := regularHere(name, info); err != nil {
		return nil, 0, err
	}
	if info.Size() > limit {
		return nil, 0, &TooLargeError{Path: p, Size: info.Size(), Limit: limit}
	}
	data = make([]byte, 0, info.Size()+1)
	data, err = readAtMost(f, data, limit+1)
	if err != nil {
		return nil, 0, err
	}
	if int64(len(data)) > limit {
		return nil, 0, &TooLargeError{Path: p, Size: int64(len(data)), Limit: limit}
	}
	after, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if after.Size() != int64(len(data)) && info.Size() > 0 || !after.ModTime().Equal(info.ModTime()) {
		return nil, 0, errUnsteady
	}
	return data, info.Mode().Perm(), nil
}

// regularHere checks that name is its own real name and a regular file, and
// the same one as info when that is not nil.
func regularHere(name string, info fs.FileInfo) error {
	here, err := os.Lstat(name)
	if err != nil {
		return missing(err)
	}
	real, err := osDisk.resolve(name)
	if err != nil || real != name {
		return &OutsideError{Name: name, Reason: "a symbolic link has taken the place of a part of it"}
	}
	if !here.Mode().IsRegular() {
		return &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
	}
	if info != nil && !os.SameFile(here, info) {
		return errUnsteady
	}
	return nil
}

// missing makes "a folder in the name is a file" mean that there is no file.
func missing(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	return err
}

// readAtMost appends at most max bytes of r to data.
func readAtMost(r io.Reader, data []byte, max int64) ([]byte, error) {
	r = io.LimitReader(r, max)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
