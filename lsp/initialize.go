package lsp

import (
	"context"
	"encoding/json"
	"os"

	"go.lsp.dev/protocol"

	"emend/internal/workspace"
)

// initialize settles what the client can do and what emend offers it. It reads
// no file but the settings': the index, the stores and the rest wait for their
// first use.
func (s *session) initialize(_ context.Context, params *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.editor.caps = readCapabilities(&params.Capabilities)
	s.editor.quirks = quirksOf(params.ClientInfo)

	var offered []protocol.PositionEncodingKind
	if g := params.Capabilities.General; g != nil {
		offered = g.PositionEncodings
	}
	kind, enc := chooseEncoding(offered)
	s.mirror.enc = enc
	s.setRoots(initialRoots(params))
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
	s.loadSettings(withoutInput(raw))
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

// initialRoots is the folders the client opened with. The file system's root
// and the home folder are no workspace: an editor started there without a
// project must not put all of it in reach.
func initialRoots(params *protocol.InitializeParams) []string {
	var dirs []string
	if folders, ok := params.WorkspaceFolders.Get(); ok {
		for _, f := range folders {
			dirs = appendRoot(dirs, string(f.URI))
		}
	}
	//nolint:staticcheck // rootUri is deprecated, and all that some clients send
	if root := params.RootURI; len(dirs) == 0 && root != nil {
		dirs = appendRoot(dirs, string(*root))
	}
	return dirs
}

func appendRoot(dirs []string, rawURI string) []string {
	p := pathFromURI(rawURI)
	if !p.IsFile() || p == "/" {
		return dirs
	}
	if home, err := os.UserHomeDir(); err == nil && workspace.Key(home) == p {
		return dirs
	}
	return append(dirs, string(p))
}

// setRoots replaces the workspace's folders.
func (s *session) setRoots(dirs []string) {
	roots := workspace.NewRoots(dirs...)
	s.roots.Store(&roots)
}
