package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

// racy is how close to the copying a file's modification time may be before
// the file is copied again next time: a clock that stands still between two
// writes would hide the second.
const racy = time.Second

// made is one file of the copy as it was made.
type made struct {
	from  entry
	stamp stamp
}

// tree is the scratch copy itself. It is not safe for concurrent use, and no
// command may run while it is brought in step.
type tree struct {
	root string // the workspace folder, real
	dir  string // the copy, real

	madeMu sync.Mutex
	made   map[string]made // guarded by madeMu; by slash-separated name
}

// step makes the copy hold what p says, and only that. It copies what is new
// or has changed on either side, and removes everything else that is there.
// What commands left behind is never written through: a file is made anew, in
// a folder that is known to be one.
func (t *tree) step(ctx context.Context, p *plan) error {
	if err := t.ensureDir(); err != nil {
		return err
	}
	present, err := t.clear(ctx, p)
	if err != nil {
		return err
	}
	src, err := os.OpenRoot(t.root)
	if err != nil {
		return err
	}
	defer src.Close() //nolint:errcheck // only read
	dst, err := os.OpenRoot(t.dir)
	if err != nil {
		return err
	}
	err = t.fill(ctx, p, present, src, dst)
	return errors.Join(err, dst.Close())
}

// ensureDir makes the copy's folder a folder that can be written.
func (t *tree) ensureDir() error {
	info, err := os.Lstat(t.dir)
	if err == nil && info.IsDir() {
		return os.Chmod(t.dir, 0o700)
	}
	if err == nil { // a command has put something else in its place
		if err := os.Remove(t.dir); err != nil {
			return err
		}
	}
	clear(t.made)
	return os.MkdirAll(t.dir, 0o700)
}

// clear removes from the copy what is not to be there, or not as it is. It
// returns the names that stay.
func (t *tree) clear(ctx context.Context, p *plan) (map[string]bool, error) {
	present := make(map[string]bool, len(t.made))
	err := filepath.WalkDir(t.dir, func(name string, d fs.DirEntry, err error) error {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		if name == t.dir {
			return err
		}
		rel, relErr := filepath.Rel(t.dir, name)
		if relErr != nil {
			return relErr
		}
		rel = filepath.ToSlash(rel)
		want, planned := p.entries[rel]
		if err == nil && planned && t.stays(rel, want, d) {
			present[rel] = true
			return nil
		}
		delete(present, rel) // an unreadable folder is visited twice
		if err := removeTree(name); err != nil {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return present, err
}

// stays reports whether what is at rel is what is wanted there.
func (t *tree) stays(rel string, want entry, d fs.DirEntry) bool {
	info, err := d.Info()
	if err != nil || info.Mode().Type() != want.mode.Type() {
		return false
	}
	if want.mode.IsDir() {
		return info.Mode().Perm() == folderMode(want)
	}
	m, ok := t.made[rel]
	return ok && m.from.same(want) && m.stamp == stampOf(info)
}

// folderMode is a folder's mode in the copy, where it can always be written.
func folderMode(e entry) fs.FileMode { return e.mode.Perm() | 0o700 }

// fill makes what is not present.
func (t *tree) fill(ctx context.Context, p *plan, present map[string]bool, src, dst *os.Root) error {
	var files []string
	for _, name := range slices.Sorted(maps.Keys(p.entries)) {
		if present[name] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e := p.entries[name]
		local := filepath.FromSlash(name)
		switch {
		case e.mode.IsDir():
			if err := dst.Mkdir(local, folderMode(e)); err != nil {
				return err
			}
			if err := dst.Chmod(local, folderMode(e)); err != nil { // the umask
				return err
			}
		case e.link != "":
			if err := dst.Symlink(e.link, local); err != nil {
				return err
			}
			if err := t.remember(dst, name, e); err != nil {
				return err
			}
		default:
			files = append(files, name)
		}
	}
	return t.copyAll(ctx, p, files, src, dst)
}

// copyAll makes the files, several at a time.
func (t *tree) copyAll(ctx context.Context, p *plan, files []string, src, dst *os.Root) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan string)
	var workers sync.WaitGroup
	for range min(max(2, runtime.GOMAXPROCS(0)), 8) {
		workers.Go(func() {
			buf := make([]byte, 128<<10)
			for name := range next {
				if err := t.copyFile(name, p.entries[name], src, dst, buf); err != nil {
					stop(err)
				}
			}
		})
	}
	for _, name := range files {
		if ctx.Err() != nil {
			break
		}
		next <- name
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// copyFile makes one file. A file that has gone from the workspace since the
// plan was made, or that cannot be read, is left out.
func (t *tree) copyFile(name string, e entry, src, dst *os.Root, buf []byte) error {
	local := filepath.FromSlash(name)
	var from io.Reader
	if e.laid == nil {
		in, err := src.Open(local)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		defer in.Close() //nolint:errcheck // only read
		from = in
	}
	out, err := dst.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if e.laid != nil {
		_, err = out.Write(e.laid.Bytes())
	} else {
		err = pour(out, from, e.size, buf)
	}
	if err = errors.Join(err, out.Chmod(e.mode.Perm()), out.Close()); err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	if e.laid == nil {
		// Tools that go by modification times see the workspace's.
		if err := dst.Chtimes(local, e.modified, e.modified); err != nil {
			return err
		}
	}
	return t.remember(dst, name, e)
}

// pour copies a file, a small one without the detours of the larger.
func pour(out *os.File, in io.Reader, size int64, buf []byte) error {
	if size < int64(len(buf)) {
		n, err := io.ReadFull(in, buf)
		if _, writeErr := out.Write(buf[:n]); writeErr != nil {
			return writeErr
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		// The file has grown; the rest follows.
	}
	_, err := io.Copy(out, in)
	return err
}

// remember notes how the file at name was made.
func (t *tree) remember(dst *os.Root, name string, e entry) error {
	info, err := dst.Lstat(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	if e.laid == nil && time.Since(e.modified) < racy {
		e.modified = time.Time{}
	}
	t.madeMu.Lock()
	defer t.madeMu.Unlock()
	t.made[name] = made{from: e, stamp: stampOf(info)}
	return nil
}

// removeTree removes name and what is under it, also from folders that a
// command has closed. Links are not followed.
func removeTree(name string) error {
	if err := os.RemoveAll(name); err == nil {
		return nil
	}
	err := filepath.WalkDir(name, func(sub string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			// A folder that cannot be opened comes here twice: once before
			// it is read, which is when this helps.
			return os.Chmod(sub, 0o700)
		}
		return err
	})
	return errors.Join(err, os.RemoveAll(name))
}
