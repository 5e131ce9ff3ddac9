package edits

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// MoveState says what became of a hunk when its text moved on.
type MoveState uint8

// The states of a [Moved].
const (
	Clean      MoveState = iota // the hunk can be applied
	Already                     // the later text holds its result
	Conflicted                  // what it changes has been changed otherwise
)

// String returns the state's name.
func (s MoveState) String() string {
	switch s {
	case Clean:
		return "clean"
	case Already:
		return "already"
	}
	return "conflict"
}

// Moved is a hunk carried over to a later text.
type Moved struct {
	Edits      Set // against the later text; nil unless Clean
	State      MoveState
	Start, End int    // the bytes of the later text the hunk is about
	Reason     string // for people; empty unless Conflicted
}

// Rebase carries hunks of base over to now, one result per hunk. A hunk is
// Clean where none of its lines has changed and nothing has been inserted
// where it inserts; a change right beside it does no harm. It is Already where
// now holds its lines as it would have left them. Anything else is a conflict:
// nothing is guessed. Put the edits of several hunks together with [Join].
// Hunks that are not of base are conflicts.
func Rebase(base, now string, hunks []Hunk) []Moved {
	r := newRebaser(base, now)
	out := make([]Moved, len(hunks))
	for i, h := range hunks {
		out[i] = r.move(h)
	}
	return out
}

// rebaser holds what is the same for every hunk of one pair of texts.
type rebaser struct {
	now        string
	a, b       []string // lines of base and now
	offA, offB []int
	regions    []region // base to now
}

func newRebaser(base, now string) *rebaser {
	r := &rebaser{now: now, a: splitLines(base), b: splitLines(now)}
	r.offA, r.offB = lineOffsets(r.a), lineOffsets(r.b)
	if base != now {
		r.regions = diffLines(r.a, r.b)
	}
	return r
}

// move carries one hunk over.
func (r *rebaser) move(h Hunk) Moved {
	if h.OldStart < 0 || h.OldEnd < h.OldStart || h.OldEnd > len(r.a) ||
		strings.Join(r.a[h.OldStart:h.OldEnd], "") != h.Old {
		return Moved{State: Conflicted, Reason: "the change was made for another text"}
	}
	near := r.near(h.OldStart, h.OldEnd)
	if len(near) > 0 || len(r.near(h.OldStart-alignSlack, h.OldEnd+alignSlack)) > 0 {
		m, ok := r.already(h, len(near) > 0)
		if ok && len(near) == 0 {
			m.State, m.Reason = Conflicted, "the text may hold this change already"
		}
		if ok {
			return m
		}
	}
	if hit, ok := overlap(near, h.OldStart, h.OldEnd); ok {
		return r.conflict(hit, fmt.Sprintf("%s changed since", lineSpan(hit.j0, hit.j1)))
	}
	line := h.OldStart + shiftAt(r.regions, h.OldStart)
	end := line + h.OldEnd - h.OldStart
	at := region{h.OldStart, h.OldEnd, line, end}
	if line == end && line == len(r.b) && line > 0 && !strings.HasSuffix(r.now, "\n") && h.New != "" && h.OldStart > 0 &&
		strings.HasSuffix(r.a[h.OldStart-1], "\n") {
		return r.conflict(at, "the text no longer ends in a line break")
	}
	if h.New != "" && !strings.HasSuffix(h.New, "\n") && end < len(r.b) {
		return r.conflict(at, "the text no longer ends there")
	}
	delta := r.offB[line] - r.offA[h.OldStart]
	m := Moved{Start: r.offB[line], End: r.offB[end], Edits: make(Set, len(h.Edits))}
	for i, e := range h.Edits {
		m.Edits[i] = Edit{Start: e.Start + delta, End: e.End + delta, New: e.New}
	}
	return m
}

// near returns the regions that overlap or touch the lines from lo to hi.
func (r *rebaser) near(lo, hi int) []region {
	first := sort.Search(len(r.regions), func(i int) bool { return r.regions[i].i1 >= lo })
	last := first
	for last < len(r.regions) && r.regions[last].i0 <= hi {
		last++
	}
	return r.regions[first:last]
}

// overlap returns the part of regions that keeps lines lo to hi, or the
// insertion point lo when they are equal, from being replaced.
func overlap(regions []region, lo, hi int) (hit region, ok bool) {
	for _, g := range regions {
		clash := g.i0 < hi && lo < g.i1
		if lo == hi {
			clash = g.i0 < lo && lo < g.i1 || g.i0 == g.i1 && g.i0 == lo
		}
		if !clash {
			continue
		}
		if !ok {
			hit, ok = g, true
		}
		hit.i1, hit.j1 = g.i1, g.j1
	}
	return hit, ok
}

// shiftAt returns how far line moved through the regions that end at or before
// it.
func shiftAt(regions []region, line int) int {
	n := sort.Search(len(regions), func(i int) bool { return regions[i].i1 > line })
	if n == 0 {
		return 0
	}
	return regions[n-1].j1 - regions[n-1].i1
}

// alignSlack is how many lines away from a hunk its own result may show up as
// a change, because among repeated lines several alignments are as short.
const alignSlack = 16

// already reports a hunk whose result is in the later text: going there from
// the base with the hunk applied leaves the hunk's lines alone and is a
// shorter way, by all of the hunk where no change of the later text touches it.
func (r *rebaser) already(h Hunk, touched bool) (Moved, bool) {
	lines := splitLines(h.New)
	w := r.window(h.OldStart, h.OldEnd)
	done := slices.Concat(r.a[w.i0:h.OldStart], lines, r.a[h.OldEnd:w.i1])
	lo := h.OldStart - w.i0
	hi := lo + len(lines)
	regions := diffLines(done, r.b[w.j0:w.j1])
	if _, clash := overlap(regions, lo, hi); clash {
		return Moved{}, false
	}
	saved := changedLines(r.within(w)) - changedLines(regions)
	if saved <= 0 || !touched && saved != h.OldEnd-h.OldStart+len(lines) {
		return Moved{}, false
	}
	line := w.j0 + lo + shiftAt(regions, lo)
	return Moved{State: Already, Start: r.offB[line], End: r.offB[line+len(lines)]}, true
}

// windowReach is how many lines around a hunk are looked at for its result.
const windowReach = 64

// window returns the lines around lo to hi in base, and what they are in now.
// It cuts no region in two.
func (r *rebaser) window(lo, hi int) region {
	w := region{max(0, lo-windowReach), min(len(r.a), hi+windowReach), 0, len(r.b)}
	first := sort.Search(len(r.regions), func(i int) bool { return r.regions[i].i1 > w.i0 })
	if first < len(r.regions) && r.regions[first].i0 < w.i0 {
		w.i0 = r.regions[first].i0
	}
	last := sort.Search(len(r.regions), func(i int) bool { return r.regions[i].i0 >= w.i1 }) - 1
	if last >= 0 && r.regions[last].i1 > w.i1 {
		w.i1 = r.regions[last].i1
	}
	if w.i0 > 0 {
		w.j0 = w.i0 + shiftAt(r.regions[:first], w.i0)
	}
	if w.i1 < len(r.a) {
		w.j1 = w.i1
		if last >= 0 {
			w.j1 += r.regions[last].j1 - r.regions[last].i1
		}
	}
	return w
}

// within returns the regions inside a window.
func (r *rebaser) within(w region) []region {
	first := sort.Search(len(r.regions), func(i int) bool { return r.regions[i].j1 > w.j0 || r.regions[i].i1 > w.i0 })
	last := first
	for last < len(r.regions) && r.regions[last].i1 <= w.i1 && r.regions[last].j1 <= w.j1 {
		last++
	}
	return r.regions[first:last]
}

// changedLines counts the lines that regions remove and add.
func changedLines(regions []region) int {
	n := 0
	for _, g := range regions {
		n += g.i1 - g.i0 + g.j1 - g.j0
	}
	return n
}

// conflict returns the conflict of a hunk with one region.
func (r *rebaser) conflict(g region, reason string) Moved {
	return Moved{State: Conflicted, Start: r.offB[g.j0], End: r.offB[g.j1], Reason: reason}
}

// lineSpan names lines from lo to hi, zero-based and half-open, for people.
func lineSpan(lo, hi int) string {
	if hi-lo <= 1 {
		return fmt.Sprintf("line %d", lo+1)
	}
	return fmt.Sprintf("lines %d-%d", lo+1, hi)
}
