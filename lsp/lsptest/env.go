package lsptest

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"
)

// TB is what New needs of a test; *testing.T has it.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
	Cleanup(f func())
	Context() context.Context
	Failed() bool
}

// Env is an Editor in a test: methods that can fail end the test instead of
// returning an error, and waits last at most as long as the test. The Editor
// inside has the methods that return errors.
type Env struct {
	*Editor
	tb TB
	// Tolerate, when not nil, says of a violation that it was meant.
	Tolerate func(violation string) bool
}

// New starts an editor for the length of a test. At the end it has the server
// shut down, and fails the test if the server does not leave, or did anything
// the editor cannot take; a failed test gets the last messages in its log.
func New(tb TB, rwc io.ReadWriteCloser, cfg Config) *Env {
	tb.Helper()
	editor, err := Start(tb.Context(), rwc, cfg)
	if err != nil {
		tb.Fatalf("%v", err)
		return nil
	}
	env := &Env{Editor: editor, tb: tb}
	tb.Cleanup(env.finish)
	return env
}

// finish ends the session. The test's own context has ended by then.
func (v *Env) finish() {
	v.tb.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.tb.Context()), v.cfg.Patience)
	defer cancel()
	if err := v.Editor.Exit(ctx); err != nil {
		v.tb.Errorf("ending the session: %v", err)
	}
	for _, violation := range v.Violations() {
		if v.Tolerate == nil || !v.Tolerate(violation) {
			v.tb.Errorf("%s: the server: %s", v.profile.Name, violation)
		}
	}
	if v.tb.Failed() {
		v.tb.Logf("the last messages:\n%s", v.Trace())
	}
}

func (v *Env) check(err error) {
	v.tb.Helper()
	if err != nil {
		v.tb.Fatalf("%s: %v", v.profile.Name, err)
	}
}

// Open is Editor.Open.
func (v *Env) Open(file string) { v.tb.Helper(); v.check(v.Editor.Open(file)) }

// OpenText is Editor.OpenText.
func (v *Env) OpenText(uri, language, text string) {
	v.tb.Helper()
	v.check(v.Editor.OpenText(uri, language, text))
}

// Close is Editor.Close.
func (v *Env) Close(file string) { v.tb.Helper(); v.check(v.Editor.Close(file)) }

// Save is Editor.Save.
func (v *Env) Save(file string) { v.tb.Helper(); v.check(v.Editor.Save(file)) }

// Undo is Editor.Undo.
func (v *Env) Undo(file string) { v.tb.Helper(); v.check(v.Editor.Undo(file)) }

// Type is Editor.Type.
func (v *Env) Type(file string, at Position, text string) {
	v.tb.Helper()
	v.check(v.Editor.Type(file, at, text))
}

// Replace is Editor.Replace.
func (v *Env) Replace(file string, r Range, text string) {
	v.tb.Helper()
	v.check(v.Editor.Replace(file, r, text))
}

// SetText is Editor.SetText.
func (v *Env) SetText(file, text string) { v.tb.Helper(); v.check(v.Editor.SetText(file, text)) }

// Find is Editor.Find.
func (v *Env) Find(file, needle string) Range {
	v.tb.Helper()
	r, err := v.Editor.Find(file, needle)
	v.check(err)
	return r
}

// CodeActions is Editor.CodeActions.
func (v *Env) CodeActions(file string, r Range, foreign ...Diagnostic) []CodeAction {
	v.tb.Helper()
	actions, err := v.Editor.CodeActions(v.tb.Context(), file, r, foreign...)
	v.check(err)
	return actions
}

// Titles are the titles of the actions at a range.
func (v *Env) Titles(file string, r Range) []string {
	v.tb.Helper()
	var titles []string
	for _, action := range v.CodeActions(file, r) {
		titles = append(titles, action.Title)
	}
	return titles
}

// Pick is Editor.Pick.
func (v *Env) Pick(file string, r Range, titlePrefix string) json.RawMessage {
	v.tb.Helper()
	result, err := v.Editor.Pick(v.tb.Context(), file, r, titlePrefix)
	v.check(err)
	return result
}

// Run is Editor.Run.
func (v *Env) Run(action CodeAction) json.RawMessage {
	v.tb.Helper()
	result, err := v.Editor.Run(v.tb.Context(), action)
	v.check(err)
	return result
}

// Execute is Editor.Execute.
func (v *Env) Execute(command string, args ...any) json.RawMessage {
	v.tb.Helper()
	result, err := v.Editor.Execute(v.tb.Context(), command, args...)
	v.check(err)
	return result
}

// Hover is Editor.Hover.
func (v *Env) Hover(file string, at Position) string {
	v.tb.Helper()
	text, err := v.Editor.Hover(v.tb.Context(), file, at)
	v.check(err)
	return text
}

// CodeLenses is Editor.CodeLenses.
func (v *Env) CodeLenses(file string) []CodeLens {
	v.tb.Helper()
	lenses, err := v.Editor.CodeLenses(v.tb.Context(), file)
	v.check(err)
	return lenses
}

// Request is Editor.Request.
func (v *Env) Request(method string, params any) json.RawMessage {
	v.tb.Helper()
	result, err := v.Editor.Request(v.tb.Context(), method, params)
	v.check(err)
	return result
}

// Notify is Editor.Notify.
func (v *Env) Notify(method string, params any) {
	v.tb.Helper()
	v.check(v.Editor.Notify(method, params))
}

// Cancel is Editor.Cancel.
func (v *Env) Cancel(token string) { v.tb.Helper(); v.check(v.Editor.Cancel(token)) }

// Await is Editor.Await.
func (v *Env) Await(what string, cond func(*State) bool) {
	v.tb.Helper()
	v.check(v.Editor.Await(v.tb.Context(), what, cond))
}

// AwaitMessage is Editor.AwaitMessage.
func (v *Env) AwaitMessage(substring string) Message {
	v.tb.Helper()
	m, err := v.Editor.AwaitMessage(v.tb.Context(), substring)
	v.check(err)
	return m
}

// AwaitProgressBegin is Editor.AwaitProgressBegin.
func (v *Env) AwaitProgressBegin(title string) Progress {
	v.tb.Helper()
	p, err := v.Editor.AwaitProgressBegin(v.tb.Context(), title)
	v.check(err)
	return p
}

// AwaitProgressEnd is Editor.AwaitProgressEnd.
func (v *Env) AwaitProgressEnd(title string) Progress {
	v.tb.Helper()
	p, err := v.Editor.AwaitProgressEnd(v.tb.Context(), title)
	v.check(err)
	return p
}

// AwaitDiagnostics is Editor.AwaitDiagnostics.
func (v *Env) AwaitDiagnostics(file string, cond func([]Diagnostic) bool) {
	v.tb.Helper()
	v.check(v.Editor.AwaitDiagnostics(v.tb.Context(), file, cond))
}

// AwaitBuffer is Editor.AwaitBuffer.
func (v *Env) AwaitBuffer(file string, cond func(text string) bool) {
	v.tb.Helper()
	v.check(v.Editor.AwaitBuffer(v.tb.Context(), file, cond))
}

// AwaitText waits until a document holds exactly a text.
func (v *Env) AwaitText(file, want string) {
	v.tb.Helper()
	v.AwaitBuffer(file, func(text string) bool { return text == want })
}

// AwaitHolds waits until a document contains a text.
func (v *Env) AwaitHolds(file, part string) {
	v.tb.Helper()
	v.AwaitBuffer(file, func(text string) bool { return strings.Contains(text, part) })
}

// AwaitQuestion is Editor.AwaitQuestion.
func (v *Env) AwaitQuestion(substring string) Question {
	v.tb.Helper()
	q, err := v.Editor.AwaitQuestion(v.tb.Context(), substring)
	v.check(err)
	return q
}

// AwaitEdit is Editor.AwaitEdit.
func (v *Env) AwaitEdit(n int) AppliedEdit {
	v.tb.Helper()
	a, err := v.Editor.AwaitEdit(v.tb.Context(), n)
	v.check(err)
	return a
}

// AwaitEvent is Editor.AwaitEvent.
func (v *Env) AwaitEvent(method, substring string) Notification {
	v.tb.Helper()
	n, err := v.Editor.AwaitEvent(v.tb.Context(), method, substring)
	v.check(err)
	return n
}

// Exit is Editor.Exit. A test need not call it: the end of the test does.
func (v *Env) Exit() {
	v.tb.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.tb.Context()), v.cfg.Patience+time.Second)
	defer cancel()
	v.check(v.Editor.Exit(ctx))
}
