package index

import (
	"io"
	"io/fs"
	"os"
)

// folder is an open folder below a root. What is read through it cannot be
// outside the root, whatever links appear meanwhile.
type folder struct {
	root *os.Root
}

// openFolder opens the folder with this native name below root.
func openFolder(root *os.Root, rel string) (folder, error) {
	r, err := root.OpenRoot(rel)
	return folder{r}, err
}

func (f folder) close() {
	// Nothing was written through it.
	_ = f.root.Close()
}

// list returns what is in the folder, in no order.
func (f folder) list() ([]fs.DirEntry, error) {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	entries, err := dir.ReadDir(-1)
	if cerr := dir.Close(); err == nil {
		err = cerr
	}
	return entries, err
}

// read returns at most limit bytes of the regular file with this base name. It
// reuses buf where that is large enough.
func (f folder) read(name string, buf []byte, limit int64) ([]byte, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	data, err := readOpen(file, buf[:0], limit)
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	return data, err
}

// readOpen reads an open file to its end or the limit.
func readOpen(file *os.File, buf []byte, limit int64) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	size := min(info.Size(), limit)
	if int64(cap(buf)) < size+1 {
		buf = make([]byte, 0, size+size/4+512)
	}
	for int64(len(buf)) < limit {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := buf[len(buf):min(int64(cap(buf)), limit)]
		n, err := file.Read(room)
		buf = buf[:len(buf)+n]
		if err == io.EOF || err == nil && n < len(room) && int64(len(buf)) >= size {
			break // as much as there was a moment ago, and no more came
		}
		if err != nil {
			return nil, err
		}
	}
	return buf, nil
}
