package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"emend/agent"
	"emend/lsp/lsptest"
)

// say prints a line.
func (d *demo) say(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.app.printf(format+"\n", args...)
}

// head prints the heading of the next step.
func (d *demo) head(format string, args ...any) {
	d.step++
	d.say("\n%s", paint(d.colour, styleBold, fmt.Sprintf("%d. ", d.step)+fmt.Sprintf(format, args...)))
}

// message waits for a message and prints it.
func (d *demo) message(ctx context.Context, part string) error {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	m, err := d.editor.AwaitMessage(ctx, part)
	if err == nil {
		d.say("  %s", m.Text)
	}
	return err
}

// lastMessage prints the newest message.
func (d *demo) lastMessage() {
	if all := d.editor.Messages(); len(all) > 0 {
		d.say("  %s", all[len(all)-1].Text)
	}
}

// followProgress prints what a job's progress shows until it ends.
func (d *demo) followProgress(ctx context.Context, title string) (lsptest.Progress, error) {
	var last lsptest.Progress
	err := d.editor.Await(ctx, "the end of "+title, func(s *lsptest.State) bool {
		for _, p := range s.Progress {
			if !strings.HasPrefix(p.Title, title) || d.shown[p.Token] < 0 {
				continue
			}
			for _, text := range p.Messages[d.shown[p.Token]:] {
				if text != p.End || !p.Ended {
					d.say("  %s", paint(d.colour, styleDim, text))
				}
			}
			d.shown[p.Token] = len(p.Messages)
			if p.Ended {
				d.shown[p.Token] = -1
				last = p
				return true
			}
		}
		return false
	})
	return last, err
}

// followRun prints the steps of a run until its progress ends. It reads the
// events that plug-ins are sent, which unlike progress leave nothing out.
func (d *demo) followRun(ctx context.Context) (lsptest.Progress, error) {
	var last lsptest.Progress
	err := d.editor.Await(ctx, "the end of the run", func(s *lsptest.State) bool {
		for _, n := range s.Events[d.events:] {
			d.event(n.Params)
		}
		d.events = len(s.Events)
		for _, p := range s.Progress {
			if strings.HasPrefix(p.Title, "emend: fix") && p.Ended {
				last = p
				return true
			}
		}
		return false
	})
	return last, err
}

// event prints one step of a run.
func (d *demo) event(raw json.RawMessage) {
	var e agent.Event
	if json.Unmarshal(raw, &e) != nil {
		return
	}
	switch e.Kind {
	case agent.KindThinking:
		d.thought += e.Text
	case agent.KindToolCall:
		if e.Tool == "checks" {
			return // their result is told with the proposal
		}
		if d.thought != "" {
			d.say("  %s", paint(d.colour, styleDim, "thinks: "+d.app.shown(d.thought)))
			d.thought = ""
		}
		d.say("  %s", paint(d.colour, styleCyan, strings.TrimSpace(fmt.Sprintf("step %d: %s %s", e.Step, d.app.shown(e.Tool), d.app.shown(e.Path)))))
	case agent.KindProposal:
		d.proposed = true
		var done struct{ Data agent.Proposed }
		if json.Unmarshal(raw, &done) == nil && done.Data.Checks != "" {
			d.say("  %s", paint(d.colour, styleCyan, "checks over the draft: "+done.Data.Checks))
		}
	}
}

// field reads one string of a command's result.
func field(raw json.RawMessage, name string) (string, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return "", fmt.Errorf("a command's result: %w", err)
	}
	var s string
	if err := json.Unmarshal(all[name], &s); err != nil {
		return "", fmt.Errorf("a command's result has no %s: %w", name, err)
	}
	return s, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
