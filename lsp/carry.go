package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"emend/edits"
	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

const (
	// settleTime bounds the wait for the mirror to show what the client says it
	// did; some send their change half a second after the reply.
	settleTime = 3 * time.Second
	// refusedTime is the same for a client that says it did nothing, lateTime
	// for one of those that send their changes late: a part of the edit may be
	// in the text although it was refused.
	refusedTime = 300 * time.Millisecond
	lateTime    = 1500 * time.Millisecond
	// applyTimeout bounds an edit that needs no person.
	applyTimeout = 2 * time.Minute
	// sendTries bounds how often an edit is sent that comes too late because
	// the person goes on typing.
	sendTries = 4
)

// transfer is a change on its way into the text: of a proposal, or of an undo.
type transfer struct {
	project *project
	// plan says what has to be done now.
	plan func() (*proposal.Plan, error)
	// checkpoint makes the record of what is there before.
	checkpoint func(*state.Tx, *proposal.Plan) (*state.Checkpoint, error)
	// settle reads what became of a plan.
	settle func(*proposal.Plan, proposal.Now) map[workspace.Path]proposal.Outcome
}

// carry brings a plan into the text: what the editor can do by the editor, the
// rest on the disk. Clients that check only one document's version get one edit
// a document.
func (s *session) carry(ctx context.Context, tr *transfer, plan *proposal.Plan) *tally {
	t := newTally(plan)
	byDisk, byEditor := s.divide(s.moveOpen(ctx, tr, plan, t))
	for _, fp := range byDisk.Files {
		s.writeOne(ctx, tr, only(plan, fp.Path), t)
	}
	if !s.editor.quirks.editPerDocument {
		s.deliver(ctx, tr, byEditor, t)
		return t
	}
	for _, fp := range byEditor.Files {
		s.deliver(ctx, tr, only(byEditor, fp.Path), t)
	}
	return t
}

// moveOpen moves the open documents that have to move and change, and returns
// the plan of what is left to do. A document that has moved counts its versions
// anew, which nobody can know before: an edit in the same go could not name the
// version it is for.
func (s *session) moveOpen(ctx context.Context, tr *transfer, plan *proposal.Plan, t *tally) *proposal.Plan {
	var paths []workspace.Path
	moves := *plan
	moves.Files = nil
	for _, fp := range plan.Files {
		if fp.From == "" || !fp.Open || len(fp.Edits) == 0 || !s.editor.caps.renameFiles {
			continue
		}
		paths = append(paths, fp.Path)
		fp.Edits, fp.Expect, fp.Hunks = nil, fp.Before, fp.Hunks[:1]
		moves.Files = append(moves.Files, fp)
	}
	if len(paths) == 0 {
		return plan
	}
	s.deliver(ctx, tr, &moves, t)
	left := *plan
	left.Files = slices.DeleteFunc(slices.Clone(plan.Files), func(fp proposal.FilePlan) bool {
		return slices.Contains(paths, fp.Path) && t.outcomes[fp.Path] != proposal.OutcomeApplied
	})
	return s.again(tr, &left, t)
}

// divide parts a plan into what is written to the disk, because the client has
// no such operation or the person wants closed files written, and what the
// editor does.
func (s *session) divide(plan *proposal.Plan) (byDisk, byEditor *proposal.Plan) {
	caps := s.editor.caps
	closed := s.settings.Load().Apply.ClosedFiles == "disk"
	disk := func(fp proposal.FilePlan) bool {
		switch {
		case fp.Create:
			return !caps.createFiles || closed
		case fp.Delete:
			return !caps.deleteFiles && !s.unsaved(fp)
		case fp.From != "":
			return !caps.renameFiles
		default:
			return closed && !fp.Open
		}
	}
	one, two := *plan, *plan
	one.Files, two.Files = nil, nil
	for _, fp := range plan.Files {
		if disk(fp) {
			one.Files = append(one.Files, fp)
		} else {
			two.Files = append(two.Files, fp)
		}
	}
	return &one, &two
}

// unsaved reports whether a document to delete is one that the editor never
// wrote: there is no file to delete, only text to take out.
func (s *session) unsaved(fp proposal.FilePlan) bool { return fp.Delete && fp.Open && fp.Mode == 0 }

// only is a plan for some of its documents.
func only(plan *proposal.Plan, paths ...workspace.Path) *proposal.Plan {
	part := *plan
	part.Conflicts, part.Already, part.Files = nil, nil, nil
	for _, fp := range plan.Files {
		if slices.Contains(paths, fp.Path) {
			part.Files = append(part.Files, fp)
		}
	}
	return &part
}

// writeOne carries a plan of one document out on the disk. That a document
// which the editor has open is deleted or moved leaves its buffer as it is.
func (s *session) writeOne(ctx context.Context, tr *transfer, part *proposal.Plan, t *tally) {
	ctx = context.WithoutCancel(ctx)
	fp := part.Files[0]
	err := part.WriteDisk(ctx, s.rootsWith(tr.project.root))
	t.take(tr.settle(part, s.deleted(part, s.now(ctx, tr.project.root))), whyNot(err))
	t.written[fp.Path] = true
	s.projects.changed(fp.Path)
}

func whyNot(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// deliver has the editor carry a plan out. An edit that comes too late, because
// its text moved between the planning and the editor's look at it, is planned
// anew and sent again.
func (s *session) deliver(ctx context.Context, tr *transfer, part *proposal.Plan, t *tally) {
	for try := 1; len(part.Files) > 0; try++ {
		if s.moved(part) {
			if part = s.again(tr, part, t); len(part.Files) == 0 {
				return
			}
		}
		said := s.sendEdit(ctx, tr, part, false)
		outcomes := s.outcomes(ctx, tr, part, said, settleTime, t)
		if try == sendTries || ctx.Err() != nil {
			return
		}
		late := func(fp proposal.FilePlan) bool {
			return outcomes[fp.Path] == proposal.OutcomeNot && s.movedFile(fp)
		}
		if !slices.ContainsFunc(part.Files, late) {
			return
		}
		part = s.again(tr, part, t)
	}
}

// again plans the documents of a plan anew. What is found on the way (hunks
// that are in the text by now, conflicts) goes to the tally.
func (s *session) again(tr *transfer, part *proposal.Plan, t *tally) *proposal.Plan {
	var paths []workspace.Path
	for _, fp := range part.Files {
		paths = append(paths, fp.Path)
	}
	plan, err := tr.plan()
	if err != nil {
		for _, path := range paths {
			t.take(map[workspace.Path]proposal.Outcome{path: proposal.OutcomeNot}, err.Error())
		}
		return &proposal.Plan{}
	}
	t.replanned(plan, paths)
	return only(plan, paths...)
}

// moved reports whether a document of a plan is not what it was made from.
func (s *session) moved(plan *proposal.Plan) bool {
	return slices.ContainsFunc(plan.Files, s.movedFile)
}

func (s *session) movedFile(fp proposal.FilePlan) bool {
	at := fp.Path
	if fp.From != "" {
		at = fp.From
	}
	doc, open := s.mirror.docs.Get(at)
	switch {
	case !open:
		return fp.Open
	case fp.Open:
		return doc.Version != fp.Version
	default:
		return doc.Text.String() != fp.Before
	}
}

// sendEdit sends one edit for all documents of a plan and returns the answer.
func (s *session) sendEdit(ctx context.Context, tr *transfer, plan *proposal.Plan, preview bool) reply {
	var docs []rendered
	for _, fp := range plan.Files {
		if fp.Create && s.editor.quirks.createNeedsFolder {
			if err := s.rootsWith(tr.project.root).MakeFolder(fp.Path); err != nil {
				s.log.Warn("making a new file's folder", "error", err)
			}
		}
		docs = append(docs, s.renderPlan(fp))
	}
	return s.applyEdit(ctx, s.render(docs, preview, "emend"), preview)
}

// outcomes reads what became of a plan that the editor has answered. That the
// client says it was applied proves nothing in half of the editors: the mirror
// tells, which is waited for as long as limit.
func (s *session) outcomes(ctx context.Context, tr *transfer, plan *proposal.Plan, said reply, limit time.Duration, t *tally) map[workspace.Path]proposal.Outcome {
	ctx = context.WithoutCancel(ctx) // what was sent is read, whoever has lost interest
	why := ""
	if said.refused() {
		limit, why = refusedTime, said.why()
		if s.editor.quirks.lateChange {
			limit = lateTime
		}
	}
	now := func() proposal.Now { return s.deleted(plan, s.now(ctx, tr.project.root)) }
	s.awaitOutcome(plan, limit, now)
	outcomes := tr.settle(plan, now())
	for _, fp := range plan.Files {
		if cur, err := now()(fp.Path); err == nil && outcomes[fp.Path] == proposal.OutcomeDiverged {
			outcomes[fp.Path] = besideTyping(fp, cur.Text)
		}
		if outcomes[fp.Path] == proposal.OutcomeNot && !said.refused() && s.unseen(fp) {
			outcomes[fp.Path] = proposal.OutcomeUnknown
		}
		s.projects.changed(fp.Path)
	}
	t.take(outcomes, why)
	if !said.definite() {
		t.doubtful = true
	}
	return outcomes
}

// besideTyping tells a change that was carried out, or was not, from what the
// person typed beside it at the same time.
func besideTyping(fp proposal.FilePlan, now string) proposal.Outcome {
	there, missing := 0, 0
	for _, m := range edits.Rebase(fp.Before, now, edits.Hunks(fp.Before, fp.Expect)) {
		switch m.State {
		case edits.Already:
			there++
		case edits.Clean:
			missing++
		default:
			return proposal.OutcomeDiverged
		}
	}
	switch {
	case missing == 0 && there > 0:
		return proposal.OutcomeApplied
	case there == 0 && missing > 0:
		return proposal.OutcomeNot
	case there > 0:
		return proposal.OutcomePartly
	default:
		return proposal.OutcomeDiverged
	}
}

// unseen reports whether an edit that the client took may be in a buffer of
// which it does not tell: of a file that was not open, and is not now.
func (s *session) unseen(fp proposal.FilePlan) bool {
	_, open := s.mirror.docs.Get(fp.Path)
	return !fp.Open && !open && !fp.Delete
}

// deleted sees a document that a plan deletes as gone although its buffer is
// still open: when its file is gone, or, where there never was one, its text.
func (s *session) deleted(plan *proposal.Plan, now proposal.Now) proposal.Now {
	return func(p workspace.Path) (proposal.Current, error) {
		cur, err := now(p)
		for _, fp := range plan.Files {
			if fp.Path != p || !fp.Delete || !cur.Open || cur.Mode != 0 {
				continue
			}
			if !s.unsaved(fp) || cur.Text == "" || cur.Text == "\n" {
				return proposal.Current{}, err
			}
		}
		return cur, err
	}
}

// awaitOutcome waits until every document of a plan is what was planned, at
// most limit. It goes on for a job that was cancelled: what was sent may still
// arrive, and goes on record.
func (s *session) awaitOutcome(plan *proposal.Plan, limit time.Duration, now func() proposal.Now) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		changed := s.mirror.docs.Changed() // before looking, so that no change is missed
		if allApplied(plan, now()) {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			return
		case <-s.tasks.ctx.Done():
			return
		}
	}
}

func allApplied(plan *proposal.Plan, now proposal.Now) bool {
	for _, fp := range plan.Files {
		cur, err := now(fp.Path)
		if err != nil {
			return false
		}
		outcome := proposal.Judge(fp, cur)
		if outcome == proposal.OutcomeDiverged {
			outcome = besideTyping(fp, cur.Text)
		}
		if outcome != proposal.OutcomeApplied {
			return false
		}
	}
	return true
}

// reply is what a client says about an edit: null, an error and silence are
// neither yes nor no.
type reply struct {
	Applied       *bool   `json:"applied"`
	FailureReason *string `json:"failureReason"`
	err           error
}

// refused reports whether the client says that it did not do it: by a no, by an
// error, or by a reason for why not.
func (r reply) refused() bool {
	if r.Applied == nil {
		return r.err != nil || r.FailureReason != nil && *r.FailureReason != ""
	}
	return !*r.Applied
}

// definite reports whether the client has answered at all: an edit without an
// answer may still be carried out.
func (r reply) definite() bool {
	var wire *jsonrpc2.Error
	return r.err == nil || errors.As(r.err, &wire) || errors.Is(r.err, errOvertaken)
}

func (r reply) why() string {
	var wire *jsonrpc2.Error
	switch {
	case errors.As(r.err, &wire):
		return wire.Message
	case r.err != nil:
		return r.err.Error()
	case r.FailureReason != nil && *r.FailureReason != "":
		return *r.FailureReason
	default:
		return "the editor did not apply it"
	}
}

// applyEdit sends a workspace edit. With a preview it waits as long as the
// person takes.
func (s *session) applyEdit(ctx context.Context, edit protocol.WorkspaceEdit, preview bool) reply {
	params := &protocol.ApplyWorkspaceEditParams{Label: ptr("emend"), Edit: edit}
	if s.editor.caps.metadata && len(edit.DocumentChanges) > 1 {
		params.Metadata = &protocol.WorkspaceEditMetadata{IsRefactoring: ptr(true)}
	}
	limit := applyTimeout
	if preview {
		limit = 0
	}
	var raw jsonrpc2.RawMessage
	var said reply
	if err := s.editor.call(ctx, limit, protocol.MethodWorkspaceApplyEdit, params, &raw); err != nil {
		said.err = err
		return said
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		s.log.Info("applyEdit answered in an unknown shape", "error", err)
	}
	return said
}
