package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

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
func (d *demo) message(ctx context.Context, part string) (lsptest.Message, error) {
	m, err := d.editor.AwaitMessage(ctx, part)
	if err == nil {
		d.say("  %s", m.Text)
	}
	return m, err
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
