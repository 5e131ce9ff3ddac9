package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

const (
	// settleTime bounds the wait for the mirror to show what the client says it
	// did; some send their change half a second after the reply.
	settleTime = 3 * time.Second
	// refusedTime is the same for a client that says it did nothing.
	refusedTime = 300 * time.Millisecond
	// applyTimeout bounds an edit that needs no person.
	applyTimeout = 2 * time.Minute
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
	sel := s.selection(args)
	if _, err := p.Plan(sel, func(workspace.Path) (proposal.Current, error) { return proposal.Current{}, fs.ErrNotExist }); err != nil {
		return nil, invalid("%v", err) // names no part of it
	}
	s.start("apply-"+p.ID, "apply "+short(p.Title), func(ctx context.Context, jb *job) {
		jb.progress.outcome(s.apply(ctx, p.ID, sel, preview))
	})
	return map[string]string{"proposal": p.ID}, nil
}

// selection is the part of a proposal that arguments name.
func (s *session) selection(args *arguments) proposal.Selection {
	sel := proposal.Selection{File: args.File, Hunk: args.Hunk}
	if strings.Contains(sel.File, "://") {
		sel.File = string(s.mirror.path(canonical(sel.File)))
	} else if sel.File != "" {
		if p, err := s.roots.Load().Resolve(sel.File); err == nil {
			sel.File = string(p)
		}
	}
	return sel
}

// now reads a document as it is at this moment.
func (s *session) now(ctx context.Context) proposal.Now {
	snap := s.snapshot()
	return func(p workspace.Path) (proposal.Current, error) {
		f, err := snap.Read(ctx, p)
		if err != nil {
			return proposal.Current{}, err
		}
		cur, err := proposal.CurrentOf(f)
		if err != nil {
			return proposal.Current{}, err
		}
		if doc, ok := snap.Document(p); ok {
			// The text exactly as the editor has it: positions are counted in
			// it, a byte-order mark that it shows included.
			cur.Text = doc.Text.String()
		}
		return cur, nil
	}
}

// apply carries a selection of a proposal out and tells the person what came of
// it. It returns the outcome in a word. One edit is under way at a time.
func (s *session) apply(ctx context.Context, id string, sel proposal.Selection, preview bool) string {
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
	plan, err := p.Plan(sel, s.now(ctx))
	if err != nil {
		s.editor.warn(ctx, "cannot apply: %v", err)
		return "refused"
	}
	if err := s.checkpoint(ctx, p, plan, "before: "+p.Title); err != nil {
		s.editor.fail(ctx, "nothing was changed, because the checkpoint before it could not be kept: %v", err)
		return "failed"
	}
	next := p.Clone()
	tally := s.send(ctx, plan, preview, sending{
		replan: func(path workspace.Path) (*proposal.Plan, error) {
			return p.Plan(proposal.Selection{File: string(path), Hunk: sel.Hunk}, s.now(ctx))
		},
		settle: func(done *proposal.Plan) map[workspace.Path]proposal.Outcome { return next.Settle(done, s.now(ctx)) },
	})
	next.Record(&proposal.Plan{Conflicts: plan.Conflicts, Already: plan.Already}, nil)
	s.keep(ctx, pending{next, p.project})
	tally.conflicts = plan.Conflicts
	s.tell(ctx, tally, next.Open())
	return tally.word()
}

// checkpoint keeps what a plan's documents are before they are changed.
func (s *session) checkpoint(ctx context.Context, p pending, plan *proposal.Plan, label string) error {
	if plan.Empty() {
		return nil
	}
	err := p.project.store.Update(ctx, func(tx *state.Tx) error {
		cp, err := proposal.Checkpoint(plan, p.Content, label, tx.PutBlob)
		if err != nil {
			return err
		}
		return tx.PutCheckpoint(cp)
	})
	if err == nil {
		s.board.setUndo(true)
	}
	return err
}

// keep stores a proposal's new fates and shows them. A store that cannot keep
// them is no reason to show the person what is not so.
func (s *session) keep(ctx context.Context, p pending) {
	err := p.project.store.Update(ctx, func(tx *state.Tx) error { return tx.PutProposal(&p.Proposal) })
	if err != nil {
		s.log.Error("keeping a proposal's fate", "proposal", p.ID, "error", err)
		s.editor.warn(ctx, "what became of this change could not be kept: %v", err)
	}
	for _, path := range s.board.put(p) {
		s.refresh(path)
	}
	if p.Open() == 0 {
		s.forgetReview(p)
	}
}

// tally is what came of a plan, for the person.
type tally struct {
	applied   []workspace.Path
	partly    []workspace.Path
	not       []workspace.Path
	diverged  []workspace.Path
	unknown   []workspace.Path
	unsaved   int
	reason    string // the client's own word for why not
	conflicts []proposal.Conflict
}

// sending is how a plan is followed through: planned again for one document,
// and settled when it was sent.
type sending struct {
	replan func(workspace.Path) (*proposal.Plan, error)
	settle func(*proposal.Plan) map[workspace.Path]proposal.Outcome
}

// maxResends bounds how often a document's edit is sent again because the
// person types.
const maxResends = 3

// send hands a plan to the editor and waits until the mirror shows what came of
// it. Clients that check only one document's version get one edit a document;
// each of those is planned again right before it is sent, since the person may
// have typed in the meantime.
func (s *session) send(ctx context.Context, plan *proposal.Plan, preview bool, how sending) *tally {
	t := &tally{}
	if plan.Empty() {
		return t
	}
	if !s.editor.quirks.editPerDocument {
		s.sendOne(ctx, plan, preview, how, t, maxResends)
		return t
	}
	for i, fp := range plan.Files {
		one := plan
		if i > 0 {
			again, err := how.replan(fp.Path)
			if err != nil {
				t.not, t.reason = append(t.not, fp.Path), err.Error()
				continue
			}
			one = again
		}
		if only := onlyFile(one, fp.Path); !only.Empty() {
			s.sendOne(ctx, only, preview, how, t, maxResends)
		}
	}
	return t
}

// onlyFile is the part of a plan that is about one document.
func onlyFile(plan *proposal.Plan, path workspace.Path) *proposal.Plan {
	only := *plan
	only.Conflicts, only.Already = nil, nil
	only.Files = filesOf(plan, path)
	return &only
}

// resend sends a document's edit once more when the client dropped it because
// its text had moved on by a change the server had not heard of yet: editors
// hold changes back for some hundred milliseconds. It does so only when nothing
// of the edit is in the text, so that it can never be there twice.
func (s *session) resend(fp proposal.FilePlan, how sending, left int) *proposal.Plan {
	if left == 0 || !s.dropped(fp) {
		return nil
	}
	plan, err := how.replan(fp.Path)
	if err != nil {
		return nil
	}
	if plan = onlyFile(plan, fp.Path); plan.Empty() {
		return nil
	}
	return plan
}

// dropped reports whether an open document has moved on without a plan's edits.
func (s *session) dropped(fp proposal.FilePlan) bool {
	doc, ok := s.mirror.docs.Get(fp.Path)
	return ok && fp.Open && doc.Version != fp.Version && absent(fp, doc.Text.String())
}

// absent reports whether certainly nothing of a plan's edits is in a text: what
// they insert occurs no more often than before, what they delete no less.
func absent(fp proposal.FilePlan, now string) bool {
	now = strings.ReplaceAll(now, "\r\n", "\n")
	before := strings.ReplaceAll(fp.Before, "\r\n", "\n")
	for _, e := range fp.Edits {
		text := strings.ReplaceAll(e.New, "\r\n", "\n")
		if text == "" {
			text = strings.ReplaceAll(fp.Before[e.Start:e.End], "\r\n", "\n")
		}
		if strings.Count(now, text) != strings.Count(before, text) {
			return false
		}
	}
	return true
}

func filesOf(plan *proposal.Plan, path workspace.Path) []proposal.FilePlan {
	for i, fp := range plan.Files {
		if fp.Path == path {
			return plan.Files[i : i+1]
		}
	}
	return nil
}

// sendOne sends one edit. That the client says it was applied proves nothing in
// half of the editors: the outcome is read from the mirror.
func (s *session) sendOne(ctx context.Context, plan *proposal.Plan, preview bool, how sending, t *tally, resends int) {
	var docs []rendered
	for _, fp := range plan.Files {
		if fp.Create && s.editor.quirks.createNeedsFolder {
			if err := s.roots.Load().MakeFolder(fp.Path); err != nil {
				s.log.Warn("making a new file's folder", "error", err)
			}
		}
		docs = append(docs, s.renderPlan(fp))
	}
	said := s.applyEdit(ctx, s.render(docs, preview, "emend"), preview)
	limit := settleTime
	if said.refused() {
		limit = refusedTime
		t.reason = said.why()
	}
	s.awaitOutcome(ctx, plan, limit)
	outcomes := how.settle(plan)
	for _, fp := range plan.Files {
		s.projects.changed(fp.Path)
		outcome := outcomes[fp.Path]
		if outcome == proposal.OutcomeNot || outcome == proposal.OutcomeDiverged {
			if again := s.resend(fp, how, resends); again != nil {
				s.sendOne(ctx, again, false, how, t, resends-1)
				continue
			}
		}
		t.count(fp.Path, outcome)
		if outcome == proposal.OutcomeApplied && s.mirror.docs.Unsaved(fp.Path) {
			t.unsaved++
		}
	}
}

// reply is what a client says about an edit: null, an error and silence are
// neither yes nor no.
type reply struct {
	Applied       *bool   `json:"applied"`
	FailureReason *string `json:"failureReason"`
	err           error
}

func (r reply) refused() bool { return r.err != nil || r.Applied != nil && !*r.Applied }

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

// awaitOutcome waits until every document of a plan is what was planned, at
// most limit.
func (s *session) awaitOutcome(ctx context.Context, plan *proposal.Plan, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		changed := s.mirror.docs.Changed() // before looking, so that no change is missed
		if s.allApplied(ctx, plan) || s.allDropped(plan) {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// allDropped reports whether every document of a plan has moved on without it,
// for clients whose change is always told before their reply.
func (s *session) allDropped(plan *proposal.Plan) bool {
	if !s.editor.quirks.editPerDocument {
		return false
	}
	for _, fp := range plan.Files {
		if !s.dropped(fp) {
			return false
		}
	}
	return true
}

func (s *session) allApplied(ctx context.Context, plan *proposal.Plan) bool {
	now := s.now(ctx)
	for _, fp := range plan.Files {
		cur, err := now(fp.Path)
		if err != nil || proposal.Judge(fp, cur) != proposal.OutcomeApplied {
			return false
		}
	}
	return true
}

func (t *tally) count(path workspace.Path, outcome proposal.Outcome) {
	switch outcome {
	case proposal.OutcomeApplied:
		t.applied = append(t.applied, path)
	case proposal.OutcomePartly:
		t.partly = append(t.partly, path)
	case proposal.OutcomeNot:
		t.not = append(t.not, path)
	case proposal.OutcomeDiverged:
		t.diverged = append(t.diverged, path)
	default:
		t.unknown = append(t.unknown, path)
	}
}

// word is the outcome in one word.
func (t *tally) word() string {
	bad := len(t.partly) + len(t.not) + len(t.diverged) + len(t.unknown) + len(t.conflicts)
	switch {
	case len(t.applied) > 0 && bad == 0:
		return "applied"
	case len(t.applied)+len(t.partly) > 0:
		return "partly applied"
	case bad > 0:
		return "not applied"
	default:
		return "nothing to apply"
	}
}

// tell says in one message what came of a plan.
func (s *session) tell(ctx context.Context, t *tally, open int) {
	parts := t.parts(s.roots.Load())
	if open > 0 {
		parts = append(parts, counted(open, "change")+" still waiting")
	}
	if len(parts) == 0 {
		parts = append(parts, "the text has these changes already")
	}
	text := strings.Join(parts, "; ")
	if len(t.conflicts)+len(t.not)+len(t.diverged)+len(t.partly)+len(t.unknown) > 0 {
		s.editor.warn(ctx, "%s", text)
		return
	}
	s.editor.info(ctx, "%s", text)
}

func (t *tally) parts(roots *workspace.Roots) []string {
	var parts []string
	if n := len(t.applied); n > 0 {
		text := counted(n, "file") + " changed"
		if t.unsaved > 0 {
			text += fmt.Sprintf(", %d not saved", t.unsaved)
		}
		parts = append(parts, text+" (take it back with emend.undo)")
	}
	name := func(paths []workspace.Path) string {
		var out []string
		for _, p := range paths {
			out = append(out, roots.Rel(p))
		}
		return strings.Join(out, ", ")
	}
	if len(t.partly) > 0 {
		parts = append(parts, "only partly changed: "+name(t.partly))
	}
	if len(t.not) > 0 {
		reason := t.reason
		if reason == "" {
			reason = "the editor did not apply it"
		}
		parts = append(parts, fmt.Sprintf("not changed: %s (%s)", name(t.not), reason))
	}
	if len(t.diverged) > 0 {
		parts = append(parts, "changed otherwise than planned: "+name(t.diverged)+"; look at it, or take it back with emend.undo")
	}
	if len(t.unknown) > 0 {
		parts = append(parts, "cannot tell whether it was changed: "+name(t.unknown))
	}
	for _, c := range t.conflicts {
		c.Path = workspace.Path(roots.Rel(c.Path))
		parts = append(parts, "conflict at "+c.String())
	}
	return parts
}
