// Package agenttest is an in-memory face for runs: a [Host] that records what a
// run tells and shows, and answers its questions by script. Stories about runs
// are tested with it in place of an editor.
//
// It is for tests; production code does not import it. It knows nothing of
// models or of the language server protocol.
package agenttest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"emend/agent"
	"emend/internal/proposal"
)

// Host is an [agent.Host] in memory. The zero value is ready: it answers every
// question with its default. It is safe for concurrent use.
type Host struct {
	// Answers are the choices by kind of question. Set it before the run.
	Answers map[string]string
	// AskErr, when not nil, is what Ask returns in place of an answer.
	AskErr error
	// ProposeErr, when not nil, is what Propose returns.
	ProposeErr error
	// OnEvent, when not nil, is called with every event, on the run's goroutine.
	OnEvent func(agent.Event)

	mu        sync.Mutex // guards what is below
	events    []agent.Event
	questions []agent.Question
	proposals []*proposal.Content
	changed   chan struct{} // closed at the next event
}

// Propose records the proposal.
func (h *Host) Propose(_ context.Context, p *proposal.Content) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.proposals = append(h.proposals, p)
	return h.ProposeErr
}

// Ask records the question and answers it by script.
func (h *Host) Ask(_ context.Context, q agent.Question) (agent.Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.questions = append(h.questions, q)
	if h.AskErr != nil {
		return agent.Answer{}, h.AskErr
	}
	if choice, ok := h.Answers[q.Kind]; ok {
		return agent.Answer{Choice: choice}, nil
	}
	return agent.Answer{Choice: q.Default}, nil
}

// Emit records the event.
func (h *Host) Emit(e agent.Event) {
	h.mu.Lock()
	h.events = append(h.events, e)
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
	h.mu.Unlock()
	if h.OnEvent != nil {
		h.OnEvent(e)
	}
}

// Events returns the events so far.
func (h *Host) Events() []agent.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]agent.Event(nil), h.events...)
}

// Questions returns the questions so far.
func (h *Host) Questions() []agent.Question {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]agent.Question(nil), h.questions...)
}

// Proposals returns the proposals shown so far.
func (h *Host) Proposals() []*proposal.Content {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]*proposal.Content(nil), h.proposals...)
}

// Await waits for the first event for which ok is true, those that have already
// come included.
func (h *Host) Await(ctx context.Context, ok func(agent.Event) bool) (agent.Event, error) {
	for next := 0; ; {
		h.mu.Lock()
		for ; next < len(h.events); next++ {
			if ok(h.events[next]) {
				defer h.mu.Unlock()
				return h.events[next], nil
			}
		}
		if h.changed == nil {
			h.changed = make(chan struct{})
		}
		changed := h.changed
		h.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return agent.Event{}, fmt.Errorf("waiting for an event of the run: %w", context.Cause(ctx))
		}
	}
}

// Trace is the events so far in short, one a line, pieces of answers left out:
// for comparing whole stories.
func (h *Host) Trace() string {
	var b strings.Builder
	for _, e := range h.Events() {
		if e.Kind == agent.KindToken || e.Kind == agent.KindThinking || e.Kind == agent.KindUsage {
			continue
		}
		line := string(e.Kind)
		for _, part := range []string{e.Tool, e.Path} {
			if part != "" {
				line += " " + part
			}
		}
		switch data := e.Data.(type) {
		case agent.ToolDone:
			if data.Refused {
				line += " refused"
			}
		case agent.Outcome:
			line += " " + string(data.Status)
		case agent.Answer:
			line += " " + data.Choice
		case agent.Question:
			line += " " + data.Kind
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
