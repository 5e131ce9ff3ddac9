package state

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// holdUp is how long a stopped process may hold others up: two seconds, and more where the disk is slow just now, by
// what some plain updates take.
func holdUp(tb testing.TB) time.Duration {
	tb.Helper()
	s := open(tb, tb.TempDir())
	begun := time.Now()
	for range 20 {
		update(tb, s, func(tx *Tx) error { return tx.AppendTurn(&Turn{Session: "s"}) })
	}
	return 2*time.Second + 2*time.Since(begun)
}

// TestStopped stops a process at each point of an Update, and in a View. Others go on; continued, it ends its Update once.
func TestStopped(t *testing.T) {
	for _, point := range []string{"gate", "locked", "ran", "blobs", "committed", "view"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			limit := holdUp(t)
			dir := t.TempDir()
			s := open(t, dir)
			acked := make(map[string]uint64)
			add := func(content string) {
				turn := Turn{Session: "s", Content: content}
				update(t, s, func(tx *Tx) error { return tx.AppendTurn(&turn) })
				acked[content] = turn.Seq
			}
			add("before")
			p := start(t, "stop", dir, point)
			p.expect("open")
			p.expect("stopping")
			p.stopped()
			begun := time.Now()
			add("first")
			if took := time.Since(begun); took > limit {
				t.Errorf("held up for %v", took)
			}
			for i := range 20 {
				add(fmt.Sprint("other", i))
			}
			view(t, open(t, dir), func(tx *Tx) error { _, err := tx.Turns("s"); return err })
			if took := time.Since(begun); took > limit+2*time.Second {
				t.Errorf("everything took %v", took)
			}
			p.signal(syscall.SIGCONT)
			want := len(acked)
			if point != "view" {
				for content, seq := range p.acks() {
					acked[content] = seq
				}
				want++
			}
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("the stopped process: %v", err)
			}
			add("after")
			if n := checkTurns(t, s, acked); n != want+1 || len(acked) != n {
				t.Errorf("%d turns, %d acknowledged, want %d", n, len(acked), want+1)
			}
		})
	}
}

// TestStoppedWhileTakingOver stops a second process while it takes over from a first one that is stopped.
func TestStoppedWhileTakingOver(t *testing.T) {
	for _, first := range []string{"ran", "committed"} {
		for _, point := range []string{"copied", "recorded", "settled", "ran", "committed"} {
			t.Run(first+" "+point, func(t *testing.T) {
				t.Parallel()
				limit := holdUp(t)
				dir := t.TempDir()
				s := open(t, dir)
				turn := Turn{Session: "s", Content: "before"}
				update(t, s, func(tx *Tx) error { return tx.AppendTurn(&turn) })
				one := start(t, "stop", dir, first)
				one.expect("open")
				one.expect("stopping")
				one.stopped()
				two := start(t, "stop2", dir, point)
				two.expect("stopping")
				two.stopped()
				turn = Turn{Session: "s", Content: "meanwhile"}
				begun := time.Now()
				update(t, s, func(tx *Tx) error { return tx.AppendTurn(&turn) })
				if took := time.Since(begun); took > limit {
					t.Errorf("held up for %v", took)
				}
				acked := map[string]uint64{"meanwhile": turn.Seq, "before": 1}
				order := []*peer{one, two}
				rand.Shuffle(2, func(i, j int) { order[i], order[j] = order[j], order[i] })
				for _, p := range order {
					p.signal(syscall.SIGCONT)
					for content, seq := range p.acks() {
						acked[content] = seq
					}
					if err := p.cmd.Wait(); err != nil {
						t.Errorf("a stopped process: %v", err)
					}
				}
				if n := checkTurns(t, s, acked); n != 4 || len(acked) != 4 {
					t.Errorf("%d turns, acknowledged %v, want 4", n, acked)
				}
			})
		}
	}
}

// TestStopsAndKills lets processes write while one after the other is stopped, continued, or killed at random.
func TestStopsAndKills(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	limit := holdUp(t)
	dir := t.TempDir()
	s := open(t, dir)
	acked := make(map[string]uint64)
	var mu sync.Mutex
	var readers sync.WaitGroup
	const writers = 4
	peers := make([]*peer, writers)
	launch := func(i int) {
		p := start(t, "turns", dir, "0")
		peers[i] = p
		readers.Go(func() {
			got := p.acks()
			mu.Lock()
			defer mu.Unlock()
			for k, v := range got {
				acked[k] = v
			}
		})
	}
	for i := range peers {
		launch(i)
	}
	progress := func(content string) {
		turn := Turn{Session: "s", Content: content}
		begun := time.Now()
		update(t, s, func(tx *Tx) error { return tx.AppendTurn(&turn) })
		if took := time.Since(begun); took > 3*limit {
			t.Errorf("held up for %v", took)
		}
		mu.Lock()
		acked[content] = turn.Seq
		mu.Unlock()
	}
	for round := range 8 {
		for k := range rand.IntN(10) {
			progress(fmt.Sprint("a", round, ".", k))
		}
		i := rand.IntN(writers)
		peers[i].signal(syscall.SIGSTOP)
		for k := range 1 + rand.IntN(10) {
			progress(fmt.Sprint("b", round, ".", k))
		}
		peers[i].signal(syscall.SIGCONT)
		if rand.IntN(3) == 0 {
			peers[i].signal(syscall.SIGKILL)
			launch(i)
		}
	}
	for _, p := range peers {
		p.signal(syscall.SIGKILL)
	}
	readers.Wait()
	n := checkTurns(t, s, acked)
	gen, err := s.newest(1)
	t.Logf("%d turns, %d acknowledged, generation %d, %v", n, len(acked), gen, err)
	for _, notice := range s.Notices() {
		if strings.Contains(notice.Message, "set aside") {
			t.Error(notice.Message)
		}
	}
}
