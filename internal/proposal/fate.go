package proposal

import (
	"errors"
	"fmt"
	"time"

	"emend/internal/workspace"
	"emend/state"
)

var (
	// ErrSuperseded is returned for a proposal whose place another one took.
	ErrSuperseded = errors.New("it was superseded by a later proposal")
	// ErrNoChanges is returned by [Build] for a draft that changed nothing.
	ErrNoChanges = errors.New("the draft changed nothing")
	// ErrUnknown is returned for a selection that names no part of the proposal.
	ErrUnknown = errors.New("no such part of the proposal")
	// ErrDiscarded is returned for a selection of one hunk that was discarded.
	ErrDiscarded = errors.New("it was discarded")
)

// isOpen reports whether a hunk still waits for a decision. One in conflict
// does: the person may take back what it ran into.
func isOpen(f state.Fate) bool {
	return f == state.FatePending || f == state.FateConflict
}

// inFile reports whether a selection takes in a file at all.
func (s Selection) inFile(f state.ProposalFile) bool {
	return s.File == "" || s.File == f.Path || s.File == f.URI || (f.From != "" && s.File == f.From)
}

// takes reports whether a selection takes in one hunk.
func (s Selection) takes(f state.ProposalFile, h state.ProposalHunk) bool {
	return s.inFile(f) && (s.Hunk == "" || s.Hunk == h.ID)
}

// checkSelection reports why a selection cannot be planned.
func (c *Content) checkSelection(sel Selection) error {
	if sel == (Selection{}) {
		return nil
	}
	found := false
	for _, f := range c.Files {
		for _, h := range f.Hunks {
			if !sel.takes(f, h) {
				continue
			}
			found = true
			if sel.Hunk != "" && h.Fate == state.FateDiscarded {
				return fmt.Errorf("hunk %s of %s: %w", h.ID, f.Path, ErrDiscarded)
			}
		}
	}
	switch {
	case found:
		return nil
	case sel.Hunk != "":
		return fmt.Errorf("proposal %s, hunk %q: %w", c.ID, sel.Hunk, ErrUnknown)
	}
	return fmt.Errorf("proposal %s, file %q: %w", c.ID, sel.File, ErrUnknown)
}

// reopened returns the proposal with the hunk of this id pending again if it is
// applied; otherwise c itself.
func (c *Content) reopened(id string) *Content {
	for i, f := range c.Files {
		for j, h := range f.Hunks {
			if id == "" || h.ID != id || h.Fate != state.FateApplied {
				continue
			}
			out := c.Clone()
			out.Files[i].Hunks[j].Fate = state.FatePending
			return out
		}
	}
	return c
}

// setFates gives a new fate to every hunk that the function chooses.
func (c *Content) setFates(choose func(state.ProposalFile, state.ProposalHunk) (state.Fate, bool)) {
	for _, f := range c.Files {
		for j, h := range f.Hunks {
			if fate, ok := choose(f, h); ok {
				f.Hunks[j].Fate = fate
			}
		}
	}
	c.changed(time.Now().UTC())
}

// Discard marks the selected open hunks as refused by the person. A selection
// that names nothing does nothing.
func (c *Content) Discard(sel Selection) {
	c.setFates(func(f state.ProposalFile, h state.ProposalHunk) (state.Fate, bool) {
		return state.FateDiscarded, isOpen(h.Fate) && sel.takes(f, h)
	})
}

// TakenBack notes that the named documents' applied hunks are out of the text
// again, after the plan of an [Undo] was carried out there: they count as
// discarded. No paths means all documents.
func (c *Content) TakenBack(paths ...workspace.Path) {
	back := map[string]bool{}
	for _, p := range paths {
		back[string(p)] = true
	}
	c.setFates(func(f state.ProposalFile, h state.ProposalHunk) (state.Fate, bool) {
		here := len(paths) == 0 || back[f.Path] || (f.From != "" && back[f.From])
		return state.FateDiscarded, here && h.Fate == state.FateApplied
	})
}

// Supersede marks the proposal as replaced by a later one. Fates stay as they
// are, on record; nothing more can be planned.
func (c *Content) Supersede() {
	c.Status = state.ProposalSuperseded
	c.changed(time.Now().UTC())
}

// statusOfFates returns the status that the hunks' fates amount to: pending
// while any hunk is; conflicted while those that are left cannot be placed;
// then applied, partly or discarded by what was decided.
func (c *Content) statusOfFates() state.ProposalStatus {
	n := map[state.Fate]int{}
	for _, f := range c.Files {
		for _, h := range f.Hunks {
			n[h.Fate]++
		}
	}
	switch {
	case n[state.FatePending] > 0:
		return state.ProposalPending
	case n[state.FateConflict] > 0:
		return state.ProposalConflicted
	case n[state.FateApplied] == 0:
		return state.ProposalDiscarded
	case n[state.FateDiscarded] > 0:
		return state.ProposalPartly
	}
	return state.ProposalApplied
}
