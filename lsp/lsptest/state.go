package lsptest

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// State is all the editor has seen and done. Conditions given to Await get the
// real one, under the editor's lock: they must neither keep it, nor change it,
// nor call methods of the Editor.
type State struct {
	Capabilities  map[string]any // the server's
	Messages      []Message      // showMessage and logMessage, oldest first
	Questions     []Question     // showMessageRequest, oldest first
	Shown         []ShownDocument
	Progress      []Progress // by creation
	Edits         []AppliedEdit
	Events        []Notification // notifications with no meaning to the editor
	Registrations []Registration // those in force
	Refreshes     []string       // methods of refresh requests
	Published     int            // publishDiagnostics taken in, those dropped included
	Violations    []string
	Closed        bool // the server has closed its end

	diagnostics map[string][]Diagnostic // by documentKey
	editor      *Editor
}

// Buffer returns a copy of a document.
func (s *State) Buffer(file string) (Buffer, bool) {
	b := s.editor.find(file)
	if b == nil {
		return Buffer{}, false
	}
	return b.copy(), true
}

// Diagnostics are those in force for a document.
func (s *State) Diagnostics(file string) []Diagnostic {
	return s.diagnostics[documentKey(s.editor.spell(file))]
}

// Said reports whether a message to the person contains a text; those to the
// log do not count.
func (s *State) Said(substring string) bool {
	return slices.ContainsFunc(s.Messages, func(m Message) bool { return !m.Log && strings.Contains(m.Text, substring) })
}

// summary is a page about the state for the report of a failure.
func (s *State) summary() string {
	var b strings.Builder
	for _, key := range sortedKeys(s.editor.buffers) {
		buffer := s.editor.buffers[key]
		fmt.Fprintf(&b, "buffer %s: version %d, open %t, %d bytes\n", buffer.uri, buffer.version, buffer.open, len(buffer.text))
	}
	for _, key := range sortedKeys(s.diagnostics) {
		for _, d := range s.diagnostics[key] {
			fmt.Fprintf(&b, "diagnostic %s %d:%d: %s\n", key, d.Range.Start.Line, d.Range.Start.Character, d.Message)
		}
	}
	for _, m := range s.Messages {
		if !m.Log {
			fmt.Fprintf(&b, "message: %s\n", m.Text)
		}
	}
	for _, q := range s.Questions {
		fmt.Fprintf(&b, "question: %s %q answered %q (done %t)\n", q.Text, q.Actions, q.Answer, q.Done)
	}
	for _, p := range s.Progress {
		fmt.Fprintf(&b, "progress %s %q: %q, ended %t\n", p.Token, p.Title, p.Messages, p.Ended)
	}
	for _, edit := range s.Edits {
		fmt.Fprintf(&b, "edit %q answered %s\n", edit.Label, edit.Reply)
	}
	for _, violation := range s.Violations {
		fmt.Fprintf(&b, "violation: %s\n", violation)
	}
	return b.String()
}

// Await waits until cond holds, trying it now and after each change. It fails
// when ctx ends, patience runs out or the server leaves; the error then holds
// what was waited for, the state and the last messages.
func (e *Editor) Await(ctx context.Context, what string, cond func(*State) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, e.cfg.Patience, errPatience)
	defer cancel()
	for {
		e.mu.Lock()
		met := cond(&e.state)
		changed, closed := e.changed, e.state.Closed
		e.mu.Unlock()
		switch {
		case met:
			return nil
		case closed:
			return e.unmet(what, ErrClosed)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return e.unmet(what, context.Cause(ctx))
		}
	}
}

func (e *Editor) unmet(what string, cause error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Errorf("awaiting %s: %w\n%s\n%s", what, cause, e.state.summary(), e.trace.String())
}

// Inspect calls f with the state, under the lock, for reading it.
func (e *Editor) Inspect(f func(*State)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f(&e.state)
}

// awaitOne waits for the first of a list of events that cond holds for and
// that this kind of wait has not returned before, and returns its place. So
// two waits for the same words get two events.
func (e *Editor) awaitOne(ctx context.Context, what, kind string, count func(*State) int, cond func(s *State, i int) bool) error {
	return e.Await(ctx, what, func(s *State) bool {
		for i := range count(s) {
			if !e.returned[kind][i] && cond(s, i) {
				if e.returned[kind] == nil {
					e.returned[kind] = map[int]bool{}
				}
				e.returned[kind][i] = true
				return true
			}
		}
		return false
	})
}

// AwaitMessage waits for a message to the person (not the log) that contains
// a text and that no AwaitMessage has returned before.
func (e *Editor) AwaitMessage(ctx context.Context, substring string) (Message, error) {
	var found Message
	what := fmt.Sprintf("a message with %q", substring)
	err := e.awaitOne(ctx, what, "message", func(s *State) int { return len(s.Messages) }, func(s *State, i int) bool {
		found = s.Messages[i]
		return !found.Log && strings.Contains(found.Text, substring)
	})
	return found, err
}

// AwaitProgressEnd waits for the end of a progress whose title contains a
// text and that no AwaitProgressEnd has returned before.
func (e *Editor) AwaitProgressEnd(ctx context.Context, title string) (Progress, error) {
	return e.awaitProgress(ctx, title, "end", func(p Progress) bool { return p.Ended })
}

// AwaitProgressBegin waits for a progress whose title contains a text to
// begin, one that no AwaitProgressBegin has returned before.
func (e *Editor) AwaitProgressBegin(ctx context.Context, title string) (Progress, error) {
	return e.awaitProgress(ctx, title, "begin", func(p Progress) bool { return p.Begun })
}

func (e *Editor) awaitProgress(ctx context.Context, title, event string, cond func(Progress) bool) (Progress, error) {
	var found Progress
	what := fmt.Sprintf("the %s of a progress with %q", event, title)
	err := e.awaitOne(ctx, what, event, func(s *State) int { return len(s.Progress) }, func(s *State, i int) bool {
		found = s.Progress[i]
		found.Messages = slices.Clone(found.Messages)
		return strings.Contains(found.Title, title) && cond(found)
	})
	return found, err
}

// AwaitDiagnostics waits until the diagnostics of a file are as cond wants
// them.
func (e *Editor) AwaitDiagnostics(ctx context.Context, file string, cond func([]Diagnostic) bool) error {
	return e.Await(ctx, "diagnostics of "+file, func(s *State) bool { return cond(s.Diagnostics(file)) })
}

// AwaitBuffer waits until the text of a document is as cond wants it. A
// document that is not loaded has none, and cond is not asked.
func (e *Editor) AwaitBuffer(ctx context.Context, file string, cond func(text string) bool) error {
	return e.Await(ctx, "the text of "+file, func(s *State) bool {
		b, ok := s.Buffer(file)
		return ok && cond(b.Text)
	})
}

// AwaitQuestion waits for a question that contains a text, answered or not,
// and that no AwaitQuestion has returned before.
func (e *Editor) AwaitQuestion(ctx context.Context, substring string) (Question, error) {
	var found Question
	what := fmt.Sprintf("a question with %q", substring)
	err := e.awaitOne(ctx, what, "question", func(s *State) int { return len(s.Questions) }, func(s *State, i int) bool {
		found = s.Questions[i]
		found.Actions = slices.Clone(found.Actions)
		return strings.Contains(found.Text, substring)
	})
	return found, err
}

// AwaitEdit waits until the nth applyEdit (from 1) is answered, or never will
// be, and returns it.
func (e *Editor) AwaitEdit(ctx context.Context, n int) (AppliedEdit, error) {
	var found AppliedEdit
	err := e.Await(ctx, fmt.Sprintf("applyEdit number %d", n), func(s *State) bool {
		if len(s.Edits) < n || s.Edits[n-1].Reply == "" && !s.Edits[n-1].Stuck {
			return false
		}
		found = s.Edits[n-1]
		return true
	})
	return found, err
}

// AwaitEvent waits for a notification of a method, whose params contain a
// text, and that no AwaitEvent has returned before.
func (e *Editor) AwaitEvent(ctx context.Context, method, substring string) (Notification, error) {
	var found Notification
	what := fmt.Sprintf("%s with %q", method, substring)
	err := e.awaitOne(ctx, what, "event", func(s *State) int { return len(s.Events) }, func(s *State, i int) bool {
		found = s.Events[i]
		return found.Method == method && strings.Contains(string(found.Params), substring)
	})
	return found, err
}

// Messages are those to the person so far, the log's left out.
func (e *Editor) Messages() []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.state.Messages), func(m Message) bool { return m.Log })
}

// Violations are what the server did that the editor cannot take, or the
// protocol forbids, each once.
func (e *Editor) Violations() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.state.Violations)
}

// Diagnostics are those in force for a file.
func (e *Editor) Diagnostics(file string) []Diagnostic {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.state.Diagnostics(file))
}
