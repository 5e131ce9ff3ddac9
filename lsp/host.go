package lsp

import (
	"context"
	"fmt"
	"strings"

	"emend/agent"
	"emend/internal/proposal"
	"emend/internal/workspace"
)

// host is the editor as one run sees it.
type host struct {
	session *session
	job     *job
	project *project
	task    agent.Task
	version int32 // of the focus document when the run began
	tokens  int
	leave   func() // lets the next run go on from this one's proposal
}

// Propose shows a stored proposal.
func (h *host) Propose(ctx context.Context, p *proposal.Content) error {
	h.leave() // before anybody can see it and ask for more
	untouched := false
	if f := h.task.Focus; f != nil {
		doc, ok := h.session.mirror.docs.Get(f.Path)
		untouched = ok && doc.Version == h.version
	}
	h.session.offer(context.WithoutCancel(ctx), pending{p, h.project}, h.task.Approval, untouched)
	return nil
}

// Ask puts a question to the person.
func (h *host) Ask(ctx context.Context, q agent.Question) (agent.Answer, error) {
	var path workspace.Path
	if h.task.Focus != nil {
		path = h.task.Focus.Path
	}
	return h.session.ask(ctx, q, path), nil
}

// Emit shows what happens: as the progress' text, and to clients that want
// every event as a notification.
func (h *host) Emit(e agent.Event) {
	h.tokens += e.Output
	if text := h.describe(e); text != "" {
		if h.tokens > 0 {
			text += " · " + count(h.tokens) + " tokens"
		}
		h.job.progress.report(text)
	}
	if e.Kind == agent.KindWarning {
		h.session.editor.warn(h.session.tasks.ctx, "%s", e.Text)
	}
	if h.session.editor.caps.events {
		h.session.editor.notify(h.session.tasks.ctx, "emend/event", e)
	}
}

// describe is an event as the progress shows it, "" for those it does not.
func (h *host) describe(e agent.Event) string {
	switch e.Kind {
	case agent.KindStep:
		return fmt.Sprintf("step %d: thinking", e.Step)
	case agent.KindToolCall:
		return strings.TrimSpace(fmt.Sprintf("step %d: %s %s", e.Step, strings.ReplaceAll(e.Tool, "_", " "), e.Path))
	case agent.KindQuestion:
		return "waiting for an answer"
	case agent.KindProposal:
		return "done"
	default:
		return ""
	}
}
