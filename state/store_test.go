package state

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// open opens a store that is closed and checked when the test ends.
func open(tb testing.TB, dir string) *Store {
	tb.Helper()
	s, err := Open(dir)
	if err != nil {
		tb.Fatalf("opening the store: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("closing the store: %v", err)
		}
		checkFiles(tb, dir)
	})
	return s
}

// checkFiles lets bbolt check every database in dir that was not set aside.
func checkFiles(tb interface {
	Helper()
	Errorf(format string, args ...any)
}, dir string) {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.db"))
	if err != nil {
		tb.Errorf("looking for databases: %v", err)
	}
	for _, path := range paths {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: 5 * time.Second})
		if err != nil {
			tb.Errorf("opening %s: %v", path, err)
			continue
		}
		if err := db.View(func(tx *bbolt.Tx) error {
			for err := range tx.Check() {
				tb.Errorf("checking %s: %v", path, err)
			}
			return nil
		}); err != nil {
			tb.Errorf("checking %s: %v", path, err)
		}
		if err := db.Close(); err != nil {
			tb.Errorf("closing %s: %v", path, err)
		}
	}
}

func sum(text string) Hash { return sha256.Sum256([]byte(text)) }

func update(tb testing.TB, s *Store, fn func(*Tx) error) {
	tb.Helper()
	if err := s.Update(tb.Context(), fn); err != nil {
		tb.Fatalf("updating: %v", err)
	}
}

func view(tb testing.TB, s *Store, fn func(*Tx) error) {
	tb.Helper()
	if err := s.View(tb.Context(), fn); err != nil {
		tb.Fatalf("viewing: %v", err)
	}
}

func TestStoreKeepsAcrossStores(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	one, two := open(t, dir), open(t, dir)
	update(t, one, func(tx *Tx) error { return tx.PutSession(&Session{ID: "s1", Title: "hello"}) })
	view(t, two, func(tx *Tx) error {
		got, err := tx.Session("s1")
		if err == nil && got.Title != "hello" {
			t.Errorf("title %q, want hello", got.Title)
		}
		return err
	})
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "state.db"): 0o600, filepath.Join(dir, "lock"): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want && os.PathSeparator == '/' {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func TestErrorsOfTheFunction(t *testing.T) {
	s := open(t, t.TempDir())
	mine := errors.New("mine")
	err := s.Update(t.Context(), func(tx *Tx) error {
		if err := tx.PutSession(&Session{ID: "s1"}); err != nil {
			return err
		}
		return mine
	})
	if err != mine { //nolint:errorlint // it must come back as it is
		t.Errorf("error %v, want mine", err)
	}
	err = s.View(t.Context(), func(tx *Tx) error { _, err := tx.Session("s1"); return err })
	if !errors.Is(err, ErrNotFound) || errors.Is(err, ErrNotKept) {
		t.Errorf("error %v, want ErrNotFound alone", err)
	}
	if err := s.View(t.Context(), func(tx *Tx) error { return tx.PutSession(&Session{ID: "s1"}) }); err == nil {
		t.Error("a View could write")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Update(ctx, func(*Tx) error { t.Error("called"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestPanicInTheFunction(t *testing.T) {
	s := open(t, t.TempDir())
	func() {
		defer func() {
			if r := recover(); r != "mine" {
				t.Errorf("recovered %v, want mine", r)
			}
		}()
		update(t, s, func(tx *Tx) error {
			if err := tx.PutSession(&Session{ID: "s1"}); err != nil {
				return err
			}
			panic("mine")
		})
	}()
	update(t, s, func(tx *Tx) error {
		if _, err := tx.Session("s1"); !errors.Is(err, ErrNotFound) {
			t.Errorf("error %v, want ErrNotFound", err)
		}
		return nil
	})
}

func TestClose(t *testing.T) {
	s := open(t, t.TempDir())
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.View(t.Context(), func(*Tx) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("error %v, want ErrClosed", err)
	}
}

func TestFolderRemovedWhileOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := open(t, dir)
	update(t, s, func(tx *Tx) error { return tx.PutSession(&Session{ID: "old"}) })
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	view(t, s, func(tx *Tx) error {
		all, err := tx.Sessions()
		if len(all) != 0 {
			t.Errorf("%d sessions in a fresh store", len(all))
		}
		return err
	})
	update(t, s, func(tx *Tx) error { return tx.PutSession(&Session{ID: "new"}) })
}
