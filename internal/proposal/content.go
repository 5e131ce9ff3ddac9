package proposal

import (
	"slices"
	"sync"
	"time"

	"emend/internal/workspace"
	"emend/state"
)

// The kinds of a [state.ProposalFile].
const (
	KindEdit   = "edit"   // the file existed and still does
	KindCreate = "create" // the file is new; one hunk, the whole text
	KindDelete = "delete" // the file goes; one hunk, the whole text
	KindRename = "rename" // the file moves from From to Path; the first hunk is the move itself, the others edit
)

// Texts are the two texts of one file of a proposal, without byte-order mark
// and with the line ends of the file: as the run found it and as it left it.
// A file that did not or will not exist has the empty text.
type Texts struct{ Before, After string }

// Content is a proposal together with its texts. Texts is parallel to Files.
// It must not be copied by assignment; see [Content.Clone].
type Content struct {
	state.Proposal
	Texts []Texts

	// memoMu guards memos, which only save work: what is in them follows
	// from the fields above.
	memoMu sync.Mutex
	memos  map[int]*memo
}

// Clone returns a copy that can be changed without the original noticing.
// Texts are shared, being immutable.
func (c *Content) Clone() *Content {
	out := &Content{Proposal: c.Proposal, Texts: slices.Clone(c.Texts)}
	out.Files = slices.Clone(c.Files)
	for i := range out.Files {
		out.Files[i].Hunks = slices.Clone(out.Files[i].Hunks)
	}
	return out
}

// Open reports how many hunks still wait for a decision: those pending, and
// those that could not be placed when last tried.
func (c *Content) Open() int {
	n := 0
	for _, f := range c.Files {
		for _, h := range f.Hunks {
			if isOpen(h.Fate) {
				n++
			}
		}
	}
	return n
}

// Paths returns the documents the proposal has to do with, in the order of its
// files. A rename has two, the place it leaves first.
func (c *Content) Paths() []workspace.Path {
	var out []workspace.Path
	for _, f := range c.Files {
		if f.Kind == KindRename {
			out = append(out, workspace.Path(f.From))
		}
		out = append(out, workspace.Path(f.Path))
	}
	return out
}

// HunkView is one hunk as it was proposed, for lists and for telling a model
// what a person refused.
type HunkView struct {
	ID   string
	Path workspace.Path
	Kind string // of the file
	Fate state.Fate
	Line int // one-based first line in the text the run found
	Old  string
	New  string
}

// Hunks returns every hunk of the proposal in order, whatever its fate. The
// move of a rename has neither Old nor New.
func (c *Content) Hunks() []HunkView {
	var out []HunkView
	for i, f := range c.Files {
		ch := c.change(i)
		for j, h := range f.Hunks {
			v := HunkView{ID: h.ID, Path: workspace.Path(f.Path), Kind: f.Kind, Fate: h.Fate, Line: h.OldStart + 1}
			if !isMove(f, j) {
				v.Old, v.New = ch.lines(h)
			}
			out = append(out, v)
		}
	}
	return out
}

// isMove reports whether hunk j of a file is the move of a rename.
func isMove(f state.ProposalFile, j int) bool { return f.Kind == KindRename && j == 0 }

// change returns file i's change of text, without the move of a rename.
func (c *Content) change(i int) change {
	return change{before: c.Texts[i].Before, after: c.Texts[i].After, hunks: c.textHunks(i)}
}

// textHunks returns the hunks of file i that change its text.
func (c *Content) textHunks(i int) []state.ProposalHunk {
	f := c.Files[i]
	if f.Kind == KindRename && len(f.Hunks) > 0 {
		return f.Hunks[1:]
	}
	return f.Hunks
}

// changed notes that fates changed: memos are dropped, the status follows.
func (c *Content) changed(now time.Time) {
	c.memoMu.Lock()
	c.memos = nil
	c.memoMu.Unlock()
	c.Updated = now
	if c.Status != state.ProposalSuperseded {
		c.Status = c.statusOfFates()
	}
}
