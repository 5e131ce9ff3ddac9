package edits

import (
	"fmt"
	"strings"
)

// Code names why a block was refused, for programs.
type Code string

// The codes of a [Refusal].
const (
	NotFound           Code = "not-found"           // SEARCH is nowhere in the file
	Ambiguous          Code = "ambiguous"           // SEARCH is in several places
	NoChange           Code = "no-change"           // SEARCH and REPLACE are the same
	AlreadyApplied     Code = "already-applied"     // the file holds REPLACE and not SEARCH
	EmptySearch        Code = "empty-search"        // nothing to find in a file with text
	Omission           Code = "omission"            // REPLACE leaves out lines by "..."
	Overlap            Code = "overlap"             // two blocks change the same lines
	Malformed          Code = "malformed-block"     // the markers are not in order
	Incomplete         Code = "incomplete-block"    // the reply ends inside the block
	AmbiguousSeparator Code = "ambiguous-separator" // several ======= and no telling which
	UnknownFile        Code = "unknown-file"        // no such file
	BadPath            Code = "bad-path"            // a path that may not be edited
	IndentConflict     Code = "indent-conflict"     // indentation cannot be carried over
	Unreadable         Code = "unreadable"          // the file cannot be read
)

// Refusal says why a block was not applied, in words a model can act on. It is
// a value and not a fault: pass Error's text on to the model.
type Refusal struct {
	Block   int    // index of the block in its reply; -1 when it has none
	Path    string // the file, as resolved or else as written; may be empty
	Line    int    // line of the reply, one-based; 0 when unknown
	Code    Code
	Message string // the fact, numbered real lines, and what to send instead
}

// Error returns the message after the place of its block and its code.
func (r Refusal) Error() string {
	var where []string
	if r.Path != "" {
		where = append(where, r.Path)
	}
	if r.Block >= 0 {
		where = append(where, fmt.Sprintf("block %d", r.Block+1))
	}
	if r.Line > 0 {
		where = append(where, fmt.Sprintf("line %d of the reply", r.Line))
	}
	head := strings.Join(where, ", ")
	if head != "" {
		head += ": "
	}
	return fmt.Sprintf("%s%s: %s", head, r.Code, r.Message)
}
