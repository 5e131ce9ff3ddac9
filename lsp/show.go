package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/uri"

	"emend/internal/chatdoc"
)

// commandShow writes a proposal's diff to a document under .emend/review and
// opens it, or says where it is when the client cannot be asked to.
func (s *session) commandShow(_ context.Context, args *arguments) (any, error) {
	p, err := s.board.find(args.Proposal)
	if err != nil {
		return nil, invalid("%v", err)
	}
	diff := p.DiffOf(s.selection(p, args))
	s.tasks.spawn("show", func(ctx context.Context) {
		path, err := chatdoc.WriteReview(p.Root, p.ID, diff)
		if err != nil {
			s.editor.fail(ctx, "cannot write the diff: %v", err)
			return
		}
		if !s.editor.show(ctx, uri.File(path)) {
			s.editor.info(ctx, "%s; the diff is in %s", p.headline(), path)
		}
	})
	return map[string]string{"proposal": p.ID, "diff": diff}, nil
}

// forgetReview removes the diff document of a proposal that is decided.
func (s *session) forgetReview(p pending) {
	if err := chatdoc.RemoveReview(p.Root, p.ID); err != nil {
		s.log.Info("removing a diff document", "error", fmt.Sprint(err))
	}
}
