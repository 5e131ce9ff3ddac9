package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxSlots is how many scratch copies of one workspace there may be at a time.
const maxSlots = 32

// slot is the private folder of one Box. Its name depends on the workspace
// only, so that tools whose caches know folder names (the go command) find
// what they did for an earlier copy.
//
//	<parent>/<workspace>-<n>.lock   held while the Box is open
//	<parent>/<workspace>-<n>/w/<base name of the workspace>   the copy
//	<parent>/<workspace>-<n>/tmp    the commands' temporary folder
type slot struct {
	dir  string
	lock *os.File // nil where files cannot be locked
}

// takeSlot finds a free slot for root below parent, and removes what dead
// processes have left in others. Without a parent, it is in the person's cache
// folder, else in the system's temporary one, which is second choice as
// anybody may put a go.work or a node_modules there that tools would find.
func takeSlot(parent, root string) (*slot, error) {
	var err error
	if parent != "" {
		parent, err = ownFolder(parent)
	} else {
		err = os.ErrNotExist
		if cache, cacheErr := os.UserCacheDir(); cacheErr == nil {
			parent, err = ownFolder(filepath.Join(cache, "emend", "scratch"))
		}
		if err != nil {
			parent, err = ownFolder(filepath.Join(os.TempDir(), "emend-scratch-"+personID()))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	if parent == root || strings.HasPrefix(parent, root+string(filepath.Separator)) {
		return nil, fmt.Errorf("make a scratch folder: %s lies in the workspace %s; name another place", parent, root)
	}
	sweep(parent)
	sum := sha256.Sum256([]byte(root))
	name := hex.EncodeToString(sum[:6])
	for n := range maxSlots {
		s, err := openSlot(filepath.Join(parent, fmt.Sprintf("%s-%d", name, n)))
		if errors.Is(err, errLocked) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("make a scratch folder: %w", err)
		}
		if err := s.prepare(); err != nil {
			return nil, fmt.Errorf("make a scratch folder: %w", errors.Join(err, s.release()))
		}
		return s, nil
	}
	return nil, fmt.Errorf("make a scratch folder: all %d below %s are in use", maxSlots, parent)
}

// ownFolder makes dir and returns its real name.
func ownFolder(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := checkOwn(dir); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// prepare empties the slot.
func (s *slot) prepare() error {
	if err := removeTree(s.dir); err != nil {
		return err
	}
	for _, name := range []string{s.dir, filepath.Join(s.dir, "w"), s.tmp()} {
		if err := os.Mkdir(name, 0o700); err != nil {
			return err
		}
	}
	return nil
}

func (s *slot) tmp() string { return filepath.Join(s.dir, "tmp") }

// release removes the slot's folder and lets others have the slot.
func (s *slot) release() error {
	err := removeTree(s.dir)
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// sweep removes slots whose processes died. It does what it can.
func sweep(parent string) {
	names, err := filepath.Glob(filepath.Join(parent, "*-*.lock"))
	if err != nil {
		return
	}
	for _, name := range names {
		dir := strings.TrimSuffix(name, ".lock")
		if _, err := os.Lstat(dir); err != nil {
			continue // released in order
		}
		if s, err := openSlot(dir); err == nil {
			_ = s.release()
		}
	}
}

// errLocked is returned by openSlot for a slot that is in use.
var errLocked = errors.New("in use")
