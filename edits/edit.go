package edits

import (
	"fmt"
	"strings"
)

// Edit replaces the bytes Start to End of a base text by New.
type Edit struct {
	Start, End int
	New        string
}

// Set is a change to one text: ascending edits that do not overlap, none of
// them empty, all against the same base. Two insertions at one offset are an
// overlap: join them. Nil is the change that changes nothing.
type Set []Edit

// Check reports the first edit that breaks the rules of a [Set] against base.
func (s Set) Check(base string) error {
	prev := -1
	for i, e := range s {
		switch {
		case e.Start < 0 || e.End < e.Start || e.End > len(base):
			return fmt.Errorf("edit %d spans %d-%d, outside a text of %d bytes", i, e.Start, e.End, len(base))
		case e.Start == e.End && e.New == "":
			return fmt.Errorf("edit %d at %d is empty", i, e.Start)
		case e.Start < prev:
			return fmt.Errorf("edit %d at %d starts before the previous edit's end %d", i, e.Start, prev)
		case i > 0 && e.Start == e.End && s[i-1].Start == s[i-1].End && e.Start == prev:
			return fmt.Errorf("edits %d and %d both insert at %d", i-1, i, e.Start)
		}
		prev = e.End
	}
	return nil
}

// Apply returns base with every edit done. It fails as [Set.Check] does, and
// then returns base.
func (s Set) Apply(base string) (string, error) {
	if err := s.Check(base); err != nil {
		return base, err
	}
	if len(s) == 0 {
		return base, nil
	}
	size := len(base)
	for _, e := range s {
		size += len(e.New) - (e.End - e.Start)
	}
	var b strings.Builder
	b.Grow(size)
	at := 0
	for _, e := range s {
		b.WriteString(base[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(base[at:])
	return b.String(), nil
}

// Invert returns the set that takes the result of applying s to base back to
// base. The set must be valid against base. Edits that touch become one.
func (s Set) Invert(base string) Set {
	var out Set
	shift := 0
	for _, e := range s {
		start := e.Start + shift
		out = out.join(Edit{Start: start, End: start + len(e.New), New: base[e.Start:e.End]})
		shift += len(e.New) - (e.End - e.Start)
	}
	return out
}

// join appends e, which starts at or after the last edit's end, and merges the
// two where they touch.
func (s Set) join(e Edit) Set {
	if n := len(s) - 1; n >= 0 && s[n].End == e.Start {
		s[n].End = e.End
		s[n].New += e.New
		return s
	}
	return append(s, e)
}

// Join puts sets against one base together, each of which starts at or after
// the end of the one before it. Edits that touch become one.
func Join(sets ...Set) Set {
	var out Set
	for _, s := range sets {
		for _, e := range s {
			out = out.join(e)
		}
	}
	return out
}
