package state

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// openWait bounds how long Open waits for its turn to look at the files.
const openWait = 10 * time.Second

// A Store keeps the records of one workspace in one folder. Any number of Stores, in any number of processes, may be
// open on a folder. A Store is safe for concurrent use.
type Store struct {
	dir  string
	log  *slog.Logger
	done chan struct{} // closed by Close
	step func(string)  // called at named points; does something in tests only

	mu      sync.Mutex // guards the fields below
	locks   map[int]*genLock
	hint    int // newest generation seen
	notices []Notice
	closed  bool
	running sync.WaitGroup // transactions; Add only under mu and not after closed
}

// An Option changes how Open sets a Store up.
type Option func(*Store)

// WithLogger makes the Store report what it does on its own to log. The default discards it. The store never logs
// what records hold.
func WithLogger(log *slog.Logger) Option {
	return func(s *Store) { s.log = log }
}

// Open makes the folder dir where missing, and looks whether what is in it can be read: a damaged file is set aside,
// which Notices tells, and started afresh. No file stays open. When the folder can be neither read nor written, or
// holds the store of a newer emend, the error wraps ErrNotKept and the Store is not nil: its calls fail the same way
// until that is mended. Cost: reads every record once if the store is small, else its head only.
func Open(dir string, opts ...Option) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", dir, err)
	}
	s := &Store{dir: abs, log: slog.New(slog.DiscardHandler), done: make(chan struct{}), step: func(string) {},
		locks: make(map[int]*genLock)}
	for _, opt := range opts {
		opt(s)
	}
	expired := make(chan struct{})
	timer := time.AfterFunc(openWait, func() { close(expired) })
	defer timer.Stop()
	err = s.transact(expired, shared, (*Tx).inspect)
	if err != nil {
		return s, s.explain(err)
	}
	return s, nil
}

// Close makes every later call fail with ErrClosed, ends waits for the lock, and returns when the transactions that are
// under way in this Store have ended. It must not be called inside one. Closing twice is harmless.
func (s *Store) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.done)
	}
	s.mu.Unlock()
	s.running.Wait()
	return nil
}

// Folder is the absolute folder of the store.
func (s *Store) Folder() string { return s.dir }

// Notices returns what this Store had to do on its own so far, oldest first and each message once.
func (s *Store) Notices() []Notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notices)
}

// notify keeps a notice, unless one says the same.
func (s *Store) notify(n Notice) {
	n.Time = time.Now()
	s.mu.Lock()
	known := slices.ContainsFunc(s.notices, func(old Notice) bool { return old.Message == n.Message })
	if !known {
		s.notices = append(s.notices, n)
	}
	s.mu.Unlock()
	if !known {
		s.log.Warn("store notice", "message", n.Message, "path", n.Path)
	}
}

// View runs fn on a consistent state of the store. fn must be short, since writers wait for it, must start no other
// transaction and must not use tx after it returns or in another goroutine. It may be called again from the start when
// the store had to be mended or taken over meanwhile, so what it collects must begin empty. The error is fn's own,
// ctx's, ErrClosed, or wraps ErrNotKept.
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error {
	return s.run(ctx, shared, fn)
}

// Update runs fn on the newest state of the store and commits what it did, durably, if it returns nil; otherwise
// nothing is changed. What is said of View holds. One commit syncs the disk; put what belongs together in one Update.
// After an error that wraps ErrNotKept the commit has not been kept, save when the disk itself failed during it.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.run(ctx, exclusive, fn)
}

func (s *Store) run(ctx context.Context, mode lockMode, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.transact(ctx.Done(), mode, fn)
	if errors.Is(err, errCancelled) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("waiting for the store: %w", err)
		}
		return ErrClosed
	}
	return s.explain(err)
}

// errOwn marks an error that fn returned, which goes to the caller as it is.
type errOwn struct{ error }

// explain turns every failure that is not fn's own into one that wraps ErrNotKept and names the folder.
func (s *Store) explain(err error) error {
	var own errOwn
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own.error
	case errors.Is(err, errCancelled):
		return fmt.Errorf("%w: other processes keep %s busy", ErrNotKept, s.dir)
	case errors.Is(err, ErrClosed):
		return ErrClosed
	default:
		return fmt.Errorf("%w in %s: %w", ErrNotKept, s.dir, err)
	}
}

// transact runs fn in a transaction of the newest generation, again when that ends meanwhile, and once more after a
// damaged file had to be set aside.
func (s *Store) transact(cancel <-chan struct{}, mode lockMode, fn func(*Tx) error) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.running.Add(1)
	s.mu.Unlock()
	defer s.running.Done()

	var before attempt // the last try, when its generation ended during it
	for mended := false; ; {
		t, err := s.try(cancel, mode, before, fn)
		var d *damage
		switch {
		case errors.Is(err, errPrepare), errors.As(err, &d) && !mended:
			mended = mended || d != nil
			if err := s.mend(cancel, d); err != nil {
				return err
			}
		case t.over: // a View too: its blobs may have been gone already
			before = t
		default:
			return err
		}
	}
}

// An attempt is how far a transaction came.
type attempt struct {
	gen  int
	txid uint64 // what it may have committed in gen, 0 = nothing
	over bool   // gen ended before it could be sure
}

// errPrepare is returned when a reader finds that a file must be made or migrated first.
var errPrepare = errors.New("store must be prepared")

// try takes the lock and runs fn once.
func (s *Store) try(cancel <-chan struct{}, mode lockMode, before attempt, fn func(*Tx) error) (t attempt, err error) {
	held, gen, err := s.hold(cancel, mode)
	if err != nil {
		return attempt{}, err
	}
	defer func() {
		if rerr := held.release(); err == nil && rerr != nil {
			s.log.Error("lock not released properly", "error", rerr) // the file is closed all the same
		}
	}()
	if before.txid > 0 {
		if in, err := s.includes(gen, before.gen, before.txid); err != nil || in {
			return attempt{gen: gen}, err
		}
	}
	t.gen = gen
	t.txid, err = s.once(gen, mode, fn)
	now, gerr := s.newest(gen)
	if gerr != nil && err == nil {
		err = gerr
	}
	t.over = gerr == nil && now != gen
	return t, err
}

// once opens the state, runs fn and commits. It returns the number of the transaction if that may have been committed.
func (s *Store) once(gen int, mode lockMode, fn func(*Tx) error) (txid uint64, err error) {
	path := s.statePath(gen)
	if mode == exclusive {
		if err := s.ensure(path); err != nil {
			return 0, err
		}
	}
	h, err := openBolt(path, mode)
	if errors.Is(err, os.ErrNotExist) {
		return 0, errPrepare
	}
	if err != nil {
		return 0, err
	}
	tx := &Tx{store: s, main: h, mode: mode, blobsPath: s.blobsPath(gen)}
	defer func() {
		if cerr := tx.close(); cerr != nil && err == nil && txid == 0 {
			err = cerr
		}
		for _, d := range []*damage{tx.damage(), h.broken} {
			if d != nil && txid == 0 {
				err = d // whatever fn made of it
			}
		}
	}()
	if err := tx.checkSchema(); err != nil {
		return 0, err
	}
	if err := fn(tx); err != nil {
		return 0, errOwn{err}
	}
	if mode == shared {
		return 0, nil
	}
	s.step("ran")
	if err := tx.commitBlobs(); err != nil {
		return 0, err
	}
	s.step("blobs")
	id := uint64(h.tx.ID())
	if err := h.commit(); err != nil {
		return id, err // it may be in the file all the same, when only the sync failed
	}
	s.step("committed")
	return id, nil
}

// hold waits for the lock of the newest generation, settled.
func (s *Store) hold(cancel <-chan struct{}, mode lockMode) (*heldLock, int, error) {
	for {
		gen, lock, err := s.newestLock()
		if err != nil {
			return nil, 0, err
		}
		held, err := lock.acquire(mode, cancel, s.done)
		if errors.Is(err, errStale) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		s.step("locked")
		if ready, err := s.ready(held, gen, mode); ready {
			return held, gen, nil
		} else if rerr := held.release(); err != nil || rerr != nil {
			return nil, 0, errors.Join(err, rerr)
		}
		if mode == shared { // perhaps the generation wants settling, which needs the exclusive lock
			held, _, err := s.hold(cancel, exclusive)
			if err != nil {
				return nil, 0, err
			}
			if err := held.release(); err != nil {
				return nil, 0, err
			}
		}
	}
}

// ready reports whether the lock held is that of the newest generation and this one is complete. With the exclusive
// lock it completes it.
func (s *Store) ready(held *heldLock, gen int, mode lockMode) (bool, error) {
	if !held.current() {
		return false, nil
	}
	if gen > 1 {
		_, ok, err := readOrigin(held.file)
		if err != nil {
			return false, err
		}
		if !ok && mode == shared {
			return false, nil
		}
		if !ok {
			if err := s.settle(gen, held); err != nil {
				return false, err
			}
			s.step("settled")
			s.notify(Notice{Message: "A stopped process held the store. It was taken over; nothing is lost."})
		}
	}
	now, err := s.newest(gen)
	return err == nil && now == gen, err
}

// newestLock returns the newest generation and its lock, with the folder made.
func (s *Store) newestLock() (int, *genLock, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return 0, nil, fmt.Errorf("making the folder: %w", err)
	}
	s.mu.Lock()
	hint := s.hint
	s.mu.Unlock()
	gen, err := s.newest(hint)
	if err != nil {
		return 0, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hint = gen
	lock := s.locks[gen]
	if lock == nil || lock.over() {
		lock = newGenLock(s.gatePath(gen), s.lockPath(gen), s.watchGeneration(gen), s.step)
		s.locks[gen] = lock
	}
	return gen, lock, nil
}
