package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// BinaryError is returned when a change is asked of a file that is not text,
// or would make it so.
type BinaryError struct{ Path Path }

func (e *BinaryError) Error() string {
	return fmt.Sprintf("%s is binary (it contains NUL); a draft holds text only", e.Path)
}

// EncodingError is returned when a change is asked of a file that is text of
// another encoding than UTF-8, or with text that is not UTF-8.
type EncodingError struct{ Path Path }

func (e *EncodingError) Error() string {
	return fmt.Sprintf("%s is not UTF-8; open it in the editor, which knows its encoding, or convert it first", e.Path)
}

// Draft is a snapshot and one run's changes over it. Nobody else sees them. It
// is safe for concurrent use.
type Draft struct {
	snap *Snapshot

	mu    sync.RWMutex // guards files
	files map[Path]*drafted
}

// drafted is what the draft did to one path.
type drafted struct {
	before *File // in the snapshot; Exists may be false
	after  *File // nil when it was deleted or renamed away
	origin Path  // for a renamed file, the path it has in the snapshot
}

// Change is what a draft did to one file.
type Change struct {
	Path Path
	// Before is what the snapshot has, nil when it has no such file. For a
	// renamed file it is what the snapshot has at From.
	Before *File
	// After is what the draft has, nil when it deleted the file.
	After *File
	// From is the path a renamed file has in the snapshot, else "". There is
	// no further Change for From.
	From Path
}

// NewDraft returns a draft without changes.
func NewDraft(s *Snapshot) *Draft {
	return &Draft{snap: s, files: make(map[Path]*drafted)}
}

// Snapshot returns what the draft is over.
func (d *Draft) Snapshot() *Snapshot { return d.snap }

// Read returns what p is in the draft, as [Snapshot.Read] does.
func (d *Draft) Read(ctx context.Context, p Path) (*File, error) {
	d.mu.RLock()
	entry := d.files[p]
	d.mu.RUnlock()
	if entry != nil {
		return entry.now(), nil
	}
	return d.snap.Read(ctx, p)
}

// now returns what the entry holds.
func (e *drafted) now() *File {
	if e.after != nil {
		return e.after
	}
	return &File{Path: e.before.Path, URI: e.before.URI}
}

// Write makes text the content of p, which it creates where it is missing. The
// file keeps its byte-order mark, its mode, and its line ends where all of
// them are CR LF: a bare LF in text becomes one. Text is taken as it is
// otherwise. Write refuses a path outside the roots with an *[OutsideError],
// and binary and foreign text with a *[BinaryError] or an *[EncodingError].
func (d *Draft) Write(ctx context.Context, p Path, text string) error {
	if err := d.admit(p); err != nil {
		return err
	}
	if err := checkText(p, text); err != nil {
		return err
	}
	orig, err := d.snap.Read(ctx, p)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	cur := d.currentLocked(p, orig)
	if cur.Exists {
		if err := writable(cur); err != nil {
			return err
		}
	} else if err := d.checkPlaceLocked(ctx, p); err != nil {
		return err
	}
	d.setLocked(p, orig, written(cur, orig, text))
	return nil
}

// written returns the file that writing text over cur makes. What cur leaves
// open, since it was deleted or has no line ends, orig decides.
func written(cur, orig *File, text string) *File {
	like := cur
	if !like.Exists {
		like = orig
	}
	text, bom := strings.CutPrefix(text, byteOrderMark)
	if like.Exists {
		bom = like.BOM
	}
	all, any := crlf(cur.Text)
	if !any {
		all, _ = crlf(orig.Text)
	}
	if all {
		text = withCRLF(text)
	}
	return &File{
		Path: cur.Path, URI: like.URI, Exists: true, Open: like.Open, Version: like.Version,
		Text: text, BOM: bom, Mode: like.Mode, Hash: hashText(bom, text),
	}
}

// Delete removes p. It fails with fs.ErrNotExist when there is no such file,
// and refuses what Write refuses.
func (d *Draft) Delete(ctx context.Context, p Path) error {
	if err := d.admit(p); err != nil {
		return err
	}
	if !p.IsFile() {
		return noFile(p)
	}
	orig, err := d.snap.Read(ctx, p)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	cur := d.currentLocked(p, orig)
	if !cur.Exists {
		return &fs.PathError{Op: "delete", Path: string(p), Err: fs.ErrNotExist}
	}
	if err := writable(cur); err != nil {
		return err
	}
	d.setLocked(p, orig, nil)
	return nil
}

// Rename moves a file to a path that is free; what it holds may be changed
// before and after. It fails with fs.ErrNotExist or fs.ErrExist, and refuses
// what Write refuses.
func (d *Draft) Rename(ctx context.Context, from, to Path) error {
	for _, p := range []Path{from, to} {
		if err := d.admit(p); err != nil {
			return err
		}
	}
	if !from.IsFile() || !to.IsFile() {
		return noFile(from)
	}
	origFrom, err := d.snap.Read(ctx, from)
	if err != nil {
		return err
	}
	origTo, err := d.snap.Read(ctx, to)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	cur := d.currentLocked(from, origFrom)
	if !cur.Exists {
		return &fs.PathError{Op: "rename", Path: string(from), Err: fs.ErrNotExist}
	}
	if err := writable(cur); err != nil {
		return err
	}
	if d.currentLocked(to, origTo).Exists {
		return &fs.PathError{Op: "rename", Path: string(to), Err: fs.ErrExist}
	}
	if err := d.checkPlaceLocked(ctx, to); err != nil {
		return err
	}
	origin := from
	if entry := d.files[from]; entry != nil {
		origin = entry.origin
	}
	d.setLocked(from, origFrom, nil)
	moved := *cur
	moved.Path, moved.URI, moved.Open, moved.Version = to, to.URI(), false, 0
	d.setLocked(to, origTo, &moved)
	d.files[to].origin = origin
	return nil
}

// Changes returns what the draft did, by ascending path. What ended where it
// began is left out.
func (d *Draft) Changes() []Change {
	d.mu.RLock()
	defer d.mu.RUnlock()
	paths := make([]Path, 0, len(d.files))
	for p := range d.files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	moved := make(map[Path]bool) // snapshot paths that a rename accounts for
	for _, p := range paths {
		if from := d.renamedLocked(d.files[p]); from != "" {
			moved[from] = true
		}
	}
	var changes []Change
	for _, p := range paths {
		entry := d.files[p]
		c := Change{Path: p, After: entry.after}
		if entry.before.Exists {
			c.Before = entry.before
		}
		if from := d.renamedLocked(entry); from != "" {
			c.From, c.Before = from, d.files[from].before
		} else if c.Before == nil && c.After == nil || moved[p] || same(c.Before, c.After) {
			continue
		}
		changes = append(changes, c)
	}
	return changes
}

// renamedLocked returns the snapshot path that entry is a rename of, or "". A
// file that moved over one the snapshot has, or away from one that has since
// been made anew, is not a rename but two changes.
func (d *Draft) renamedLocked(entry *drafted) Path {
	if entry.after == nil || entry.before.Exists || entry.origin == "" || entry.origin == entry.after.Path {
		return ""
	}
	source := d.files[entry.origin]
	if source == nil || !source.before.Exists || source.after != nil {
		return ""
	}
	return entry.origin
}

// same reports whether two files, either of which may be nil, hold the same.
func same(a, b *File) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Text == b.Text && a.BOM == b.BOM && a.Mode == b.Mode
}

// currentLocked returns what p is in the draft, orig being the snapshot's.
func (d *Draft) currentLocked(p Path, orig *File) *File {
	if entry := d.files[p]; entry != nil {
		return entry.now()
	}
	return orig
}

// setLocked makes after what p is; nil deletes it.
func (d *Draft) setLocked(p Path, orig, after *File) {
	entry := d.files[p]
	if entry == nil {
		entry = &drafted{before: orig}
		if orig.Exists {
			entry.origin = p
		}
		d.files[p] = entry
	}
	if after == nil {
		entry.origin = ""
	}
	entry.after = after
}

// admit checks that a path may be changed: it is inside the roots, or it is an
// open document that has no file, or that is open without any folder.
func (d *Draft) admit(p Path) error {
	if _, open := d.snap.Document(p); open && (!p.IsFile() || d.snap.roots.Empty()) {
		return nil
	}
	if !p.IsFile() {
		return &OutsideError{Name: string(p), Reason: "it is not a file of the workspace"}
	}
	return d.snap.roots.check(p)
}

// checkPlaceLocked checks that a file can come to be at p: that no part of its
// name is a file, and that no file of the draft lies below it.
func (d *Draft) checkPlaceLocked(ctx context.Context, p Path) error {
	below := string(p) + string(filepath.Separator)
	for other, entry := range d.files {
		if entry.after != nil && strings.HasPrefix(string(other), below) {
			return &fs.PathError{Op: "create", Path: string(p), Err: ErrNotRegular}
		}
	}
	root, ok := d.snap.roots.Of(p)
	if !ok {
		return nil
	}
	for dir := filepath.Dir(string(p)); dir != root && within(root, dir); dir = filepath.Dir(dir) {
		orig, err := d.snap.Read(ctx, Path(dir))
		if errors.Is(err, ErrNotRegular) {
			return nil // a folder is there
		}
		if err != nil {
			return err
		}
		if d.currentLocked(Path(dir), orig).Exists {
			return fmt.Errorf("creating %s: %s is a file, not a folder", d.snap.roots.Rel(p), d.snap.roots.Rel(Path(dir)))
		}
	}
	return nil
}

// noFile refuses to delete or rename what is only in the editor.
func noFile(p Path) error {
	return &OutsideError{Name: string(p), Reason: "it has no file; only its text can be changed"}
}

// writable refuses a file whose text the draft does not fully know.
func writable(f *File) error {
	switch {
	case f.Binary:
		return &BinaryError{Path: f.Path}
	case f.NotUTF8:
		return &EncodingError{Path: f.Path}
	}
	return nil
}

// checkText refuses text that would not be text on disk.
func checkText(p Path, text string) error {
	switch {
	case strings.IndexByte(text, 0) >= 0:
		return &BinaryError{Path: p}
	case !utf8.ValidString(text):
		return &EncodingError{Path: p}
	case len(text) > MaxFileSize:
		return &TooLargeError{Path: p, Size: int64(len(text)), Limit: MaxFileSize}
	}
	return nil
}
