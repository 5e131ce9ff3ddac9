package lsp

import (
	"io"
	"sync"
	"time"
)

// maxQueued bounds the bytes that wait for an editor that does not read. An
// editor that lets so much come together has stopped; whoever sends more waits.
const maxQueued = 64 << 20

// outbox writes frames in the order they were put, from a goroutine of its own:
// the read loop and the runs must not wait for an editor that reads late, which
// may itself be waiting for us to read. It is safe for concurrent use.
type outbox struct {
	w    io.Writer
	done chan struct{} // closed when run has ended

	mu     sync.Mutex // guards the rest
	news   *sync.Cond // something of the rest has changed
	frames [][]byte
	size   int // bytes of frames
	err    error
	closed bool
}

// newOutbox returns an outbox whose goroutine ends after close.
func newOutbox(w io.Writer) *outbox {
	o := &outbox{w: w, done: make(chan struct{})}
	o.news = sync.NewCond(&o.mu)
	go o.run()
	return o
}

// put queues a frame. It fails once a write has failed or the box is closed.
// note, when not nil, is called in the order of the frames.
func (o *outbox) put(frame []byte, note func()) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > maxQueued && o.err == nil && !o.closed {
		o.news.Wait()
	}
	if o.err != nil {
		return o.err
	}
	if o.closed {
		return io.ErrClosedPipe
	}
	if note != nil {
		note()
	}
	o.frames = append(o.frames, frame)
	o.size += len(frame)
	o.news.Broadcast()
	return nil
}

// close refuses further frames and waits until those there are have been
// written, at most limit.
func (o *outbox) close(limit time.Duration) {
	o.mu.Lock()
	o.closed = true
	o.news.Broadcast()
	o.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-o.done:
	case <-timer.C:
	}
}

// run writes until the box is closed and empty, or a write fails.
func (o *outbox) run() {
	defer close(o.done)
	for {
		o.mu.Lock()
		for len(o.frames) == 0 && !o.closed {
			o.news.Wait()
		}
		frames := o.frames
		o.frames, o.size = nil, 0
		o.news.Broadcast()
		o.mu.Unlock()
		if len(frames) == 0 {
			return
		}
		for _, frame := range frames {
			if _, err := o.w.Write(frame); err != nil {
				o.fail(err)
				return
			}
		}
	}
}

func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err, o.frames, o.size = err, nil, 0
	o.news.Broadcast()
}
