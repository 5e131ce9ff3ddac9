package proposal

import (
	"fmt"

	"emend/edits"
	"emend/internal/workspace"
	"emend/state"
)

// Current is a document as it is at this moment: the editor's text where it is
// open, the disk's otherwise. The zero value is a file that does not exist.
type Current struct {
	Text         string // exactly as edits must address it; may begin with a byte-order mark
	Exists, Open bool
	Version      int32  // the editor's, when Open
	URI          string // the editor's spelling; "" for the proposal's own
	BOM          bool   // the file on disk has a byte-order mark that Text does not show
	Mode         uint32
}

// Now reads a document as it is at this moment. A file that does not exist is
// no error. It must fail for one whose text is not known, being binary or of
// another encoding, or an empty Text would be taken for an empty file; see
// [CurrentOf].
type Now func(path workspace.Path) (Current, error)

// CurrentOf returns a file of a snapshot or draft as a Current. It fails with
// a *[workspace.BinaryError] or a *[workspace.EncodingError].
func CurrentOf(f *workspace.File) (Current, error) {
	switch {
	case f.Binary:
		return Current{}, &workspace.BinaryError{Path: f.Path}
	case f.NotUTF8:
		return Current{}, &workspace.EncodingError{Path: f.Path}
	}
	return Current{
		Text: f.Text, Exists: f.Exists, Open: f.Open, Version: f.Version,
		URI: f.URI, BOM: f.BOM, Mode: uint32(f.Mode.Perm()),
	}, nil
}

// Selection names a part of a proposal. The zero value is everything that is
// open; File (a path, or a URI as the proposal stored it) narrows it to one
// file, Hunk to one hunk.
type Selection struct{ File, Hunk string }

// FilePlan is what to do to one document now.
//
// An edit has Edits against Before. A Create has Before "" and one edit that
// inserts the text (none for an empty file); it is only ever planned for a
// path where nothing exists. A Delete has no edits and Expect "". A rename has
// From set: the file moves from From to Path and Edits are against its text,
// Before; they may be nil. Open and Version are then the document's at From.
type FilePlan struct {
	Path           workspace.Path
	URI            string // never empty; the editor's spelling where it is known
	Open           bool
	Version        int32
	Before, Expect string // the whole text now and after, line ends as the editor has them
	Edits          edits.Set
	Create, Delete bool
	From           workspace.Path
	FromURI        string   // as URI, of From
	BOM            bool     // as in Current
	Mode           uint32   // as in Current; for a Create, the mode the file should get, 0 for the default
	Hunks          []string // ids of the hunks this carries out, in the order of the file
}

// Conflict is a hunk that cannot be placed, and why. Line is the one-based
// line of the text as it is now where the hunk would have gone; 0 when the
// whole file is the matter.
type Conflict struct {
	Path         workspace.Path
	Hunk, Reason string
	Line         int
}

// String returns the conflict as path:line: reason.
func (c Conflict) String() string {
	if c.Line == 0 {
		return fmt.Sprintf("%s: %s", c.Path, c.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", c.Path, c.Line, c.Reason)
}

// Plan is what to do now so that the selected hunks are in the text. Each
// selected hunk is in exactly one of a file's Hunks, Conflicts and
// Already. Files are in an order in which they can be done one after another:
// deletes, then renames, then edits and creates by path. A plan is good for the
// texts it was made from: make a new one when they move.
type Plan struct {
	Proposal  string
	Files     []FilePlan
	Conflicts []Conflict
	Already   []string // ids of hunks whose result the text holds

	Root   string // workspace root, for the checkpoint
	Run    string // run that proposed the change, for the checkpoint
	Undoes string // id of the checkpoint that the plan takes back; "" otherwise
}

// Empty reports whether the plan changes nothing.
func (p *Plan) Empty() bool { return len(p.Files) == 0 }

// Plan says what to send now for a selection. Each document is compared with
// the text the run saw, whatever its version says; hunks are carried over to
// the text as it is, those that touch what has changed meanwhile are refused
// by name, and those that the text already holds are recognised. Hunks that
// can be placed are planned even where others of the same file cannot. A hunk
// that is applied counts when it is named: should the person have taken it
// back by hand, it is planned again.
//
// It fails only when the selection names nothing, or a hunk that was
// discarded, or when the proposal is superseded. A document that cannot be
// read is a conflict.
func (c *Content) Plan(sel Selection, now Now) (*Plan, error) {
	if c.Status == state.ProposalSuperseded {
		return nil, fmt.Errorf("proposal %s: %w", c.ID, ErrSuperseded)
	}
	if err := c.checkSelection(sel); err != nil {
		return nil, err
	}
	p := newPlanner(c.reopened(sel.Hunk), sel, now)
	if err := p.run(); err != nil {
		return nil, fmt.Errorf("proposal %s: %w", c.ID, err)
	}
	return p.plan, nil
}
