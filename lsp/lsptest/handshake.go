package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// initialize does the first exchange.
func (e *Editor) initialize(ctx context.Context) error {
	params, err := e.initializeParams()
	if err != nil {
		return err
	}
	if _, err := e.Request(ctx, "initialize", params); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.notify("initialized", map[string]any{})
}

// agree takes over what the server can do from its reply to initialize, before
// anything it sends after that is looked at. e.mu is held.
func (e *Editor) agree(result json.RawMessage) {
	e.initialized = true
	var reply struct {
		Capabilities map[string]any `json:"capabilities"`
	}
	if err := json.Unmarshal(result, &reply); err != nil || reply.Capabilities == nil {
		e.violate("the reply to initialize has no capabilities: %s", shorten(string(result), traceWidth))
		return
	}
	capabilities := reply.Capabilities
	e.state.Capabilities = capabilities
	offered := stringsAt(e.clientCaps, "general", "positionEncodings")
	if encoding, ok := capabilities["positionEncoding"].(string); ok {
		if !slices.Contains(offered, encoding) && encoding != utf16Units {
			e.violate("positionEncoding %q is not among those offered: %s", encoding, strings.Join(offered, ", "))
		}
		e.encoding = encoding
	}
	switch sync := capabilities["textDocumentSync"].(type) {
	case float64:
		e.fullSync, e.noSync = sync == 1, sync == 0
	case map[string]any:
		kind, _ := sync["change"].(float64)
		e.fullSync = kind == 1
		e.noSync = kind == 0
		if save, ok := sync["save"].(map[string]any); ok {
			e.includeText, _ = save["includeText"].(bool)
		}
	default:
		e.noSync = true
	}
	if e.noSync {
		e.violate("the server asks for no document text")
	}
	seen := map[string]bool{}
	for _, command := range stringsAt(capabilities, "executeCommandProvider", "commands") {
		if seen[command] {
			e.violate("command %s is announced twice", command)
		}
		seen[command] = true
	}
}

// initializeParams puts the parameters of this session into the recorded
// ones.
func (e *Editor) initializeParams() (map[string]any, error) {
	var params map[string]any
	if err := json.Unmarshal(e.profile.Initialize, &params); err != nil {
		return nil, fmt.Errorf("decoding the initialize params of profile %s: %w", e.profile.Name, err)
	}
	params["processId"] = e.cfg.ProcessID
	e.setFolders(params)
	if e.cfg.InitOptions != nil {
		params["initializationOptions"] = e.cfg.InitOptions
	}
	if e.cfg.Encodings != nil {
		general, _ := at(params, "capabilities", "general").(map[string]any)
		if general == nil {
			general = map[string]any{}
		}
		if capabilities, ok := params["capabilities"].(map[string]any); ok {
			capabilities["general"] = general
		}
		encodings := make([]any, len(e.cfg.Encodings))
		for i, encoding := range e.cfg.Encodings {
			encodings[i] = encoding
		}
		general["positionEncodings"] = encodings
		if len(encodings) == 0 {
			delete(general, "positionEncodings")
		}
	}
	if e.cfg.PatchInit != nil {
		e.cfg.PatchInit(params)
	}
	e.clientCaps, _ = params["capabilities"].(map[string]any)
	return params, nil
}

// setFolders puts root and folders in, in the forms the editor uses.
func (e *Editor) setFolders(params map[string]any) {
	recorded, _ := at(params, "workspaceFolders", "0", "name").(string)
	var folders []any
	for _, folder := range append([]string{e.cfg.Root}, e.cfg.Folders...) {
		if folder == "" {
			continue
		}
		name := filepath.Base(folder)
		if recorded == "/w" {
			name = folder // some editors call a folder by its whole path
		}
		folders = append(folders, map[string]any{"name": name, "uri": e.spell(folder)})
	}
	params["rootUri"], params["rootPath"], params["workspaceFolders"] = nil, nil, nil
	if len(folders) > 0 {
		params["workspaceFolders"] = folders
	}
	if e.cfg.Root != "" {
		params["rootUri"] = e.spell(e.cfg.Root)
		params["rootPath"] = e.cfg.Root
	}
}

// at goes down a decoded JSON value by names and indices; nil when there is
// nothing.
func at(value any, path ...string) any {
	for _, name := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			value = nil
			if name == "0" && len(v) > 0 {
				value = v[0]
			}
		default:
			return nil
		}
	}
	return value
}

// stringsAt is the list of strings at a path.
func stringsAt(value any, path ...string) []string {
	list, _ := at(value, path...).([]any)
	var all []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// announces reports whether the editor announced a capability: it is there,
// and not false.
func (e *Editor) announces(path ...string) bool {
	switch v := at(e.clientCaps, path...).(type) {
	case nil:
		return false
	case bool:
		return v
	}
	return true
}
