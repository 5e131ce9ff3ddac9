package edits

// MoveState says what became of a hunk when its text moved on.
type MoveState uint8

// The states of a [Moved].
const (
	Clean      MoveState = iota // the hunk can be applied
	Already                     // the later text holds its result
	Conflicted                  // what it changes has been changed otherwise
)

// Moved is a hunk carried over to a later text.
type Moved struct {
	Edits      Set // against the later text; nil unless Clean
	State      MoveState
	Start, End int    // bytes of the later text the hunk's lines are now
	Reason     string // for people; empty unless Conflicted
}

// Rebase carries hunks of base over to now, one result per hunk.
func Rebase(base, now string, hunks []Hunk) []Moved { panic("todo") }
