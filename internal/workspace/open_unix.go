//go:build unix

package workspace

import "golang.org/x/sys/unix"

// openNonblock keeps open from waiting when a pipe took a file's place.
const openNonblock = unix.O_NONBLOCK
