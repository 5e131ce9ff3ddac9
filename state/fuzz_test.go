package state

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzSnapshot reads arbitrary files as databases: it never panics, and what it takes for one can be copied.
func FuzzSnapshot(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed.db")
	if err := makeBolt(path); err != nil {
		f.Fatal(err)
	}
	seed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:len(seed)/2])
	f.Add(append(make([]byte, os.Getpagesize()), seed[os.Getpagesize():]...))
	f.Add([]byte("text"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.db")
		write(t, path, data)
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := file.Close(); err != nil {
				t.Error(err)
			}
		}()
		snap, err := readStable(file)
		if err != nil {
			return
		}
		copied := path + ".copy"
		if err := copySnapshot(file, snap, copied); err != nil {
			t.Fatalf("copying what could be read: %v", err)
		}
		again, err := os.Open(copied)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readSnapshot(again)
		if err != nil || got.txid != snap.txid || !bytes.Equal(got.meta, snap.meta) {
			t.Errorf("the copy has transaction %d, want %d: %v", got.txid, snap.txid, err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzBlob decodes arbitrary bytes: it never panics, and gives back only what has the hash.
func FuzzBlob(f *testing.F) {
	for _, text := range []string{"", "x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		coded, err := encodeBlob([]byte(text))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(coded, []byte(text))
	}
	f.Fuzz(func(t *testing.T, coded, text []byte) {
		h := sum(string(text))
		if got, err := decodeBlob(h, coded); err == nil && !bytes.Equal(got, text) {
			t.Errorf("%q came out as %q", text, got)
		}
		good, err := encodeBlob(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeBlob(h, good); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%q came back as %q: %v", text, got, err)
		}
	})
}

// FuzzOrigin reads arbitrary lock files.
func FuzzOrigin(f *testing.F) {
	f.Add([]byte("from 3 txid 18446744073709551615\n"))
	f.Add([]byte("from 3 txid 1"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, data []byte) {
		if o, ok, err := readOrigin(bytes.NewReader(data)); err != nil || ok && o.From < 1 {
			t.Errorf("%q became %v: %v", data, o, err)
		}
	})
}
