package lsp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"emend/internal/workspace"
)

// initialize settles what the client can do and what emend offers it. It reads
// no file but the settings': the index, the stores and the rest wait for their
// first use. A client that says something in a shape of its own is taken for
// one that does not say it.
func initialize(_ context.Context, s *session, raw jsonrpc2.RawMessage) (any, error) {
	params, err := decodeLenient[protocol.InitializeParams](raw)
	if err != nil {
		return nil, err
	}
	s.editor.caps = readCapabilities(&params.Capabilities)
	s.editor.quirks = quirksOf(params.ClientInfo)

	var offered []protocol.PositionEncodingKind
	if g := params.Capabilities.General; g != nil {
		offered = g.PositionEncodings
	}
	kind, enc := chooseEncoding(offered)
	s.mirror.enc = enc
	s.setFolders(initialFolders(raw))
	s.readClientOptions(params.InitializationOptions)
	s.watchEditor(params.ProcessID)
	s.life.Store(lifeInitialized)
	s.log.Info("initialize", "client", params.ClientInfo.Name, "encoding", string(kind), "roots", len(s.roots.Load().Dirs()))
	return &protocol.InitializeResult{
		ServerInfo:   protocol.ServerInfo{Name: "emend", Version: protocol.NewOptional(s.opts.Version)},
		Capabilities: serverCapabilities(kind, len(offered) > 0),
	}, nil
}

// serverCapabilities is what emend offers. It never offers what the language's
// own server is for (rename, definition, formatting, completion, highlight),
// because some editors ask only the first server that offers it; and no
// codeAction/resolve, which freezes one client and breaks others' actions in
// another.
func serverCapabilities(kind protocol.PositionEncodingKind, announced bool) protocol.ServerCapabilities {
	caps := protocol.ServerCapabilities{
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: ptr(true),
			Change:    ptr(protocol.TextDocumentSyncKindIncremental),
			Save:      &protocol.SaveOptions{IncludeText: ptr(false)},
		},
		CodeActionProvider: &protocol.CodeActionOptions{CodeActionKinds: actionKinds},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{
			Commands: commandNames(),
		},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported:           ptr(true),
				ChangeNotifications: protocol.Boolean(true),
			},
		},
	}
	if announced {
		caps.PositionEncoding = kind
	}
	return caps
}

// clientOptions is what emend reads of initializationOptions beside settings.
type clientOptions struct {
	Events bool `json:"events"`
	Input  bool `json:"input"`
}

// readClientOptions takes the plug-in switches and the client's settings layer.
func (s *session) readClientOptions(raw protocol.LSPAny) {
	var options clientOptions
	if len(raw) > 0 && json.Unmarshal(raw, &options) == nil {
		s.editor.caps.events = options.Events
		s.editor.caps.input = options.Input
	}
	s.client.setOptions(withoutInput(raw))
	s.reloadSettings()
}

// withoutInput takes the switch that is no setting out of the options.
func withoutInput(raw protocol.LSPAny) protocol.LSPAny {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields["input"] == nil {
		return raw
	}
	delete(fields, "input")
	return mustJSON(fields)
}

// initialFolders is the folders the client opened with, as it spells them.
func initialFolders(raw jsonrpc2.RawMessage) []folder {
	var spelled struct {
		Folders []spelledFolder `json:"workspaceFolders"`
		Root    *string         `json:"rootUri"`
		Path    *string         `json:"rootPath"` // what clients of old send
	}
	_ = json.Unmarshal(raw, &spelled) // what is of a wrong shape is left out, the rest is read
	var out []folder
	for _, f := range spelled.Folders {
		out = appendFolder(out, f.URI)
	}
	if len(out) == 0 && spelled.Root != nil {
		out = appendFolder(out, *spelled.Root)
	}
	if len(spelled.Folders) == 0 && spelled.Root == nil && spelled.Path != nil && filepath.IsAbs(*spelled.Path) {
		out = appendFolder(out, string(uri.File(*spelled.Path)))
	}
	return out
}

type spelledFolder struct {
	URI string `json:"uri"`
}

// appendFolder adds a folder that may be a workspace. The file system's root
// and the home folder are none: an editor started there without a project must
// not put all of it in reach.
func appendFolder(folders []folder, rawURI string) []folder {
	p := pathFromURI(rawURI)
	if !p.IsFile() || filepath.Dir(string(p)) == string(p) {
		return folders
	}
	if home, err := os.UserHomeDir(); err == nil && workspace.Key(home) == p {
		return folders
	}
	return append(folders, folder{dir: string(p), spelled: strings.Clone(rawURI)})
}

// setFolders replaces the workspace's folders.
func (s *session) setFolders(folders []folder) {
	dirs := make([]string, len(folders))
	for i, f := range folders {
		dirs[i] = f.dir
	}
	s.mirror.setFolders(folders)
	roots := workspace.NewRoots(dirs...)
	s.roots.Store(&roots)
}
