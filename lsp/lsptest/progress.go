package lsptest

import (
	"encoding/json"
	"strings"
)

// tokenName is the name of a progress token, a string or a number.
func tokenName(raw json.RawMessage) string {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return name
	}
	return string(raw)
}

func (e *Editor) createProgress(m message) {
	var params struct {
		Token json.RawMessage `json:"token"`
	}
	if !e.params(m, &params) {
		return
	}
	name := tokenName(params.Token)
	if e.progressOf(name) != nil {
		e.violate("progress token %s is created twice", name)
	}
	e.state.Progress = append(e.state.Progress, Progress{Token: name, Created: true, Percentage: -1})
	e.tokens[name] = true
	e.reply(m.ID, nil)
}

// progressOf is the newest progress of a token, or nil.
func (e *Editor) progressOf(token string) *Progress {
	for i := len(e.state.Progress) - 1; i >= 0; i-- {
		if e.state.Progress[i].Token == token {
			return &e.state.Progress[i]
		}
	}
	return nil
}

func (e *Editor) progress(m message) {
	var params struct {
		Token json.RawMessage `json:"token"`
		Value json.RawMessage `json:"value"`
	}
	if !e.params(m, &params) {
		return
	}
	name := tokenName(params.Token)
	if !e.tokens[name] {
		e.violate("progress for token %s, which was never created", name)
	}
	var value struct {
		Kind        string `json:"kind"`
		Title       string `json:"title"`
		Message     string `json:"message"`
		Cancellable bool   `json:"cancellable"`
		Percentage  *int   `json:"percentage"`
	}
	if json.Unmarshal(params.Value, &value) != nil || value.Kind == "" {
		e.note("(progress that is not about work done)") // a partial result
		return
	}
	p := e.progressOf(name)
	if p == nil {
		e.state.Progress = append(e.state.Progress, Progress{Token: name, Percentage: -1})
		p = &e.state.Progress[len(e.state.Progress)-1]
	}
	if value.Message != "" {
		p.Messages = append(p.Messages, value.Message)
	}
	if value.Percentage != nil {
		if *value.Percentage < max(p.Percentage, 0) || *value.Percentage > 100 {
			e.violate("progress %s goes from %d %% to %d %%", name, p.Percentage, *value.Percentage)
		}
		p.Percentage = *value.Percentage
	}
	e.advance(p, value.Kind, value.Title, value.Message)
	if value.Kind == "begin" {
		p.Cancellable = value.Cancellable
	}
}

// advance moves a progress through begin, reports, end, in that order.
func (e *Editor) advance(p *Progress, kind, title, text string) {
	if p.Ended {
		e.violate("progress %s: %s after its end", p.Token, kind)
	}
	if e.how.Window.OneLine && strings.Contains(text, "\n") {
		e.violate("progress %s has a message with line breaks: %q", p.Token, text)
	}
	switch kind {
	case "begin":
		if p.Begun {
			e.violate("progress %s begins twice", p.Token)
		}
		if title == "" {
			e.violate("progress %s begins without a title", p.Token)
		}
		p.Begun, p.Title = true, title
	case "report", "end":
		if !p.Begun {
			e.violate("progress %s: %s before its begin", p.Token, kind)
		}
		if kind == "end" {
			p.Ended, p.End = true, text
		}
	default:
		e.violate("progress %s is of kind %q", p.Token, kind)
	}
}

// Cancel asks the server to stop the work of a progress token.
func (e *Editor) Cancel(token string) error {
	return e.Notify("window/workDoneProgress/cancel", map[string]any{"token": token})
}
