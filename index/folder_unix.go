//go:build unix

package index

import "golang.org/x/sys/unix"

// openFlags keep open from waiting when a pipe took a file's place.
const openFlags = unix.O_NONBLOCK
