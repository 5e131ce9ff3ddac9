package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// executeCommand answers at once: a client blocks its interface, or gives up,
// until it does. Whatever takes time is started as a job, whose cancellation is
// a matter of its own: a late $/cancelRequest for the command does not stop it.
func (s *session) executeCommand(ctx context.Context, params *protocol.ExecuteCommandParams) (protocol.LSPAny, error) {
	name := strings.Clone(params.Command)
	cmd, ok := findCommand(name)
	if !ok {
		if s.editor.quirks.foreignCommands && !strings.HasPrefix(name, "emend.") {
			return nil, nil // meant for another server; an error would hide its answer
		}
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "emend has no command %q; it has %s", name, strings.Join(commandNames(), ", "))
	}
	args, err := parseArguments(cmd.main, cmd.accepts, params.Arguments)
	if err != nil {
		return nil, err
	}
	result, err := cmd.run(s, ctx, args)
	if err != nil {
		return nil, err
	}
	if result == nil {
		return nil, nil
	}
	return json.Marshal(result)
}

// started is what a command that starts a job returns.
type started struct {
	Run string `json:"run"`
}
