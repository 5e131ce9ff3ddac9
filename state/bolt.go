package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// boltWait bounds the wait for bbolt's own lock. Only a foreign program that has the file open makes it wait.
const boltWait = 2 * time.Second

// A damage is a fault in the structure of a database, found at use.
type damage struct {
	path  string
	cause error
}

func (d *damage) Error() string        { return fmt.Sprintf("%s: %v", d.path, d.cause) }
func (d *damage) Unwrap() error        { return d.cause }
func (d *damage) Is(target error) bool { return target == ErrDamaged }

// A handle is one open database with one transaction. It belongs to one goroutine. Faults in the structure of the file
// show as panics and memory faults inside bbolt; each call is guarded, and the first fault makes the handle broken.
type handle struct {
	path   string
	db     *bbolt.DB
	file   *os.File
	tx     *bbolt.Tx
	broken *damage
}

// openBolt opens the database at path, which must exist, and begins a transaction. An error is a *damage when the file
// is at fault. Its close must be called exactly once when there is no error.
func openBolt(path string, mode lockMode) (*handle, error) {
	h := &handle{path: path}
	flag := os.O_RDWR
	if mode == shared {
		flag = os.O_RDONLY
	}
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	h.file = file
	if _, err := readSnapshot(file); err != nil {
		if errors.Is(err, ErrDamaged) {
			err = &damage{path: path, cause: err}
		}
		return nil, errors.Join(err, file.Close())
	}
	err = h.guard(func() error {
		h.db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout: boltWait, ReadOnly: mode == shared, NoStatistics: true, FreelistType: bbolt.FreelistMapType,
			OpenFile: func(string, int, fs.FileMode) (*os.File, error) { return h.file, nil },
		})
		if err != nil {
			return err
		}
		h.tx, err = h.db.Begin(mode == exclusive)
		return err
	})
	if err == nil {
		return h, nil
	}
	if cerr := h.close(); cerr != nil && !errors.Is(cerr, os.ErrClosed) {
		err = errors.Join(err, cerr)
	}
	if h.broken != nil {
		return nil, h.broken
	}
	if isBoltDamage(err) {
		return nil, &damage{path: path, cause: fmt.Errorf("%w: %w", ErrDamaged, err)}
	}
	return nil, fmt.Errorf("opening %s: %w", path, err)
}

// isBoltDamage tells bbolt's own findings about a file from failures of the system.
func isBoltDamage(err error) bool {
	for _, finding := range []error{berrors.ErrInvalid, berrors.ErrVersionMismatch, berrors.ErrChecksum, berrors.ErrInvalidMapping} {
		if errors.Is(err, finding) {
			return true
		}
	}
	return false
}

// guard runs fn, which calls bbolt, and turns a panic or memory fault in it into a *damage. After that it runs nothing.
func (h *handle) guard(fn func() error) (err error) {
	if h.broken != nil {
		return h.broken
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			h.broken = &damage{path: h.path, cause: fmt.Errorf("%w: %v", ErrDamaged, r)}
			err = h.broken
		}
	}()
	return fn()
}

// commit makes the transaction durable. It is over afterwards, whatever the result.
func (h *handle) commit() error {
	err := h.guard(h.tx.Commit)
	if err == nil {
		h.tx = nil
		return nil
	}
	if errors.Is(err, ErrDamaged) {
		return err
	}
	return fmt.Errorf("committing to %s: %w", h.path, err)
}

// close rolls back what is not committed and closes the file. A broken database is left to itself, since bbolt holds its
// own mutexes after a panic: only the file and its lock are given back, and the memory mapping stays.
func (h *handle) close() error {
	err := h.guard(func() error {
		if h.tx != nil {
			if err := h.tx.Rollback(); err != nil && !errors.Is(err, berrors.ErrTxClosed) {
				return err
			}
		}
		if h.db != nil {
			return h.db.Close()
		}
		return nil
	})
	if h.broken != nil {
		if err := unlockBolt(h.file); err != nil && !errors.Is(err, os.ErrClosed) && !errors.Is(err, syscall.EBADF) {
			return errors.Join(err, h.file.Close())
		}
		if err := h.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			return fmt.Errorf("closing %s: %w", h.path, err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("closing %s: %w", h.path, err)
	}
	return nil
}
