package state

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

func bornAt(pid int) string {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d.%06d", p.Proc.P_starttime.Sec, p.Proc.P_starttime.Usec)
}

func processExists(pid int) bool {
	const zombie = 5 // SZOMB
	if p, err := unix.SysctlKinfoProc("kern.proc.pid", pid); err == nil && p.Proc.P_stat == zombie {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// processStopped reports whether the process is stopped by a signal or a debugger.
func processStopped(pid int) bool {
	const stopped = 4 // SSTOP
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && p.Proc.P_stat == stopped
}

// lockHolders is empty: the system does not tell who holds a lock.
func lockHolders(...string) ([]int, error) { return nil, nil }
