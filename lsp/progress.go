package lsp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/protocol"
)

// reportEvery bounds how often one job's progress is sent.
const reportEvery = 100 * time.Millisecond

// progress shows a job to the person: as work-done progress that emend itself
// creates (no client sends a token with a command), or as one message at the
// start where the client shows none.
//
// report never blocks; only the newest text is sent. The client sees begin,
// then reports, then exactly one end, in this order.
type progress struct {
	editor *editor
	token  string
	title  string

	mu     sync.Mutex // guards next
	next   string
	wake   chan struct{} // holds one token when next is new
	done   chan struct{} // closed by end
	gone   chan struct{} // closed when the sender has ended
	closed sync.Once
	final  string // the outcome's word, set before end
}

func newProgress(e *editor, token, title string) *progress {
	return &progress{
		editor: e, token: token, title: "emend: " + title,
		wake: make(chan struct{}, 1), done: make(chan struct{}), gone: make(chan struct{}),
	}
}

// begin asks the client for the token and shows the title. It returns at once;
// what follows happens behind it, as long as ctx lasts.
func (p *progress) begin(ctx context.Context) {
	go p.run(ctx)
}

// report replaces the text beside the title. It must carry everything: clients
// show neither percentages nor steps.
func (p *progress) report(text string) {
	p.mu.Lock()
	p.next = text
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// outcome is the one word that the end carries.
func (p *progress) outcome(word string) {
	p.mu.Lock()
	p.final = word
	p.mu.Unlock()
}

// end closes the progress and waits until the client has been told.
func (p *progress) end() {
	p.closed.Do(func() { close(p.done) })
	<-p.gone
}

func (p *progress) run(ctx context.Context) {
	defer close(p.gone)
	if !p.editor.caps.progress {
		p.editor.info(ctx, "%s…", p.title[len("emend: "):])
		<-p.done
		return
	}
	params := &protocol.WorkDoneProgressCreateParams{Token: protocol.String(p.token)}
	if err := p.editor.call(ctx, callTimeout, protocol.MethodWindowWorkDoneProgressCreate, params, nil); err != nil {
		p.editor.log.Info("creating a progress", "error", err)
		<-p.done
		return
	}
	p.send(ctx, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: p.title, Cancellable: ptr(true)})
	p.pump(ctx)
	p.mu.Lock()
	final := p.final
	p.mu.Unlock()
	end := &protocol.WorkDoneProgressEnd{Kind: "end"}
	if final != "" {
		end.Message = &final
	}
	p.send(ctx, end)
}

// pump sends reports until the end, no more than one every reportEvery.
func (p *progress) pump(ctx context.Context) {
	var pause <-chan time.Time
	wake, sent := p.wake, ""
	for {
		select {
		case <-p.done:
			return
		case <-pause:
			pause, wake = nil, p.wake
		case <-wake:
			p.mu.Lock()
			text := p.next
			p.mu.Unlock()
			if text == sent {
				continue
			}
			sent = text
			p.send(ctx, &protocol.WorkDoneProgressReport{Kind: "report", Message: &text, Cancellable: ptr(true)})
			pause, wake = time.After(reportEvery), nil
		}
	}
}

func (p *progress) send(ctx context.Context, value any) {
	raw, err := protocol.Marshal(value)
	if err != nil {
		p.editor.log.Error("encoding progress", "error", err)
		return
	}
	p.editor.notify(ctx, protocol.MethodProgress, &protocol.ProgressParams{Token: protocol.String(p.token), Value: raw})
}

// count formats a token count as people read it: 873, 1.2k.
func count(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1fk", float64(n)/1000)
}
