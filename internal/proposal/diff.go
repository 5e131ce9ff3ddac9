package proposal

import (
	"path/filepath"
	"strings"

	"emend/edits"
	"emend/state"
)

// diffContext is how many unchanged lines a diff shows around a change.
const diffContext = 3

// Diff returns what is open as a unified diff, with git's headers for what
// plain hunks cannot say: files that come, go or move. It is against the texts
// the run found, with the hunks that are applied already in them. Paths are
// relative to the root, and begin with a/ and b/.
func (c *Content) Diff() string { return c.DiffOf(Selection{}) }

// DiffOf is [Content.Diff] of a part.
func (c *Content) DiffOf(sel Selection) string {
	var out strings.Builder
	for i, f := range c.Files {
		if sel.inFile(f) {
			c.diffFile(&out, i, sel)
		}
	}
	return out.String()
}

// diffFile writes one file's part of the diff.
func (c *Content) diffFile(out *strings.Builder, i int, sel Selection) {
	f := c.Files[i]
	picked := func(h state.ProposalHunk) bool { return isOpen(h.Fate) && sel.takes(f, h) }
	from, to := c.relative(f.Path), c.relative(f.Path)
	switch f.Kind {
	case KindCreate:
		if picked(f.Hunks[0]) {
			out.WriteString("diff --git a/" + to + " b/" + to + "\nnew file mode 100644\n")
			out.WriteString(edits.Unified("", "b/"+to, "", c.Texts[i].After, diffContext))
		}
		return
	case KindDelete:
		if picked(f.Hunks[0]) {
			out.WriteString("diff --git a/" + from + " b/" + from + "\ndeleted file mode 100644\n")
			out.WriteString(edits.Unified("a/"+from, "", c.Texts[i].Before, "", diffContext))
		}
		return
	case KindRename:
		switch move := f.Hunks[0]; {
		case picked(move):
			from = c.relative(f.From)
			out.WriteString("diff --git a/" + from + " b/" + to + "\nrename from " + from + "\nrename to " + to + "\n")
		case move.Fate != state.FateApplied:
			from, to = c.relative(f.From), c.relative(f.From)
		}
	}
	before, after := c.change(i).reduced(picked)
	out.WriteString(edits.Unified("a/"+from, "b/"+to, before, after, diffContext))
}

// reduced returns the text with the applied hunks done, and the text with the
// picked ones done as well.
func (c change) reduced(picked func(state.ProposalHunk) bool) (before, after string) {
	f := c.frame(endsNone, false)
	var set edits.Set
	for i, h := range f.hunks {
		if picked(c.hunks[f.index[i]]) {
			set = edits.Join(set, h.Edits)
		}
	}
	after, err := set.Apply(f.base)
	if err != nil { // the hunks were checked when they were made or loaded
		return f.base, f.base
	}
	return f.base, after
}

// relative returns a path as a diff names it.
func (c *Content) relative(path string) string {
	if rel, err := filepath.Rel(c.Root, path); c.Root != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return strings.TrimPrefix(filepath.ToSlash(path), "/")
}
