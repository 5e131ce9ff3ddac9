package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
)

// smallStore is the size in bytes up to which Open reads every record.
const smallStore = 4 << 20

var (
	metaBucket = []byte("meta")
	schemaKey  = []byte("schema")
)

// A migration brings the records of one schema version to the next, inside the transaction that stores the new version.
type migration func(tx *bbolt.Tx) error

// migrations holds at index i the step from version i+1 to i+2.
var migrations []migration

// A SchemaError is returned when the store was written by a newer emend. It is left as it is. It wraps ErrNotKept.
type SchemaError struct {
	Path         string
	Found, Known int // schema versions
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s has format %d and this emend knows up to %d: update emend, or move the folder away", e.Path, e.Found, e.Known)
}

// Unwrap makes errors.Is(err, ErrNotKept) true.
func (e *SchemaError) Unwrap() error { return ErrNotKept }

// schemaVersion is the version that this program writes.
func schemaVersion() int { return len(migrations) + 1 }

// checkSchema reads the schema version, and migrates when the transaction can write.
func (tx *Tx) checkSchema() error {
	h := tx.main
	return h.guard(func() error {
		meta := h.tx.Bucket(metaBucket)
		var found int
		if meta == nil || json.Unmarshal(meta.Get(schemaKey), &found) != nil || found < 1 {
			return &damage{path: h.path, cause: fmt.Errorf("%w: no schema version in it", ErrDamaged)}
		}
		switch {
		case found == schemaVersion():
			return nil
		case found > schemaVersion():
			return &SchemaError{Path: h.path, Found: found, Known: schemaVersion()}
		case tx.mode == shared:
			return errPrepare
		}
		for from := found; from < schemaVersion(); from++ {
			if err := migrations[from-1](h.tx); err != nil {
				return fmt.Errorf("migrating %s from format %d: %w", h.path, from, err)
			}
		}
		return meta.Put(schemaKey, fmt.Append(nil, schemaVersion()))
	})
}

// ensure makes a fresh database at path unless there is a file. The caller holds the exclusive lock. It is made under
// another name, because a process killed while making it would leave half of one.
func (s *Store) ensure(path string) error {
	if ok, err := exists(path); ok || err != nil {
		return err
	}
	tmp := path + "." + NewID("new")
	if err := makeBolt(tmp); err != nil {
		return errors.Join(err, removeQuietly(tmp))
	}
	if err := publish(tmp, path); err != nil {
		return errors.Join(err, removeQuietly(tmp))
	}
	return nil
}

// makeBolt makes a database that holds its schema version and nothing else.
func makeBolt(path string) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: boltWait, NoStatistics: true})
	if err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		meta, err := tx.CreateBucketIfNotExists(metaBucket)
		if err != nil {
			return err
		}
		return meta.Put(schemaKey, fmt.Append(nil, schemaVersion()))
	})
	if cerr := db.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	return nil
}

// mend makes the state file where it is missing, migrates it, and sets the file that d speaks of aside if it is still
// as damaged as d says. d may be nil.
func (s *Store) mend(cancel <-chan struct{}, d *damage) error {
	held, gen, err := s.hold(cancel, exclusive)
	if err != nil {
		return err
	}
	defer func() {
		if rerr := held.release(); rerr != nil {
			s.log.Error("lock not released properly", "error", rerr)
		}
	}()
	if d != nil {
		for _, path := range []string{s.statePath(gen), s.blobsPath(gen)} {
			if path != d.path {
				continue
			}
			// Another process may have mended it before us.
			if err := probe(path); err != nil && errors.Is(err, ErrDamaged) {
				if err := s.setAside(path, err); err != nil {
					return err
				}
			}
		}
	}
	_, err = s.once(gen, exclusive, func(*Tx) error { return nil })
	return err
}

// probe opens the database at path, as a writer does, and reads everything in it.
func probe(path string) (err error) {
	h, err := openBolt(path, exclusive)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		if cerr := h.close(); err == nil {
			err = cerr
		}
	}()
	if err := h.guard(func() error {
		if h.tx.Bucket(metaBucket) == nil {
			return &damage{path: path, cause: fmt.Errorf("%w: no schema version in it", ErrDamaged)}
		}
		return nil
	}); err != nil {
		return err
	}
	return h.walk()
}

// inspect is what Open does with the state.
func (tx *Tx) inspect() error {
	if tx.main.size() > smallStore {
		return nil
	}
	return tx.main.walk()
}

func (h *handle) size() (n int64) {
	_ = h.guard(func() error { n = h.tx.Size(); return nil }) // size is zero when it fails, and the next use tells
	return n
}

// walk reads every key and value.
func (h *handle) walk() error {
	return h.guard(func() error {
		var sum byte
		var visit func(b *bbolt.Bucket) error
		visit = func(b *bbolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				if v == nil {
					if sub := b.Bucket(k); sub != nil {
						return visit(sub)
					}
				}
				if len(v) > 0 {
					sum += v[0] + v[len(v)-1]
				}
				return nil
			})
		}
		return h.tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return visit(b) })
	})
}

// setAside renames the damaged file at path to a name with the time, so that the next use starts afresh, and says so.
// The caller holds an exclusive lock.
func (s *Store) setAside(path string, cause error) error {
	to := fmt.Sprintf("%s.damaged-%s", path, time.Now().UTC().Format("20060102T150405.000000000Z"))
	if err := os.Rename(path, to); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("setting a damaged store aside: %w", err)
	}
	what := "sessions, runs, proposals and checkpoints"
	if filepath.Base(path)[0] == 'b' {
		what = "the texts of proposals and checkpoints"
	}
	s.notify(Notice{Path: to, Message: fmt.Sprintf("The file that keeps %s cannot be read (%v). It was set aside as %s and a fresh one was started.",
		what, cause, to)})
	return syncDir(s.dir)
}
