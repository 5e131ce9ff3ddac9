package sandbox

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"emend/internal/workspace"
)

// ErrClosed is returned by the methods of a Box after, or interrupted by, its
// Close.
var ErrClosed = errors.New("the scratch copy is closed")

// Config says what to copy and how.
type Config struct {
	// Root is the workspace folder. It must exist.
	Root string
	// Open are documents whose text stands in for the disk's; see OpenFiles.
	Open []*workspace.File
	// Changes are a draft's, laid over Open.
	Changes []workspace.Change
	// Exclude are patterns of slash-separated names relative to Root that are
	// not copied, in the syntax of doublestar: "**/dist", "data/*.bin". The
	// folders of version control, emend's chats and reviews, and Cargo's
	// target folder are never copied.
	Exclude []string
	// MaxFiles and MaxBytes bound the copy; 0 is DefaultMaxFiles and
	// DefaultMaxBytes.
	MaxFiles int
	MaxBytes int64
	// Parent is the folder the copy is made in, which must be the person's
	// own and outside Root; "" is one in the person's cache folder.
	Parent string
	// Writable are folders and files outside the copy that commands may
	// change at the level Files, beside the tool caches.
	Writable []string
	// Unconfined leaves commands at the level None even where more is
	// possible.
	Unconfined bool
}

// Box is a private copy of a workspace folder that commands run in. Its
// methods may be called from any goroutine and take turns: an Update waits for
// the command that runs, and a second command for the first. A Box holds disk
// space and a lock until Close.
type Box struct {
	cfg   Config
	level Level
	slot  *slot
	tree  *tree

	turn      chan struct{} // holds one token: whoever has it may use the tree
	closing   chan struct{} // closed by Close
	closeOnce sync.Once
	closeErr  error
}

// New copies cfg.Root and lays the documents and changes over the copy. Files
// are copied, never hard-linked. Symbolic links are made anew when they stay
// inside; those that lead out, sockets, pipes, devices and files that cannot be
// read are left out. It fails with a *TooLargeError beyond the bounds. The
// caller must call Close.
func New(ctx context.Context, cfg Config) (*Box, error) {
	root, err := realRoot(cfg.Root)
	if err != nil {
		return nil, err
	}
	if cfg.MaxFiles <= 0 {
		cfg.MaxFiles = DefaultMaxFiles
	}
	if cfg.MaxBytes <= 0 {
		cfg.MaxBytes = DefaultMaxBytes
	}
	for _, pattern := range cfg.Exclude {
		if !doublestar.ValidatePattern(pattern) {
			return nil, fmt.Errorf("copy %s for a check: the pattern %q to exclude is malformed", root, pattern)
		}
	}
	s, err := takeSlot(cfg.Parent, root)
	if err != nil {
		return nil, err
	}
	b := &Box{
		cfg: cfg, level: None, slot: s,
		tree:    &tree{root: root, dir: filepath.Join(s.dir, "w", filepath.Base(root)), made: map[string]made{}},
		turn:    make(chan struct{}, 1),
		closing: make(chan struct{}),
	}
	b.turn <- struct{}{}
	if !cfg.Unconfined {
		b.level = Probe().Level
	}
	if err := b.Update(ctx, cfg.Open, cfg.Changes); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Update makes the copy hold the workspace as it is on disk now, with open and
// then changes laid over it, and nothing else: what commands made or changed
// is gone. It costs a walk through both trees and the copying of what differs.
func (b *Box) Update(ctx context.Context, open []*workspace.File, changes []workspace.Change) error {
	if err := b.take(ctx); err != nil {
		return err
	}
	defer b.give()
	p, err := newPlan(ctx, b.cfg, b.tree.root, newOverlay(b.tree.root, open, changes))
	if err != nil {
		return err
	}
	if err := b.tree.step(ctx, p); err != nil {
		return fmt.Errorf("copy %s for a check: %w", b.tree.root, err)
	}
	return nil
}

// take waits for the turn.
func (b *Box) take(ctx context.Context) error {
	select {
	case <-b.closing:
		return ErrClosed
	default:
	}
	select {
	case <-b.turn:
		return nil
	case <-b.closing:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Box) give() { b.turn <- struct{}{} }

// Close ends the command that runs, waits for it, and removes the copy. It may
// be called more than once.
func (b *Box) Close() error {
	b.closeOnce.Do(func() {
		close(b.closing)
		<-b.turn // never given back
		b.closeErr = b.slot.release()
	})
	return b.closeErr
}

// Level is how commands of this Box are confined.
func (b *Box) Level() Level { return b.level }

// Note is Level in a sentence for people.
func (b *Box) Note() string { return b.level.note() }

// Root is the workspace folder the copy is of, absolute and without symbolic
// links.
func (b *Box) Root() string { return b.tree.root }

// Dir is the copy's folder, absolute.
func (b *Box) Dir() string { return b.tree.dir }

// Real returns the workspace's path for a name that a command in the folder
// dir (relative to the root) has printed. It is false for names outside the
// workspace and its copy.
func (b *Box) Real(dir, name string) (workspace.Path, bool) {
	if name == "" || strings.ContainsRune(name, 0) {
		return "", false
	}
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		name = filepath.Join(b.tree.dir, filepath.FromSlash(dir), name)
	}
	rel, err := filepath.Rel(b.tree.dir, name)
	if err != nil || !filepath.IsLocal(rel) {
		if rel, err = filepath.Rel(b.tree.root, name); err != nil || !filepath.IsLocal(rel) {
			return "", false
		}
	}
	p := workspace.Key(filepath.Join(b.tree.root, rel))
	if _, ok := below(b.tree.root, p); !ok {
		return "", false
	}
	return p, true
}

// RealText puts the workspace's folder in the place of the copy's in what a
// command has printed.
func (b *Box) RealText(text string) string {
	return strings.ReplaceAll(text, b.tree.dir, b.tree.root)
}
