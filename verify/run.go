package verify

import (
	"context"
	"time"

	"emend/internal/sandbox"
	"emend/internal/workspace"
)

// Request is what to check and how. Root and one of Snapshot and Draft are
// required.
type Request struct {
	// Root is the workspace folder, absolute.
	Root string
	// Snapshot's open documents, or Draft's documents and changes, are laid
	// over a copy of Root. With both, Draft is used.
	Snapshot *workspace.Snapshot
	Draft    *workspace.Draft
	// Checks to run, in order; nil runs what Detect finds in the copy, with
	// the draft over it.
	Checks []Check
	// Box, if not nil, is used and kept in step instead of a new one; it must
	// be for Root. The caller closes it.
	Box *sandbox.Box
	// Sandbox sets up the new Box; its Root, Open and Changes are ignored.
	Sandbox sandbox.Config
	// Timeout bounds one check; 0 is 5 minutes.
	Timeout time.Duration
	// MaxOutput bounds what is kept of one check's output, in bytes; 0 is
	// 8 MB.
	MaxOutput int64
	// MaxFindings bounds Report.Findings; 0 is 500.
	MaxFindings int
	// Progress, if not nil, is called from one goroutine at a time, as checks
	// and tests end. It must not block for long.
	Progress func(Progress)
}

// Run runs the checks one after another.
func Run(ctx context.Context, req Request) (Report, error) { panic("todo") }

// Detect returns the checks of the project at root.
func Detect(root string, near ...string) []Check { panic("todo") }

// Summary says the report in a few words.
func (r Report) Summary() string { panic("todo") }
