package lsp

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

// commandApply applies a proposal, a file's worth of it, or one hunk.
func (s *session) commandApply(_ context.Context, args *arguments) (any, error) {
	return s.commandTake(args, false)
}

func (s *session) commandTake(args *arguments, preview bool) (any, error) {
	p, err := s.board.find(args.Proposal)
	if err != nil {
		return nil, invalid("%v", err)
	}
	sel := s.selection(p, args)
	if _, err := p.Plan(sel, func(workspace.Path) (proposal.Current, error) { return proposal.Current{}, fs.ErrNotExist }); err != nil {
		return nil, invalid("%v", err) // names no part of it
	}
	title := "apply "
	if preview {
		title = "review "
	}
	s.start("apply-"+p.ID, title+short(p.Title), func(ctx context.Context, jb *job) {
		if preview {
			jb.progress.outcome(s.preview(ctx, p.ID, sel))
			return
		}
		jb.progress.outcome(s.apply(ctx, p.ID, sel))
	})
	return map[string]string{"proposal": p.ID}, nil
}

// selection is the part of a proposal that arguments name.
func (s *session) selection(p pending, args *arguments) proposal.Selection {
	return proposal.Selection{File: s.fileName(p.project.root, args.File), Hunk: args.Hunk}
}

// fileName is a document that a person or a plug-in names, by a URI or a path,
// as proposals and checkpoints name it.
func (s *session) fileName(root, name string) string {
	if strings.Contains(name, "://") {
		return string(s.mirror.path(canonical(name)))
	}
	if name != "" {
		if p, err := s.rootsWith(root).Resolve(name); err == nil {
			return string(p)
		}
	}
	return name
}

// rootsWith is the workspace's folders as they are now, and root, which is of
// none of them where a file was opened without a folder, or its folder was
// closed since.
func (s *session) rootsWith(root string) workspace.Roots {
	roots := *s.roots.Load()
	if dir, ok := roots.Of(workspace.Path(root)); ok && dir == root || root == "" {
		return roots
	}
	return workspace.NewRoots(append(roots.Dirs(), root)...)
}

// now reads documents as they are at this moment, for what concerns a root
// folder.
func (s *session) now(ctx context.Context, root string) proposal.Now {
	snap := workspace.NewSnapshot(s.rootsWith(root), workspace.Disk(&s.mirror.docs))
	return func(p workspace.Path) (proposal.Current, error) {
		f, err := snap.Read(ctx, p)
		if err != nil {
			return proposal.Current{}, err
		}
		if f.Binary || f.NotUTF8 {
			return proposal.Current{}, fmt.Errorf("%s is not UTF-8 text", p)
		}
		return proposal.Current{Text: f.Text, Exists: f.Exists, Open: f.Open, Version: f.Version, URI: f.URI, BOM: f.BOM, Mode: uint32(f.Mode.Perm())}, nil
	}
}

// apply carries a selection of a proposal out and tells the person what came of
// it. It returns the outcome in a word. One edit is under way at a time.
func (s *session) apply(ctx context.Context, id string, sel proposal.Selection) string {
	unlock, err := s.board.lockEdits(ctx)
	if err != nil {
		return "cancelled"
	}
	defer unlock()
	p, err := s.board.find(id)
	if err != nil {
		s.editor.info(ctx, "%v", err) // taken meanwhile by another gesture
		return "nothing to apply"
	}
	next := p.Clone()
	tr := s.applying(ctx, p, sel, next.Settle)
	plan, cp, word := s.ready(ctx, tr, "apply")
	if word != "" {
		return word
	}
	t := s.carry(ctx, tr, plan)
	return s.applied(context.WithoutCancel(ctx), pending{next, p.project}, cp, t)
}

// applying is the way of a selection of a proposal into the text.
func (s *session) applying(ctx context.Context, p pending, sel proposal.Selection,
	settle func(*proposal.Plan, proposal.Now) map[workspace.Path]proposal.Outcome) *transfer {
	return &transfer{
		project: p.project,
		plan:    func() (*proposal.Plan, error) { return p.Plan(sel, s.now(ctx, p.project.root)) },
		checkpoint: func(tx *state.Tx, plan *proposal.Plan) (*state.Checkpoint, error) {
			return proposal.Checkpoint(plan, p.Content, "before: "+p.Title, tx.PutBlob)
		},
		settle: settle,
	}
}

// ready plans a transfer and keeps the checkpoint before it. word is the
// outcome when there is nothing to carry out, "" otherwise.
func (s *session) ready(ctx context.Context, tr *transfer, verb string) (plan *proposal.Plan, cp *state.Checkpoint, word string) {
	plan, err := tr.plan()
	if err != nil {
		s.editor.warn(ctx, "cannot %s: %v", verb, err)
		return nil, nil, "refused"
	}
	if plan.Empty() {
		return plan, nil, ""
	}
	err = tr.project.store.Update(ctx, func(tx *state.Tx) error {
		if cp, err = tr.checkpoint(tx, plan); err != nil {
			return err
		}
		return tx.PutCheckpoint(cp)
	})
	if err != nil {
		s.editor.fail(ctx, "nothing was changed, because the checkpoint before it could not be kept: %v", err)
		return nil, nil, "failed"
	}
	return plan, cp, ""
}

// applied keeps and tells what came of a proposal.
func (s *session) applied(ctx context.Context, p pending, cp *state.Checkpoint, t *tally) string {
	p.Record(&proposal.Plan{Conflicts: t.conflicts, Already: t.already}, nil)
	s.settleCheckpoint(ctx, p.project, cp, t)
	s.keep(ctx, p)
	s.tell(ctx, p.project.root, t, p.Open())
	return t.word()
}

// settleCheckpoint drops the checkpoint of a change that surely left every
// document as it was, so that an undo does not go back to it.
func (s *session) settleCheckpoint(ctx context.Context, pr *project, cp *state.Checkpoint, t *tally) {
	if cp == nil {
		return
	}
	if !t.nothing() {
		s.board.setUndo(true)
		return
	}
	err := pr.store.Update(ctx, func(tx *state.Tx) error { return tx.DeleteCheckpoint(cp.ID) })
	if err != nil {
		s.log.Error("dropping a checkpoint", "checkpoint", cp.ID, "error", err)
	}
}

// keep stores a proposal's new fates and shows them. A store that cannot keep
// them is no reason to show the person what is not so.
func (s *session) keep(ctx context.Context, p pending) {
	err := p.project.store.Update(ctx, func(tx *state.Tx) error { return tx.PutProposal(&p.Proposal) })
	if err != nil {
		s.log.Error("keeping a proposal's fate", "proposal", p.ID, "error", err)
		s.editor.warn(ctx, "what became of this change could not be kept: %v", err)
	}
	if p.Open() == 0 {
		s.forgetReview(p)
	}
	for _, path := range s.board.put(p) {
		s.refresh(path)
	}
}
