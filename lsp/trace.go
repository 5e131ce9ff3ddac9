package lsp

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Trace records every message of a connection as JSON lines
//
//	{"time":"…","dir":"in"|"out","message":{…}}
//
// from which a session can be fed back. A nil *Trace records nothing. It is
// safe for concurrent use; a write that fails ends the recording and is
// reported by Err, never to the session.
type Trace struct {
	mu  sync.Mutex // guards w and err
	w   io.Writer
	err error
}

// NewTrace returns a trace that writes to w, which it does not close.
func NewTrace(w io.Writer) *Trace { return &Trace{w: w} }

// TraceLine is one line of a trace file.
type TraceLine struct {
	Time    time.Time       `json:"time"`
	Dir     string          `json:"dir"` // "in": from the editor; "out": to it
	Message json.RawMessage `json:"message"`
}

// Err is the first error of writing, nil while all went well.
func (t *Trace) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

func (t *Trace) record(dir string, body []byte) {
	if t == nil {
		return
	}
	if !json.Valid(body) { // keep what came, as a string
		body, _ = json.Marshal(string(body))
	}
	line, err := json.Marshal(TraceLine{Time: time.Now(), Dir: dir, Message: body})
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return
	}
	if err == nil {
		_, err = t.w.Write(append(line, '\n'))
	}
	t.err = err
}
