package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"time"

	"emend/internal/sandbox"
	"emend/internal/workspace"
)

// Default bounds of a Request.
const (
	DefaultTimeout     = 5 * time.Minute
	DefaultMaxOutput   = 8 << 20
	DefaultMaxFindings = 500
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
	// the draft over it. What consent was given for is best passed here.
	Checks []Check
	// Near are names of files that matter now, slash-separated and relative
	// to Root, beside those that Draft changes. Detect uses them.
	Near []string
	// Box, if not nil, is brought in step and used instead of a new one; it
	// must be of Root. The caller closes it.
	Box *sandbox.Box
	// Sandbox sets up the new Box; its Root, Open and Changes are ignored.
	Sandbox sandbox.Config
	// Timeout bounds one check; 0 is DefaultTimeout.
	Timeout time.Duration
	// MaxOutput bounds what is kept of one check's output, in bytes; 0 is
	// DefaultMaxOutput. Findings come from all of the output.
	MaxOutput int64
	// MaxFindings bounds Report.Findings; 0 is DefaultMaxFindings.
	MaxFindings int
	// Progress, if not nil, is called from one goroutine at a time, as checks
	// and tests end. It must not block for long.
	Progress func(Progress)
}

// Run copies the workspace with the request's documents and draft over it, and
// runs the checks in the copy, one after another. A check that fails or cannot
// run is part of the Report, and so is a workspace too large to copy. An error
// is a fault of ours or the end of ctx; the Report then has what there is.
// Running a check runs the workspace's code: the caller has consent for it.
func Run(ctx context.Context, req Request) (Report, error) {
	req = req.withDefaults()
	r := &runner{req: req, known: &known{all: map[Finding]bool{}, errors: map[Finding]bool{}}}
	r.progress(Progress{})
	box, closeBox, err := r.open(ctx)
	var large *sandbox.TooLargeError
	if errors.As(err, &large) {
		return r.skipAll(large.Error()), nil
	}
	if err != nil {
		return Report{}, err
	}
	err = r.runAll(ctx, box)
	sortFindings(r.report.Findings)
	return r.report, errors.Join(err, closeBox())
}

func (req Request) withDefaults() Request {
	if req.Timeout <= 0 {
		req.Timeout = DefaultTimeout
	}
	if req.MaxOutput <= 0 {
		req.MaxOutput = DefaultMaxOutput
	}
	if req.MaxFindings <= 0 {
		req.MaxFindings = DefaultMaxFindings
	}
	return req
}

// runner is one Run.
type runner struct {
	req    Request
	report Report
	known  *known
	state  Progress
}

// open makes the request's copy, or brings it in step.
func (r *runner) open(ctx context.Context) (*sandbox.Box, func() error, error) {
	snap := r.req.Snapshot
	var changes []workspace.Change
	if r.req.Draft != nil {
		snap, changes = r.req.Draft.Snapshot(), r.req.Draft.Changes()
	}
	if snap == nil {
		return nil, nil, fmt.Errorf("check %s: neither a snapshot nor a draft is given", r.req.Root)
	}
	open, err := sandbox.OpenFiles(ctx, snap, r.req.Root)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range changes {
		if dir, ok := snap.Roots().Of(c.Path); ok {
			if rel, err := filepath.Rel(dir, string(c.Path)); err == nil {
				r.req.Near = append(r.req.Near, filepath.ToSlash(rel))
			}
		}
	}
	if box := r.req.Box; box != nil {
		return box, func() error { return nil }, box.Update(ctx, open, changes)
	}
	cfg := r.req.Sandbox
	cfg.Root, cfg.Open, cfg.Changes = r.req.Root, open, changes
	box, err := sandbox.New(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	return box, box.Close, nil
}

// skipAll is the report when there is no copy to run in.
func (r *runner) skipAll(why string) Report {
	checks := r.req.Checks
	if checks == nil {
		checks = Detect(r.req.Root, r.req.Near...)
	}
	for _, c := range checks {
		r.report.Skipped = append(r.report.Skipped, Skipped{c, why})
	}
	r.report.Level = sandbox.None
	return r.report
}

func (r *runner) runAll(ctx context.Context, box *sandbox.Box) error {
	r.report.Level, r.report.Note = box.Level(), box.Note()
	checks := r.req.Checks
	if checks == nil {
		checks = detect(project{dir: box.Dir(), real: box.Root(), near: r.req.Near})
	}
	var run []Check
	for _, c := range checks {
		if c.Skip != "" {
			r.report.Skipped = append(r.report.Skipped, Skipped{c, c.Skip})
		} else {
			run = append(run, c)
		}
	}
	for i, c := range run {
		r.state.Check, r.state.Index, r.state.Total, r.state.Done = c, i, len(run), false
		r.progress(r.state)
		if err := r.runCheck(ctx, box, c); err != nil {
			return err
		}
		r.state.Done = true
		r.progress(r.state)
	}
	return nil
}

// runCheck runs one check. It fails only as Run does.
func (r *runner) runCheck(ctx context.Context, box *sandbox.Box, c Check) error {
	row, ok := parsers[c.Parser]
	if !ok {
		row = parsers[""]
	}
	ran := Ran{Check: c}
	before := r.state
	col := &collector{
		at: box, ran: &ran, max: r.req.MaxFindings - len(r.report.Findings),
		known: r.known, sources: map[string][]string{}, text: transcript{max: int(r.req.MaxOutput)},
	}
	col.changed = func() {
		r.state.Passed, r.state.Failed = before.Passed+ran.Passed, before.Failed+ran.Failed
		r.state.Findings = before.Findings + len(col.findings)
		r.progress(r.state)
	}
	p := row.make(col)
	res, err := box.Run(ctx, sandbox.Command{
		Args: c.Args, Dir: c.Dir, Env: c.Env, Timeout: r.req.Timeout, MaxOutput: r.req.MaxOutput,
		Stdout: func(line []byte) { p.line(plain(string(line))) },
	})
	if why, missing := cannotRun(c, err); missing {
		r.report.Skipped = append(r.report.Skipped, Skipped{c, why})
		return nil
	}
	ran.OK = err == nil && res.Exit == 0 && !res.TimedOut && !res.Flooded
	p.finish(ran.OK)
	ran.Exit, ran.TimedOut, ran.Took = res.Exit, res.TimedOut, res.Took
	ran.Truncated = ran.Truncated || res.Truncated
	ran.Output = col.text.String()
	if ran.Output == "" {
		ran.Output = plainText(string(res.Output))
	}
	ran.Output = box.RealText(ran.Output)
	switch {
	case res.TimedOut:
		col.message(fmt.Sprintf("ended after %v, the most a check may take", r.req.Timeout))
	case res.Flooded:
		col.message("ended for printing without end")
	case res.Signal != "":
		col.message("ended by " + res.Signal)
	}
	r.report.Findings = append(r.report.Findings, col.findings...)
	r.report.Truncated = r.report.Truncated || col.full
	r.report.Ran = append(r.report.Ran, ran)
	r.state.Findings = len(r.report.Findings)
	return err
}

// cannotRun tells errors that mean the check's program is not there.
func cannotRun(c Check, err error) (why string, missing bool) {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return c.Args[0] + " is not installed (it is not in PATH)", true
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return err.Error(), true
	case err != nil && len(c.Args) == 0:
		return "it has no command", true
	}
	return "", false
}

func (r *runner) progress(p Progress) {
	if r.req.Progress != nil {
		r.req.Progress(p)
	}
}
