package edits

// Hunk is one run of changed lines. Line numbers are zero-based and half-open;
// OldStart and OldEnd count lines of the text before, NewStart and NewEnd of
// the text after. Old and New are those lines whole, with their endings.
// Edits are against the text before and may touch less than the lines.
type Hunk struct {
	Edits            Set
	OldStart, OldEnd int
	NewStart, NewEnd int
	Old, New         string
}

// Hunks returns the change from before to after as hunks, each separated from
// the next by at least one unchanged line.
func Hunks(before, after string) []Hunk { panic("todo") }
