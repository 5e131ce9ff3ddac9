package sandbox

import (
	"io/fs"
	"syscall"
	"time"
)

// stamp tells whether somebody touched a file since it was made: the change
// time cannot be set by a program, and the inode tells a replacement.
type stamp struct {
	size    int64
	mode    fs.FileMode
	inode   uint64
	changed syscall.Timespec
	// modified is used where there is no Stat_t.
	modified time.Time
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mode: info.Mode()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode, s.changed = sys.Ino, sys.Ctim
	} else {
		s.modified = info.ModTime()
	}
	return s
}
