package state

import (
	"errors"
	"strconv"

	"golang.org/x/sys/windows"
)

func bootID() string { return "" }

// openProcess asks for as little as possible of the process.
func openProcess(pid int) (windows.Handle, error) {
	return windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
}

func bornAt(pid int) string {
	h, err := openProcess(pid)
	if err != nil {
		return ""
	}
	var created, exited, kernel, user windows.Filetime
	err = windows.GetProcessTimes(h, &created, &exited, &kernel, &user)
	if err = errors.Join(err, windows.CloseHandle(h)); err != nil {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds(), 10)
}

func processExists(pid int) bool {
	const stillActive = 259
	h, err := openProcess(pid)
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	var code uint32
	err = windows.GetExitCodeProcess(h, &code)
	if cerr := windows.CloseHandle(h); err == nil {
		err = cerr
	}
	return err != nil || code == stillActive
}

// processStopped is always false: the system has no stop signal.
func processStopped(int) bool { return false }

// lockHolders is empty: the system does not tell who holds a lock.
func lockHolders(...string) ([]int, error) { return nil, nil }
