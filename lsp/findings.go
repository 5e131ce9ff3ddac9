package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"

	"emend/edits"
	"emend/internal/workspace"
	"emend/verify"
)

// findings is what the last run of the checks found, with the texts it was
// found in.
type findings struct {
	mu      sync.Mutex // guards the rest
	byDoc   map[workspace.Path][]verify.Finding
	texts   map[workspace.Path]edits.Text
	changed []workspace.Path // documents whose findings differ from before
}

// replace takes a new set in place of the last one.
func (f *findings) replace(ctx context.Context, snap *workspace.Snapshot, all []verify.Finding) {
	byDoc := map[workspace.Path][]verify.Finding{}
	texts := map[workspace.Path]edits.Text{}
	for _, one := range all {
		byDoc[one.Path] = append(byDoc[one.Path], one)
	}
	for path := range byDoc {
		if file, err := snap.Read(ctx, path); err == nil && file.Exists {
			texts[path] = edits.NewText(file.Text)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changed = nil
	for path := range f.byDoc {
		f.changed = append(f.changed, path)
	}
	for path := range byDoc {
		f.changed = append(f.changed, path)
	}
	slices.Sort(f.changed)
	f.changed = slices.Compact(f.changed)
	f.byDoc, f.texts = byDoc, texts
}

// touched returns the documents that the last replace was about.
func (f *findings) touched() []workspace.Path {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// of returns a document's findings and the text they speak of.
func (f *findings) of(path workspace.Path) ([]verify.Finding, edits.Text) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byDoc[path], f.texts[path]
}

func hashText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
