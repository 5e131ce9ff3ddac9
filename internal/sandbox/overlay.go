package sandbox

import (
	"context"
	"fmt"
	"path/filepath"

	"emend/internal/workspace"
)

// OpenFiles returns what a Config's or an Update's open is for a snapshot: the
// open documents that lie below root, with the text the editor shows, saved or
// not. It fails only when ctx ends.
func OpenFiles(ctx context.Context, snap *workspace.Snapshot, root string) ([]*workspace.File, error) {
	root, err := realRoot(root)
	if err != nil {
		return nil, err
	}
	var files []*workspace.File
	for _, doc := range snap.Open() {
		if _, ok := below(root, doc.Path); !ok {
			continue
		}
		f, err := snap.Read(ctx, doc.Path)
		if err != nil {
			return nil, fmt.Errorf("lay %s over the scratch copy: %w", doc.Path.Base(), err)
		}
		files = append(files, f)
	}
	return files, nil
}

// overlay is what stands in for the disk: content by slash-separated name, nil
// for what is deleted.
type overlay map[string]*workspace.File

// newOverlay lays changes over open. Files outside root, and those whose bytes
// a File does not hold, are left to the disk.
func newOverlay(root string, open []*workspace.File, changes []workspace.Change) overlay {
	o := overlay{}
	put := func(p workspace.Path, f *workspace.File) {
		rel, ok := below(root, p)
		if !ok {
			return
		}
		switch {
		case f == nil || !f.Exists:
			o[rel] = nil
		case !f.Binary && !f.NotUTF8:
			o[rel] = f
		}
	}
	for _, f := range open {
		put(f.Path, f)
	}
	for _, c := range changes {
		if c.From != "" {
			put(c.From, nil)
		}
	}
	for _, c := range changes {
		put(c.Path, c.After)
	}
	return o
}

// below returns p's slash-separated name relative to root, if it lies there.
func below(root string, p workspace.Path) (string, bool) {
	if !p.IsFile() {
		return "", false
	}
	rel, err := filepath.Rel(root, string(p))
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// realRoot returns root as workspace paths begin with it: absolute and without
// symbolic links.
func realRoot(root string) (string, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("find the workspace folder %s: %w", root, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("find the workspace folder %s: %w", root, err)
	}
	return real, nil
}
