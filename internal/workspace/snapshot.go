package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Snapshot is the workspace at one moment. The open documents are pinned when
// it is made, each file on disk at its first read; what was read once does not
// change. Making one is cheap. It is safe for concurrent use.
type Snapshot struct {
	roots Roots
	src   Source
	docs  []*Document // by ascending path

	mu    sync.Mutex // guards the two below
	files map[Path]*File
	room  int // bytes of files that may still be pinned
}

// maxPinned bounds the text of the files that one snapshot pins, in bytes.
const maxPinned = 512 << 20

// ErrFull is returned when a snapshot holds as many bytes as it may and is
// asked for another file.
var ErrFull = errors.New("too much has been read at once; begin anew, or ask about less")

// NewSnapshot pins what src has open now.
func NewSnapshot(roots Roots, src Source) *Snapshot {
	byPath := func(a, b *Document) int { return strings.Compare(string(a.Path), string(b.Path)) }
	docs := src.Documents()
	if !slices.IsSortedFunc(docs, byPath) {
		docs = slices.Clone(docs)
		slices.SortFunc(docs, byPath)
	}
	return &Snapshot{roots: roots, src: src, docs: docs, files: make(map[Path]*File), room: maxPinned}
}

// Roots returns the folders the snapshot is of.
func (s *Snapshot) Roots() Roots { return s.roots }

// Open returns the documents that were open, by ascending path. The slice is
// shared and must not be changed.
func (s *Snapshot) Open() []*Document { return s.docs }

// Document returns the document that was open at p.
func (s *Snapshot) Document(p Path) (*Document, bool) {
	i, found := slices.BinarySearchFunc(s.docs, p, func(d *Document, p Path) int {
		return strings.Compare(string(d.Path), string(p))
	})
	if !found {
		return nil, false
	}
	return s.docs[i], true
}

// Resolve is [Roots.Resolve], and it also finds an open document without a
// file by its URI or by the name [Roots.Rel] gives it.
func (s *Snapshot) Resolve(name string) (Path, error) {
	p, err := s.roots.Resolve(name)
	if err == nil {
		if _, statErr := osDisk.lstat(string(p)); statErr == nil {
			return p, nil
		}
		if _, open := s.Document(p); open {
			return p, nil
		}
	}
	var found []Path
	for _, doc := range s.docs {
		if doc.Path.IsFile() {
			continue
		}
		if doc.URI == name || string(doc.Path) == name {
			return doc.Path, nil
		}
		if doc.Path.Base() == name {
			found = append(found, doc.Path)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return p, err
}

// Read returns what p was. A missing file is one whose Exists is false, and no
// error. Of what is not open, only files inside the roots are read; others
// fail with an *[OutsideError], and so does a file whose place a symbolic link
// has taken. Beyond 512 MB in all it fails with [ErrFull]. Errors are not pinned: the next call tries again.
func (s *Snapshot) Read(ctx context.Context, p Path) (*File, error) {
	s.mu.Lock()
	f := s.files[p]
	s.mu.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := s.load(ctx, p)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.files[p]; first != nil {
		return first, nil
	}
	if !f.Open {
		if len(f.Text) > s.room {
			return nil, fmt.Errorf("reading %s: %w", s.roots.Rel(p), ErrFull)
		}
		s.room -= len(f.Text)
	}
	s.files[p] = f
	return f, nil
}

// load reads p from the editor, the disk or both.
func (s *Snapshot) load(ctx context.Context, p Path) (*File, error) {
	doc, open := s.Document(p)
	if !open {
		if err := s.roots.check(p); err != nil {
			return nil, err
		}
		return s.fromDisk(ctx, p)
	}
	if !p.IsFile() {
		return openFile(doc, nil), nil
	}
	onDisk, err := s.fromDisk(ctx, p)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		// The editor's text is what counts. Only the mark and the mode stay
		// unknown.
		onDisk = nil
	}
	return openFile(doc, onDisk), nil
}

// fromDisk reads a file through the source.
func (s *Snapshot) fromDisk(ctx context.Context, p Path) (*File, error) {
	data, mode, err := s.src.ReadFile(ctx, p)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Path: p, URI: p.URI()}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.roots.Rel(p), err)
	}
	return diskFile(p, data, mode), nil
}
