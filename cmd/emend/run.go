package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"emend/agent"
	"emend/agent/model"
	"emend/edits"
	"emend/index"
	"emend/internal/config"
	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

// runFlags is what `emend run` is told.
type runFlags struct {
	apply, json, yes, fresh bool
	mode                    string
	focus                   []string
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: `run "what to do"`, Short: "one run without an editor: prints the diff", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.run(c.Context(), f, args[0]) },
	}
	c.Flags().BoolVar(&f.apply, "apply", false, "write the change to disk, after a checkpoint")
	c.Flags().BoolVar(&f.json, "json", false, "print the run's events as JSON lines")
	c.Flags().BoolVar(&f.yes, "yes", false, "answer every question with yes")
	c.Flags().BoolVar(&f.fresh, "fresh", false, "start from the files, not from a change that is still waiting")
	c.Flags().StringVar(&f.mode, "mode", agent.ModeEdit, "edit, ask or repair")
	c.Flags().StringArrayVar(&f.focus, "focus", nil, "FILE, FILE:LINE or FILE:LINE-LINE that the request is about; more than one adds files")
	c.Flags().StringVar(&a.model, "model", "", "model name, in place of the settings'")
	return c
}

// run does one headless run.
func (a *app) run(ctx context.Context, f runFlags, instruction string) error {
	root, err := a.findRoot()
	if err != nil {
		return err
	}
	home, err := a.stateHome()
	if err != nil {
		return err
	}
	settings, warnings := a.layers(nil, []string{root})
	a.warn(warnings)
	provider, err := a.provider(settings)
	if err != nil {
		return err
	}
	store, err := state.Open(state.Dir(home, root))
	if err != nil {
		return err
	}
	defer closeQuietly(store)
	for _, n := range store.Notices() {
		a.complain(errors.New(n.Message))
	}
	roots := workspace.NewRoots(root)
	task, err := a.task(ctx, f, roots, root, instruction)
	if err != nil {
		return err
	}
	log := logger(a.err, "error")
	if a.logLevel != "" {
		log = logger(a.err, a.logLevel)
	}
	runner := &agent.Runner{
		Store: store, Roots: roots, Settings: settings, Provider: provider,
		Index: index.New(roots, index.Options{Ignore: settings.Ignore, Log: log}), Log: log, Now: time.Now,
	}
	h := &terminal{app: a, json: f.json, yes: f.yes}
	runner.Check = h.checks(store, root, settings.Checks)
	out, err := runner.Run(ctx, task, workspace.Disk(nil), h)
	if err != nil {
		return err
	}
	if err := a.ended(out, f, h); err != nil || h.proposed == nil || !f.apply {
		return err
	}
	said, err := applyDisk(ctx, store, roots, h.proposed)
	if said != "" {
		h.note(said)
	}
	return err
}

// task makes the task of a command line.
func (a *app) task(ctx context.Context, f runFlags, roots workspace.Roots, root, instruction string) (agent.Task, error) {
	task := agent.Task{ID: state.NewID("run"), Instruction: instruction, Mode: f.mode, Root: root, Fresh: f.fresh}
	switch f.mode {
	case agent.ModeEdit, agent.ModeAsk, agent.ModeRepair:
	default:
		return task, &exitError{exitUsage, fmt.Errorf("--mode %s is none of edit, ask, repair", f.mode)}
	}
	for i, where := range f.focus {
		focus, err := focusOf(ctx, roots, where)
		if err != nil {
			return task, &exitError{exitUsage, fmt.Errorf("--focus: %w", err)}
		}
		if i > 0 {
			task.Include = append(task.Include, string(focus.Path))
			continue
		}
		task.Focus = focus
	}
	return task, nil
}

// resolveName finds the file a person means: as seen from the current folder,
// where shells complete names, else from the root.
func resolveName(roots workspace.Roots, name string) (workspace.Path, error) {
	if here, err := filepath.Abs(name); err == nil {
		if _, err := os.Lstat(here); err == nil {
			if path, err := roots.Resolve(here); err == nil {
				return path, nil
			}
		}
	}
	return roots.Resolve(name)
}

// focusOf reads FILE, FILE:LINE or FILE:LINE-LINE.
func focusOf(ctx context.Context, roots workspace.Roots, where string) (*agent.Focus, error) {
	name, lines := where, ""
	if i := strings.LastIndexByte(where, ':'); i > 0 && i+1 < len(where) && where[i+1] >= '0' && where[i+1] <= '9' {
		name, lines = where[:i], where[i+1:]
	}
	path, err := resolveName(roots, name)
	if err != nil {
		return nil, err
	}
	file, err := workspace.NewSnapshot(roots, workspace.Disk(nil)).Read(ctx, path)
	if err != nil {
		return nil, err
	}
	if !file.Exists {
		return nil, fmt.Errorf("%s does not exist", name)
	}
	focus := &agent.Focus{Path: path}
	if lines == "" {
		return focus, nil
	}
	first, last, two := strings.Cut(lines, "-")
	if !two {
		last = first
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	text := edits.NewText(file.Text)
	if err1 != nil || err2 != nil || from < 1 || to < from || to > text.NumLines() {
		return nil, fmt.Errorf("%s: %s is not lines of a file with %d lines", name, lines, text.NumLines())
	}
	focus.Start, _ = text.Line(from - 1)
	_, focus.End = text.Line(to - 1)
	return focus, nil
}

// ended prints how a run ended, and turns it into the exit code.
func (a *app) ended(out agent.Outcome, f runFlags, h *terminal) error {
	if !f.json {
		switch {
		case out.Status == state.RunDone && f.mode == agent.ModeAsk:
			a.printf("%s\n", a.shown(out.Answer))
		case out.Status == state.RunDone && h.proposed == nil:
			h.note("nothing was changed. " + out.Answer)
		case h.proposed != nil:
			a.printf("%s", paintDiff(a.colours(a.out), a.shown(h.proposed.Diff())))
			if out.Checks != "" {
				h.note(out.Checks)
			}
		}
	}
	switch out.Status {
	case state.RunDone:
		return nil
	case state.RunCancelled:
		return &exitError{exitInterrupted, errors.New("cancelled")}
	default:
		return modelError(out.Cause, out.Reason)
	}
}

// modelError is an error with the exit code that its cause asks for: one of its
// own when there is no model to be had.
func modelError(cause error, reason string) error {
	code := exitFailed
	if kind := model.KindOf(cause); kind == model.Unreachable || kind == model.MissingModel {
		code = exitNoModel
	}
	return &exitError{code, errors.New(reason)}
}

// applyDisk writes a proposal to disk: a checkpoint, a check of every file, and
// atomic renames. It says what it did.
func applyDisk(ctx context.Context, store *state.Store, roots workspace.Roots, c *proposal.Content) (said string, err error) {
	plan, err := c.Plan(proposal.Selection{}, diskNow(ctx, roots))
	if err != nil {
		return "", err
	}
	if len(plan.Conflicts) > 0 {
		var why []string
		for _, con := range plan.Conflicts {
			why = append(why, con.String())
		}
		return strings.Join(why, "\n"), &exitError{exitFailed, errors.New("nothing was written: the files have changed since the run began")}
	}
	if plan.Empty() {
		return "nothing was written: the files hold the change already", nil
	}
	var checkpoint string
	err = store.Update(ctx, func(tx *state.Tx) error {
		cp, err := proposal.Checkpoint(plan, c, "before: "+c.Title, tx.PutBlob)
		if err != nil {
			return err
		}
		checkpoint = cp.ID
		return tx.PutCheckpoint(cp)
	})
	if err != nil {
		return "", fmt.Errorf("nothing was written, because the checkpoint before it could not be kept: %w", err)
	}
	written := plan.WriteDisk(ctx, roots)
	// What was written is on record even when an interrupt came meanwhile.
	ctx = context.WithoutCancel(ctx)
	next := c.Clone()
	next.Settle(plan, diskNow(ctx, roots))
	if err := store.Update(ctx, func(tx *state.Tx) error { return tx.PutProposal(&next.Proposal) }); err != nil {
		said = fmt.Sprintf("what became of the change could not be kept: %v\n", err)
	}
	if written != nil {
		return said, fmt.Errorf("%w; checkpoint %s holds every file as it was", written, checkpoint)
	}
	return said + filesChanged(roots, plan) + "; checkpoint " + checkpoint + " holds what was there before", nil
}

// filesChanged names the files that a plan has written.
func filesChanged(roots workspace.Roots, plan *proposal.Plan) string {
	var names []string
	for _, fp := range plan.Files {
		names = append(names, roots.Rel(fp.Path))
	}
	files := "files"
	if len(names) == 1 {
		files = "file"
	}
	return fmt.Sprintf("%d %s changed: %s", len(names), files, strings.Join(names, ", "))
}

// diskNow reads documents as they are on disk.
func diskNow(ctx context.Context, roots workspace.Roots) proposal.Now {
	snap := workspace.NewSnapshot(roots, workspace.Disk(nil))
	return func(p workspace.Path) (proposal.Current, error) {
		f, err := snap.Read(ctx, p)
		if err != nil {
			return proposal.Current{}, err
		}
		return proposal.CurrentOf(f)
	}
}

// terminal is the face of a headless run.
type terminal struct {
	app       *app
	json, yes bool
	proposed  *proposal.Content

	mu sync.Mutex // one line at a time
}

// Propose keeps the proposal for printing.
func (t *terminal) Propose(_ context.Context, p *proposal.Content) error {
	t.proposed = p
	return nil
}

// Ask asks on the terminal; where there is none, --yes is the only yes.
func (t *terminal) Ask(ctx context.Context, q agent.Question) (agent.Answer, error) {
	if t.yes {
		return agent.Answer{Choice: agent.Allow}, nil
	}
	in, ok := t.app.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		t.note(oneLine(q.Text+" "+q.Detail) + " (no: nobody to ask; --yes allows it)")
		return agent.Answer{Choice: q.Default}, nil
	}
	t.note(oneLine(q.Text+" "+q.Detail) + " [y/N] ")
	answer := make(chan string, 1)
	go func() { // ends with the line or with the process: a terminal's read has no other end
		line, err := bufio.NewReader(in).ReadString('\n')
		if err == nil {
			answer <- line
		}
		close(answer)
	}()
	select {
	case line := <-answer:
		if s := strings.ToLower(strings.TrimSpace(line)); s == "y" || s == "yes" {
			return agent.Answer{Choice: agent.Allow}, nil
		}
	case <-ctx.Done():
	}
	return agent.Answer{Choice: q.Default}, nil
}

// checks looks at a run's draft with the project's own checks, where the person
// allows them.
func (t *terminal) checks(store *state.Store, root string, settings config.Checks) func(context.Context, *workspace.Draft) (agent.Checked, error) {
	return func(ctx context.Context, draft *workspace.Draft) (agent.Checked, error) {
		if !settings.OnRun {
			return agent.Checked{Summary: "not checked: switched off (checks.on_run)"}, nil
		}
		checks := agent.ProjectChecks(root, settings)
		if len(checks) == 0 {
			return agent.Checked{Summary: "not checked: no checks found"}, nil
		}
		ok, err := agent.AskChecks(ctx, store, root, checks, func(q agent.Question) agent.Answer {
			answer, err := t.Ask(ctx, q)
			if err != nil {
				return agent.Answer{Choice: q.Default}
			}
			return answer
		})
		if err != nil {
			t.note(err.Error())
		}
		if !ok {
			return agent.Checked{Summary: "not checked: the checks are not allowed here"}, nil
		}
		return agent.CheckDraft(ctx, root, draft, checks, time.Duration(settings.TimeoutSeconds)*time.Second)
	}
}

// Emit prints what happens: JSON lines on stdout, or a line a step on stderr.
func (t *terminal) Emit(e agent.Event) {
	if t.json {
		t.mu.Lock()
		defer t.mu.Unlock()
		if raw, err := json.Marshal(e); err == nil {
			t.app.printf("%s\n", t.app.shown(string(raw)))
		}
		return
	}
	switch e.Kind {
	case agent.KindStep:
		t.note(fmt.Sprintf("step %d", e.Step))
	case agent.KindToolCall:
		t.note(oneLine(e.Tool + " " + e.Path))
	case agent.KindWarning:
		t.note(e.Text)
	}
}

// note prints a line on stderr.
func (t *terminal) note(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = fmt.Fprintln(t.app.err, printable(strings.TrimSpace(text))) // nobody listens
}
