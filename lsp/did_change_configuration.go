package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"
)

// didChangeConfiguration lays the client's settings over the others anew.
func (s *session) didChangeConfiguration(_ context.Context, params *protocol.DidChangeConfigurationParams) error {
	s.loadSettings(params.Settings)
	return nil
}

// loadSettings settles the settings for the runs to come. Those that are under
// way keep theirs.
func (s *session) loadSettings(client protocol.LSPAny) {
	if !json.Valid(client) || string(client) == "null" {
		client = nil
	}
	kept := slices.Clone(client)
	s.client.Store(&kept)
	s.reloadSettings()
}

// reloadSettings lays the settings' layers over each other anew.
func (s *session) reloadSettings() {
	var client protocol.LSPAny
	if kept := s.client.Load(); kept != nil {
		client = *kept
	}
	settings, warnings := s.opts.Settings(client, s.roots.Load().Dirs())
	s.settings.Store(&settings)
	for _, w := range warnings {
		s.log.Warn("setting ignored", "file", w.File, "line", w.Line, "why", w.Message)
	}
	if len(warnings) > 0 {
		w := warnings[0]
		s.tasks.spawn("warn of settings", func(ctx context.Context) {
			s.editor.warn(ctx, "%s%s (%d settings ignored in all; the log has them)", settingPlace(w.File, w.Line), w.Message, len(warnings))
		})
	}
}

// settingPlace is where a setting stands, as the beginning of a message.
func settingPlace(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return file + ": "
	default:
		return fmt.Sprintf("%s:%d: ", file, line)
	}
}
