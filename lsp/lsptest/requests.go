package lsptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Call is a request under way.
type Call struct {
	ID     string // as JSON
	editor *Editor
	wait   func(context.Context, time.Duration) (json.RawMessage, error)
}

// Go sends a request without waiting for its reply.
func (e *Editor) Go(method string, params any) (*Call, error) {
	id, wait, err := e.begin(method, params)
	if err != nil {
		return nil, err
	}
	return &Call{ID: id, editor: e, wait: wait}, nil
}

// Wait waits for the reply. It is to be called at most once.
func (c *Call) Wait(ctx context.Context) (json.RawMessage, error) {
	return c.wait(ctx, c.editor.cfg.Patience)
}

// Cancel sends $/cancelRequest. A reply is still due.
func (c *Call) Cancel() error {
	return c.editor.Notify("$/cancelRequest", map[string]any{"id": json.RawMessage(c.ID)})
}

// ActionQuery is what an editor asks code actions for.
type ActionQuery struct {
	Range     Range
	Foreign   []Diagnostic // of other servers, beside those of SetForeign
	Only      []string     // kinds
	Automatic bool         // by a move of the cursor, not by the person
}

// CodeActions asks for the menu at a range, as this editor fills its context.
// Actions it does not show are left out.
func (e *Editor) CodeActions(ctx context.Context, file string, r Range, foreign ...Diagnostic) ([]CodeAction, error) {
	return e.AskActions(ctx, file, ActionQuery{Range: r, Foreign: foreign})
}

// AskActions is CodeActions with all there is to say.
func (e *Editor) AskActions(ctx context.Context, file string, query ActionQuery) ([]CodeAction, error) {
	params, err := e.actionParams(file, query)
	if err != nil {
		return nil, err
	}
	result, err := e.Request(ctx, "textDocument/codeAction", params)
	if err != nil {
		return nil, err
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(result, &entries); err != nil {
		return nil, fmt.Errorf("decoding code actions: %w", err)
	}
	var actions []CodeAction
	for _, entry := range entries {
		action, err := parseAction(entry)
		if err != nil {
			return nil, err
		}
		e.mu.Lock()
		e.checkAction(&action, query.Only)
		e.mu.Unlock()
		if action.Disabled == nil || e.how.Actions.Disabled != "hidden" {
			actions = append(actions, action)
		}
	}
	return actions, nil
}

// parseAction reads a code action or a bare command.
func parseAction(raw json.RawMessage) (CodeAction, error) {
	var bare Command
	if err := json.Unmarshal(raw, &bare); err == nil && bare.Command != "" {
		return CodeAction{Title: bare.Title, Command: &bare, Raw: raw}, nil
	}
	action := CodeAction{Raw: raw}
	if err := json.Unmarshal(raw, &action); err != nil {
		return CodeAction{}, fmt.Errorf("decoding the code action %s: %w", shorten(string(raw), traceWidth), err)
	}
	return action, nil
}

// checkAction records what no menu can show. e.mu is held.
func (e *Editor) checkAction(action *CodeAction, only []string) {
	if strings.TrimSpace(action.Title) == "" || strings.ContainsAny(action.Title, "\r\n") {
		e.violate("a code action is titled %q", action.Title)
	}
	if action.Command != nil {
		e.checkCommand("code action "+action.Title, action.Command.Command)
	}
	wanted := len(only) == 0 || slices.ContainsFunc(only, func(kind string) bool {
		return kind == "" || action.Kind == kind || strings.HasPrefix(action.Kind, kind+".")
	})
	if !wanted {
		e.violate("the code action %q is of kind %q, and only %q was asked for", action.Title, action.Kind, only)
	}
	provider, _ := at(e.state.Capabilities, "codeActionProvider").(map[string]any)
	resolves, _ := provider["resolveProvider"].(bool)
	if action.Edit == nil && action.Command == nil && action.Disabled == nil && !resolves {
		e.violate("the code action %q does nothing", action.Title)
	}
}

// checkCommand records a command that was not announced.
func (e *Editor) checkCommand(where, command string) {
	if !slices.Contains(stringsAt(e.state.Capabilities, "executeCommandProvider", "commands"), command) {
		e.violate("%s runs %s, which was not announced", where, command)
	}
}

func (e *Editor) actionParams(file string, query ActionQuery) (map[string]any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.mustFind(file)
	if err != nil {
		return nil, err
	}
	r := query.Range
	if e.how.Actions.MinimumRange && r.Start == r.End {
		r = e.widened(b.text, r)
	}
	known := slices.Clone(e.state.diagnostics[documentKey(b.uri)])
	if e.how.Actions.Foreign {
		known = append(known, e.foreign[documentKey(b.uri)]...)
	}
	reach := r
	if e.how.Actions.WholeLine {
		reach = Range{Start: Position{Line: r.Start.Line}, End: Position{Line: r.End.Line, Character: math.MaxInt32}}
	}
	known = slices.DeleteFunc(known, func(d Diagnostic) bool { return !touches(d.Range, reach) })
	if e.how.Actions.Foreign {
		known = append(known, query.Foreign...)
	}
	diagnostics := make([]any, 0, len(known))
	for i := range known {
		members, err := known[i].members()
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(members, func(name string, _ any) bool { return slices.Contains(e.how.Diagnostics.Dropped, name) })
		diagnostics = append(diagnostics, members)
	}
	about := map[string]any{"diagnostics": diagnostics}
	if e.how.Actions.Trigger {
		about["triggerKind"] = 1
		if query.Automatic {
			about["triggerKind"] = 2
		}
	}
	if query.Only != nil {
		about["only"] = query.Only
	}
	return map[string]any{"textDocument": map[string]any{"uri": b.uri}, "range": r, "context": about}, nil
}

// widened makes an empty range one character long, a line end counting as one.
func (e *Editor) widened(text string, r Range) Range {
	start, _ := offsetOf(text, r.Start, e.encoding)
	_, size := utf8.DecodeRuneInString(text[start:])
	if strings.HasPrefix(text[start:], "\r\n") {
		size = 2
	}
	return e.rangeOf(text, start, start+size)
}

// MoveCursor puts the cursor somewhere; editors that ask for code actions by
// themselves then do, and throw the answer away.
func (e *Editor) MoveCursor(ctx context.Context, file string, r Range) error {
	if !e.how.Actions.OnMove {
		return nil
	}
	_, err := e.AskActions(ctx, file, ActionQuery{Range: r, Automatic: true})
	return err
}

// ErrDisabled is returned for an action the editor explains instead of taking.
var ErrDisabled = errors.New("the action is disabled")

// Run takes an action: resolves it where the editor would, applies its edit,
// then runs its command. The result is the command's, nil without one.
func (e *Editor) Run(ctx context.Context, action CodeAction) (json.RawMessage, error) {
	if action.Disabled != nil && e.how.Actions.Disabled != "runs" {
		return nil, fmt.Errorf("%q: %w: %s", action.Title, ErrDisabled, action.Disabled.Reason)
	}
	action, err := e.resolve(ctx, action)
	if err != nil {
		return nil, err
	}
	if action.Edit != nil {
		if err := e.applyOwn(ctx, action); err != nil {
			return nil, err
		}
	}
	if action.Command == nil {
		return nil, nil
	}
	return e.command(ctx, action.Command.Command, action.Command.Arguments)
}

// resolve completes an action by the editor's rule.
func (e *Editor) resolve(ctx context.Context, action CodeAction) (CodeAction, error) {
	e.mu.Lock()
	provider, _ := at(e.state.Capabilities, "codeActionProvider").(map[string]any)
	e.mu.Unlock()
	if offered, _ := provider["resolveProvider"].(bool); !offered {
		return action, nil
	}
	missing := action.Edit == nil
	switch e.how.Actions.Resolve {
	case "either":
		missing = action.Edit == nil || action.Command == nil
	case "both":
		missing = action.Edit == nil && action.Command == nil && action.Data != nil
	}
	if !missing {
		return action, nil
	}
	result, err := e.Request(ctx, "codeAction/resolve", action.Raw)
	if err != nil {
		return action, err
	}
	return parseAction(result)
}

// applyOwn applies the edit of an action, by the rules of applyEdit.
func (e *Editor) applyOwn(ctx context.Context, action CodeAction) error {
	done := make(chan outcome, 1)
	e.mu.Lock()
	e.perform(action.Edit, action.Title, func(o outcome, stuck bool) {
		e.settle()
		if !stuck {
			done <- o
		}
	})
	e.broadcast()
	e.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, e.cfg.Patience, errPatience)
	defer cancel()
	select {
	case o := <-done:
		if !strings.HasPrefix(o.reply, "true") {
			return fmt.Errorf("the edit of %q is not applied: %s", action.Title, o.reason)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("applying the edit of %q: %w", action.Title, context.Cause(ctx))
	}
}

// Pick asks for the menu at a range and takes the action whose title begins
// with a prefix; several such are an error, unless one is the whole title.
func (e *Editor) Pick(ctx context.Context, file string, r Range, titlePrefix string) (json.RawMessage, error) {
	actions, err := e.CodeActions(ctx, file, r)
	if err != nil {
		return nil, err
	}
	action, err := Choose(actions, titlePrefix)
	if err != nil {
		return nil, fmt.Errorf("in %s at %d:%d: %w", file, r.Start.Line, r.Start.Character, err)
	}
	return e.Run(ctx, action)
}

// Choose finds the action whose title begins with a prefix; several such are
// an error, unless one is the whole title.
func Choose(actions []CodeAction, titlePrefix string) (CodeAction, error) {
	var titles []string
	var found []CodeAction
	for _, action := range actions {
		titles = append(titles, action.Title)
		if action.Title == titlePrefix {
			return action, nil
		}
		if strings.HasPrefix(action.Title, titlePrefix) {
			found = append(found, action)
		}
	}
	if len(found) != 1 {
		return CodeAction{}, fmt.Errorf("%d actions begin with %q; there are %q", len(found), titlePrefix, titles)
	}
	return found[0], nil
}

// ErrCommandTimeout is returned when the editor stopped waiting for a command.
var ErrCommandTimeout = errors.New("the editor gave up on the command")

// Execute is the person running a command, by a key or the editor's palette.
func (e *Editor) Execute(ctx context.Context, command string, args ...any) (json.RawMessage, error) {
	if len(args) > 0 && !e.how.Commands.Arguments {
		return nil, fmt.Errorf("running %s: %s cannot pass arguments with a command", command, e.profile.Name)
	}
	arguments := make([]json.RawMessage, len(args))
	for i, arg := range args {
		raw, err := json.Marshal(arg)
		if err != nil {
			return nil, fmt.Errorf("encoding an argument of %s: %w", command, err)
		}
		arguments[i] = raw
	}
	return e.command(ctx, command, arguments)
}

// command sends workspace/executeCommand.
func (e *Editor) command(ctx context.Context, command string, arguments []json.RawMessage) (json.RawMessage, error) {
	e.mu.Lock()
	announced := stringsAt(e.state.Capabilities, "executeCommandProvider", "commands")
	e.mu.Unlock()
	if e.how.Commands.AdvertisedOnly && !slices.Contains(announced, command) {
		return nil, fmt.Errorf("%s does not send %s: the server has not announced it", e.profile.Name, command)
	}
	params := map[string]any{"command": command}
	if len(arguments) > 0 {
		params["arguments"] = arguments
	}
	call, err := e.Go("workspace/executeCommand", params)
	if err != nil {
		return nil, err
	}
	timeout := time.Duration(e.how.Commands.Timeout) * time.Millisecond
	if timeout == 0 || timeout > e.cfg.Patience {
		return call.Wait(ctx)
	}
	result, err := call.wait(ctx, timeout)
	if !errors.Is(err, errPatience) {
		return result, err
	}
	e.mu.Lock()
	e.violate("%s took longer than the %v this editor waits", command, timeout)
	e.broadcast()
	e.mu.Unlock()
	if e.how.Commands.CancelOnTimeout {
		err = errors.Join(err, call.Cancel())
	}
	return nil, fmt.Errorf("%w %s after %v: %w", ErrCommandTimeout, command, timeout, err)
}

// place is the params of a request about one place.
func (e *Editor) place(file string, at Position) (map[string]any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.mustFind(file)
	if err != nil {
		return nil, err
	}
	return map[string]any{"textDocument": map[string]any{"uri": b.uri}, "position": at}, nil
}

// Hover is the text shown at a place; "" for none.
func (e *Editor) Hover(ctx context.Context, file string, at Position) (string, error) {
	params, err := e.place(file, at)
	if err != nil {
		return "", err
	}
	result, err := e.Request(ctx, "textDocument/hover", params)
	if err != nil {
		return "", err
	}
	var hover *struct {
		Contents json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(result, &hover); err != nil {
		return "", fmt.Errorf("decoding a hover: %w", err)
	}
	if hover == nil {
		return "", nil
	}
	return markup(hover.Contents)
}

// markup is the text of MarkupContent, a marked string or a list of those.
func markup(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var content struct {
		Value string `json:"value"`
	}
	if json.Unmarshal(raw, &content) == nil {
		return content.Value, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", fmt.Errorf("decoding the contents of a hover: %w", err)
	}
	var parts []string
	for _, item := range list {
		part, err := markup(item)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n\n"), nil
}

// CodeLenses are those of a document.
func (e *Editor) CodeLenses(ctx context.Context, file string) ([]CodeLens, error) {
	params, err := e.place(file, Position{})
	if err != nil {
		return nil, err
	}
	delete(params, "position")
	result, err := e.Request(ctx, "textDocument/codeLens", params)
	if err != nil {
		return nil, err
	}
	var lenses []CodeLens
	if err := json.Unmarshal(result, &lenses); err != nil {
		return nil, fmt.Errorf("decoding code lenses: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, lens := range lenses {
		if lens.Command == nil || strings.TrimSpace(lens.Command.Title) == "" {
			e.violate("a code lens without a titled command at line %d", lens.Range.Start.Line)
		} else if lens.Command.Command != "" {
			e.checkCommand("code lens "+lens.Command.Title, lens.Command.Command)
		}
	}
	return lenses, nil
}

// RunLens takes a code lens.
func (e *Editor) RunLens(ctx context.Context, lens CodeLens) (json.RawMessage, error) {
	if lens.Command == nil {
		return nil, errors.New("the code lens has no command")
	}
	return e.command(ctx, lens.Command.Command, lens.Command.Arguments)
}
