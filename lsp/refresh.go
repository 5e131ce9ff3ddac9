package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"emend/internal/workspace"
	"emend/state"
)

// refreshEvery bounds how often the hints of documents under the person's
// hands are placed anew.
const refreshEvery = 50 * time.Millisecond

// refresher is the documents whose hints have to be looked at again. One task
// at a time works through them.
type refresher struct {
	mu      sync.Mutex // guards the rest
	dirty   map[workspace.Path]bool
	running bool
}

// refresh places the hints of a document anew, soon and not here: it is called
// at every keystroke.
func (s *session) refresh(path workspace.Path) {
	r := &s.refreshes
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dirty == nil {
		r.dirty = map[workspace.Path]bool{}
	}
	r.dirty[path] = true
	if !r.running {
		r.running = s.tasks.spawn("refresh", s.refreshAll)
	}
}

// refreshAll works until nothing is dirty.
func (s *session) refreshAll(ctx context.Context) {
	r := &s.refreshes
	ended := false
	defer func() {
		if ended {
			return
		}
		r.mu.Lock() // a fault with one document must not end the hints of all
		r.running = false
		r.mu.Unlock()
	}()
	for {
		r.mu.Lock()
		paths := r.dirty
		r.dirty = nil
		if len(paths) == 0 || ctx.Err() != nil {
			r.running, ended = false, true
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
		for path := range paths {
			s.publish(ctx, path)
		}
		select {
		case <-time.After(refreshEvery):
		case <-ctx.Done():
		}
	}
}

// sourceName is the source of every diagnostic of emend's.
const sourceName = "emend"

// hintData marks a hint and says what it belongs to; it comes back in code
// action requests.
type hintData struct {
	Proposal string `json:"proposal"`
	Hunk     string `json:"hunk"`
}

// publish shows all that emend has to say about a document. It goes out as one
// set, made from one version of the text: a part of an older one would stand at
// places that are not in the text any more. Only refreshAll calls it, so that
// what is known later is sent later.
func (s *session) publish(ctx context.Context, path workspace.Path) {
	doc, open := s.mirror.docs.Get(path)
	if !open {
		doc = nil
	}
	s.published.set(ctx, path, doc, append(s.hints(doc), s.findingsIn(path, doc)...))
}

// hints are the open hunks of a document; one that is not open has none.
func (s *session) hints(doc *workspace.Document) []protocol.Diagnostic {
	if doc == nil {
		return nil
	}
	var ds []protocol.Diagnostic
	for _, h := range s.board.hunks(doc.Path, doc.Text) {
		d := protocol.Diagnostic{
			Range:    toProtoRange(doc.Text, h.Start, h.End, s.mirror.enc),
			Severity: protocol.DiagnosticSeverityHint,
			Source:   protocol.NewOptional(sourceName),
			Message:  protocol.String(hintText(h)),
			Data:     mustJSON(hintData{h.pending.ID, h.LocatedHunk.ID}),
		}
		if h.Fate == state.FateConflict {
			d.Severity = protocol.DiagnosticSeverityInformation
		}
		ds = append(ds, d)
	}
	return ds
}

// hintText is a hunk as a short diff, its first line understandable by itself.
func hintText(h spotted) string {
	const mostLines = 12
	var b strings.Builder
	if h.Fate == state.FateConflict {
		fmt.Fprintf(&b, "proposed change does not fit any more: %s", h.Conflict)
	} else {
		fmt.Fprintf(&b, "proposed: %s", short(h.Title))
	}
	n := 0
	add := func(sign, text string) {
		for line := range strings.Lines(text) {
			if n++; n <= mostLines {
				b.WriteString("\n" + sign + strings.TrimRight(line, "\r\n"))
			}
		}
	}
	add("-", h.Old)
	add("+", h.New)
	if n > mostLines {
		fmt.Fprintf(&b, "\n… %d more lines", n-mostLines)
	}
	return b.String()
}

// isHunkHint reports whether a diagnostic that a client sends back is one of
// ours on a hunk.
func isHunkHint(d protocol.Diagnostic) bool {
	if source, _ := d.Source.Get(); source != sourceName {
		return false
	}
	var data hintData
	return len(d.Data) > 0 && json.Unmarshal(d.Data, &data) == nil && data.Hunk != "" ||
		d.Severity == protocol.DiagnosticSeverityHint
}

// messageText is a diagnostic's message as plain text.
func messageText(d protocol.Diagnostic) string {
	switch m := d.Message.(type) {
	case protocol.String:
		return string(m)
	case *protocol.MarkupContent:
		return m.Value
	default:
		return ""
	}
}

// rawDiagnostics encodes diagnostics for a command's arguments.
func rawDiagnostics(ds ...protocol.Diagnostic) []json.RawMessage {
	var out []json.RawMessage
	for i := range ds {
		if raw, err := protocol.Marshal(&ds[i]); err == nil {
			out = append(out, raw)
		}
	}
	return out
}
