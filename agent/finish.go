package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"emend/edits"
	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

// maxRepairs is how often the checks send the model back.
const maxRepairs = 2

// finish looks at what the run left behind.
func finish(ctx context.Context, u *run) (phase, *ending) {
	if !u.task.edits() || !changedSince(u.draft, u.begun) {
		return nil, done()
	}
	if err := u.removeDirective(ctx); err != nil {
		return nil, u.broke(ctx, err)
	}
	if u.Check != nil && len(u.draft.Changes()) > 0 {
		return check, nil
	}
	return propose, nil
}

// removeDirective takes the comment that asked for the change out of the file,
// unless the model did. Where its place cannot be told it stays, and that is
// said.
func (u *run) removeDirective(ctx context.Context) error {
	d := u.task.Directive
	if d == nil {
		return nil
	}
	before, err := u.snapshot.Read(ctx, d.Path)
	if err != nil {
		return fmt.Errorf("removing the directive: %w", err)
	}
	now, err := u.draft.Read(ctx, d.Path)
	if err != nil {
		return fmt.Errorf("removing the directive: %w", err)
	}
	if !now.Exists || d.Start < 0 || d.Start >= d.End || d.End > len(before.Text) {
		return nil
	}
	after, ok := without(before.Text, now.Text, d.Start, d.End)
	if !ok {
		u.warn("the comment that asked for this is still in %s: the lines around it were changed", u.Roots.Rel(d.Path))
		return nil
	}
	if after == now.Text {
		return nil
	}
	if err := u.draft.Write(ctx, d.Path, after); err != nil {
		return fmt.Errorf("removing the directive: %w", err)
	}
	return nil
}

// without removes from now the bytes start to end of before, of which now is a
// later version: by their words where those occur once, else by their place. ok
// is false when they cannot be told apart in it.
func without(before, now string, start, end int) (after string, ok bool) {
	words := strings.TrimSpace(before[start:end])
	switch strings.Count(now, words) {
	case 0:
		return now, true
	case 1:
		if strings.Count(before, words) == 1 {
			return cutComment(now, strings.Index(now, words), len(words)), true
		}
	}
	moved := edits.Rebase(before, now, edits.Hunks(before, before[:start]+before[end:]))
	for _, m := range moved {
		switch m.State {
		case edits.Conflicted:
			return now, false
		case edits.Clean:
			if next, err := m.Edits.Apply(now); err == nil && len(moved) == 1 {
				return next, true
			}
			return now, false
		}
	}
	return now, true
}

// cutComment removes n bytes at offset at: with their line where nothing else
// is on it, else with the blanks before them where they end it.
func cutComment(text string, at, n int) string {
	lineStart := strings.LastIndexByte(text[:at], '\n') + 1
	head, tail := text[lineStart:at], text[at+n:]
	rest, after, _ := strings.Cut(tail, "\n")
	switch {
	case strings.TrimSpace(rest) != "":
		return text[:at] + tail
	case strings.TrimSpace(head) == "":
		return text[:lineStart] + after
	}
	return text[:lineStart] + strings.TrimRight(head, " \t") + tail
}

// check runs the checks over the draft and sends the model back for what it
// broke, a few times.
func check(ctx context.Context, u *run) (phase, *ending) {
	checked, err := u.runChecks(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, u.ended(ctx)
		}
		checked = Checked{Summary: "not checked: " + err.Error()}
		u.warn("the change could not be checked: %v", err)
	}
	u.out.Checks = checked.Summary
	if checked.Broken == "" {
		return propose, nil
	}
	if u.repairs >= maxRepairs {
		u.warn("the change is proposed although it breaks checks: %s", checked.Summary)
		return propose, nil
	}
	u.repairs++
	u.tell("The project's checks were run over your changes, and these problems are new. Mend them, and nothing else.\n\n" +
		shorten(checked.Broken, u.env.MaxBytes))
	u.commitStep(ctx)
	return ask, nil
}

// checksTool is what the checks are called in events.
const checksTool = "checks"

func (u *run) runChecks(ctx context.Context) (Checked, error) {
	u.emit(Event{Kind: KindToolCall, Tool: checksTool})
	checked, err := u.Check(ctx, u.draft)
	text := checked.Summary
	if err != nil {
		text = err.Error()
	}
	u.emit(Event{Kind: KindToolResult, Tool: checksTool, Text: text, Data: ToolDone{Refused: err != nil || checked.Broken != ""}})
	return checked, err
}

// shorten cuts a text at a line end and says so.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := strings.LastIndexByte(text[:most], '\n') + 1
	return text[:cut] + fmt.Sprintf("[cut: %d more bytes]\n", len(text)-cut)
}

// propose stores the proposal in the place of the session's pending ones and
// shows it.
func propose(ctx context.Context, u *run) (phase, *ending) {
	if worse := u.env.Worse(); len(worse) > 0 {
		u.out.Checks = strings.TrimPrefix(u.out.Checks+"; syntax: worse in "+strings.Join(worse, ", "), "; ")
	}
	content, err := proposal.Build(u.draft, proposal.Meta{
		Session: u.session.ID, Run: u.out.Run, Root: u.record.Root, Title: u.title(),
		Supersedes: u.supersedes(), Checks: u.out.Checks, Time: u.now(),
	})
	if err != nil && !errors.Is(err, proposal.ErrNoChanges) {
		return nil, u.broke(ctx, fmt.Errorf("making a proposal of the draft: %w", err))
	}
	err = u.Store.Update(ctx, func(tx *state.Tx) error { return u.replaceProposals(tx, content) })
	if err != nil {
		return nil, u.broke(ctx, fmt.Errorf("storing the proposal: %w", err))
	}
	if content == nil {
		return nil, done() // a follow-up that took everything back
	}
	u.out.Proposal = content.ID
	shown := Proposed{Proposal: content.ID, Supersedes: content.Supersedes, Checks: content.Checks}
	for _, f := range content.Files {
		shown.Files = append(shown.Files, u.Roots.Rel(workspace.Path(f.Path)))
	}
	if u.out.Answer == "" {
		u.out.Answer = "Changed " + strings.Join(shown.Files, ", ") + "."
	}
	u.emit(Event{Kind: KindProposal, Text: content.Title, Data: shown})
	u.commitStep(ctx)
	if err := u.host.Propose(ctx, content); err != nil {
		if ctx.Err() != nil {
			return nil, u.ended(ctx)
		}
		u.warn("the proposal is stored but could not be shown: %v", err)
	}
	return nil, done()
}

// supersedes is the proposal that this run's takes the place of.
func (u *run) supersedes() string {
	if u.follows != nil {
		return u.follows.ID
	}
	return ""
}

// replaceProposals supersedes what is pending in the session, and stores
// content unless it is nil.
func (u *run) replaceProposals(tx *state.Tx, content *proposal.Content) error {
	pending, err := tx.PendingProposals(u.session.ID)
	if err != nil {
		return err
	}
	for _, p := range pending {
		old, err := proposal.Load(tx, p.ID)
		if err != nil {
			return err
		}
		if content == nil {
			old.Discard(proposal.Selection{})
		} else {
			old.Supersede()
			if content.Supersedes == "" {
				content.Supersedes = old.ID
			}
		}
		if err := proposal.Save(tx, old); err != nil {
			return err
		}
	}
	if content == nil {
		return nil
	}
	return proposal.Save(tx, content)
}
