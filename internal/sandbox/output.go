package sandbox

import (
	"bytes"
	"fmt"
	"sync"
)

// maxLine is the longest line, in bytes, that a callback gets in one piece.
const maxLine = 1 << 20

// floodFactor times a command's MaxOutput is where it is ended for printing
// without end.
const floodFactor = 32

// tail keeps the last max bytes written to it. Safe for concurrent use.
type tail struct {
	max int

	tailMu sync.Mutex
	buf    []byte // guarded by tailMu; at most 2*max long
}

// Write keeps p. It never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.tailMu.Lock()
	defer t.tailMu.Unlock()
	n := len(p)
	if len(p) > t.max {
		p = p[len(p)-t.max:]
	}
	if len(t.buf)+len(p) > 2*t.max {
		keep := max(t.max-len(p), 0)
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-keep:]...)
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// bytes returns what is kept, at most max bytes.
func (t *tail) bytes() []byte {
	t.tailMu.Lock()
	defer t.tailMu.Unlock()
	return t.buf[max(0, len(t.buf)-t.max):]
}

func (t *tail) len() int { return len(t.bytes()) }

// capture keeps the first and the last half of limit bytes, and says how much
// is missing between them.
type capture struct {
	limit int64
	head  []byte
	rest  tail
	total int64
}

func newCapture(limit int64) *capture {
	return &capture{limit: limit, rest: tail{max: int(limit / 2)}}
}

func (c *capture) add(p []byte) {
	c.total += int64(len(p))
	if room := int(c.limit-c.limit/2) - len(c.head); room > 0 {
		n := min(room, len(p))
		c.head = append(c.head, p[:n]...)
		p = p[n:]
	}
	// tail.Write does not fail.
	_, _ = c.rest.Write(p)
}

func (c *capture) truncated() bool { return c.total > c.limit }

func (c *capture) bytes() []byte {
	rest := c.rest.bytes()
	out := bytes.Clone(c.head)
	if c.truncated() {
		out = fmt.Appendf(out, "\n[... %d bytes left out ...]\n", c.total-int64(len(c.head)+len(rest)))
	}
	return append(out, rest...)
}

// lines cuts a stream into lines for a callback. The line given is without its
// ending and valid only during the call.
type lines struct {
	emit func([]byte)
	part []byte
}

func (l *lines) feed(p []byte) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.part = append(l.part, p...)
			for len(l.part) >= maxLine {
				l.emit(l.part[:maxLine])
				l.part = append(l.part[:0], l.part[maxLine:]...)
			}
			return
		}
		line := p[:i]
		if len(l.part) > 0 {
			l.part = append(l.part, line...)
			line = l.part
		}
		l.emit(bytes.TrimSuffix(line, []byte("\r")))
		l.part = l.part[:0]
		p = p[i+1:]
	}
}

// end emits a last line that had no ending.
func (l *lines) end() {
	if len(l.part) > 0 {
		l.emit(l.part)
		l.part = nil
	}
}
