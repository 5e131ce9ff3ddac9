//go:build unix

package state

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The test binary runs itself again as another process that uses the store. The variable says what that one does:
// a verb, the folder and the verb's own words.
const childVar = "EMEND_STATE_TEST_CHILD"

func TestMain(m *testing.M) {
	if words := os.Getenv(childVar); words != "" {
		if err := child(context.Background(), strings.Split(words, "|")); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is the main function of such a process. What it prints to stdout is the acknowledgement that the test reads.
func child(ctx context.Context, words []string) error {
	verb, dir, arg := words[0], words[1], words[2]
	var setup Option = func(*Store) {}
	if strings.HasPrefix(verb, "stop") {
		stopNow = verb == "stop2"
		setup = func(s *Store) { s.step = stopAt(arg) }
	}
	s, err := Open(dir, setup)
	if err != nil {
		return err
	}
	switch verb {
	case "stop2": // as stop, and the point may come while the store is opened
		return appendTurn(ctx, s, "stopped2", nil)
	case "stop": // one turn, stopped at the point arg; a View when the point is "view"
		fmt.Println("open")
		if arg == "view" {
			once := sync.OnceValue(halt)
			return s.View(ctx, func(*Tx) error { return once() })
		}
		stopNow = true
		return appendTurn(ctx, s, "stopped", nil)
	case "turns": // as many turns as arg says, each acknowledged
		n, err := strconv.Atoi(arg)
		for i := 0; err == nil && (i < n || n == 0); i++ {
			err = appendTurn(ctx, s, fmt.Sprintf("%d.%d", os.Getpid(), i), func(tx *Tx, content string) error {
				_, err := tx.PutBlob([]byte(content))
				return err
			})
		}
		return err
	case "full": // meets a limit on the size of files, as on a full disk
		return fillUp(ctx, s, arg)
	case "run": // leaves a run running
		err := s.Update(ctx, func(tx *Tx) error { return tx.PutRun(&Run{ID: arg, Status: RunRunning}) })
		fmt.Println("ack")
		if err == nil {
			_, err = bufio.NewReader(os.Stdin).ReadString('\n')
		}
		return err
	}
	return fmt.Errorf("unknown verb %q", verb)
}

// appendTurn stores one turn and prints its content and number.
func appendTurn(ctx context.Context, s *Store, content string, also func(*Tx, string) error) error {
	turn := Turn{Session: "s", Content: content}
	err := s.Update(ctx, func(tx *Tx) error {
		if also != nil {
			if err := also(tx, content); err != nil {
				return err
			}
		}
		return tx.AppendTurn(&turn)
	})
	if err == nil {
		fmt.Println("ack", content, turn.Seq)
	}
	return err
}

// stopNow arms the stop, so that opening the store passes.
var stopNow bool

// stopAt stops this process the first time that the point is passed.
func stopAt(point string) func(string) {
	var once sync.Once
	return func(name string) {
		if stopNow && name == point {
			once.Do(func() { _ = halt() })
		}
	}
}

// halt stops this process and returns when it is continued.
func halt() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	fmt.Println("stopping")
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		return err
	}
	<-continued // other threads may run on for a moment after the call
	return nil
}

// A peer is a child process.
type peer struct {
	tb    testing.TB
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// start runs a child that lives no longer than the test.
func start(tb testing.TB, words ...string) *peer {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	p := &peer{tb: tb, cmd: exec.Command(exe)}
	p.cmd.Env = append(os.Environ(), childVar+"="+strings.Join(words, "|"))
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := p.cmd.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill() // it may have ended just now
			_ = p.cmd.Wait()         // killed: an error is certain
		}
	})
	return p
}

func (p *peer) signal(sig syscall.Signal) {
	p.tb.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.tb.Fatalf("signal %v: %v", sig, err)
	}
}

// expect reads a line that begins with the word.
func (p *peer) expect(word string) string {
	p.tb.Helper()
	if !p.lines.Scan() || !strings.HasPrefix(p.lines.Text(), word) {
		p.tb.Fatalf("child said %q, want %q", p.lines.Text(), word)
	}
	return p.lines.Text()
}

// stopped waits until the kernel says that the child is stopped.
func (p *peer) stopped() {
	p.tb.Helper()
	var status syscall.WaitStatus
	_, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	if err != nil || !status.Stopped() {
		p.tb.Fatalf("waiting for the stop: %v, status %v", err, status)
	}
}

// acks reads the turns that the child acknowledged until its output ends.
func (p *peer) acks() map[string]uint64 {
	all := make(map[string]uint64)
	for p.lines.Scan() {
		f := strings.Fields(p.lines.Text())
		if len(f) != 3 || f[0] != "ack" {
			p.tb.Errorf("child said %q", p.lines.Text())
			continue
		}
		seq, err := strconv.ParseUint(f[2], 10, 64)
		if err != nil {
			p.tb.Error(err)
		}
		all[f[1]] = seq
	}
	return all
}

// checkTurns expects every acknowledged turn under its number, numbers without gaps and nothing twice, and returns how
// many turns there are.
func checkTurns(tb testing.TB, s *Store, acked map[string]uint64) int {
	tb.Helper()
	found := make(map[string]uint64)
	view(tb, s, func(tx *Tx) error {
		turns, err := tx.Turns("s")
		clear(found)
		for i, turn := range turns {
			if turn.Seq != uint64(i+1) {
				tb.Errorf("turn %d has number %d", i, turn.Seq)
			}
			if _, twice := found[turn.Content]; twice {
				tb.Errorf("turn %q is there twice", turn.Content)
			}
			found[turn.Content] = turn.Seq
		}
		return err
	})
	for content, seq := range acked {
		if found[content] != seq {
			tb.Errorf("turn %q was acknowledged as %d and is %d", content, seq, found[content])
		}
	}
	return len(found)
}

// TestManyWriters lets several processes and several goroutines of this one write turns at once.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	const each = 25
	acked := make(map[string]uint64)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		p := start(t, "turns", dir, strconv.Itoa(each))
		wg.Go(func() {
			got := p.acks()
			mu.Lock()
			defer mu.Unlock()
			for k, v := range got {
				acked[k] = v
			}
		})
	}
	for i := range 8 {
		wg.Go(func() {
			for k := range each {
				turn := Turn{Session: "s", Content: fmt.Sprint("here", i, ".", k)}
				if err := s.Update(t.Context(), func(tx *Tx) error { return tx.AppendTurn(&turn) }); err != nil {
					t.Error(err)
				}
				if err := s.View(t.Context(), func(tx *Tx) error { _, err := tx.Turns("s"); return err }); err != nil {
					t.Error(err)
				}
				mu.Lock()
				acked[turn.Content] = turn.Seq
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if n := checkTurns(t, s, acked); n != 12*each || len(acked) != n {
		t.Errorf("%d turns, %d acknowledged, want %d", n, len(acked), 12*each)
	}
}

// TestKill kills a writing process at random instants. Whatever it acknowledged is there, and the files are sound.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	acked := make(map[string]uint64)
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for range rounds {
		p := start(t, "turns", dir, "0")
		enough := rand.IntN(20)
		for i := 0; p.lines.Scan(); i++ {
			f := strings.Fields(p.lines.Text())
			seq, err := strconv.ParseUint(f[2], 10, 64)
			if err != nil {
				t.Fatal(p.lines.Text())
			}
			acked[f[1]] = seq
			if i == enough {
				time.AfterFunc(time.Duration(rand.IntN(5000))*time.Microsecond, func() { _ = p.cmd.Process.Kill() })
			}
		}
		_ = p.cmd.Wait() // killed
		checkTurns(t, s, acked)
		view(t, s, func(tx *Tx) error {
			turns, err := tx.Turns("s")
			for _, turn := range turns {
				if _, err := tx.Blob(sum(turn.Content)); err != nil {
					t.Errorf("turn %q without its blob: %v", turn.Content, err)
				}
			}
			return err
		})
		checkFiles(t, dir)
	}
	if len(s.Notices()) != 0 || len(acked) < rounds {
		t.Errorf("%d acknowledged, notices %v", len(acked), s.Notices())
	}
}

// TestCloseInterrupted has one run of a live process, one of a killed one, and some that a record alone tells about.
func TestCloseInterrupted(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	live, dead := start(t, "run", dir, "live"), start(t, "run", dir, "dead")
	live.expect("ack")
	dead.expect("ack")
	update(t, s, func(tx *Tx) error {
		for _, r := range []Run{
			{ID: "mine", Status: RunRunning},
			{ID: "boot", Status: RunRunning, PID: live.cmd.Process.Pid, Boot: "another"},
			{ID: "born", Status: RunRunning, PID: live.cmd.Process.Pid, Boot: self().Boot, Born: "1"},
			{ID: "done", Status: RunDone, PID: 1 << 30},
		} {
			if err := tx.PutRun(&r); err != nil {
				return err
			}
		}
		return nil
	})
	want := map[string]RunStatus{"mine": RunRunning, "live": RunRunning, "dead": RunInterrupted, "done": RunDone,
		"boot": RunInterrupted, "born": RunInterrupted}
	for id, got := range map[string]string{"boot": self().Boot, "born": self().Born} {
		if got == "" { // the system does not tell
			want[id] = RunRunning
		}
	}
	closed := 0
	for _, status := range want {
		if status == RunInterrupted {
			closed++
		}
	}
	if err := dead.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = dead.cmd.Wait() // killed
	if n, err := s.CloseInterrupted(t.Context()); err != nil || n != closed {
		t.Errorf("%d closed, want %d: %v", n, closed, err)
	}
	if n, err := s.CloseInterrupted(t.Context()); err != nil || n != 0 {
		t.Errorf("%d closed the second time: %v", n, err)
	}
	view(t, s, func(tx *Tx) error {
		runs, err := tx.Runs()
		for _, r := range runs {
			if r.Status != want[r.ID] {
				t.Errorf("run %s is %s, want %s", r.ID, r.Status, want[r.ID])
			}
			if r.Status == RunInterrupted && (r.Reason == "" || r.Ended.IsZero()) {
				t.Errorf("run %s has reason %q, ended %v", r.ID, r.Reason, r.Ended)
			}
		}
		return err
	})
}
