package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"emend/agent"
	"emend/edits"
	"emend/internal/config"
	"emend/internal/workspace"
	"emend/verify"
)

// commandVerify runs the project's checks over what the person sees, buffers
// over disk, and shows the findings.
func (s *session) commandVerify(_ context.Context, args *arguments) (any, error) {
	root, _, err := s.rootHere()
	if err != nil {
		return nil, err
	}
	for _, jb := range s.jobs.list() {
		if jb.id == "verify" {
			return nil, invalid("the checks are running; stop them with emend.cancel")
		}
	}
	s.start("verify", "checks", func(ctx context.Context, jb *job) {
		jb.progress.outcome(s.verify(ctx, jb, root, args.Checks))
	})
	return map[string]string{"root": root}, nil
}

// verify runs the checks of a root folder and publishes what they find.
func (s *session) verify(ctx context.Context, jb *job, root string, names []string) string {
	pr, err := s.projects.of(root)
	if err != nil {
		s.editor.fail(ctx, "%v", err)
		return "failed"
	}
	checks := s.checksOf(root, names)
	if len(checks) == 0 {
		s.editor.info(ctx, "no checks found in %s; name them in the settings (checks.commands)", root)
		return "no checks"
	}
	if !s.mayCheck(ctx, pr, checks) {
		s.editor.info(ctx, "checks were not run, because nobody allowed it")
		return "not allowed"
	}
	snap := s.snapshot()
	report, err := verify.Run(ctx, verify.Request{
		Root: root, Snapshot: snap, Checks: checks,
		Timeout:  checkTimeout(s.settings.Load()),
		Progress: func(p verify.Progress) { jb.progress.report(checkProgress(p)) },
	})
	switch {
	case ctx.Err() != nil:
		s.editor.info(ctx, "checks cancelled")
		return "cancelled"
	case err != nil:
		s.editor.fail(ctx, "running the checks: %v", err)
		return "failed"
	}
	for _, path := range s.findings.replace(ctx, snap, root, report) {
		s.refresh(path)
	}
	if len(report.Findings) > 0 {
		s.editor.warn(ctx, "%s", report.Summary())
		return "findings"
	}
	s.editor.info(ctx, "%s", report.Summary())
	return "clean"
}

// checksOf is the checks of a root: those the settings name, else those found,
// limited to names when there are any.
func (s *session) checksOf(root string, names []string) []verify.Check {
	checks := agent.ProjectChecks(root, s.settings.Load().Checks)
	if len(names) == 0 {
		return checks
	}
	return slices.DeleteFunc(checks, func(c verify.Check) bool { return !slices.Contains(names, c.Name) })
}

// mayCheck reports whether the person allows these checks here; it asks once.
func (s *session) mayCheck(ctx context.Context, pr *project, checks []verify.Check) bool {
	ok, err := agent.AskChecks(ctx, pr.store, pr.root, checks, func(q agent.Question) agent.Answer { return s.ask(ctx, q, "") })
	if err != nil {
		s.log.Error("keeping a grant", "error", err)
	}
	return ok
}

func checkProgress(p verify.Progress) string {
	if p.Check.Name == "" {
		return "preparing"
	}
	text := fmt.Sprintf("%d/%d %s", p.Index+1, p.Total, p.Check.Name)
	if p.Passed+p.Failed > 0 {
		text += fmt.Sprintf(", %s, %d failed", counted(p.Passed+p.Failed, "test"), p.Failed)
	}
	return text
}

// checkDraft is how a run has its draft checked: only where the person has
// allowed this workspace's checks before, since a run does not ask for that.
func (s *session) checkDraft(pr *project) func(context.Context, *workspace.Draft) (agent.Checked, error) {
	return func(ctx context.Context, draft *workspace.Draft) (agent.Checked, error) {
		settings := s.settings.Load()
		if !settings.Checks.OnRun {
			return agent.Checked{Summary: "not checked: switched off (checks.on_run)"}, nil
		}
		checks := s.checksOf(pr.root, nil)
		if len(checks) == 0 {
			return agent.Checked{Summary: "not checked: no checks found"}, nil
		}
		if !agent.ChecksAllowed(ctx, pr.store, checks) {
			return agent.Checked{Summary: "not checked: the checks are not allowed here yet; emend.verify asks"}, nil
		}
		return agent.CheckDraft(ctx, pr.root, draft, checks, checkTimeout(settings))
	}
}

// checkFirst runs the checks over a snapshot and keeps what they find, where
// the person has allowed them before and wants them in runs. It reports whether
// they were run.
func (s *session) checkFirst(ctx context.Context, jb *job, snap *workspace.Snapshot, root string) bool {
	settings := s.settings.Load()
	pr, err := s.projects.of(root)
	if err != nil || !settings.Checks.OnRun {
		return false
	}
	checks := s.checksOf(root, nil)
	if len(checks) == 0 || !agent.ChecksAllowed(ctx, pr.store, checks) {
		return false
	}
	report, err := verify.Run(ctx, verify.Request{
		Root: root, Snapshot: snap, Checks: checks, Timeout: checkTimeout(settings),
		Progress: func(p verify.Progress) { jb.progress.report("checks: " + checkProgress(p)) },
	})
	if err != nil {
		s.log.Info("checking before a fix", "error", err)
		return false
	}
	for _, path := range s.findings.replace(ctx, snap, root, report) {
		s.refresh(path)
	}
	return true
}

func checkTimeout(settings *config.Settings) time.Duration {
	return time.Duration(settings.Checks.TimeoutSeconds) * time.Second
}

// findingsIn returns what the last checks found in a document, each where its
// line is now; doc is nil for one that is not open. Those whose line was changed
// are left out.
func (s *session) findingsIn(path workspace.Path, doc *workspace.Document) []protocol.Diagnostic {
	var carrier lineCarrier
	var ds []protocol.Diagnostic
	for _, f := range s.findings.of(path) {
		now := f.text
		if doc != nil {
			now = doc.Text
		}
		if line, ok := carrier.carry(f.text, now, f.line()); ok {
			ds = append(ds, f.toProto(now, line, s.mirror.enc))
		}
	}
	return ds
}

// line is the finding's zero-based line; one without a line is at the first.
func (f found) line() int { return max(f.Line, 1) - 1 }

// toProto converts a finding, at the given line of a text.
func (f found) toProto(now edits.Text, line int, enc edits.Encoding) protocol.Diagnostic {
	start, end := now.Line(line)
	if f.Column > 1 && start+f.Column-1 < end {
		start += f.Column - 1
	} else {
		content := now.String()[start:end]
		start += len(content) - len(strings.TrimLeft(content, " \t"))
	}
	message := f.Message
	if f.Test != "" && !strings.Contains(message, f.Test) {
		message = f.Test + ": " + message
	}
	d := protocol.Diagnostic{
		Range:    toProtoRange(now, start, end, enc),
		Severity: severities[f.Severity],
		Source:   protocol.NewOptional(sourceName),
		Message:  protocol.String(message),
	}
	if f.Check != "" {
		d.Code = protocol.String(f.Check)
	}
	return d
}

var severities = map[verify.Severity]protocol.DiagnosticSeverity{
	verify.Error:       protocol.DiagnosticSeverityError,
	verify.Warning:     protocol.DiagnosticSeverityWarning,
	verify.Information: protocol.DiagnosticSeverityInformation,
}
