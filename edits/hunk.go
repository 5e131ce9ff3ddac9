package edits

// Hunk is one run of changed lines. Line numbers are zero-based and half-open:
// OldStart and OldEnd count lines of the text before, NewStart and NewEnd of
// the text after. Old and New are those lines whole, with their endings.
// Edits are against the whole text before and may touch less than the lines.
type Hunk struct {
	Edits            Set
	OldStart, OldEnd int
	NewStart, NewEnd int
	Old, New         string
}

// Hunks returns the change from before to after as hunks in order, each
// separated from the next by at least one unchanged line. All their edits
// together are [Diff]. Here a line is what a '\n' ends, and a last one without.
func Hunks(before, after string) []Hunk {
	if before == after {
		return nil
	}
	a, b := splitLines(before), splitLines(after)
	offA, offB := lineOffsets(a), lineOffsets(b)
	regions := diffLines(a, b)
	out := make([]Hunk, len(regions))
	for i, r := range regions {
		old, now := before[offA[r.i0]:offA[r.i1]], after[offB[r.j0]:offB[r.j1]]
		out[i] = Hunk{
			Edits:    diffWords(old, now, offA[r.i0]),
			OldStart: r.i0, OldEnd: r.i1,
			NewStart: r.j0, NewEnd: r.j1,
			Old: old, New: now,
		}
	}
	return out
}
