package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// didChangeConfiguration lays the client's settings over the others anew. Some
// clients say only that something has changed: those are asked.
func (s *session) didChangeConfiguration(_ context.Context, params *protocol.DidChangeConfigurationParams) error {
	if isNull(params.Settings) {
		if s.editor.caps.configuration {
			s.tasks.spawn("ask for the settings", s.pullSettings)
		}
		return nil
	}
	s.client.setChanged(params.Settings)
	s.reloadSettings()
	return nil
}

// pullSettings asks the client for its settings.
func (s *session) pullSettings(ctx context.Context) {
	params := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: ptr(sourceName)}}}
	var raw jsonrpc2.RawMessage
	if err := s.editor.call(ctx, callTimeout, protocol.MethodWorkspaceConfiguration, params, &raw); err != nil {
		s.log.Info("asking for the settings", "error", err)
		return
	}
	var answers []json.RawMessage
	if err := json.Unmarshal(raw, &answers); err != nil || len(answers) != 1 || isNull(answers[0]) {
		s.log.Info("the client has no settings for emend", "answer", fmt.Sprintf("%.200s", raw))
		return
	}
	s.client.setChanged(answers[0])
	s.reloadSettings()
}

// clientSettings is the client's own settings: those of initializationOptions,
// and over them those that it sent later. The zero value has none.
type clientSettings struct {
	mu               sync.Mutex // guards the rest, and that the newest are loaded last
	options, changed json.RawMessage
}

func (c *clientSettings) setOptions(raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.options = slices.Clone(raw)
}

func (c *clientSettings) setChanged(raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed = slices.Clone(raw)
}

// merged returns the settings as one JSON value, nil for none.
func (c *clientSettings) merged() json.RawMessage {
	if isNull(c.options) {
		return c.changed
	}
	if isNull(c.changed) {
		return c.options
	}
	return overlay(ownSettings(c.options), ownSettings(c.changed))
}

// ownSettings is what is emend's in a client's settings: those under its name,
// where there are such.
func ownSettings(raw json.RawMessage) json.RawMessage {
	var section struct {
		Emend json.RawMessage `json:"emend"`
	}
	if json.Unmarshal(raw, &section) == nil && len(section.Emend) > 0 && section.Emend[0] == '{' {
		return section.Emend
	}
	return raw
}

// overlay lays one JSON object over another, member by member. What is no
// object does not count beside one that is.
func overlay(under, over json.RawMessage) json.RawMessage {
	var a, b map[string]json.RawMessage
	switch {
	case json.Unmarshal(over, &b) != nil || b == nil:
		return under
	case json.Unmarshal(under, &a) != nil || a == nil:
		return over
	}
	for name, value := range b {
		if old, ok := a[name]; ok && old[0] == '{' && value[0] == '{' {
			value = overlay(old, value)
		}
		a[name] = value
	}
	return json.RawMessage(mustJSON(a))
}

// isNull reports whether raw says nothing: absent, null or no JSON.
func isNull(raw []byte) bool {
	return len(raw) == 0 || string(raw) == "null" || !json.Valid(raw)
}

// reloadSettings lays the settings' layers over each other anew, for the runs
// to come. Those that are under way keep theirs.
func (s *session) reloadSettings() {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	settings, warnings := s.opts.Settings(s.client.merged(), s.roots.Load().Dirs())
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
