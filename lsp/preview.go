package lsp

import (
	"context"
	"errors"
	"time"

	"emend/internal/proposal"
	"emend/state"
)

// previewGrace is how long the answer to a preview may take after one of its
// documents has changed. What the person ticked is in the text right before the
// answer; a text they typed in voids the preview, and the one editor that has
// previews then never answers.
const previewGrace = time.Second

// previewed bounds the wait for the mirror to show what was ticked, all of it or
// a part: editors with previews send their changes with the answer.
const previewed = 500 * time.Millisecond

var errOvertaken = errors.New("its text was changed while the preview was open; look at it again with emend.review")

// canPreview reports whether the client shows an edit before it applies it, a
// tick for each change.
func (s *session) canPreview() bool { return s.editor.caps.annotations && s.editor.quirks.preview }

// preview opens the editor's own preview on a selection of a proposal and tells
// what the person took of it. One preview is open at a time, the next waits. It
// holds up no other edit: the person may leave it open as long as they like.
func (s *session) preview(ctx context.Context, id string, sel proposal.Selection) string {
	closePreview, err := s.board.lockPreview(ctx)
	if err != nil {
		return "cancelled"
	}
	defer closePreview()
	p, plan, cp, word := s.readyPreview(ctx, id, sel)
	if word != "" {
		return word
	}
	var said reply
	tr := s.applying(ctx, p, sel, nil)
	if !plan.Empty() {
		said = s.watchPreview(ctx, tr, plan)
	}
	ctx = context.WithoutCancel(ctx)
	unlock, err := s.board.lockEdits(s.tasks.ctx)
	if err != nil {
		return "cancelled"
	}
	defer unlock()
	// Meanwhile a part may have been applied or discarded in another way.
	current, err := s.board.find(id)
	if err != nil {
		current, err = s.loadProposal(ctx, p)
	}
	if err != nil {
		s.editor.warn(ctx, "what became of the preview cannot be told: %v", err)
		return "failed"
	}
	next := current.Clone()
	tr.settle = next.Settle
	t := newTally(plan)
	if !plan.Empty() {
		s.outcomes(ctx, tr, plan, said, previewed, t)
	}
	return s.applied(ctx, pending{next, p.project}, cp, t)
}

// readyPreview plans what a preview shows.
func (s *session) readyPreview(ctx context.Context, id string, sel proposal.Selection) (p pending, plan *proposal.Plan, cp *state.Checkpoint, word string) {
	unlock, err := s.board.lockEdits(ctx)
	if err != nil {
		return p, nil, nil, "cancelled"
	}
	defer unlock()
	if p, err = s.board.find(id); err != nil {
		s.editor.info(ctx, "%v", err)
		return p, nil, nil, "nothing to review"
	}
	plan, cp, word = s.ready(ctx, s.applying(ctx, p, sel, nil), "review")
	return p, plan, cp, word
}

// watchPreview sends an edit for preview and waits for the person, or for the
// text to move under it.
func (s *session) watchPreview(ctx context.Context, tr *transfer, plan *proposal.Plan) reply {
	ctx, cancel := context.WithCancelCause(ctx)
	watching := make(chan struct{})
	ok := s.tasks.spawn("watch a preview", func(context.Context) {
		defer close(watching)
		if s.awaitMove(ctx, plan) {
			cancel(errOvertaken)
		}
	})
	if !ok {
		close(watching)
	}
	said := s.sendEdit(ctx, tr, plan, true)
	if said.err != nil && errors.Is(context.Cause(ctx), errOvertaken) {
		said.err = errOvertaken
	}
	cancel(nil)
	<-watching
	return said
}

// awaitMove waits until a document of a plan has moved and the time of grace
// is over. It returns false when ctx ends before.
func (s *session) awaitMove(ctx context.Context, plan *proposal.Plan) bool {
	for {
		changed := s.mirror.docs.Changed()
		if s.moved(plan) {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
	grace := time.NewTimer(previewGrace)
	defer grace.Stop()
	select {
	case <-grace.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// loadProposal reads a proposal anew that is not waiting any more.
func (s *session) loadProposal(ctx context.Context, p pending) (pending, error) {
	var c *proposal.Content
	err := p.project.store.View(ctx, func(tx *state.Tx) error {
		var err error
		c, err = proposal.Load(tx, p.ID)
		return err
	})
	return pending{c, p.project}, err
}
