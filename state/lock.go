package state

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// lockMode says whether a lock is shared with others of its kind.
type lockMode bool

const (
	shared    lockMode = false
	exclusive lockMode = true
)

const (
	patience = 500 * time.Millisecond // wait before a stopped holder is looked for
	glance   = 100 * time.Millisecond // between two looks after that
)

// errStale is returned when a lock is no longer the one to hold: a newer generation exists, or its file was replaced.
var errStale = errors.New("lock is stale")

// errCancelled is returned when the caller of acquire gave up.
var errCancelled = errors.New("lock wait cancelled")

// A genLock is the lock of one generation. It is fair: who comes first is served first, and readers that keep coming
// do not starve a writer. Everybody passes the gate, alone, and keeps it until the lock proper is granted. Both are
// file locks that block in the kernel, which drops them when their process dies. Within a process the entrance lets one
// goroutine at a time go to the gate, so that one thread at most is blocked in the kernel.
type genLock struct {
	gate, path string
	entrance   entrance
	step       func(string)
	watch      func() bool // looked at while waiting: true when the generation is over

	stale     chan struct{} // closed when watch said so
	staleOnce sync.Once
}

func newGenLock(gate, path string, watch func(holders func() ([]int, error)) bool, step func(string)) *genLock {
	l := &genLock{gate: gate, path: path, step: step, stale: make(chan struct{})}
	l.watch = func() bool {
		return watch(func() ([]int, error) { return lockHolders(gate, path) })
	}
	return l
}

// A heldLock is a granted lock. Its release must be called exactly once.
type heldLock struct{ file *os.File }

// release gives the lock back.
func (h *heldLock) release() error {
	if err := h.file.Close(); err != nil {
		return fmt.Errorf("releasing the lock: %w", err)
	}
	return nil
}

// current reports whether the file that is locked is still the one at its path: somebody may have emptied the folder.
func (h *heldLock) current() bool {
	at, err := os.Stat(h.file.Name())
	if err != nil {
		return false
	}
	mine, err := h.file.Stat()
	return err == nil && os.SameFile(at, mine)
}

// granted is what a wait ended with.
type granted struct {
	held *heldLock
	err  error
}

// acquire waits for the lock until one of cancel is closed (errCancelled) or the generation is over (errStale).
// Nil channels never cancel.
func (l *genLock) acquire(mode lockMode, cancel ...<-chan struct{}) (*heldLock, error) {
	for len(cancel) < 2 {
		cancel = append(cancel, nil)
	}
	if err := l.entrance.enter(cancel[0], cancel[1], l.stale); err != nil {
		return nil, err
	}
	held, err := l.pass(mode, false)
	if !errors.Is(err, errBusy) {
		l.entrance.leave()
		return held, err
	}
	result := make(chan granted, 1)
	go l.wait(mode, result)
	select {
	case g := <-result:
		return g.held, g.err
	case <-cancel[0]:
	case <-cancel[1]:
	}
	go func() { // a wait in the kernel cannot be taken back: whatever it is granted is returned at once
		if g := <-result; g.held != nil {
			_ = g.held.release() // nobody is left to be told, and closing gives the lock back even on error
		}
	}()
	return nil, errCancelled
}

// wait blocks in the kernel, watches out for a holder that is stopped meanwhile, sends exactly one result and leaves
// the entrance.
func (l *genLock) wait(mode lockMode, result chan<- granted) {
	inner := make(chan granted, 1)
	go func() {
		held, err := l.pass(mode, true)
		inner <- granted{held, err}
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case g := <-inner:
			l.entrance.leave()
			result <- g
			return
		case <-timer.C:
			if !l.watch() {
				timer.Reset(glance)
				continue
			}
			l.staleOnce.Do(func() { close(l.stale) })
			result <- granted{err: errStale}
			if g := <-inner; g.held != nil { // when the stopped process goes on or dies
				_ = g.held.release() // as above
			}
			l.entrance.leave()
			return
		}
	}
}

// pass goes through the gate and takes the lock. Without block it returns errBusy rather than wait.
func (l *genLock) pass(mode lockMode, block bool) (*heldLock, error) {
	gate, err := lockFile(l.gate, exclusive, block)
	if err != nil {
		return nil, err
	}
	l.step("gate")
	file, err := lockFile(l.path, mode, block)
	if cerr := gate.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("leaving the gate: %w", errors.Join(cerr, file.Close()))
	}
	if err != nil {
		return nil, err
	}
	return &heldLock{file: file}, nil
}

// errBusy is returned by lockFile when it may not wait and would have to.
var errBusy = errors.New("lock is held")

// lockFile opens the file at path, made when missing, and locks it. Closing it gives the lock back.
func lockFile(path string, mode lockMode, block bool) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a lock: %w", err)
	}
	if err := flock(file, mode, block); err != nil {
		if cerr := file.Close(); cerr != nil {
			err = errors.Join(err, cerr)
		}
		if errors.Is(err, errBusy) {
			return nil, err
		}
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return file, nil
}

// An entrance is a mutex that serves in order of arrival and whose waits can be cancelled. The zero entrance is free.
type entrance struct {
	mu    sync.Mutex
	taken bool            // guarded by mu
	queue []chan struct{} // guarded by mu; a closed channel lets its waiter in
}

// enter waits until it is let in, or until one of the channels is closed: errCancelled for a and b, errStale for stale.
func (e *entrance) enter(a, b, stale <-chan struct{}) error {
	e.mu.Lock()
	if !e.taken {
		e.taken = true
		e.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	e.queue = append(e.queue, turn)
	e.mu.Unlock()

	err := errCancelled
	select {
	case <-turn:
		return nil
	case <-a:
	case <-b:
	case <-stale:
		err = errStale
	}
	e.mu.Lock()
	for i, t := range e.queue {
		if t == turn {
			e.queue = append(e.queue[:i], e.queue[i+1:]...)
			e.mu.Unlock()
			return err
		}
	}
	e.mu.Unlock()
	e.leave() // the turn came at the same moment: pass it on
	return err
}

// leave lets the next one in.
func (e *entrance) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.queue) == 0 {
		e.taken = false
		return
	}
	close(e.queue[0])
	e.queue = e.queue[1:]
}

// over reports whether the generation was seen to have ended. Its number can come up again when the folder was emptied.
func (l *genLock) over() bool {
	select {
	case <-l.stale:
		return true
	default:
		return false
	}
}
