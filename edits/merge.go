package edits

// Conflict is a place where two changes to one base disagree.
type Conflict struct {
	Start, End         int    // bytes of the merged text, which keeps Ours there
	Base, Ours, Theirs string // the region's whole lines in the three texts
}

// Merge merges the changes base→ours and base→theirs. Where they disagree the
// merged text keeps ours and a [Conflict] says so.
func Merge(base, ours, theirs string) (merged string, conflicts []Conflict) { panic("todo") }
