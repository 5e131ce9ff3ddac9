package lsp

import (
	"context"
	"encoding/json"
	"errors"

	"go.lsp.dev/jsonrpc2"

	"emend/internal/workspace"
)

// didChange brings one document of the mirror up to date. It runs on the read
// loop at every keystroke: nothing here may wait or grow with the workspace.
func didChange(ctx context.Context, s *session, raw jsonrpc2.RawMessage) (any, error) {
	var change documentChange
	if err := json.Unmarshal(raw, &change); err != nil {
		if doc, ok := s.mirror.lose(change.TextDocument.URI); ok {
			s.lostTrack(ctx, doc)
		}
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "parameters do not fit didChange: %v", err)
	}
	doc, err := s.mirror.change(&change)
	if err != nil {
		if doc != nil && !errors.Is(err, errLost) {
			s.lostTrack(ctx, doc)
		}
		return nil, err
	}
	if n := len(change.Events); n > 0 {
		s.focus.changed(doc, change.Events[n-1].Range)
	}
	s.documentMoved(doc.Path)
	return nil, nil
}

// lostTrack says that emend's copy of a document is not the editor's any more.
// Its version stays behind, so that the editor refuses edits made for it.
func (s *session) lostTrack(ctx context.Context, doc *workspace.Document) {
	s.editor.warn(ctx, "lost track of %s: a change of it could not be understood. Close it and open it again before you ask for something there", doc.Path.Base())
}

// documentMoved tells the parts that depend on a document's text that it is not
// what it was.
func (s *session) documentMoved(path workspace.Path) {
	if s.board.touches(path) || s.published.touches(path) || s.findings.about(path) {
		s.refresh(path)
	}
}
