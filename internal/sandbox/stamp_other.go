//go:build !linux

package sandbox

import (
	"io/fs"
	"time"
)

// stamp tells whether somebody touched a file since it was made, unless they
// took care to set its modification time back.
type stamp struct {
	size     int64
	mode     fs.FileMode
	modified time.Time
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), mode: info.Mode(), modified: info.ModTime()}
}
