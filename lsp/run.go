package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"emend/agent"
	"emend/agent/model"
	"emend/internal/config"
	"emend/internal/workspace"
	"emend/state"
)

// commandRun starts a run and returns its id at once.
func (s *session) commandRun(ctx context.Context, args *arguments) (any, error) {
	place, err := s.where(ctx, args)
	switch {
	case errors.Is(err, errNoPlace) && !args.Directive:
		// It is about the workspace as a whole.
	case err != nil:
		return nil, err
	}
	task := agent.Task{
		Instruction: strings.Clone(args.Instruction), Mode: args.Mode, Include: args.Include,
		Fresh: args.Fresh, Model: args.Model, Approval: args.Approval,
	}
	if args.Directive {
		if err := s.directiveTask(&task, &place); err != nil {
			return nil, err
		}
	}
	if strings.TrimSpace(task.Instruction) == "" {
		return nil, invalid("say what to do: emend.run needs an instruction")
	}
	return s.startRun(task, place, nil)
}

// commandAsk starts a read-only run; the answer is shown as a message.
func (s *session) commandAsk(ctx context.Context, args *arguments) (any, error) {
	args.Mode = agent.ModeAsk
	return s.commandRun(ctx, args)
}

// commandFix starts a run that fixes what is wrong at a place: the diagnostics
// that come with the command, else those emend's own checks found there, else
// whatever is wrong with the lines.
func (s *session) commandFix(ctx context.Context, args *arguments) (any, error) {
	place, err := s.where(ctx, args)
	if err != nil {
		return nil, err
	}
	task := agent.Task{Instruction: strings.Clone(args.Instruction), Mode: agent.ModeRepair, Fresh: args.Fresh, Model: args.Model, Approval: args.Approval}
	for _, d := range args.Diagnostics {
		task.Diagnostics = append(task.Diagnostics, s.agentDiagnostic(place, d, args.Version))
	}
	first, last := place.line(), place.text.LineOf(place.end)
	if len(task.Diagnostics) == 0 {
		task.Diagnostics = s.findingsAt(place, first, last)
	}
	if task.Instruction != "" || len(task.Diagnostics) > 0 {
		return s.startRun(task, place, nil)
	}
	task.Instruction = fmt.Sprintf("Something is wrong in %s on %s. Find out what, and fix it.", place.path.Base(), linesText(first, last))
	task.Mode = agent.ModeEdit
	return s.startRun(task, place, func(ctx context.Context, jb *job, snap *workspace.Snapshot, task *agent.Task) {
		// The client has not said what is wrong; the checks may.
		if !s.checkFirst(ctx, jb, snap, task.Root) {
			return
		}
		if task.Diagnostics = s.findingsAt(place, first, last); len(task.Diagnostics) > 0 {
			task.Instruction, task.Mode = "", agent.ModeRepair
		}
	})
}

func linesText(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first+1)
	}
	return fmt.Sprintf("lines %d to %d", first+1, last+1)
}

// directiveTask takes the instruction from the comment at the place, and as the
// focus what the comment stands for: a remembered selection, else the line
// below it, or its own line behind code.
func (s *session) directiveTask(task *agent.Task, place *spotIn) error {
	if place.doc == nil {
		return invalid("%s is not open", place.path.Base())
	}
	for _, d := range directivesOf(place.doc) {
		if d.End <= place.start && d.End != d.Start || d.Start > place.end {
			continue
		}
		task.Instruction = strings.Clone(d.Instruction)
		task.Directive = &agent.Directive{Path: place.path, Start: d.Start, End: d.End}
		if !d.Alone {
			place.start, place.end = lineSpan(place.text, d.Line, d.Line)
			return nil
		}
		below := place.text.LineOf(d.End)
		if start, end, ok := s.rewrites.below(place.path, place.text, below); ok {
			place.start, place.end = start, end
		} else {
			place.start, place.end = lineSpan(place.text, min(below, place.text.NumLines()-1), min(below, place.text.NumLines()-1))
		}
		return nil
	}
	return invalid("there is no “emend:” comment at this place any more")
}

// agentDiagnostic converts a client's diagnostic, carried to the text as it is.
func (s *session) agentDiagnostic(place spotIn, d protocol.Diagnostic, version *int32) agent.Diagnostic {
	out := agent.Diagnostic{Path: place.path, Start: place.start, End: place.end, Message: strings.Clone(messageText(d))}
	if source, ok := d.Source.Get(); ok {
		out.Source = strings.Clone(source)
	}
	switch code := d.Code.(type) {
	case protocol.String:
		out.Code = strings.Clone(string(code))
	case protocol.Integer:
		out.Code = fmt.Sprint(int32(code))
	}
	moved := place
	if s.narrow(&moved, nil, &d.Range, version) == nil {
		out.Start, out.End = moved.start, moved.end
	}
	return out
}

// findingsAt returns what emend's own checks found on lines first..last.
func (s *session) findingsAt(place spotIn, first, last int) []agent.Diagnostic {
	var carrier lineCarrier
	var out []agent.Diagnostic
	for _, f := range s.findings.of(place.path) {
		line, ok := carrier.carry(f.text, place.text, f.line())
		if !ok || line < first || line > last {
			continue
		}
		start, end := lineSpan(place.text, line, line)
		out = append(out, agent.Diagnostic{Path: place.path, Start: start, End: end, Message: f.Message, Source: f.Check, Code: f.Code})
	}
	return out
}

// prepare completes a task from a job, before the run begins.
type prepare func(ctx context.Context, jb *job, snap *workspace.Snapshot, task *agent.Task)

// startRun starts a run as a job, at a place or, without one, in the workspace
// as a whole; first may be nil.
func (s *session) startRun(task agent.Task, place spotIn, first prepare) (any, error) {
	root, roots, err := s.rootHere()
	if place.path != "" {
		root, roots, err = s.rootFor(place.path)
		task.Focus = &agent.Focus{Path: place.path, Start: place.start, End: place.end}
	}
	if err != nil {
		return nil, err
	}
	if place.path.IsFile() {
		if _, err := roots.Resolve(string(place.path)); err != nil {
			return nil, invalid("%v", err)
		}
	}
	if err := checkNames(task); err != nil {
		return nil, err
	}
	task.ID, task.Root = state.NewID("run"), root
	// The snapshot is taken here, in the order of the wire: the run sees the
	// documents as the person saw them when asking.
	src := pinned{workspace.Disk(&s.mirror.docs), s.mirror.docs.All()}
	var version int32
	if place.doc != nil {
		version = place.doc.Version
	}
	ok := s.start(task.ID, runTitle(task), func(ctx context.Context, jb *job) {
		if first != nil {
			first(ctx, jb, workspace.NewSnapshot(roots, src), &task)
		}
		s.run(ctx, jb, task, roots, src, version)
	})
	if !ok {
		return nil, errLeaving
	}
	return started{task.ID}, nil
}

// errLeaving answers what comes when the server ends.
var errLeaving = errors.New("the server is leaving")

func checkNames(task agent.Task) error {
	switch task.Mode {
	case "", agent.ModeEdit, agent.ModeAsk, agent.ModeRepair:
	default:
		return invalid("mode %q is none of edit, ask, repair", task.Mode)
	}
	switch task.Approval {
	case "", approvalReview, approvalPreview, approvalAuto:
		return nil
	default:
		return invalid("approval %q is none of review, preview, auto", task.Approval)
	}
}

func runTitle(task agent.Task) string {
	switch {
	case task.Mode == agent.ModeRepair && len(task.Diagnostics) > 0:
		return "fix " + short(task.Diagnostics[0].Message)
	case task.Mode == agent.ModeAsk:
		return "answer " + short(task.Instruction)
	default:
		return short(task.Instruction)
	}
}

// pinned is a source whose open documents are those of one moment.
type pinned struct {
	workspace.Source
	docs []*workspace.Document
}

// Documents returns the documents as they were.
func (p pinned) Documents() []*workspace.Document { return p.docs }

// run does a run from its job's goroutine and tells how it ended.
func (s *session) run(ctx context.Context, jb *job, task agent.Task, roots workspace.Roots, src workspace.Source, version int32) {
	pr, err := s.projects.of(task.Root)
	if err != nil {
		jb.progress.outcome("failed")
		s.editor.fail(ctx, "the run was not started: %v", err)
		return
	}
	settings := *s.settings.Load()
	if task.Approval == "" {
		task.Approval = settings.Approval
	}
	provider, err := s.provider(settings, task.Model)
	if err != nil {
		jb.progress.outcome("refused")
		s.editor.fail(ctx, "%v", err)
		return
	}
	var leave func()
	task.Session, leave = pr.converse()
	defer leave()
	runner := &agent.Runner{
		Store: pr.store, Roots: roots, Settings: settings, Provider: provider,
		Index: s.projects.index(roots, settings.Ignore), Check: s.checkDraft(pr), Log: s.log, Now: time.Now,
	}
	h := &host{session: s, job: jb, project: pr, task: task, version: version, leave: leave}
	out, err := runner.Run(ctx, task, src, h)
	if err != nil {
		s.log.Error("run failed", "run", task.ID, "error", err)
	}
	s.finish(context.WithoutCancel(ctx), jb, task, out)
}

// finish says in one message how a run ended, unless its proposal has said it.
func (s *session) finish(ctx context.Context, jb *job, task agent.Task, out agent.Outcome) {
	jb.progress.outcome(string(out.Status))
	switch {
	case out.Status == state.RunDone && task.Mode == agent.ModeAsk:
		s.editor.info(ctx, "%s", out.Answer)
	case out.Status == state.RunDone && out.Proposal != "":
		return
	case out.Status == state.RunDone:
		s.editor.info(ctx, "nothing was changed. %s", firstParagraph(out.Answer))
	case out.Status == state.RunCancelled:
		s.editor.info(ctx, "cancelled: %s", jb.title)
	case out.Status == state.RunRefused:
		s.editor.warn(ctx, "%s", out.Reason)
	default:
		s.editor.fail(ctx, "%s", out.Reason)
	}
}

func firstParagraph(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n\n")
	return s
}

// provider makes the model provider that settings name.
func (s *session) provider(settings config.Settings, name string) (model.Provider, error) {
	if name != "" {
		settings.Model.Name = name
	}
	return s.opts.NewProvider(settings)
}
