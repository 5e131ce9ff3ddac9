package state

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

var benchEvent = json.RawMessage(`{"text":"` + strings.Repeat("x", 300) + `"}`)

// BenchmarkUpdate measures a step's end: open, put one event, sync, close.
func BenchmarkUpdate(b *testing.B) {
	s := open(b, b.TempDir())
	for b.Loop() {
		err := s.Update(b.Context(), func(tx *Tx) error {
			return tx.AppendEvents("run", []Event{{Kind: "step", Data: benchEvent}})
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUpdateBlob is BenchmarkUpdate with a blob of 20 kB that is new each time.
func BenchmarkUpdateBlob(b *testing.B) {
	s := open(b, b.TempDir())
	text := []byte(strings.Repeat("some text of a file\n", 1000))
	for i := 0; b.Loop(); i++ {
		text[i%len(text)]++
		err := s.Update(b.Context(), func(tx *Tx) error {
			_, err := tx.PutBlob(text)
			return errors.Join(err, tx.AppendEvents("run", []Event{{Kind: "step", Data: benchEvent}}))
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkView measures reading one record.
func BenchmarkView(b *testing.B) {
	s := open(b, b.TempDir())
	if err := s.Update(b.Context(), func(tx *Tx) error { return tx.PutSession(&Session{ID: "s"}) }); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.View(b.Context(), func(tx *Tx) error { _, err := tx.Session("s"); return err }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkYardstick is what BenchmarkUpdate would cost in a bbolt that one process keeps open.
func BenchmarkYardstick(b *testing.B) {
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "x.db"), 0o600, &bbolt.Options{NoStatistics: true})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		err := db.Update(func(tx *bbolt.Tx) error {
			t := &Tx{main: &handle{tx: tx}, mode: exclusive}
			return t.AppendEvents("run", []Event{{Kind: "step", Data: benchEvent}})
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
}
