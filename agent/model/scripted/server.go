package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const maxRequest = 64 << 20 // bytes of a request's body

// Server is a running scripted model server. It is safe for concurrent use.
type Server struct {
	answers Answers
	models  []Model
	http    *http.Server
	addr    string
	done    chan struct{} // closed when the server no longer accepts
	left    chan int
	serving sync.WaitGroup // handlers of chat requests; added to under mu

	mu       sync.Mutex // guards what follows
	turns    int        // handed out
	requests []Request
	failures []string
	arrived  chan struct{} // closed and replaced at each request
	gates    map[string]*gate
	closed   bool
}

// gate is opened once, and reports the first who came.
type gate struct {
	open, reached chan struct{}
	opened, seen  bool
}

// Start runs a server on a free port of 127.0.0.1. Without models it has one,
// [DefaultModel]. The caller must call [Server.Close].
func Start(a Answers, models ...Model) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start scripted model server: %w", err)
	}
	if len(models) == 0 {
		models = []Model{{Name: DefaultModel}}
	}
	s := &Server{
		answers: a, addr: listener.Addr().String(),
		done: make(chan struct{}), left: make(chan int, 256),
		arrived: make(chan struct{}), gates: map[string]*gate{},
	}
	for _, m := range models {
		s.models = append(s.models, m.completed())
	}
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.done)
		// It returns when Close closes the listener; any earlier end shows itself to
		// the clients, which find nobody.
		_ = s.http.Serve(listener)
	}()
	return s, nil
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"version": "0.17.4"})
	})
	mux.HandleFunc("GET /api/tags", s.tags)
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("POST /api/chat", s.chat(ollamaWire{}))
	mux.HandleFunc("GET /v1/models", s.listModels)
	mux.HandleFunc("POST /v1/chat/completions", s.chat(openaiWire{}))
	return mux
}

// URL is the base URL for the Ollama protocol.
func (s *Server) URL() string { return "http://" + s.addr }

// OpenAI is the base URL for the OpenAI protocol.
func (s *Server) OpenAI() string { return s.URL() + "/v1" }

// Requests returns the chat requests so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Await waits until n chat requests have arrived, and returns the n-th, from 1.
func (s *Server) Await(ctx context.Context, n int) (Request, error) {
	for {
		s.mu.Lock()
		if len(s.requests) >= n && n > 0 {
			r := s.requests[n-1]
			s.mu.Unlock()
			return r, nil
		}
		have, arrived := len(s.requests), s.arrived
		s.mu.Unlock()
		select {
		case <-arrived:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("wait for request %d, of which %d came: %w", n, have, ctx.Err())
		}
	}
}

// Release opens a gate, for good. It may be called before anybody waits.
func (s *Server) Release(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.gateLocked(name); !g.opened {
		g.opened = true
		close(g.open)
	}
}

// Reached is closed when a turn first comes to the gate, with everything before it
// sent.
func (s *Server) Reached(name string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gateLocked(name).reached
}

func (s *Server) gateLocked(name string) *gate {
	g := s.gates[name]
	if g == nil {
		g = &gate{open: make(chan struct{}), reached: make(chan struct{})}
		s.gates[name] = g
	}
	return g
}

// pass waits at a gate; false means that the client left, or the server closes.
func (s *Server) pass(ctx context.Context, name string) bool {
	s.mu.Lock()
	g := s.gateLocked(name)
	if !g.seen {
		g.seen = true
		close(g.reached)
	}
	s.mu.Unlock()
	select {
	case <-g.open:
		return true
	case <-ctx.Done():
		return false
	}
}

// Left yields the number of a request, from 1, each time its client leaves before
// the answer was finished: the proof of a cancel. It holds 256 and drops the rest.
func (s *Server) Left() <-chan int { return s.left }

// Unused describes the turns of a script that were never asked for. A turn that
// repeats is used once it was asked for once.
func (s *Server) Unused() []string {
	script, ok := s.answers.(Script)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for i := s.turns; i < len(script); i++ {
		out = append(out, script[i].describe(i+1)+" was never asked for")
	}
	return out
}

// Failures describes the requests that did not fit the script.
func (s *Server) Failures() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.failures...)
}

// Check joins Failures and Unused into one error; nil when the script was played
// as written.
func (s *Server) Check() error {
	var errs []error
	for _, text := range append(s.Failures(), s.Unused()...) {
		errs = append(errs, errors.New("scripted model: "+text))
	}
	return errors.Join(errs...)
}

// Close stops the server, breaking off what it is saying, and waits until nothing
// of it is left. Further calls do nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	// It closes every connection, which ends the context of every handler.
	err := s.http.Close()
	<-s.done
	s.serving.Wait()
	if err != nil {
		return fmt.Errorf("stop scripted model server: %w", err)
	}
	return nil
}

// enter counts a handler in; false when the server is closing.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.serving.Add(1)
	return true
}

// leave notes that the client of a request is gone, unless it is the server that
// goes.
func (s *Server) leave(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	select {
	case s.left <- number:
	default:
	}
}

// begin records a request and finds its turn. number counts requests from 1; the
// text is empty unless the request does not fit.
func (s *Server) begin(r Request) (turn Turn, number int, misfit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	number = len(s.requests)
	close(s.arrived)
	s.arrived = make(chan struct{})
	turn, ok := s.answers.turn(s.turns, r)
	switch {
	case !ok:
		misfit = fmt.Sprintf("request %d: the script has no turn left (it has %d)", number, s.turns)
	default:
		if why := turn.misfit(r); why != "" {
			misfit = fmt.Sprintf("request %d does not fit %s: %s", number, turn.describe(s.turns+1), why)
		}
	}
	if misfit != "" {
		s.failures = append(s.failures, misfit)
		return Turn{}, number, misfit
	}
	s.turns++
	return turn, number, ""
}

// has finds a model the way Ollama does: without a tag, latest is meant.
func (s *Server) has(name string) (Model, bool) {
	for _, m := range s.models {
		if m.Name == name || m.Name == name+":latest" {
			return m, true
		}
	}
	return Model{}, false
}

// decode reads a JSON body; on a failure it has answered.
func decode(w http.ResponseWriter, r *http.Request, into any) (raw []byte, ok bool) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "scripted model: request cannot be read: " + err.Error()})
		return nil, false
	}
	return raw, true
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil { // only values of this package come here
		status, data = http.StatusInternalServerError, []byte(`{"error":"scripted model: unwritable reply"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	// A client that has left needs no reply.
	_, _ = w.Write(append(data, '\n'))
}
