package lsptest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// receive takes in one message of the server's. e.mu is held.
func (e *Editor) receive(m message) {
	switch {
	case m.Method == "":
		e.receiveReply(m)
	case m.ID == nil:
		e.early(m, "window/showMessage", "window/logMessage", "telemetry/event", "$/progress")
		e.receiveNotification(m)
	default:
		e.early(m, "window/showMessageRequest")
		e.receiveRequest(m)
	}
}

// early records what may not come before the reply to initialize.
func (e *Editor) early(m message, allowed ...string) {
	if !e.initialized && !slices.Contains(allowed, m.Method) {
		e.violate("%s before the reply to initialize", m.Method)
	}
}

func (e *Editor) receiveReply(m message) {
	id := string(m.ID)
	request, ok := e.pending[id]
	if !ok {
		if _, left := e.abandoned[id]; left {
			delete(e.abandoned, id)
			return
		}
		if id == "null" || id == "" {
			e.note("(an error reply to no request: %v)", m.Error)
			return // the answer to what could not be parsed
		}
		e.violate("a reply to request %s, which is not waiting for one", id)
		return
	}
	delete(e.pending, id)
	if request.method == "initialize" && m.Error == nil {
		e.agree(m.Result)
	}
	request.reply <- m
}

// reply answers a request of the server's. e.mu is held.
func (e *Editor) reply(id json.RawMessage, result any) string {
	raw, err := json.Marshal(result)
	if err != nil {
		return e.refuse(id, codeInternal, err.Error())
	}
	e.send(message{ID: id, Result: raw})
	return string(raw)
}

// refuse answers a request of the server's with an error. e.mu is held.
func (e *Editor) refuse(id json.RawMessage, code int, text string) string {
	e.send(message{ID: id, Error: &ResponseError{Code: code, Message: text}})
	return fmt.Sprintf(`{"error":{"code":%d}}`, code)
}

func (e *Editor) receiveRequest(m message) {
	switch m.Method {
	case "workspace/applyEdit":
		e.require(m.Method, "workspace", "applyEdit")
		e.applyEdit(m)
	case "window/showMessageRequest":
		e.showMessageRequest(m)
	case "window/showDocument":
		e.require(m.Method, "window", "showDocument", "support")
		e.showDocument(m)
	case "window/workDoneProgress/create":
		e.require(m.Method, "window", "workDoneProgress")
		e.createProgress(m)
	case "client/registerCapability", "client/unregisterCapability":
		e.register(m)
	case "workspace/configuration":
		e.require(m.Method, "workspace", "configuration")
		e.configuration(m)
	case "workspace/workspaceFolders":
		e.require(m.Method, "workspace", "workspaceFolders")
		e.workspaceFolders(m)
	case "workspace/codeLens/refresh", "workspace/diagnostic/refresh", "workspace/inlayHint/refresh",
		"workspace/semanticTokens/refresh", "workspace/foldingRange/refresh", "workspace/inlineValue/refresh":
		e.refresh(m)
	default:
		e.violate("%s is no request an editor knows", m.Method)
		e.unknown(m)
	}
}

// require records that the server sends what the editor did not announce.
func (e *Editor) require(method string, capability ...string) {
	if !e.announces(capability...) {
		e.violate("%s is sent, and %s was not announced", method, strings.Join(capability, "."))
	}
}

// unknown answers a request the editor does not know.
func (e *Editor) unknown(m message) {
	if e.how.Window.UnknownNull {
		e.reply(m.ID, nil)
		return
	}
	e.refuse(m.ID, codeMethodNotFound, "method not found: "+m.Method)
}

// params decodes a message's params; on failure a request is refused.
func (e *Editor) params(m message, into any) bool {
	err := json.Unmarshal(m.Params, into)
	if err == nil {
		return true
	}
	e.violate("params of %s cannot be read: %v", m.Method, err)
	if m.ID != nil {
		e.refuse(m.ID, codeInvalidParams, err.Error())
	}
	return false
}

func (e *Editor) refresh(m message) {
	family := strings.TrimSuffix(strings.TrimPrefix(m.Method, "workspace/"), "/refresh")
	if family == "diagnostic" {
		family = "diagnostics"
	}
	e.require(m.Method, "workspace", family, "refreshSupport")
	if !e.how.Window.Refresh {
		e.unknown(m)
		return
	}
	e.state.Refreshes = append(e.state.Refreshes, m.Method)
	e.reply(m.ID, nil)
}

func (e *Editor) configuration(m message) {
	var params struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if !e.params(m, &params) {
		return
	}
	values := make([]any, len(params.Items))
	for i, item := range params.Items {
		if e.cfg.Settings == nil {
			continue
		}
		values[i] = any(e.cfg.Settings)
		if item.Section != "" {
			values[i] = at(e.cfg.Settings, strings.Split(item.Section, ".")...)
		}
	}
	e.reply(m.ID, values)
}

// ChangeSettings replaces Config.Settings and tells the server.
func (e *Editor) ChangeSettings(settings map[string]any) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cfg.Settings = settings
	return e.notify("workspace/didChangeConfiguration", map[string]any{"settings": settings})
}

func (e *Editor) workspaceFolders(m message) {
	params := map[string]any{}
	e.setFolders(params)
	e.reply(m.ID, params["workspaceFolders"])
}

// register takes dynamic registrations, which have to be announced method by
// method.
func (e *Editor) register(m message) {
	var params struct {
		Registrations    []Registration `json:"registrations"`
		Unregisterations []Registration `json:"unregisterations"` // the protocol spells it so
	}
	if !e.params(m, &params) {
		return
	}
	for _, r := range params.Registrations {
		group, name, _ := strings.Cut(r.Method, "/")
		switch r.Method {
		case "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose":
			name = "synchronization"
		case "workspace/didChangeWorkspaceFolders":
			name = "" // allowed whenever folders are
		}
		if name != "" && !e.announces(group, name, "dynamicRegistration") {
			e.violate("%s is registered, and %s.%s.dynamicRegistration was not announced", r.Method, group, name)
		}
		if slices.ContainsFunc(e.state.Registrations, func(old Registration) bool { return old.ID == r.ID }) {
			e.violate("registration id %q is used twice", r.ID)
		}
		e.state.Registrations = append(e.state.Registrations, r)
	}
	for _, r := range params.Unregisterations {
		e.state.Registrations = slices.DeleteFunc(e.state.Registrations, func(old Registration) bool { return old.ID == r.ID })
	}
	e.reply(m.ID, nil)
}

func (e *Editor) showMessageRequest(m message) {
	var params struct {
		Type    MessageType `json:"type"`
		Message string      `json:"message"`
		Actions []struct {
			Title string `json:"title"`
		} `json:"actions"`
	}
	if !e.params(m, &params) {
		return
	}
	if !e.how.Window.Questions {
		e.unknown(m)
		return
	}
	e.checkMessage(m.Method, params.Type, params.Message)
	question := Question{Type: params.Type, Text: params.Message}
	for _, action := range params.Actions {
		if action.Title == "" || strings.ContainsAny(action.Title, "\r\n") {
			e.violate("showMessageRequest has an action titled %q", action.Title)
		}
		question.Actions = append(question.Actions, action.Title)
	}
	if len(question.Actions) == 0 {
		e.violate("showMessageRequest without actions: %q", params.Message)
	}
	index := len(e.state.Questions)
	e.state.Questions = append(e.state.Questions, question)
	if e.cfg.Answer == nil {
		e.answer(m.ID, index, "")
		return
	}
	ended := make(chan struct{})
	e.questions[string(m.ID)] = sync.OnceFunc(func() { close(ended) })
	answers := make(chan string, 1)
	go func() { answers <- e.cfg.Answer(question) }()
	go func() {
		select {
		case title := <-answers:
			e.mu.Lock()
			defer e.mu.Unlock()
			delete(e.questions, string(m.ID))
			e.answer(m.ID, index, title)
			e.broadcast()
		case <-ended:
		}
	}()
}

// answer replies to a question. e.mu is held.
func (e *Editor) answer(id json.RawMessage, index int, title string) {
	q := &e.state.Questions[index]
	if q.Done || e.state.Closed {
		return
	}
	q.Done = true
	if title == "" {
		e.reply(id, nil)
		return
	}
	if !slices.Contains(q.Actions, title) {
		e.violate("the test answers %q to %q, which offers %q", title, q.Text, q.Actions)
		e.reply(id, nil)
		return
	}
	q.Answer = title
	e.reply(id, map[string]any{"title": title})
}

func (e *Editor) showDocument(m message) {
	var shown ShownDocument
	if !e.params(m, &shown) {
		return
	}
	if !e.how.Window.ShowDocument {
		e.unknown(m)
		return
	}
	name := filePath(shown.URI)
	shown.Success = name != "" || !e.how.Window.ShowFilesOnly
	if e.how.Window.ShowExistingOnly {
		_, err := os.Stat(name)
		shown.Success = shown.Success && err == nil
	}
	if name == "" && !shown.External && e.buffers[shown.URI] == nil {
		e.note("(%s would be shown empty, unless the editor knows the scheme)", shown.URI)
	}
	if shown.Success && name != "" && !shown.External {
		if b, err := e.loadFile(shown.URI); err != nil {
			e.note("(%v)", err)
			shown.Success = false
		} else {
			b.hidden = false
			if err := e.announce(b); err != nil {
				e.note("(%v)", err)
			}
		}
	}
	e.state.Shown = append(e.state.Shown, shown)
	e.reply(m.ID, map[string]any{"success": shown.Success})
}

func (e *Editor) receiveNotification(m message) {
	switch m.Method {
	case "window/showMessage", "window/logMessage":
		var params Message
		if e.params(m, &params) {
			params.Log = m.Method == "window/logMessage"
			if !params.Log {
				e.checkMessage(m.Method, params.Type, params.Text)
			}
			e.state.Messages = append(e.state.Messages, params)
		}
	case "textDocument/publishDiagnostics":
		e.publish(m)
	case "$/progress":
		e.progress(m)
	case "$/cancelRequest":
		var params struct {
			ID json.RawMessage `json:"id"`
		}
		if e.params(m, &params) {
			if cancel, ok := e.questions[string(params.ID)]; ok {
				cancel()
				delete(e.questions, string(params.ID))
				e.refuse(params.ID, -32800, "cancelled by the server")
			}
		}
	default:
		e.state.Events = append(e.state.Events, Notification{Method: m.Method, Params: m.Params})
	}
}

// checkMessage looks at text that is shown to a person.
func (e *Editor) checkMessage(method string, kind MessageType, text string) {
	if kind < MessageError || kind > MessageDebug {
		e.violate("%s has type %d: %q", method, kind, text)
	}
	if strings.TrimSpace(text) == "" {
		e.violate("%s is empty", method)
	}
	if e.how.Window.OneLine && strings.ContainsAny(strings.TrimRight(text, "\n"), "\r\n") {
		e.violate("%s has line breaks, which this editor loses: %q", method, text)
	}
}
