package state

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

func fileSize(tb testing.TB, path string) int64 {
	tb.Helper()
	info, err := os.Stat(path)
	if err != nil {
		tb.Fatal(err)
	}
	return info.Size()
}

func write(tb testing.TB, path string, data []byte) {
	tb.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		tb.Fatal(err)
	}
}

// filled makes a store with a few records and a blob, and returns the folder and the blob's hash.
func filled(tb testing.TB) (string, Hash) {
	tb.Helper()
	dir := tb.TempDir()
	s := open(tb, dir)
	var h Hash
	update(tb, s, func(tx *Tx) (err error) {
		for i := range 400 {
			if err := tx.PutSession(&Session{ID: fmt.Sprint("s", i), Title: strings.Repeat("t", 100)}); err != nil {
				return err
			}
		}
		h, err = tx.PutBlob([]byte("text"))
		return err
	})
	return dir, h
}

// damages are ways to spoil a database file.
var damages = map[string]func(data []byte) []byte{
	"empty":     func([]byte) []byte { return nil },
	"text":      func([]byte) []byte { return []byte("not a database") },
	"garbage":   func(d []byte) []byte { return bytes.Repeat([]byte{0xa5, 0x5a, 0x13}, len(d)/3+1) },
	"truncated": func(d []byte) []byte { return d[:len(d)/2] },
	"heads":     func(d []byte) []byte { return append(make([]byte, 2*os.Getpagesize()), d[2*os.Getpagesize():]...) },
	"pages": func(d []byte) []byte {
		return append(d[:2*os.Getpagesize()], bytes.Repeat([]byte{0xff}, len(d)-2*os.Getpagesize())...)
	},
	"foreign": func([]byte) []byte { return foreign },
}

// foreign is a bbolt file that another program made.
var foreign []byte

func makeForeign(tb testing.TB) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "foreign.db")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		tb.Fatal(err)
	}
	if err := db.Close(); err != nil {
		tb.Fatal(err)
	}
	if foreign, err = os.ReadFile(path); err != nil {
		tb.Fatal(err)
	}
}

func TestDamagedStateIsSetAside(t *testing.T) {
	makeForeign(t)
	for name, spoil := range damages {
		for _, opened := range []string{"before", "after"} {
			t.Run(name+" "+opened, func(t *testing.T) {
				dir, _ := filled(t)
				path := filepath.Join(dir, "state.db")
				var s *Store
				if opened == "before" {
					s = open(t, dir)
				}
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				bad := spoil(data)
				write(t, path, bad)
				if opened == "after" {
					s = open(t, dir)
				} else {
					view(t, s, func(tx *Tx) error { _, err := tx.Sessions(); return err })
				}
				update(t, s, func(tx *Tx) error { return tx.PutSession(&Session{ID: "new"}) })
				view(t, s, func(tx *Tx) error {
					all, err := tx.Sessions()
					if len(all) != 1 {
						t.Errorf("%d sessions, want the new one", len(all))
					}
					return err
				})
				notices := s.Notices()
				if len(notices) != 1 {
					t.Fatalf("notices %v, want one", notices)
				}
				kept, err := os.ReadFile(notices[0].Path)
				if err != nil || !bytes.Equal(kept, bad) {
					t.Errorf("set aside: %d bytes, want %d: %v", len(kept), len(bad), err)
				}
				if !strings.Contains(notices[0].Message, notices[0].Path) {
					t.Errorf("message %q does not name the path", notices[0].Message)
				}
			})
		}
	}
}

func TestDamagedBlobsAreSetAside(t *testing.T) {
	makeForeign(t)
	for name, spoil := range damages {
		if name == "foreign" {
			continue // a file without the bucket of the blobs simply has none
		}
		t.Run(name, func(t *testing.T) {
			dir, h := filled(t)
			path := filepath.Join(dir, "blobs.db")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, spoil(data))
			s := open(t, dir)
			err = s.View(t.Context(), func(tx *Tx) error {
				if _, err := tx.Session("s1"); err != nil {
					t.Errorf("the records are gone too: %v", err)
				}
				_, err := tx.Blob(h)
				return err
			})
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("error %v, want ErrNotFound", err)
			}
			update(t, s, func(tx *Tx) error { _, err := tx.PutBlob([]byte("text")); return err })
			view(t, s, func(tx *Tx) error { _, err := tx.Blob(h); return err })
			if n := s.Notices(); len(n) != 1 || fileSize(t, n[0].Path) != int64(len(spoil(data))) {
				t.Errorf("notices %v", n)
			}
		})
	}
}

func TestDamagedBlobIsToldAndReplaced(t *testing.T) {
	dir, h := filled(t)
	s := open(t, dir)
	spoilValue(t, filepath.Join(dir, "blobs.db"), string(blobsBucket), h[:], []byte{codedPlain, 'x'})
	if err := s.View(t.Context(), func(tx *Tx) error { _, err := tx.Blob(h); return err }); !errors.Is(err, ErrDamaged) {
		t.Errorf("error %v, want ErrDamaged", err)
	}
	update(t, s, func(tx *Tx) error { _, err := tx.PutBlob([]byte("text")); return err })
	view(t, s, func(tx *Tx) error { _, err := tx.Blob(h); return err })
}

func TestUnreadableRecordIsLeftOut(t *testing.T) {
	dir, _ := filled(t)
	s := open(t, dir)
	spoilValue(t, filepath.Join(dir, "state.db"), sessionsBucket, []byte("s7"), []byte("{"))
	for range 2 {
		view(t, s, func(tx *Tx) error {
			all, err := tx.Sessions()
			if len(all) != 399 {
				t.Errorf("%d sessions, want 399", len(all))
			}
			if _, err := tx.Session("s7"); !errors.Is(err, ErrDamaged) {
				t.Errorf("error %v, want ErrDamaged", err)
			}
			return err
		})
	}
	if n := s.Notices(); len(n) != 1 {
		t.Errorf("notices %v, want one", n)
	}
}

func spoilValue(tb testing.TB, path, bucket string, key, value []byte) {
	tb.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		tb.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte(bucket)).Put(key, value) })
	if err := errors.Join(err, db.Close()); err != nil {
		tb.Fatal(err)
	}
}

func TestNewerSchemaIsLeftAlone(t *testing.T) {
	dir, _ := filled(t)
	path := filepath.Join(dir, "state.db")
	spoilValue(t, path, string(metaBucket), schemaKey, []byte("99"))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir)
	var newer *SchemaError
	if !errors.As(err, &newer) || newer.Found != 99 || !errors.Is(err, ErrNotKept) {
		t.Fatalf("error %v, want a SchemaError that wraps ErrNotKept", err)
	}
	if err := s.Update(t.Context(), func(*Tx) error { t.Error("called"); return nil }); !errors.Is(err, ErrNotKept) {
		t.Errorf("error %v, want ErrNotKept", err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) || len(s.Notices()) != 0 {
		t.Errorf("the file was touched: %v %v", err, s.Notices())
	}
}

func TestMigration(t *testing.T) {
	dir, _ := filled(t)
	steps := 0
	fail := errors.New("no luck")
	var result error
	migrations = []migration{
		func(tx *bbolt.Tx) error {
			steps++
			_, err := tx.CreateBucketIfNotExists([]byte("step1"))
			return errors.Join(err, result)
		},
		func(tx *bbolt.Tx) error {
			if tx.Bucket([]byte("step1")) == nil {
				t.Error("the second step came before the first")
			}
			steps++
			return nil
		},
	}
	defer func() { migrations = nil }()
	result = fail
	if _, err := Open(dir); !errors.Is(err, fail) || !errors.Is(err, ErrNotKept) {
		t.Fatalf("error %v, want the one of the step", err)
	}
	result, steps = nil, 0
	for range 2 {
		view(t, open(t, dir), func(tx *Tx) error {
			all, err := tx.Sessions()
			if len(all) != 400 {
				t.Errorf("%d sessions after migration", len(all))
			}
			return err
		})
	}
	if steps != 2 {
		t.Errorf("%d steps ran, want 2", steps)
	}
	migrations = nil // as an older emend would come by
	if _, err := Open(dir); !errors.Is(err, ErrNotKept) {
		t.Errorf("error %v, want ErrNotKept", err)
	}
}

func TestFolderThatCannotBe(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	write(t, file, []byte("x"))
	dir := filepath.Join(file, "store")
	s, err := Open(dir)
	if !errors.Is(err, ErrNotKept) || s == nil {
		t.Fatalf("store %v, error %v, want one that wraps ErrNotKept", s, err)
	}
	if err := s.Update(t.Context(), func(*Tx) error { return nil }); !errors.Is(err, ErrNotKept) || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v, want ErrNotKept and the folder", err)
	}
	if err := os.Remove(file); err != nil { // mended: the same store works now
		t.Fatal(err)
	}
	update(t, s, func(tx *Tx) error { return tx.PutSession(&Session{ID: "s"}) })
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("permissions do not bind this user")
	}
	dir, _ := filled(t)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(os.Chmod(dir, 0o700), os.Chmod(filepath.Join(dir, "state.db"), 0o600)); err != nil {
			t.Error(err)
		}
	}()
	if err := os.Chmod(filepath.Join(dir, "state.db"), 0o400); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir)
	if err != nil && !errors.Is(err, ErrNotKept) {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(*Tx) error { return nil }); !errors.Is(err, ErrNotKept) {
		t.Errorf("error %v, want ErrNotKept", err)
	}
}
