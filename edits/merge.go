package edits

// Conflict is a place where two changes to one base disagree.
type Conflict struct {
	Start, End         int    // bytes of the merged text, which keeps Ours there
	Base, Ours, Theirs string // what the place holds in the three texts
	Reason             string // for people
}

// Merge does to ours what was done from base to theirs, hunk by hunk as
// [Rebase] does. Where the two changes disagree the merged text keeps ours
// and a [Conflict] says so; the same change on both sides is no conflict.
func Merge(base, ours, theirs string) (merged string, conflicts []Conflict) {
	switch {
	case base == theirs || ours == theirs:
		return ours, nil
	case base == ours:
		return theirs, nil
	}
	hunks := Hunks(base, theirs)
	moved := Rebase(base, ours, hunks)
	var all Set
	for _, m := range moved {
		all = Join(all, m.Edits)
	}
	merged, err := all.Apply(ours)
	if err != nil { // the hunks of one pair of texts never cross
		return ours, []Conflict{{End: len(ours), Base: base, Ours: ours, Theirs: theirs, Reason: err.Error()}}
	}
	for i, m := range moved {
		if m.State != Conflicted {
			continue
		}
		conflicts = append(conflicts, Conflict{
			Start: all.carry(m.Start), End: all.carry(m.End),
			Base: hunks[i].Old, Ours: ours[m.Start:m.End], Theirs: hunks[i].New,
			Reason: m.Reason,
		})
	}
	return merged, conflicts
}

// carry returns where an offset of the base is after the set: behind what is
// inserted there, and at the start of what it is inside of.
func (s Set) carry(offset int) int {
	shift := 0
	for _, e := range s {
		if e.End > offset {
			if e.Start < offset {
				return e.Start + shift
			}
			break
		}
		shift += len(e.New) - (e.End - e.Start)
	}
	return offset + shift
}
