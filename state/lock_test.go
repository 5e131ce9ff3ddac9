package state

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestEntrance has waiters that come one after the other, some of which give up.
func TestEntrance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entrance
		if err := e.enter(nil, nil, nil); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []int
		var wg sync.WaitGroup
		quit, stale := make(chan struct{}), make(chan struct{})
		for i := range 6 {
			var a, b chan struct{}
			switch i {
			case 1:
				a = quit
			case 3:
				b = stale
			}
			wg.Go(func() {
				err := e.enter(a, nil, b)
				if i == 1 && !errors.Is(err, errCancelled) || i == 3 && !errors.Is(err, errStale) {
					t.Errorf("waiter %d: error %v", i, err)
				}
				if err != nil {
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				e.leave()
			})
			synctest.Wait() // it stands in the queue now
		}
		close(quit)
		close(stale)
		synctest.Wait()
		e.leave()
		wg.Wait()
		if want := []int{0, 2, 4, 5}; !slices.Equal(order, want) {
			t.Errorf("served %v, want %v", order, want)
		}
		if err := e.enter(nil, nil, nil); err != nil {
			t.Error(err)
		}
	})
}

// TestWaitIsCancelled gives up waiting for a lock that another store holds, by each way there is.
func TestWaitIsCancelled(t *testing.T) {
	dir := t.TempDir()
	holder, waiter, closing := open(t, dir), open(t, dir), open(t, dir)
	inside, leave := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		update(t, holder, func(*Tx) error {
			close(inside)
			<-leave
			return nil
		})
	})
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for range 3 {
		if err := waiter.Update(ctx, func(*Tx) error { t.Error("called"); return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want context.DeadlineExceeded", err)
		}
	}
	result := make(chan error)
	go func() { result <- closing.View(t.Context(), func(*Tx) error { t.Error("called"); return nil }) }()
	if err := closing.Close(); err != nil {
		t.Error(err)
	}
	if err := <-result; !errors.Is(err, ErrClosed) {
		t.Errorf("error %v, want ErrClosed", err)
	}
	close(leave)
	wg.Wait()
	update(t, waiter, func(tx *Tx) error { return tx.PutSession(&Session{ID: "s"}) })
}

// TestReadersShare lets two Views be inside at the same time, and a writer wait for both.
func TestReadersShare(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir), open(t, dir)
	view(t, one, func(*Tx) error { return two.View(t.Context(), func(*Tx) error { return nil }) })
	var wg sync.WaitGroup
	view(t, one, func(tx *Tx) error {
		wg.Go(func() { update(t, two, func(tx *Tx) error { return tx.PutSession(&Session{ID: "s"}) }) })
		if _, err := tx.Session("s"); !errors.Is(err, ErrNotFound) {
			t.Errorf("error %v, want ErrNotFound", err)
		}
		return nil
	})
	wg.Wait()
}

// TestWriterIsNotStarved keeps readers coming, overlapping, until a writer got its turn.
func TestWriterIsNotStarved(t *testing.T) {
	dir := t.TempDir()
	s, w := open(t, dir), open(t, dir)
	written := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-written:
					return
				default:
					view(t, s, func(*Tx) error { return nil })
				}
			}
		})
	}
	update(t, w, func(tx *Tx) error { return tx.PutSession(&Session{ID: "s"}) })
	close(written)
	wg.Wait()
}

func TestGenerationNumbers(t *testing.T) {
	s := open(t, t.TempDir())
	for gen := 2; gen <= 4; gen++ {
		if err := errors.Join(s.begin(gen), s.begin(gen)); err != nil {
			t.Fatal(err)
		}
	}
	for _, hint := range []int{0, 1, 3, 4, 9} {
		if got, err := s.newest(hint); err != nil || got != 4 {
			t.Errorf("newest from %d is %d, want 4: %v", hint, got, err)
		}
	}
	update(t, s, func(tx *Tx) error { return tx.PutSession(&Session{ID: "s"}) }) // settles 4 from 1
	o, ok, err := s.originOf(4)
	if err != nil || !ok || o.From != 1 || o.Txid == 0 {
		t.Errorf("origin %v %v %v", o, ok, err)
	}
	for txid, want := range map[uint64]bool{o.Txid: true, o.Txid + 1: false} {
		if got, err := s.includes(4, 1, txid); err != nil || got != want {
			t.Errorf("includes transaction %d: %v, want %v: %v", txid, got, want, err)
		}
		if got, err := s.includes(4, 2, txid); err != nil || got {
			t.Errorf("includes transaction %d of what was never settled: %v: %v", txid, got, err)
		}
	}
	if got := filepath.Base(s.statePath(4)); got != "state.4.db" {
		t.Errorf("state file %q", got)
	}
}
