package verify

import (
	"time"

	"emend/internal/sandbox"
	"emend/internal/workspace"
)

// Check is one command that judges a project. It is a plain value: callers
// may show it, store it, hash it for consent, or make one from settings.
type Check struct {
	// Name is what people see, such as "go test" or "go test (tools)" for a
	// nested module.
	Name string
	// Args is the program and its arguments. No shell is between.
	Args []string
	// Dir is the folder the check runs in, slash-separated and relative to
	// the root; "" is the root itself.
	Dir string
	// Env is added to the command's environment, as "NAME=value".
	Env []string
	// Parser names how the output is read: "go-build", "go-vet", "go-test",
	// or "" for lines of the form file:line:column: message.
	Parser string
	// Skip, if not empty, is why the check cannot run here. Run puts such a
	// check into Report.Skipped.
	Skip string
}

// Severity says how bad a finding is.
type Severity string

// The severities, worst first.
const (
	Error       Severity = "error"       // does not build, or a test fails
	Warning     Severity = "warning"     // suspicious, but builds
	Information Severity = "information" // context, such as a failed test's log
)

// Finding is one thing a check found wrong, at its place.
type Finding struct {
	// Path is the file in the real workspace, never in a scratch copy.
	Path workspace.Path
	// Line and Column are 1-based; Column counts bytes. 0 is unknown. The
	// text they speak of is that of the snapshot or draft that was checked.
	Line, Column int
	// EndLine and EndColumn are where it ends (exclusive column), or 0.
	EndLine, EndColumn int
	Severity           Severity
	Message            string
	// Code is the tool's name for this kind of finding, or "".
	Code string
	// Check is the Name of the check that found it.
	Check string
	// Test is the failing test, such as "TestX/case", or "".
	Test string
}

// Ran is how one check went.
type Ran struct {
	Check Check
	// OK is true when the command ended with status 0 in time.
	OK bool
	// Passed, Failed and Skipped count tests (top-level ones, for Go); all 0
	// for checks that have none.
	Passed, Failed, Skipped int
	// Failures are the names of the failed tests, at most 100, in the order
	// they failed.
	Failures []string
	// Exit is the command's exit status, -1 if a signal ended it.
	Exit     int
	TimedOut bool
	// Truncated is true when output or findings were left out.
	Truncated bool
	Took      time.Duration
	// Message holds what the check said that belongs to no file of the
	// workspace: errors of the tool itself, places outside the root. Bounded
	// to a few kB.
	Message string
	// Output is the text the check printed, with the scratch copy's paths put
	// back to the workspace's and without escape sequences: the first and the
	// last part of it, when it is long.
	Output string
}

// Skipped is a check that did not run, and why.
type Skipped struct {
	Check Check
	Why   string
}

// Report is the outcome of one Run.
type Report struct {
	// Findings are sorted by path, line, column, severity, message and test,
	// without duplicates.
	Findings []Finding
	Ran      []Ran
	Skipped  []Skipped
	// Truncated is true when there were more findings than the request's
	// bound.
	Truncated bool
	// Level is how the commands were confined; Note says it in a sentence for
	// people.
	Level sandbox.Level
	Note  string
}

// Progress is where a Run is. Counts are of the whole Run.
type Progress struct {
	// Check is the running check, Index its place in the list from 0, Total
	// the number of checks that will run. Check is the zero Check while the
	// scratch copy is made.
	Check          Check
	Index, Total   int
	Passed, Failed int
	Findings       int
	// Done is true in the last call for Check.
	Done bool
}
