//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func personID() string { return strconv.Itoa(os.Getuid()) }

// checkOwn refuses a folder that somebody else could change: its name is easy
// to guess and its parent may be open to all.
func checkOwn(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(sys.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is not a folder of yours alone; remove it or set its mode to 0700", dir)
	}
	return nil
}

// openSlot locks the slot at dir, which need not exist.
func openSlot(dir string) (*slot, error) {
	lock, err := os.OpenFile(dir+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, errors.Join(err, lock.Close())
	}
	return &slot{dir: dir, lock: lock}, nil
}
