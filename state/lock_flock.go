//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package state

import (
	"errors"
	"os"
	"syscall"
)

// flock locks file. The wait is the kernel's, which wakes in order of arrival; no signal is meant to end it.
func flock(file *os.File, mode lockMode, block bool) error {
	how := syscall.LOCK_SH
	if mode == exclusive {
		how = syscall.LOCK_EX
	}
	if !block {
		how |= syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(file.Fd()), how)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errBusy
		default:
			return err
		}
	}
}

// unlockBolt drops the lock that bbolt took on a database it can no longer close.
func unlockBolt(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
