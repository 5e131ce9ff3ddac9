package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"emend/index"
	"emend/internal/workspace"
)

var errNoIndex = errors.New("a searching tool was called in a run that has no index")

// files returns the paths of every file as the draft has it, sorted: those of
// the index, with what the draft created and without what it removed, and
// documents that are open without a file. Secrets are left out.
func (e *Env) files(ctx context.Context) ([]string, error) {
	if e.Index == nil {
		return nil, errNoIndex
	}
	entries, err := e.Index.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the workspace's files: %w", err)
	}
	added, gone := e.differences()
	names := make([]string, 0, len(entries)+len(added))
	for _, entry := range entries {
		if !gone[entry.Path] && !e.secret(entry.Path) {
			names = append(names, entry.Rel)
		}
	}
	for p := range added {
		names = append(names, e.Roots.Rel(p))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// find returns the files whose names are like the query, the best first.
func (e *Env) find(ctx context.Context, query string, limit int) ([]string, error) {
	if e.Index == nil {
		return nil, errNoIndex
	}
	added, gone := e.differences()
	found, err := e.Index.Find(ctx, query, limit+len(gone))
	if err != nil {
		return nil, fmt.Errorf("finding files like %q: %w", query, err)
	}
	var names []string
	for p := range added {
		if rel := e.Roots.Rel(p); strings.Contains(strings.ToLower(rel), strings.ToLower(query)) {
			names = append(names, rel)
		}
	}
	slices.Sort(names)
	for _, entry := range found {
		if !gone[entry.Path] && !e.secret(entry.Path) && !slices.Contains(names, entry.Rel) {
			names = append(names, entry.Rel)
		}
	}
	return names[:min(len(names), limit)], nil
}

// differences returns what the index of the disk cannot know: documents that
// the draft made, or that are open without a file, with their texts; and files
// that the draft removed or renamed.
func (e *Env) differences() (added map[workspace.Path]string, gone map[workspace.Path]bool) {
	added, gone = map[workspace.Path]string{}, map[workspace.Path]bool{}
	for _, doc := range e.Draft.Snapshot().Open() {
		if !e.secret(doc.Path) && e.inside(doc.Path) {
			added[doc.Path] = doc.Text.String()
		}
	}
	for _, c := range e.Draft.Changes() {
		if c.From != "" {
			gone[c.From] = true
			delete(added, c.From)
		}
		if c.After == nil || !c.After.Exists {
			gone[c.Path] = true
			delete(added, c.Path)
			continue
		}
		if !c.After.Binary && !e.secret(c.Path) {
			added[c.Path] = c.After.Text
		}
	}
	return added, gone
}

// inside reports whether an open document is of the workspace. The person may
// have others open, which are not the model's to see.
func (e *Env) inside(p workspace.Path) bool {
	if !p.IsFile() || e.Roots.Empty() {
		return true
	}
	_, err := e.Roots.Resolve(string(p))
	return err == nil
}

// Files returns the paths of every file as the draft has it, as people and
// models write them, sorted. It needs an Index.
func (e *Env) Files(ctx context.Context) ([]string, error) { return e.files(ctx) }

// Read reads a document by the name a model gave it, under the rules of the
// tools. refused says why it may not be read, for the model; f is nil then.
func (e *Env) Read(ctx context.Context, name string) (f *workspace.File, refused string, err error) {
	f, _, r, err := e.text(ctx, name)
	if r != nil {
		return nil, r.Text, nil
	}
	return f, "", err
}

// Grep searches the draft as the tool grep does, for a caller of ours. It needs
// an Index. The query's Limit must be set.
func (e *Env) Grep(ctx context.Context, q index.Query) (matches []index.Match, more bool, err error) {
	return e.grep(ctx, q)
}
