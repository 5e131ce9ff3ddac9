//go:build dragonfly || freebsd || netbsd || openbsd

package state

import (
	"errors"
	"syscall"
)

func bootID() string { return "" }

func bornAt(int) string { return "" }

func processExists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// processStopped is unknown here.
func processStopped(int) bool { return false }

// lockHolders is empty: the system does not tell who holds a lock.
func lockHolders(...string) ([]int, error) { return nil, nil }
