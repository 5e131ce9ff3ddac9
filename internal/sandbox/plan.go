package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"emend/internal/workspace"
)

// Default bounds of a scratch copy.
const (
	DefaultMaxFiles = 200_000
	DefaultMaxBytes = 2 << 30
)

// TooLargeError is returned when a workspace is too large to copy.
type TooLargeError struct {
	Root string
	// What is "files" or "bytes", and Limit how many of them there may be.
	What  string
	Limit int64
	// Largest is the top-level folder with the most of them, or "".
	Largest string
}

func (e *TooLargeError) Error() string {
	s := fmt.Sprintf("copy %s for a check: it has more than %d %s", e.Root, e.Limit, e.What)
	if e.Largest != "" {
		s += fmt.Sprintf(", most of them in %s", e.Largest)
	}
	return s + "; exclude folders that the checks do not need"
}

// neverCopied are the entries left out at any depth: what belongs to version
// control, which no build needs to change and where a hook would lie.
var neverCopied = map[string]bool{".git": true, ".hg": true, ".svn": true, ".jj": true}

// neverCopiedAt are the entries left out at the top: emend's own documents.
var neverCopiedAt = map[string]bool{".emend/chat": true, ".emend/review": true}

// entry is one thing that is to be in the copy.
type entry struct {
	mode fs.FileMode // type and permission bits
	// size and modified are those of the file on disk.
	size     int64
	modified time.Time
	link     string          // for symbolic links, what it says
	laid     *workspace.File // for a file that is not the disk's
}

// plan is what the copy is to hold, by slash-separated name.
type plan struct {
	entries map[string]entry
	// left counts what was not copied: links that lead out, devices, sockets.
	left int
}

// same reports whether two entries make the same file.
func (e entry) same(o entry) bool {
	if e.mode != o.mode || e.link != o.link || (e.laid == nil) != (o.laid == nil) {
		return false
	}
	if e.laid != nil {
		return e.laid.Hash == o.laid.Hash
	}
	return e.size == o.size && e.modified.Equal(o.modified)
}

// planner walks one root.
type planner struct {
	cfg   Config
	root  string
	bytes int64
	files int64
	// byTop counts files and bytes of each top-level folder, for TooLargeError.
	byTop map[string][2]int64
	plan  *plan
}

// newPlan walks the root as it now is and lays over over it.
func newPlan(ctx context.Context, cfg Config, root string, over overlay) (*plan, error) {
	w := &planner{cfg: cfg, root: root, byTop: map[string][2]int64{}, plan: &plan{entries: map[string]entry{}}}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		rel, relErr := filepath.Rel(root, name)
		if relErr != nil {
			return relErr
		}
		return w.visit(filepath.ToSlash(rel), d, err)
	})
	if err != nil {
		return nil, fmt.Errorf("copy %s for a check: %w", root, err)
	}
	for rel, f := range over {
		if !w.excludedWithin(rel) {
			w.lay(rel, f)
		}
	}
	return w.plan, nil
}

// visit takes one entry of the walk into the plan.
func (w *planner) visit(rel string, d fs.DirEntry, err error) error {
	if err != nil {
		// What went away during the walk is not there; what the person cannot
		// read, no check of theirs reads either.
		if rel != "." && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
			w.plan.left++
			return nil
		}
		return err
	}
	if rel == "." {
		return nil
	}
	if w.excluded(rel, d.IsDir()) {
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	e := entry{mode: info.Mode() & (fs.ModeType | fs.ModePerm), size: info.Size(), modified: info.ModTime()}
	switch {
	case d.IsDir():
	case info.Mode().IsRegular():
		if err := w.count(rel, e.size); err != nil {
			return err
		}
	case info.Mode()&fs.ModeSymlink != 0:
		link, ok := w.insideLink(rel)
		if !ok {
			w.plan.left++
			return nil
		}
		e.link = link
		if err := w.count(rel, 0); err != nil {
			return err
		}
	default: // sockets, devices, pipes
		w.plan.left++
		return nil
	}
	w.plan.entries[rel] = e
	return nil
}

func (w *planner) excluded(rel string, dir bool) bool {
	base := path.Base(rel)
	if neverCopied[base] || neverCopiedAt[rel] {
		return true
	}
	if dir && base == "target" {
		// Cargo's build folder says of itself that it is a cache.
		if _, err := os.Lstat(filepath.Join(w.root, filepath.FromSlash(rel), "CACHEDIR.TAG")); err == nil {
			return true
		}
	}
	for _, pattern := range w.cfg.Exclude {
		if ok, err := doublestar.Match(pattern, rel); err == nil && ok {
			return true
		}
	}
	return false
}

// excludedWithin reports whether rel or a folder it lies in is excluded.
func (w *planner) excludedWithin(rel string) bool {
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if w.excluded(dir, true) {
			return true
		}
	}
	return w.excluded(rel, false)
}

// count keeps the bounds.
func (w *planner) count(rel string, size int64) error {
	w.files++
	w.bytes += size
	if top, _, ok := strings.Cut(rel, "/"); ok {
		n := w.byTop[top]
		w.byTop[top] = [2]int64{n[0] + 1, n[1] + size}
	}
	if w.files > int64(w.cfg.MaxFiles) {
		return w.tooLarge("files", int64(w.cfg.MaxFiles), 0)
	}
	if w.bytes > w.cfg.MaxBytes {
		return w.tooLarge("bytes", w.cfg.MaxBytes, 1)
	}
	return nil
}

func (w *planner) tooLarge(what string, limit int64, by int) error {
	e := &TooLargeError{Root: w.root, What: what, Limit: limit}
	var most int64
	for top, n := range w.byTop {
		if n[by] > most || n[by] == most && top < e.Largest {
			e.Largest, most = top, n[by]
		}
	}
	return e
}

// insideLink returns what the link at rel is to say in the copy, if it stays
// inside: its target may climb only at its beginning, where the folders are
// real ones, as a walk has led to them. Behind another link a ".." would climb
// from wherever that leads.
func (w *planner) insideLink(rel string) (string, bool) {
	target, err := os.Readlink(filepath.Join(w.root, filepath.FromSlash(rel)))
	if err != nil {
		return "", false
	}
	from := path.Dir(rel)
	if filepath.IsAbs(target) {
		in, err := filepath.Rel(w.root, target)
		if err != nil || !filepath.IsLocal(in) {
			return "", false
		}
		back, err := filepath.Rel(filepath.FromSlash(from), in)
		if err != nil {
			return "", false
		}
		target = back
	}
	slashed := filepath.ToSlash(target)
	climbing := true
	for part := range strings.SplitSeq(slashed, "/") {
		switch part {
		case "..":
			if !climbing {
				return "", false
			}
		case "", ".":
		default:
			climbing = false
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(path.Join(from, slashed))) {
		return "", false
	}
	return target, true
}

// lay puts f, or its absence, at rel.
func (w *planner) lay(rel string, f *workspace.File) {
	p := w.plan
	if f == nil {
		if p.entries[rel].mode.IsDir() {
			return // a folder has come where the deleted file was
		}
		delete(p.entries, rel)
		return
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if e, ok := p.entries[dir]; !ok || !e.mode.IsDir() {
			p.entries[dir] = entry{mode: fs.ModeDir | 0o755}
		}
	}
	mode := f.Mode & fs.ModePerm
	if mode == 0 {
		mode = 0o644
	}
	p.entries[rel] = entry{mode: mode, laid: f}
}
