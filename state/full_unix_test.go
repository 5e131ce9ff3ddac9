//go:build unix

package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk lets another process write until the system refuses. What was kept stays readable there, and when there
// is room again the same store goes on.
func TestFullDisk(t *testing.T) {
	for _, what := range []string{"records", "blobs"} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			p := start(t, "full", dir, what)
			for p.lines.Scan() {
				if line := p.lines.Text(); line != "ok" {
					t.Error(line)
				}
			}
			if err := p.cmd.Wait(); err != nil {
				t.Error(err)
			}
			view(t, open(t, dir), func(tx *Tx) error { _, err := tx.Session("after"); return err })
		})
	}
}

func fillUp(ctx context.Context, s *Store, what string) error {
	big := func(tx *Tx) error {
		noise := make([]byte, 1<<20)
		for i := range noise {
			noise[i] = byte(rand.Uint32())
		}
		if what == "blobs" {
			h, err := tx.PutBlob(noise)
			return errors.Join(err, tx.PutCheckpoint(&Checkpoint{ID: "bad", Files: []CheckpointFile{{Before: h}}}))
		}
		return tx.PutSession(&Session{ID: "bad", Title: strings.Repeat("x", len(noise))})
	}
	small := func(id string) func(*Tx) error {
		return func(tx *Tx) error {
			_, err := tx.PutBlob(bytes.Repeat([]byte(id), 10))
			return errors.Join(err, tx.PutSession(&Session{ID: id}))
		}
	}
	if err := s.Update(ctx, small("before")); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	tight := limit
	tight.Cur = 200_000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &tight); err != nil {
		return err
	}
	for range 3 {
		if err := s.Update(ctx, big); !errors.Is(err, ErrNotKept) {
			return fmt.Errorf("error %w, want ErrNotKept", err)
		}
		err := s.View(ctx, func(tx *Tx) error {
			_, err := tx.Checkpoint("bad")
			if _, err2 := tx.Session("bad"); !errors.Is(err, ErrNotFound) || !errors.Is(err2, ErrNotFound) {
				return fmt.Errorf("what was refused is there: %w %w", err, err2)
			}
			_, err = tx.Session("before")
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := errors.Join(s.Update(ctx, big), s.Update(ctx, small("after"))); err != nil {
		return err
	}
	if n := s.Notices(); len(n) > 0 {
		return fmt.Errorf("notices %v", n)
	}
	fmt.Println("ok")
	return nil
}
