package lsp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

// commandUndo takes the last applied change back, or the one a run made, or the
// one a checkpoint was kept for. What the person changed since stays.
func (s *session) commandUndo(_ context.Context, args *arguments) (any, error) {
	ok := s.start(state.NewID("undo"), "undo", func(ctx context.Context, jb *job) {
		jb.progress.outcome(s.undo(ctx, args))
	})
	if !ok {
		return nil, errLeaving
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
	files := s.undoFiles(pr.root, args)
	tr := s.undoing(ctx, pr, cp, files)
	plan, mark, word := s.ready(ctx, tr, "undo")
	if word != "" {
		return word
	}
	if plan.Empty() && len(plan.Conflicts) == 0 {
		return s.undoneAlready(ctx, tr, cp, plan)
	}
	t := s.carry(ctx, tr, plan)
	ctx = context.WithoutCancel(ctx)
	s.settleCheckpoint(ctx, pr, mark, t)
	s.takeBack(ctx, pr, cp, t.of(proposal.OutcomeApplied))
	s.tell(ctx, pr.root, t, 0)
	return t.word()
}

// undoing is the way back to a checkpoint.
func (s *session) undoing(ctx context.Context, pr *project, cp *state.Checkpoint, files []string) *transfer {
	return &transfer{
		project: pr,
		plan: func() (plan *proposal.Plan, err error) {
			err = pr.store.View(ctx, func(tx *state.Tx) error {
				plan, err = proposal.Undo(tx, cp, files, s.now(ctx, pr.root))
				return err
			})
			return plan, err
		},
		checkpoint: func(tx *state.Tx, plan *proposal.Plan) (*state.Checkpoint, error) {
			mark, err := proposal.Checkpoint(plan, nil, "undo of "+cp.Label, tx.PutBlob)
			if err == nil && len(files) == 0 {
				coverAll(mark, cp)
			}
			return mark, err
		},
		settle: judge,
	}
}

// coverAll makes the record of an undo speak of every file of what it took
// back: those that were left as they are, because a later change is in the way
// or they had gone back already, are done with as well. Otherwise the next undo
// would come to the same checkpoint again, and never to the one before it.
func coverAll(mark, undone *state.Checkpoint) {
	for _, f := range undone.Files {
		if slices.ContainsFunc(mark.Files, func(have state.CheckpointFile) bool { return have.Path == f.Path }) {
			continue
		}
		f.Before, f.Existed = f.After, f.AfterExists
		mark.Files = append(mark.Files, f)
	}
}

// undoneAlready is an undo of what the person has taken back by hand.
func (s *session) undoneAlready(ctx context.Context, tr *transfer, cp *state.Checkpoint, plan *proposal.Plan) string {
	var paths []workspace.Path
	err := tr.project.store.Update(ctx, func(tx *state.Tx) error {
		mark, err := tr.checkpoint(tx, plan)
		if err != nil {
			return err
		}
		for _, f := range mark.Files {
			paths = append(paths, workspace.Path(f.Path))
		}
		return tx.PutCheckpoint(mark)
	})
	if err != nil {
		s.editor.fail(ctx, "the undo could not be kept: %v", err)
		return "failed"
	}
	s.takeBack(ctx, tr.project, cp, paths)
	s.editor.info(ctx, "that change is out of the text already; another emend.undo goes further back")
	return "nothing to undo"
}

// undoFiles resolves the files that an undo is limited to.
func (s *session) undoFiles(root string, args *arguments) []string {
	var out []string
	for _, f := range args.Files {
		out = append(out, s.fileName(root, f))
	}
	return out
}

// judge reads what became of each document of a plan.
func judge(plan *proposal.Plan, now proposal.Now) map[workspace.Path]proposal.Outcome {
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

// lastApplied is the newest checkpoint of an applied change that undos have not
// taken back in every file, nil for none; run limits it to one run's. all is
// newest first. An undo has a checkpoint of its own, whose Parent is what it
// took back; one that was itself undone counts for nothing.
func lastApplied(all []*state.Checkpoint, run string) *state.Checkpoint {
	undone := map[string]map[string]bool{} // checkpoint → its files that are back
	for _, cp := range all {               // newest first: who undid an undo is seen before it
		left := slices.DeleteFunc(slices.Clone(cp.Files), func(f state.CheckpointFile) bool { return undone[cp.ID][f.Path] })
		if cp.Parent != "" {
			if undone[cp.Parent] == nil {
				undone[cp.Parent] = map[string]bool{}
			}
			for _, f := range left {
				undone[cp.Parent][f.Path] = true
			}
			continue
		}
		if len(left) > 0 && (run == "" || cp.Run == run) {
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
