package state

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

func bootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// processStat returns the fields of /proc/PID/stat from the state (index 0) on.
func processStat(pid int) []string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	text := string(data)
	// The second field is the program's name in parentheses, which may itself hold blanks and parentheses.
	return strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
}

func bornAt(pid int) string {
	const startTime = 22 - 3 // proc(5) counts from 1, and two fields are cut off
	if f := processStat(pid); len(f) > startTime {
		return f[startTime]
	}
	return ""
}

func processExists(pid int) bool {
	if f := processStat(pid); len(f) > 0 && (f[0] == "Z" || f[0] == "X") {
		return false // it has ended; its parent has not asked how
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// processStopped reports whether the process is stopped by a signal or a debugger.
func processStopped(pid int) bool {
	f := processStat(pid)
	return len(f) > 0 && (f[0] == "T" || f[0] == "t")
}

// lockHolders lists the processes that hold a lock on one of the files, as far as this process may see them. The
// kernel's own list is used, since a record in a file would be missing when its writer is stopped just before.
func lockHolders(paths ...string) ([]int, error) {
	inodes := make(map[string]bool)
	for _, path := range paths {
		var st syscall.Stat_t
		if err := syscall.Stat(path, &st); err != nil {
			return nil, fmt.Errorf("looking at lock %s: %w", path, err)
		}
		inodes[strconv.FormatUint(st.Ino, 10)] = true
	}
	data, err := os.ReadFile("/proc/locks")
	if err != nil {
		return nil, fmt.Errorf("listing locks: %w", err)
	}
	return parseLocks(string(data), inodes), nil
}

// parseLocks reads lines such as "1: FLOCK  ADVISORY  WRITE 3216 00:2e:1234567 0 EOF". Those who wait have "->" as
// second field and are left out. The device is not compared: some file systems show another one here than to stat.
func parseLocks(text string, inodes map[string]bool) []int {
	var pids []int
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" {
			continue
		}
		if !inodes[f[5][strings.LastIndexByte(f[5], ':')+1:]] {
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}
