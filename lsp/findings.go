package lsp

import (
	"context"
	"slices"
	"sync"

	"emend/edits"
	"emend/internal/workspace"
	"emend/verify"
)

// findings is what the last runs of the checks found.
type findings struct {
	mu    sync.Mutex // guards byDoc
	byDoc map[workspace.Path][]found
}

// found is a finding with the text it was found in.
type found struct {
	verify.Finding
	root string
	text edits.Text
}

// replace takes what some checks of a root folder found in the place of what
// the same checks found before. It returns the documents that either is about.
func (f *findings) replace(ctx context.Context, snap *workspace.Snapshot, root string, report verify.Report) []workspace.Path {
	var ran []string
	for _, r := range report.Ran {
		ran = append(ran, r.Check.Name)
	}
	texts := map[workspace.Path]edits.Text{}
	for _, one := range report.Findings {
		if _, known := texts[one.Path]; known {
			continue
		}
		if file, err := snap.Read(ctx, one.Path); err == nil {
			texts[one.Path] = edits.NewText(file.Text)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	next := map[workspace.Path][]found{}
	var touched []workspace.Path
	for path, all := range f.byDoc {
		touched = append(touched, path)
		for _, old := range all {
			if old.root != root || !slices.Contains(ran, old.Check) {
				next[path] = append(next[path], old)
			}
		}
	}
	for _, one := range report.Findings {
		touched = append(touched, one.Path)
		next[one.Path] = append(next[one.Path], found{one, root, texts[one.Path]})
	}
	f.byDoc = next
	slices.Sort(touched)
	return slices.Compact(touched)
}

// about reports whether a document has findings, shown or not: those that an
// edit hides come back with its undo.
func (f *findings) about(path workspace.Path) bool { return len(f.of(path)) > 0 }

// of returns a document's findings.
func (f *findings) of(path workspace.Path) []found {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byDoc[path]
}

// lineCarrier tells where lines of one text are in a later one. The zero value
// is ready; it remembers the last pair of texts, since the findings of a
// document come together.
type lineCarrier struct {
	from, to string
	hunks    []edits.Hunk
	known    bool
}

// carry returns the line that line of from has become in to; ok is false when
// it was changed or is gone.
func (c *lineCarrier) carry(from, to edits.Text, line int) (now int, ok bool) {
	if line >= from.NumLines() {
		return 0, false
	}
	if !c.known || c.from != from.String() || c.to != to.String() {
		*c = lineCarrier{from: from.String(), to: to.String(), known: true}
		c.hunks = edits.Hunks(c.from, c.to)
	}
	now = line
	for _, h := range c.hunks {
		if line < h.OldStart {
			break
		}
		if line < h.OldEnd {
			return 0, false
		}
		now += h.NewEnd - h.NewStart - (h.OldEnd - h.OldStart)
	}
	return now, now < to.NumLines()
}
