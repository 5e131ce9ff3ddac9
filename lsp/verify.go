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
	"emend/state"
	"emend/verify"
)

// questionChecks asks whether a workspace's own checks may be run.
const questionChecks = "checks"

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
	checks := configuredChecks(s.settings.Load().Checks.Commands)
	if len(checks) == 0 {
		checks = verify.Detect(root)
	}
	if len(names) == 0 {
		return checks
	}
	return slices.DeleteFunc(checks, func(c verify.Check) bool { return !slices.Contains(names, c.Name) })
}

func configuredChecks(commands []config.Command) []verify.Check {
	var out []verify.Check
	for _, c := range commands {
		out = append(out, verify.Check{Name: c.Name, Args: c.Args, Dir: c.Dir, Parser: c.Parser})
	}
	return out
}

// checksSubject names what a grant for checks is about: their exact commands,
// so that others ask anew.
func checksSubject(checks []verify.Check) string {
	var lines []string
	for _, c := range checks {
		lines = append(lines, c.Dir+"\x00"+strings.Join(c.Args, "\x00"))
	}
	slices.Sort(lines)
	return hashText(strings.Join(lines, "\n"))
}

// mayCheck reports whether the person allows these checks here; it asks once.
func (s *session) mayCheck(ctx context.Context, pr *project, checks []verify.Check) bool {
	subject := checksSubject(checks)
	if pr.granted(ctx, state.GrantChecks, subject) {
		return true
	}
	answer := s.ask(ctx, agent.Question{
		ID: state.NewID("question"), Kind: questionChecks,
		Text:    "May emend run this workspace's checks?",
		Detail:  "They execute its code (" + commandLines(checks) + ").",
		Options: []string{agent.Allow, agent.Deny}, Default: agent.Deny,
	}, "")
	if answer.Choice != agent.Allow {
		return false
	}
	grant := &state.Grant{ID: state.NewID("grant"), Root: pr.root, Kind: state.GrantChecks, Subject: subject, Created: time.Now().UTC()}
	if err := pr.store.Update(ctx, func(tx *state.Tx) error { return tx.PutGrant(grant) }); err != nil {
		s.log.Error("keeping a grant", "error", err)
	}
	return true
}

func commandLines(checks []verify.Check) string {
	var out []string
	for _, c := range checks {
		out = append(out, strings.Join(c.Args, " "))
	}
	return strings.Join(out, "; ")
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
		if !pr.granted(ctx, state.GrantChecks, checksSubject(checks)) {
			return agent.Checked{Summary: "not checked: the checks are not allowed here yet; emend.verify asks"}, nil
		}
		report, err := verify.Run(ctx, verify.Request{Root: pr.root, Draft: draft, Checks: checks, Timeout: checkTimeout(settings)})
		if err != nil {
			return agent.Checked{}, err
		}
		broken, err := broken(ctx, pr.root, draft, checks, report, checkTimeout(settings))
		if err != nil {
			return agent.Checked{}, err
		}
		return agent.Checked{Summary: report.Summary(), Broken: broken}, nil
	}
}

func checkTimeout(settings *config.Settings) time.Duration {
	return time.Duration(settings.Checks.TimeoutSeconds) * time.Second
}

// broken tells what a draft broke: the findings that the same checks do not
// have over the text as it was before. What was broken before is not the run's
// fault.
func broken(ctx context.Context, root string, draft *workspace.Draft, checks []verify.Check, after verify.Report, limit time.Duration) (string, error) {
	if len(after.Findings) == 0 {
		return "", nil
	}
	before, err := verify.Run(ctx, verify.Request{Root: root, Snapshot: draft.Snapshot(), Checks: checks, Timeout: limit})
	if err != nil {
		return "", err
	}
	// Lines move with every change: a finding is known by what it says.
	type identity struct {
		path                 workspace.Path
		check, test, message string
	}
	old := map[identity]int{}
	for _, f := range before.Findings {
		old[identity{f.Path, f.Check, f.Test, f.Message}]++
	}
	var b strings.Builder
	for _, f := range after.Findings {
		id := identity{f.Path, f.Check, f.Test, f.Message}
		if old[id]--; old[id] >= 0 || f.Severity == verify.Information {
			continue
		}
		fmt.Fprintf(&b, "%s:%d: %s", draft.Snapshot().Roots().Rel(f.Path), f.Line, f.Message)
		if f.Test != "" {
			fmt.Fprintf(&b, " (%s)", f.Test)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
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
