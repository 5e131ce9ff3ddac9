package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"emend/internal/proposal"
	"emend/state"
)

// The ways an approval can go.
const (
	approvalReview  = "review"
	approvalPreview = "preview"
	approvalAuto    = "auto"
)

// offer shows a stored proposal: hints on its hunks, and by the approval that
// holds for it a notice, the editor's own preview, or the change itself.
func (s *session) offer(ctx context.Context, p pending, approval string, untouched bool) {
	for _, path := range s.board.put(p) {
		s.refresh(path)
	}
	switch {
	case approval == approvalAuto:
		s.tasks.spawn("apply", func(ctx context.Context) { s.apply(ctx, p.ID, proposal.Selection{}) })
	case approval == approvalPreview && untouched && s.canPreview():
		s.tasks.spawn("preview", func(ctx context.Context) { s.preview(ctx, p.ID, proposal.Selection{}) })
	default:
		s.notice(ctx, p)
	}
}

// notice tells of a proposal once: with buttons where they do not get in the
// way, else with the names of the commands.
func (s *session) notice(ctx context.Context, p pending) {
	text := p.headline()
	if !s.editor.quirks.asks {
		s.noticeLine(ctx, p)
		return
	}
	s.tasks.spawn("notice", func(ctx context.Context) {
		args := &arguments{Proposal: p.ID}
		var err error
		picked, failed := s.editor.choose(ctx, text, "Review", "Apply", "Discard")
		if failed != nil {
			s.noticeLine(ctx, p)
			return
		}
		switch picked {
		case "Review":
			_, err = s.commandReview(ctx, args)
		case "Apply":
			_, err = s.commandApply(ctx, args)
		case "Discard":
			_, err = s.commandDiscard(ctx, args)
		}
		if err != nil {
			s.editor.info(ctx, "%v", err)
		}
	})
}

func (s *session) noticeLine(ctx context.Context, p pending) {
	s.editor.info(ctx, "%s ready. Look at it with emend.review, take it with emend.apply, drop it with emend.discard, or by code action", p.headline())
}

// headline is a proposal in one line: what, how much, and how sure.
func (p pending) headline() string {
	text := fmt.Sprintf("%s: %s in %s", short(p.Title), counted(p.Open(), "change"), counted(len(p.Files), "file"))
	if p.Checks != "" {
		text += " (" + p.Checks + ")"
	}
	return text
}

// commandReview shows a proposal for a decision: the native preview where the
// client has one, else the diff as a document beside the hints on each hunk.
func (s *session) commandReview(ctx context.Context, args *arguments) (any, error) {
	if s.canPreview() {
		return s.commandTake(args, true)
	}
	return s.commandShow(ctx, args)
}

// commandDiscard drops a proposal, a file's worth of it, or one hunk.
func (s *session) commandDiscard(_ context.Context, args *arguments) (any, error) {
	p, err := s.board.find(args.Proposal)
	if err != nil {
		return nil, invalid("%v", err)
	}
	sel := s.selection(p, args)
	s.tasks.spawn("discard", func(ctx context.Context) {
		unlock, err := s.board.lockEdits(ctx)
		if err != nil {
			return
		}
		defer unlock()
		p, err := s.board.find(p.ID)
		if err != nil {
			return // taken meanwhile
		}
		next := p.Clone()
		before := next.Open()
		next.Discard(sel)
		s.keep(ctx, pending{next, p.project})
		left := ""
		if n := next.Open(); n > 0 {
			left = "; " + counted(n, "change") + " still waiting"
		}
		s.editor.info(ctx, "%s discarded%s", counted(before-next.Open(), "change"), left)
	})
	return map[string]string{"proposal": p.ID}, nil
}

// recoverProject closes the runs a dead server left open in a folder and offers
// its pending proposals again.
func (s *session) recoverProject(ctx context.Context, dir string) {
	if !s.projects.kept(dir) {
		return // nothing was ever kept here, and nothing is made for a look
	}
	pr, err := s.projects.of(dir)
	if err != nil {
		s.log.Error("opening a store", "root", dir, "error", err)
		s.editor.fail(ctx, "turns and checkpoints of %s are not being kept: %v", dir, err)
		return
	}
	if n, err := pr.store.CloseInterrupted(ctx); err != nil {
		s.log.Error("closing interrupted runs", "root", dir, "error", err)
	} else if n > 0 {
		s.log.Info("runs of an earlier server were interrupted", "root", dir, "runs", n)
	}
	if _, err := pr.store.Collect(ctx, state.DefaultLimits); err != nil && ctx.Err() == nil {
		s.log.Warn("collecting what is old", "root", dir, "error", err)
	}
	waiting, undo, err := loadPending(ctx, pr)
	if err != nil {
		s.log.Error("loading proposals", "root", dir, "error", err)
	}
	if undo {
		s.board.setUndo(true)
	}
	for _, p := range waiting {
		for _, path := range s.board.put(p) {
			s.refresh(path)
		}
	}
	if len(waiting) > 0 {
		s.editor.message(ctx, protocol.MessageTypeInfo, waitingText(waiting))
	}
	for _, n := range pr.store.Notices() {
		s.editor.warn(ctx, "%s", n.Message)
	}
}

func waitingText(waiting []pending) string {
	var titles []string
	for _, p := range waiting {
		titles = append(titles, short(p.Title))
	}
	return fmt.Sprintf("%s from before still waiting: %s", counted(len(waiting), "proposal"), strings.Join(titles, ", "))
}

// loadPending reads what waits in a project, oldest first, and whether there is
// something to undo.
func loadPending(ctx context.Context, pr *project) (waiting []pending, undo bool, err error) {
	err = pr.store.View(ctx, func(tx *state.Tx) error {
		waiting, undo = nil, false
		list, err := tx.PendingProposals("")
		if err != nil {
			return err
		}
		for i := len(list) - 1; i >= 0; i-- {
			c, err := proposal.Load(tx, list[i].ID)
			if err != nil {
				return err
			}
			waiting = append(waiting, pending{c, pr})
		}
		all, err := tx.Checkpoints()
		undo = lastApplied(all, "") != nil
		return err
	})
	return waiting, undo, err
}
