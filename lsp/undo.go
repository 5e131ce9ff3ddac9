package lsp

import (
	"context"
	"fmt"
	"time"

	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

// commandUndo takes the last applied change back, or the one a run made, or the
// one a checkpoint was kept for. What the person changed since stays.
func (s *session) commandUndo(ctx context.Context, args *arguments) (any, error) {
	ok := s.start("undo-"+state.NewID("job"), "undo", func(ctx context.Context, jb *job) {
		jb.progress.outcome(s.undo(ctx, args))
	})
	if !ok {
		return nil, ctx.Err()
	}
	return map[string]bool{"started": true}, nil
}

// undo carries an undo out and returns its outcome in a word.
func (s *session) undo(ctx context.Context, args *arguments) string {
	unlock, err := s.board.lockEdits(ctx)
	if err != nil {
		return "cancelled"
	}
	defer unlock()
	pr, cp, err := s.findCheckpoint(ctx, args)
	if err != nil {
		s.editor.warn(ctx, "cannot undo: %v", err)
		return "nothing to undo"
	}
	replan := func(files []string) (*proposal.Plan, error) {
		var plan *proposal.Plan
		err := pr.store.View(ctx, func(tx *state.Tx) error {
			var err error
			plan, err = proposal.Undo(tx, cp, files, s.now(ctx))
			return err
		})
		return plan, err
	}
	plan, err := replan(s.undoFiles(args))
	if err != nil {
		s.editor.warn(ctx, "cannot undo: %v", err)
		return "refused"
	}
	if err := s.checkpoint(ctx, pending{nil, pr}, plan, "undo of "+cp.Label); err != nil {
		s.editor.fail(ctx, "nothing was changed, because the checkpoint before it could not be kept: %v", err)
		return "failed"
	}
	t := s.send(ctx, plan, false, sending{
		replan: func(path workspace.Path) (*proposal.Plan, error) { return replan([]string{string(path)}) },
		settle: func(done *proposal.Plan) map[workspace.Path]proposal.Outcome { return s.judge(ctx, done) },
	})
	t.conflicts = plan.Conflicts
	s.takeBack(ctx, pr, cp, t.applied)
	s.tell(ctx, t, 0)
	return t.word()
}

// undoFiles resolves the files that an undo is limited to.
func (s *session) undoFiles(args *arguments) []string {
	var out []string
	for _, f := range args.Files {
		out = append(out, s.selection(&arguments{File: f}).File)
	}
	return out
}

// judge reads what became of each document of a plan.
func (s *session) judge(ctx context.Context, plan *proposal.Plan) map[workspace.Path]proposal.Outcome {
	now := s.now(ctx)
	out := map[workspace.Path]proposal.Outcome{}
	for _, fp := range plan.Files {
		cur, err := now(fp.Path)
		if err != nil {
			out[fp.Path] = proposal.OutcomeUnknown
			continue
		}
		out[fp.Path] = proposal.Judge(fp, cur)
	}
	return out
}

// takeBack notes on the proposal that its changes are out of the text again.
func (s *session) takeBack(ctx context.Context, pr *project, cp *state.Checkpoint, paths []workspace.Path) {
	if len(paths) == 0 {
		return
	}
	var all []*state.Checkpoint
	var c *proposal.Content
	err := pr.store.Update(ctx, func(tx *state.Tx) error {
		var err error
		if all, err = tx.Checkpoints(); err != nil || cp.Proposal == "" {
			return err
		}
		if c, err = proposal.Load(tx, cp.Proposal); err != nil {
			return err
		}
		c.TakenBack(paths...)
		return tx.PutProposal(&c.Proposal)
	})
	if err != nil {
		s.log.Error("noting an undo", "checkpoint", cp.ID, "error", err)
		return
	}
	s.board.setUndo(lastApplied(all, "") != nil)
	if c == nil {
		return
	}
	for _, path := range s.board.put(pending{c, pr}) {
		s.refresh(path)
	}
}

// findCheckpoint finds what an undo goes back to.
func (s *session) findCheckpoint(ctx context.Context, args *arguments) (*project, *state.Checkpoint, error) {
	var best *state.Checkpoint
	var in *project
	for _, pr := range s.undoProjects() {
		err := pr.store.View(ctx, func(tx *state.Tx) error {
			if args.Checkpoint != "" {
				cp, err := tx.Checkpoint(args.Checkpoint)
				if err == nil {
					best, in = cp, pr
				}
				return nil //nolint:nilerr // it may be another folder's
			}
			all, err := tx.Checkpoints()
			if cp := lastApplied(all, args.Run); cp != nil && (best == nil || cp.Created.After(best.Created)) {
				best, in = cp, pr
			}
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	switch {
	case best != nil:
		return in, best, nil
	case args.Checkpoint != "":
		return nil, nil, fmt.Errorf("there is no checkpoint %q; emend.checkpoints lists them", args.Checkpoint)
	case args.Run != "":
		return nil, nil, fmt.Errorf("run %q changed nothing that is not undone already", args.Run)
	default:
		return nil, nil, fmt.Errorf("emend has changed nothing here that is not undone already")
	}
}

// undoProjects is the projects an undo looks in: those open, and the one of
// each folder.
func (s *session) undoProjects() []*project {
	for _, dir := range s.roots.Load().Dirs() {
		if _, err := s.projects.of(dir); err != nil {
			s.log.Warn("opening a store", "root", dir, "error", err)
		}
	}
	return s.projects.opened()
}

// lastApplied is the newest checkpoint of an applied change that no undo has
// taken back, nil for none; run limits it to one run's. all is newest first. An
// undo has a checkpoint of its own, whose Parent is what it took back; one that
// was itself undone counts for nothing.
func lastApplied(all []*state.Checkpoint, run string) *state.Checkpoint {
	undone := map[string]bool{}
	for _, cp := range all { // newest first: who undid an undo is seen before it
		if cp.Parent != "" {
			if !undone[cp.ID] {
				undone[cp.Parent] = true
			}
			continue
		}
		if !undone[cp.ID] && (run == "" || cp.Run == run) {
			return cp
		}
	}
	return nil
}

// commandCheckpoints lists what can be gone back to, newest first.
func (s *session) commandCheckpoints(ctx context.Context, _ *arguments) (any, error) {
	release(ctx)
	type row struct {
		ID      string `json:"id"`
		Label   string `json:"label"`
		Created string `json:"created"`
		Files   int    `json:"files"`
	}
	rows := []row{}
	for _, pr := range s.undoProjects() {
		var all []*state.Checkpoint
		err := pr.store.View(ctx, func(tx *state.Tx) error {
			var err error
			all, err = tx.Checkpoints()
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, cp := range all {
			rows = append(rows, row{cp.ID, cp.Label, cp.Created.Format(time.DateTime), len(cp.Files)})
		}
	}
	return rows, nil
}
