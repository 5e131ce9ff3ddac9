package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/jsonrpc2"
)

// didChangeWorkspaceFolders opens and closes folders. Runs under way keep the
// folders they began with.
func didChangeWorkspaceFolders(_ context.Context, s *session, raw jsonrpc2.RawMessage) (any, error) {
	var params struct {
		Event struct {
			Added   []spelledFolder `json:"added"`
			Removed []spelledFolder `json:"removed"`
		} `json:"event"`
	}
	if err := json.Unmarshal(raw, &params); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "parameters do not fit didChangeWorkspaceFolders: %v", err)
	}
	folders := slices.Clone(s.mirror.workspaceFolders())
	for _, f := range params.Event.Removed {
		gone := string(pathFromURI(f.URI))
		folders = slices.DeleteFunc(folders, func(o folder) bool { return o.dir == gone })
	}
	before := len(folders)
	for _, f := range params.Event.Added {
		folders = appendFolder(folders, f.URI)
	}
	added := folders[before:]
	s.setFolders(folders)
	s.reloadSettings() // each folder may have its own
	s.tasks.spawn("recover", func(ctx context.Context) {
		for _, f := range added {
			s.recoverProject(ctx, f.dir)
		}
	})
	return nil, nil
}
