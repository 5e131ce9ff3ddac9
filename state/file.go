package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A snapshot says where the newest committed state of a bbolt file is. It is read without bbolt, because bbolt first
// takes its own lock, which a stopped process may hold.
type snapshot struct {
	txid     uint64 // transaction that was committed last; 0 = there is none
	pageSize int64
	slot     int64  // which of the two meta pages says so
	pages    int64  // pages in use; the file must hold at least as many
	meta     []byte // the whole meta page
}

const (
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	metaHeader  = 16                 // bytes of a page before its content
	metaLength  = 64                 // bytes of a meta record, the last eight being its checksum
	metaFlag    = 0x04               // page type in the header
	maxPageSize = 1 << 20            // larger than any system's
	minFileSize = 2 * metaLength * 8 // shorter files are no database
)

// parseMeta reads a meta page. The second result is false when it is not valid.
func parseMeta(page []byte) (snapshot, bool) {
	if len(page) < metaHeader+metaLength || binary.NativeEndian.Uint16(page[8:])&metaFlag == 0 {
		return snapshot{}, false
	}
	m := page[metaHeader : metaHeader+metaLength]
	if binary.NativeEndian.Uint32(m) != metaMagic || binary.NativeEndian.Uint32(m[4:]) != metaVersion ||
		binary.NativeEndian.Uint64(m[56:]) != metaSum(m) {
		return snapshot{}, false
	}
	return snapshot{
		pageSize: int64(binary.NativeEndian.Uint32(m[8:])),
		pages:    int64(binary.NativeEndian.Uint64(m[40:])),
		txid:     binary.NativeEndian.Uint64(m[48:]),
		meta:     page,
	}, true
}

// readSnapshot finds the newest committed state in file and checks that the file is long enough for it. Reading it
// beyond its end would fault, so this comes before every use. Errors wrap ErrDamaged unless reading itself failed.
func readSnapshot(file *os.File) (snapshot, error) {
	info, err := file.Stat()
	if err != nil {
		return snapshot{}, fmt.Errorf("reading %s: %w", file.Name(), err)
	}
	if info.Size() < minFileSize {
		return snapshot{}, fmt.Errorf("%w: %d bytes are too few", ErrDamaged, info.Size())
	}
	var best snapshot
	for _, size := range pageSizes(file) {
		for slot := range int64(2) {
			page := make([]byte, min(size, 4096))
			n, err := file.ReadAt(page, slot*size)
			if err != nil && !errors.Is(err, io.EOF) {
				return snapshot{}, fmt.Errorf("reading %s: %w", file.Name(), err)
			}
			s, ok := parseMeta(page[:n])
			if ok && s.pageSize == size && (best.meta == nil || s.txid > best.txid) {
				s.slot, best = slot, s
			}
		}
		if best.meta != nil {
			break
		}
	}
	switch {
	case best.meta == nil:
		return snapshot{}, fmt.Errorf("%w: neither of its two head pages is valid", ErrDamaged)
	case best.pages < 2 || best.pages > info.Size()/best.pageSize:
		return snapshot{}, fmt.Errorf("%w: %d bytes where %d pages of %d bytes should be", ErrDamaged, info.Size(),
			best.pages, best.pageSize)
	}
	return best, nil
}

// pageSizes lists the page sizes that file may have, likeliest first.
func pageSizes(file *os.File) []int64 {
	sizes := []int64{int64(os.Getpagesize())}
	head := make([]byte, metaHeader+metaLength)
	if _, err := file.ReadAt(head, 0); err == nil {
		if s, ok := parseMeta(head); ok && s.pageSize >= 512 && s.pageSize <= maxPageSize {
			return []int64{s.pageSize}
		}
	}
	for size := int64(1024); size <= maxPageSize; size *= 2 {
		if size != sizes[0] {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// readStable is readSnapshot when a writer may be about to commit: a page that is just being written is read again.
func readStable(file *os.File) (snapshot, error) {
	last, lastErr := readSnapshot(file)
	for range 100 {
		next, err := readSnapshot(file)
		if bytes.Equal(last.meta, next.meta) && (err == nil) == (lastErr == nil) {
			return next, err
		}
		last, lastErr = next, err
		runtime.Gosched()
	}
	return last, lastErr
}

// older is the meta page that goes beside that of s: it names the same state as the transaction before.
func (s snapshot) older() []byte {
	page := bytes.Clone(s.meta)
	binary.NativeEndian.PutUint64(page, uint64(1-s.slot))
	m := page[metaHeader : metaHeader+metaLength]
	binary.NativeEndian.PutUint64(m[48:], s.txid-1)
	binary.NativeEndian.PutUint64(m[56:], metaSum(m))
	return page
}

// metaSum is the checksum of a meta record.
func metaSum(m []byte) uint64 {
	sum := fnv.New64a()
	sum.Write(m[:metaLength-8]) // a hash never fails
	return sum.Sum64()
}

// copySnapshot writes the state s of file from, and nothing newer, to a new file at path, synced. A writer may commit
// once meanwhile: a commit never touches a page that the state before it uses.
func copySnapshot(from *os.File, s snapshot, path string) (err error) {
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("copying %s: %w", from.Name(), err)
	}
	defer func() {
		if cerr := to.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("copying %s: %w", from.Name(), cerr)
		}
	}()
	head := make([]byte, 2*s.pageSize)
	copy(head[s.slot*s.pageSize:], s.meta)
	copy(head[(1-s.slot)*s.pageSize:], s.older())
	if _, err := to.Write(head); err != nil {
		return fmt.Errorf("copying %s: %w", from.Name(), err)
	}
	rest := (s.pages - 2) * s.pageSize
	if n, err := io.Copy(to, io.NewSectionReader(from, 2*s.pageSize, rest)); err != nil || n != rest {
		return fmt.Errorf("copying %s: %d of %d bytes: %w", from.Name(), n, rest, errors.Join(err, io.ErrUnexpectedEOF))
	}
	if err := to.Sync(); err != nil {
		return fmt.Errorf("copying %s: %w", from.Name(), err)
	}
	return nil
}

// syncDir makes the names in dir durable. Systems that cannot sync a folder keep names in order by themselves.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing folder: %w", err)
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("syncing folder %s: %w", dir, err)
	}
	return nil
}

// publish renames the finished file tmp to path and makes the name durable.
func publish(tmp, path string) error {
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("putting %s in place: %w", filepath.Base(path), err)
	}
	return syncDir(filepath.Dir(path))
}

// exists reports whether there is a file at path. Only a plain "no such file" is a no.
func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
