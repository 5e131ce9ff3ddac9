package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// didOpen adds a document to the mirror. It reads the message itself, because
// the library's URI type respells what the editor sent, and the editor's own
// spelling is what must go back.
func didOpen(_ context.Context, s *session, raw jsonrpc2.RawMessage) (any, error) {
	params, err := decode[protocol.DidOpenTextDocumentParams](raw)
	if err != nil {
		return nil, err
	}
	var spelled struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	if err := json.Unmarshal(raw, &spelled); err != nil || spelled.TextDocument.URI == "" {
		spelled.TextDocument.URI = string(params.TextDocument.URI)
	}
	path := s.mirror.open(&params.TextDocument, spelled.TextDocument.URI)
	s.focus.opened(path)
	s.documentMoved(path)
	return nil, nil
}
