package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"emend/agent/model"
	"emend/edits"
	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

// open puts the run on record and takes the snapshot. Everything after it finds
// a record to close.
func open(ctx context.Context, u *run) (phase, *ending) {
	u.snapshot = workspace.NewSnapshot(u.Roots, u.src)
	u.draft = workspace.NewDraft(u.snapshot)
	root := u.root()
	u.record = state.Run{
		ID: u.out.Run, Root: root, Mode: u.task.Mode, Instruction: u.task.Instruction,
		Focus: u.focusName(ctx), Status: state.RunRunning, Started: u.started,
	}
	if u.Provider != nil {
		u.record.Provider = u.Provider.Name()
	}
	var pending []*state.Proposal
	err := u.Store.Update(ctx, func(tx *state.Tx) (err error) {
		if err = u.openSession(tx, root); err != nil {
			return err
		}
		u.record.Session, u.out.Session = u.session.ID, u.session.ID
		if err = tx.PutRun(&u.record); err != nil {
			return err
		}
		pending, err = tx.PendingProposals(u.session.ID)
		return err
	})
	if err != nil {
		return nil, u.broke(ctx, fmt.Errorf("opening a run: %w", err))
	}
	u.opened = true
	if end := u.beginDraft(ctx, pending); end != nil {
		return nil, end
	}
	return admit, nil
}

// admit turns down what no model could do.
func admit(_ context.Context, u *run) (phase, *ending) {
	if !slices.Contains([]string{ModeEdit, ModeAsk, ModeRepair}, u.task.Mode) {
		return nil, refuse("the mode %q is unknown; use edit, ask or repair", u.task.Mode)
	}
	if strings.TrimSpace(u.task.Instruction) == "" && len(u.task.Diagnostics) == 0 {
		return nil, refuse("there is no instruction; say what to do")
	}
	if u.Provider == nil {
		missing := &model.Error{
			Kind: model.Unreachable, Message: "no model server is set up",
			Remedy: "install Ollama and pull a coder model, or set model.provider and model.base_url; emend doctor says more",
		}
		return nil, &ending{status: state.RunFailed, reason: missing.Message + "; " + missing.Remedy, cause: missing}
	}
	return consent, nil
}

// root is the folder the run belongs to.
func (u *run) root() string {
	if u.task.Root != "" {
		return u.task.Root
	}
	if f := u.task.Focus; f != nil {
		if dir, ok := u.Roots.Of(f.Path); ok {
			return dir
		}
	}
	if dirs := u.Roots.Dirs(); len(dirs) > 0 {
		return dirs[0]
	}
	return ""
}

// focusName is the place of the request, for people.
func (u *run) focusName(ctx context.Context) string {
	f := u.task.Focus
	if f == nil {
		return ""
	}
	name := u.Roots.Rel(f.Path)
	if file, err := u.snapshot.Read(ctx, f.Path); err == nil && file.Exists {
		name = fmt.Sprintf("%s:%d", name, edits.NewText(file.Text).LineOf(f.Start)+1)
	}
	return name
}

// openSession finds or makes the session, reads its turns and appends the
// person's.
func (u *run) openSession(tx *state.Tx, root string) error {
	now := u.now()
	session := &state.Session{ID: u.task.Session, Root: root, Title: u.title(), Created: now}
	if u.task.Session == "" {
		session.ID = state.NewID("session")
	} else if known, err := tx.Session(u.task.Session); err == nil {
		session = known
	} else if !errors.Is(err, state.ErrNotFound) {
		return err
	}
	session.Updated = now
	if err := tx.PutSession(session); err != nil {
		return err
	}
	turns, err := tx.Turns(session.ID)
	if err != nil {
		return err
	}
	u.session, u.turns = *session, turns
	return tx.AppendTurn(&state.Turn{
		Session: session.ID, Role: roleUser, Content: u.request(), Run: u.out.Run, Time: now,
	})
}

// request is what the person asked for, in words.
func (u *run) request() string {
	if text := strings.TrimSpace(u.task.Instruction); text != "" {
		return text
	}
	var messages []string
	for _, d := range u.task.Diagnostics {
		messages = append(messages, d.Message)
	}
	return "Fix: " + strings.Join(messages, "; ")
}

// title is the request as one short line.
func (u *run) title() string {
	line, _, _ := strings.Cut(u.request(), "\n")
	if runes := []rune(strings.TrimSpace(line)); len(runes) > 72 {
		return string(runes[:71]) + "…"
	}
	return strings.TrimSpace(line)
}

// beginDraft puts the session's pending proposal into the draft, unless a fresh
// start is wanted, and announces the run.
func (u *run) beginDraft(ctx context.Context, pending []*state.Proposal) *ending {
	started := Started{Session: u.session.ID, Mode: u.task.Mode, Approval: u.approval()}
	var conflicts []proposal.Conflict
	if len(pending) > 0 && !u.task.Fresh {
		err := u.Store.View(ctx, func(tx *state.Tx) (err error) {
			u.follows, err = proposal.Load(tx, pending[0].ID)
			return err
		})
		if err != nil {
			return u.broke(ctx, fmt.Errorf("loading proposal %s to go on from: %w", pending[0].ID, err))
		}
		if conflicts, err = proposal.Continue(ctx, u.follows, u.draft); err != nil {
			return u.broke(ctx, fmt.Errorf("going on from proposal %s: %w", pending[0].ID, err))
		}
		started.Follows = u.follows.ID
	}
	u.begun = fingerprint(u.draft)
	u.emit(Event{Kind: KindStarted, Text: u.request(), Data: started})
	for _, c := range conflicts {
		u.warn("a change of the proposal before no longer fits and was left out: %s", c)
	}
	return nil
}

func (u *run) approval() string {
	if u.task.Approval != "" {
		return u.task.Approval
	}
	return u.Settings.Approval
}

// fingerprint is what a draft changed, comparable by [changedSince].
func fingerprint(d *workspace.Draft) map[workspace.Path]string {
	prints := map[workspace.Path]string{}
	for _, c := range d.Changes() {
		print := "gone"
		if c.After != nil {
			print = string(c.From) + "\x00" + string(c.After.Hash[:])
		}
		prints[c.Path] = print
	}
	return prints
}

// changedSince reports whether the draft differs from what it was at begun.
func changedSince(d *workspace.Draft, begun map[workspace.Path]string) bool {
	now := fingerprint(d)
	if len(now) != len(begun) {
		return true
	}
	for p, print := range now {
		if begun[p] != print {
			return true
		}
	}
	return false
}
