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
	var params struct {
		TextDocument struct {
			URI        string       `json:"uri"`
			LanguageID string       `json:"languageId"`
			Version    *json.Number `json:"version"`
			Text       *string      `json:"text"`
		} `json:"textDocument"`
	}
	if err := json.Unmarshal(raw, &params); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "parameters do not fit %s: %v", protocol.MethodTextDocumentDidOpen, err)
	}
	doc := params.TextDocument
	if doc.URI == "" || doc.Text == nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "didOpen without a URI or a text")
	}
	path := s.mirror.open(doc.URI, doc.LanguageID, versionOf(doc.Version, 0), *doc.Text)
	s.focus.opened(path)
	s.documentMoved(path)
	return nil, nil
}
