package state

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// flock locks file. A blocking LockFileEx cannot be left to a thread safely here, so the wait polls, from one
// millisecond up to twenty.
func flock(file *os.File, mode lockMode, block bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if mode == exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	pause := time.Millisecond
	for {
		// The byte locked lies far behind what is written, since a lock keeps others from reading what it covers.
		at := &windows.Overlapped{Offset: 0, OffsetHigh: 1}
		err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, at)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, windows.ERROR_LOCK_VIOLATION) && !errors.Is(err, windows.ERROR_IO_PENDING):
			return err
		case !block:
			return errBusy
		}
		time.Sleep(pause)
		pause = min(2*pause, 20*time.Millisecond)
	}
}

// unlockBolt has nothing to do: closing the file drops its locks.
func unlockBolt(*os.File) error { return nil }
