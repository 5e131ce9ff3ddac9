package proposal

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"emend/edits"
	"emend/state"
)

// change is the change of one text as hunks with fates: one file of a
// proposal, or of a checkpoint that is taken back. Hunks are kept as line
// ranges, which do not depend on how the difference was computed.
type change struct {
	before, after string
	hunks         []state.ProposalHunk
}

// newChange returns the change between two texts, all hunks pending.
func newChange(path, before, after string) change {
	ch := change{before: before, after: after}
	ids := newIDs(path)
	for _, h := range edits.Hunks(before, after) {
		ch.hunks = append(ch.hunks, state.ProposalHunk{
			ID: ids.next(h.Old, h.New), Fate: state.FatePending,
			OldStart: h.OldStart, OldEnd: h.OldEnd, NewStart: h.NewStart, NewEnd: h.NewEnd,
		})
	}
	return ch
}

// check reports why the hunks do not lead from before to after.
func (c change) check() error {
	before, after := edits.NewText(c.before), edits.NewText(c.after)
	at, to := 0, 0
	for i, h := range c.hunks {
		if h.OldStart < 0 || h.OldEnd < h.OldStart || h.NewEnd < h.NewStart ||
			h.OldEnd > numLines(c.before) || h.NewEnd > numLines(c.after) {
			return fmt.Errorf("hunk %d (%s) spans lines %d-%d → %d-%d, outside its texts",
				i, h.ID, h.OldStart, h.OldEnd, h.NewStart, h.NewEnd)
		}
		oldStart, newStart := lineStart(before, h.OldStart), lineStart(after, h.NewStart)
		if oldStart < at || newStart < to || c.before[at:oldStart] != c.after[to:newStart] {
			return fmt.Errorf("hunk %d (%s) does not start where the texts begin to differ", i, h.ID)
		}
		at, to = lineStart(before, h.OldEnd), lineStart(after, h.NewEnd)
	}
	if c.before[at:] != c.after[to:] {
		return fmt.Errorf("the texts still differ after the last of %d hunks", len(c.hunks))
	}
	return nil
}

// lines returns a hunk's lines before and after.
func (c change) lines(h state.ProposalHunk) (before, after string) {
	b, a := edits.NewText(c.before), edits.NewText(c.after)
	return c.before[lineStart(b, h.OldStart):lineStart(b, h.OldEnd)],
		c.after[lineStart(a, h.NewStart):lineStart(a, h.NewEnd)]
}

// lineStart returns the offset where line i of t begins, the end of the text
// for lines past the last.
func lineStart(t edits.Text, i int) int {
	if i >= t.NumLines() {
		return t.Len()
	}
	start, _ := t.Line(i)
	return start
}

// frame is a change made ready for rebasing: the text its open hunks stand
// against, and those hunks. It is immutable.
type frame struct {
	base  string
	hunks []edits.Hunk
	index []int // of each hunk, in change.hunks
}

// frame returns the open hunks against a base that holds the applied ones, all
// respelled with the given line ends. With asFound the base is the text before
// alone, without the applied ones.
func (c change) frame(to ends, asFound bool) *frame {
	before, after := respell(c.before, to), respell(c.after, to)
	tb, ta := edits.NewText(before), edits.NewText(after)
	f := &frame{}
	var base strings.Builder
	base.Grow(len(before))
	done := false // whether base differs from before
	at := 0       // bytes of before that are in base
	lines := 0    // by how many lines base is longer than before, so far
	grown := 0    // by how many lines base with its open hunks done is longer than base, so far
	for i, h := range c.hunks {
		start, end := lineStart(tb, h.OldStart), lineStart(tb, h.OldEnd)
		was, is := before[start:end], after[lineStart(ta, h.NewStart):lineStart(ta, h.NewEnd)]
		more := (h.NewEnd - h.NewStart) - (h.OldEnd - h.OldStart)
		switch {
		case h.Fate == state.FateApplied && !asFound:
			base.WriteString(before[at:start])
			base.WriteString(is)
			at, done = end, true
			lines += more
		case isOpen(h.Fate):
			base.WriteString(before[at:start])
			at = start
			first := h.OldStart + lines
			f.index = append(f.index, i)
			f.hunks = append(f.hunks, edits.Hunk{
				Edits:    shifted(edits.Diff(was, is), base.Len()),
				OldStart: first, OldEnd: h.OldEnd + lines,
				NewStart: first + grown, NewEnd: first + grown + h.NewEnd - h.NewStart,
				Old: was, New: is,
			})
			grown += more
		}
	}
	if !done {
		f.base = before // the same string, which compares at once
		return f
	}
	base.WriteString(before[at:])
	f.base = base.String()
	return f
}

// shifted returns the set moved by some bytes.
func shifted(s edits.Set, by int) edits.Set {
	if by == 0 || len(s) == 0 {
		return s
	}
	out := make(edits.Set, len(s))
	for i, e := range s {
		out[i] = edits.Edit{Start: e.Start + by, End: e.End + by, New: e.New}
	}
	return out
}

// hasApplied reports whether some hunk counts as being in the text.
func (c change) hasApplied() bool {
	return slices.ContainsFunc(c.hunks, func(h state.ProposalHunk) bool { return h.Fate == state.FateApplied })
}

// spot is where one open hunk goes in the text as it is now. Offsets count
// from the start of that text, byte-order mark included.
type spot struct {
	index int // in change.hunks
	edits.Moved
	hunk edits.Hunk // spelled like the text
}

// framer returns the frames of a change; Content remembers them between calls.
type framer func(to ends, asFound bool) *frame

// place carries the open hunks over to the text as it is now. What is Clean in
// the result can be applied all at once.
func (c change) place(now string, frames framer) []spot {
	mark, body := cutBOM(now)
	first, second := c.spelling(body)
	f := frames(first, false)
	if c.hasApplied() {
		if found := frames(first, true); found.base == body {
			f = found // the editor's undo took back what was applied
		}
	}
	spots := f.place(body)
	if n := conflicts(spots); n > 0 && second != first {
		if others := frames(second, false).place(body); conflicts(others) < n {
			spots = others
		}
	}
	untangle(spots)
	if mark == "" {
		return spots
	}
	for i := range spots {
		spots[i].Start += len(mark)
		spots[i].End += len(mark)
		spots[i].Edits = shifted(spots[i].Edits, len(mark))
	}
	return spots
}

// place carries the frame's hunks over to now.
func (f *frame) place(now string) []spot {
	if len(f.hunks) == 0 {
		return nil
	}
	out := make([]spot, len(f.hunks))
	for i, m := range edits.Rebase(f.base, now, f.hunks) {
		if len(f.hunks[i].Edits) == 0 {
			// Only line ends differed, and the text now has one kind.
			m = edits.Moved{State: edits.Already, Start: m.Start, End: m.End}
		}
		out[i] = spot{index: f.index[i], Moved: m, hunk: f.hunks[i]}
	}
	return out
}

// conflicts counts the spots in conflict.
func conflicts(spots []spot) int {
	n := 0
	for _, s := range spots {
		if s.State == edits.Conflicted {
			n++
		}
	}
	return n
}

// untangle refuses hunks that would not come out in the order they have: each
// was placed by itself, and among repeated lines one of them may have been
// found somewhere else already.
func untangle(spots []spot) {
	const doubtful = "several places of the text may be meant"
	refuse := func(s *spot) {
		s.Moved = edits.Moved{State: edits.Conflicted, Start: s.Start, End: s.End, Reason: doubtful}
	}
	end := 0 // of those before
	for i := range spots {
		s := &spots[i]
		if s.State == edits.Clean && s.Start < end {
			refuse(s)
		}
		if s.State != edits.Conflicted {
			end = max(end, s.End)
		}
	}
	start := math.MaxInt // of those there already, behind
	for i := range slices.Backward(spots) {
		s := &spots[i]
		if s.State == edits.Clean && s.End > start {
			refuse(s)
		}
		if s.State == edits.Already {
			start = min(start, s.Start)
		}
	}
}

// joined returns the edits of the chosen clean spots as one set.
func joined(spots []spot, chosen func(spot) bool) edits.Set {
	var out edits.Set
	for _, s := range spots {
		if s.State != edits.Clean || !chosen(s) {
			continue
		}
		out = edits.Join(out, s.Edits)
	}
	return out
}
