package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// names of the files of generation gen in dir. The first generation has the plain names.
func numbered(dir, name, ext string, gen int) string {
	if gen > 1 {
		name = fmt.Sprintf("%s.%d", name, gen)
	}
	return filepath.Join(dir, name+ext)
}

func (s *Store) statePath(gen int) string { return numbered(s.dir, "state", ".db", gen) }
func (s *Store) blobsPath(gen int) string { return numbered(s.dir, "blobs", ".db", gen) }
func (s *Store) lockPath(gen int) string  { return numbered(s.dir, "lock", "", gen) }
func (s *Store) gatePath(gen int) string  { return numbered(s.dir, "gate", "", gen) }

// newest finds the newest generation, looking from hint on. Lock files are never removed, so they have no gaps; if
// that of hint is gone, somebody emptied the folder and counting starts again.
func (s *Store) newest(hint int) (int, error) {
	gen := max(hint, 1)
	if gen > 1 {
		ok, err := exists(s.lockPath(gen))
		if err != nil {
			return 0, fmt.Errorf("looking for the newest generation: %w", err)
		}
		if !ok {
			gen = 1
		}
	}
	for {
		ok, err := exists(s.lockPath(gen + 1))
		if err != nil {
			return 0, fmt.Errorf("looking for the newest generation: %w", err)
		}
		if !ok {
			return gen, nil
		}
		gen++
	}
}

// watchGeneration makes the function that a waiter for generation gen calls now and then: it reports whether the
// generation is over, and ends it when the same process is seen stopped with the lock in its hand twice running.
func (s *Store) watchGeneration(gen int) func(holders func() ([]int, error)) bool {
	var suspects map[int]bool
	return func(holders func() ([]int, error)) bool {
		if over, err := exists(s.lockPath(gen + 1)); over || err != nil {
			return over
		}
		pids, err := holders()
		if err != nil {
			return false // the lock files or the list of locks cannot be read: nothing is known
		}
		seen := make(map[int]bool)
		again := false
		for _, pid := range pids {
			if processStopped(pid) {
				seen[pid] = true
				again = again || suspects[pid]
			}
		}
		suspects = seen
		if !again {
			return false
		}
		return s.begin(gen+1) == nil
	}
}

// begin starts generation gen, unless somebody else was first. Creating its lock file is the one instant that counts.
func (s *Store) begin(gen int) error {
	file, err := os.OpenFile(s.lockPath(gen), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("starting generation %d: %w", gen, err)
	}
	return file.Close()
}

// An origin says what a generation was copied from: the commits of generation From up to and including Txid. It is the
// content of the generation's lock file, which is empty until the copy is complete.
type origin struct {
	From int
	Txid uint64
}

const originFormat = "from %d txid %d\n"

// readOrigin reads the origin from a lock file. The second result is false while there is none.
func readOrigin(file io.ReaderAt) (origin, bool, error) {
	buf := make([]byte, 128)
	n, err := file.ReadAt(buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return origin{}, false, fmt.Errorf("reading a lock file: %w", err)
	}
	text := string(buf[:n])
	var o origin
	if _, err := fmt.Sscanf(text, originFormat, &o.From, &o.Txid); err != nil || !strings.HasSuffix(text, "\n") {
		return origin{}, false, nil // an unfinished record is none
	}
	return o, true, nil
}

// originOf reads the origin of generation gen.
func (s *Store) originOf(gen int) (origin, bool, error) {
	file, err := os.Open(s.lockPath(gen))
	if err != nil {
		return origin{}, false, fmt.Errorf("reading a lock file: %w", err)
	}
	o, ok, err := readOrigin(file)
	if cerr := file.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("reading a lock file: %w", cerr)
	}
	return o, ok, err
}

// includes reports whether generation gen, which is settled, holds the commit txid of the older generation old.
func (s *Store) includes(gen, old int, txid uint64) (bool, error) {
	for gen > old {
		o, ok, err := s.originOf(gen)
		if err != nil {
			return false, err
		}
		if !ok {
			return false, nil // the folder was emptied meanwhile
		}
		if o.From == old {
			return txid <= o.Txid, nil
		}
		gen = o.From
	}
	return false, nil // old never became a source: nothing written there counts
}

// settle fills generation gen from the newest settled one before it, and records what it took. The caller holds the
// exclusive lock of gen. It may be broken off and done again at any instant, also by two processes when the first one
// was stopped: then gen is over, and what the first one writes is looked at by nobody.
func (s *Store) settle(gen int, held *heldLock) error {
	from, err := s.settledBefore(gen)
	if err != nil {
		return err
	}
	// First the state and then the blobs: a commit stores its blobs before it refers to them.
	txid, err := s.carry(s.statePath(from), s.statePath(gen))
	if err != nil {
		return err
	}
	if _, err := s.carry(s.blobsPath(from), s.blobsPath(gen)); err != nil {
		return err
	}
	s.step("copied")
	// A source can be missing because a generation in between was settled just now by a process that had been stopped
	// while at it, and that removed the source afterwards.
	if again, err := s.settledBefore(gen); err != nil {
		return err
	} else if again != from {
		return s.settle(gen, held)
	}
	// Or because a newer generation was settled: then this one is over.
	if now, err := s.newest(gen); err != nil || now != gen {
		return err
	}
	if err := syncDir(s.dir); err != nil {
		return err
	}
	if _, err := held.file.WriteAt(fmt.Appendf(nil, originFormat, from, txid), 0); err != nil {
		return fmt.Errorf("recording the origin of generation %d: %w", gen, err)
	}
	if err := held.file.Sync(); err != nil {
		return fmt.Errorf("recording the origin of generation %d: %w", gen, err)
	}
	s.step("recorded")
	for old := 1; old < gen; old++ {
		for _, path := range []string{s.statePath(old), s.blobsPath(old)} {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.log.Warn("old generation not removed", "path", path, "error", err)
			}
		}
	}
	return nil
}

// settledBefore finds the newest generation before gen that is complete. The first one always is.
func (s *Store) settledBefore(gen int) (int, error) {
	for from := gen - 1; from > 1; from-- {
		if _, ok, err := s.originOf(from); err != nil || ok {
			return from, err
		}
	}
	return 1, nil
}

// carry copies the newest committed state of the database at from to path and returns its transaction; zero when there
// is no database or a damaged one, which is set aside.
func (s *Store) carry(from, path string) (txid uint64, err error) {
	source, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("taking over %s: %w", from, err)
	}
	defer func() {
		if cerr := source.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("taking over %s: %w", from, cerr)
		}
	}()
	snap, err := readStable(source)
	if errors.Is(err, ErrDamaged) {
		return 0, s.setAside(from, err)
	}
	if err != nil {
		return 0, err
	}
	tmp := path + "." + NewID("new")
	if err := copySnapshot(source, snap, tmp); err != nil {
		return 0, errors.Join(err, removeQuietly(tmp))
	}
	if err := publish(tmp, path); err != nil {
		return 0, errors.Join(err, removeQuietly(tmp))
	}
	return snap.txid, nil
}

// removeQuietly removes a file that may not be there.
func removeQuietly(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
