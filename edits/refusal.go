package edits

// Code names why a block was refused, for programs.
type Code string

// The codes of a [Refusal].
const (
	NotFound           Code = "not-found"
	Ambiguous          Code = "ambiguous"
	NoChange           Code = "no-change"
	AlreadyApplied     Code = "already-applied"
	EmptySearch        Code = "empty-search"
	Omission           Code = "omission"
	Overlap            Code = "overlap"
	Malformed          Code = "malformed-block"
	Incomplete         Code = "incomplete-block"
	AmbiguousSeparator Code = "ambiguous-separator"
	UnknownFile        Code = "unknown-file"
	BadPath            Code = "bad-path"
	IndentConflict     Code = "indent-conflict"
	Fuzzy              Code = "fuzzy"
	TooLarge           Code = "too-large"
	Unreadable         Code = "unreadable"
)

// Refusal says why a block was not applied, in words a model can act on.
type Refusal struct {
	Block   int    // index of the block in its reply; -1 for none
	Path    string // as the reply wrote it, or as resolved; may be empty
	Line    int    // line of the reply, one-based; 0 when unknown
	Code    Code
	Message string // the fact, numbered real lines, and what to send instead
}

// Error returns the message with the place of the block before it.
func (r Refusal) Error() string { panic("todo") }
