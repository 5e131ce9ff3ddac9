package proposal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"emend/edits"
	"emend/internal/workspace"
	"emend/state"
)

// Undo plans the way back to what a checkpoint holds, for all its files or for
// those named by path or URI. What the person changed since stays: each text
// is merged three ways, from what the change left behind, and what a later
// change touched is refused by name. A file that the change created is deleted
// only while it is still what was made; one that it deleted comes back; one
// that it moved moves back with the text it has by now.
//
// The plan's hunks have ids as those of a proposal do. Carrying it out with a
// checkpoint of its own makes the undo something that can be undone.
func Undo(tx *state.Tx, cp *state.Checkpoint, files []string, now Now) (*Plan, error) {
	u := &undoer{tx: tx, cp: cp, now: now, plan: &Plan{Proposal: cp.Proposal, Root: cp.Root, Run: cp.Run, Undoes: cp.ID}}
	for _, name := range files {
		if !slices.ContainsFunc(cp.Files, func(f state.CheckpointFile) bool { return f.Path == name || f.URI == name }) {
			return nil, fmt.Errorf("checkpoint %s, file %q: %w", cp.ID, name, ErrUnknown)
		}
	}
	if err := u.run(files); err != nil {
		return nil, fmt.Errorf("undoing with checkpoint %s: %w", cp.ID, err)
	}
	return u.plan, nil
}

// undoer makes one undo plan.
type undoer struct {
	tx   *state.Tx
	cp   *state.Checkpoint
	now  Now
	plan *Plan
}

// run plans the chosen files, in the order of [Plan].Files.
func (u *undoer) run(names []string) error {
	moved := map[string]bool{}
	pairs, err := u.moves()
	if err != nil {
		return err
	}
	chosen := func(f state.CheckpointFile) bool {
		return len(names) == 0 || slices.Contains(names, f.Path) || slices.Contains(names, f.URI)
	}
	steps := [3][]func() error{} // deletes, renames, the rest
	for _, m := range pairs {
		moved[m.left.Path], moved[m.made.Path] = true, true
		if chosen(m.left) || chosen(m.made) {
			steps[1] = append(steps[1], func() error { return u.moveBack(m) })
		}
	}
	files := slices.SortedFunc(slices.Values(u.cp.Files), func(a, b state.CheckpointFile) int {
		return strings.Compare(a.Path, b.Path)
	})
	for _, f := range files {
		switch {
		case moved[f.Path] || !chosen(f):
		case f.Existed && f.AfterExists:
			steps[2] = append(steps[2], func() error { return u.revert(f) })
		case f.Existed:
			steps[2] = append(steps[2], func() error { return u.restore(f) })
		case f.AfterExists:
			steps[0] = append(steps[0], func() error { return u.remove(f) })
		}
	}
	for _, step := range slices.Concat(steps[:]...) {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// move is a file that the change moved: the entry of the path it left, and of
// the one it made.
type move struct{ left, made state.CheckpointFile }

// moves finds the renames of the checkpoint: what its proposal calls one, in
// either direction as an undo goes the other way, and otherwise a file that
// left while an equal one was made.
func (u *undoer) moves() ([]move, error) {
	renamed := map[string]string{}
	if u.cp.Proposal != "" {
		p, err := u.tx.Proposal(u.cp.Proposal)
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			return nil, err
		}
		if err == nil {
			for _, f := range p.Files {
				if f.Kind == KindRename {
					renamed[f.From], renamed[f.Path] = f.Path, f.From
				}
			}
		}
	}
	var out []move
	used := map[string]bool{}
	for _, left := range u.cp.Files {
		if !left.Existed || left.AfterExists {
			continue
		}
		for _, made := range u.cp.Files {
			if made.Existed || !made.AfterExists || used[made.Path] {
				continue
			}
			if to, known := renamed[left.Path]; known && to == made.Path || !known && left.Before == made.After {
				used[made.Path] = true
				out = append(out, move{left: left, made: made})
				break
			}
		}
	}
	return out, nil
}

// conflict notes a hunk, or with id "" a whole file, that stays as it is.
func (u *undoer) conflict(path, id string, line int, format string, args ...any) {
	u.plan.Conflicts = append(u.plan.Conflicts, Conflict{
		Path: workspace.Path(path), Hunk: id, Line: line, Reason: fmt.Sprintf(format, args...),
	})
}

// texts returns the texts of a file before and after the change.
func (u *undoer) texts(before, after state.Hash) (was, became string, err error) {
	if was, err = blobText(u.tx, before); err != nil {
		return "", "", err
	}
	became, err = blobText(u.tx, after)
	return was, became, err
}

// revert plans a text back to what it was.
func (u *undoer) revert(f state.CheckpointFile) error {
	was, became, err := u.texts(f.Before, f.After)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	cur, err := u.now(workspace.Path(f.Path))
	switch {
	case err != nil:
		u.conflict(f.Path, "", 0, "it cannot be read, so it stays as it is: %v", err)
		return nil
	case !cur.exists():
		u.conflict(f.Path, "", 0, "the file is gone; the text it had is in the checkpoint")
		return nil
	}
	fp := undoPlan(f, cur)
	if err := u.merge(&fp, f.Path, became, was); err != nil {
		return err
	}
	if len(fp.Edits) > 0 {
		u.plan.Files = append(u.plan.Files, fp)
	}
	return nil
}

// merge fills a file plan with the change between two texts, carried over to
// its Before.
func (u *undoer) merge(fp *FilePlan, path, from, to string) error {
	_, from = cutBOM(from)
	_, to = cutBOM(to)
	ch := newChange(path, from, to)
	spots := ch.place(fp.Before, ch.frame)
	for _, s := range spots {
		id := ch.hunks[s.index].ID
		switch s.State {
		case edits.Clean:
			fp.Hunks = append(fp.Hunks, id)
		case edits.Already:
			u.plan.Already = append(u.plan.Already, id)
		default:
			line, reason := s.conflict(fp.Before)
			u.conflict(path, id, line, "%s", reason)
		}
	}
	return fp.fill(joined(spots, func(spot) bool { return true }))
}

// restore plans a deleted file's return.
func (u *undoer) restore(f state.CheckpointFile) error {
	was, _, err := u.texts(f.Before, f.After)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	id := HunkID(f.Path, "", was, 0)
	cur, err := u.now(workspace.Path(f.Path))
	mark, body := cutBOM(cur.Text)
	switch {
	case err != nil:
		u.conflict(f.Path, id, 0, "it cannot be read, so it is not put back: %v", err)
	case cur.exists() && sameText(body, was):
		u.plan.Already = append(u.plan.Already, id)
	case !isEmpty(body):
		line, now, then := firstDifference(body, was)
		u.conflict(f.Path, id, line, "the deleted file exists again with other content: it has %s where the old one had %s", now, then)
	default:
		fp := undoPlan(f, cur)
		fp.Create, fp.Hunks = !cur.exists(), []string{id}
		if mark != "" {
			_, was = cutBOM(was)
		}
		if was != "" || body != "" {
			fp.Edits = edits.Set{{Start: len(mark), End: len(cur.Text), New: was}}
		}
		fp.Expect = mark + was
		u.plan.Files = append(u.plan.Files, fp)
	}
	return nil
}

// remove plans the end of a file that the change created.
func (u *undoer) remove(f state.CheckpointFile) error {
	_, made, err := u.texts(f.Before, f.After)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	id := HunkID(f.Path, made, "", 0)
	cur, err := u.now(workspace.Path(f.Path))
	switch {
	case err != nil:
		u.conflict(f.Path, id, 0, "it cannot be read, so it is not deleted: %v", err)
	case !cur.exists():
		u.plan.Already = append(u.plan.Already, id)
	case !sameText(cur.Text, made):
		line, now, then := firstDifference(cur.Text, made)
		u.conflict(f.Path, id, line, "it has changed since it was created, so it stays: it now has %s where it had %s", now, then)
	default:
		fp := undoPlan(f, cur)
		fp.Delete, fp.Hunks = true, []string{id}
		u.plan.Files = append(u.plan.Files, fp)
	}
	return nil
}

// moveBack plans a moved file's return, with the text it has by now.
func (u *undoer) moveBack(m move) error {
	was, became, err := u.texts(m.left.Before, m.made.After)
	if err != nil {
		return fmt.Errorf("%s: %w", m.made.Path, err)
	}
	id := HunkID(m.left.Path, m.made.Path, "", 0)
	from, errFrom := u.now(workspace.Path(m.made.Path))
	to, errTo := u.now(workspace.Path(m.left.Path))
	switch {
	case errFrom != nil || errTo != nil:
		u.conflict(m.made.Path, id, 0, "it cannot be read, so it is not moved back to %s: %v", m.left.Path, errors.Join(errFrom, errTo))
		return nil
	case !from.exists() && to.exists():
		u.plan.Already = append(u.plan.Already, id)
		return u.revert(state.CheckpointFile{
			Path: m.left.Path, URI: m.left.URI, Before: m.left.Before, After: m.made.After,
			Existed: true, AfterExists: true, Mode: m.left.Mode, BOM: m.left.BOM,
		})
	case !from.exists():
		return u.restore(m.left)
	case to.exists():
		u.conflict(m.made.Path, id, 0, "it cannot be moved back: %s exists again", m.left.Path)
		return nil
	}
	fp := undoPlan(m.left, from)
	fp.URI, fp.From = uriOf(fp.Path, m.left.URI), workspace.Path(m.made.Path)
	fp.FromURI = uriOf(fp.From, from.URI, m.made.URI)
	fp.Hunks = []string{id}
	if err := u.merge(&fp, m.left.Path, became, was); err != nil {
		return err
	}
	u.plan.Files = append(u.plan.Files, fp)
	return nil
}

// undoPlan returns a plan for a checkpoint's file that changes nothing yet.
func undoPlan(f state.CheckpointFile, cur Current) FilePlan {
	fp := FilePlan{
		Path: workspace.Path(f.Path), URI: uriOf(workspace.Path(f.Path), cur.URI, f.URI), Open: cur.Open, Version: cur.Version,
		Before: cur.Text, BOM: cur.BOM, Mode: cur.Mode,
	}
	if !cur.exists() {
		fp.BOM, fp.Mode = f.BOM, f.Mode
	}
	return fp
}
