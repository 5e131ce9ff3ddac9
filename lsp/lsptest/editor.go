package lsptest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// defaultPatience is the longest a wait lasts unless Config.Patience says
// otherwise.
const defaultPatience = 20 * time.Second

// Config says which editor to play and how its person behaves. The zero value
// is the newest VS Code without a folder, whose person dismisses every question
// and accepts every preview as it is.
type Config struct {
	// Profile names an embedded profile, or the newest of an editor
	// ("neovim"); "" is "vscode".
	Profile string
	// Custom, when not nil, is played instead.
	Custom *Profile
	// Root is the workspace folder; "" is none, and rootUri null.
	Root string
	// Folders are workspace folders beside Root.
	Folders []string
	// Encodings, when not nil, are offered instead of the profile's; empty
	// offers none, which stands for utf-16.
	Encodings []string
	// InitOptions is initializationOptions, when not nil.
	InitOptions any
	// Settings is what workspace/configuration answers from, by section; a
	// dotted section goes down.
	Settings map[string]any
	// ProcessID is announced as the editor's; 0 is this process.
	ProcessID int
	// PatchInit changes the initialize params before they are sent.
	PatchInit func(params map[string]any)
	// Answer picks an action of a question by its title; "" dismisses it. It
	// runs on a goroutine of its own and may wait. nil dismisses.
	Answer func(Question) string
	// Preview decides on a preview or a confirmation. It runs on a goroutine
	// of its own and may wait. nil applies what is ticked.
	Preview func(Preview) Decision
	// Patience is the longest any wait lasts; 0 is 20 s.
	Patience time.Duration
}

// Editor is a running fake editor. Its methods may be called from several
// goroutines. Files are named as a person would, relative to Config.Root; an
// absolute name or a URI does too.
type Editor struct {
	profile  Profile
	how      Behaviour
	cfg      Config
	out      *outbox
	rwc      io.ReadWriteCloser
	finished chan struct{} // closed when the server has closed its end

	mu           sync.Mutex // guards all below, and the order of what is put into out
	state        State
	changed      chan struct{} // closed and replaced at each change of state
	trace        trace
	buffers      map[string]*buffer // by documentKey
	foreign      map[string][]Diagnostic
	pending      map[string]pendingRequest // by id
	abandoned    map[string]string         // ids the editor stopped waiting for, their methods
	nextID       int
	nextGroup    int // of undo
	tokens       map[string]bool
	returned     map[string]map[int]bool // events typed waits have returned, by kind and place
	questions    map[string]func()       // lets go of an open one, by the server's id
	previewing   int
	applying     bool // a WorkspaceEdit: didChange waits for its end
	encoding     string
	fullSync     bool // the server asked for full text
	noSync       bool // the server asked for no text
	includeText  bool // with didSave
	clientCaps   map[string]any
	initialized  bool // the server has answered initialize
	shuttingDown bool
	exited       bool
}

// pendingRequest is a request of the editor's that has no reply yet.
type pendingRequest struct {
	method string
	reply  chan message // holds one
}

// ErrClosed is returned when the server has closed the connection.
var ErrClosed = errors.New("the server has closed the connection")

// Start begins a session: initialize, its reply, initialized. The editor owns
// rwc from then on. On an error rwc is closed.
func Start(ctx context.Context, rwc io.ReadWriteCloser, cfg Config) (*Editor, error) {
	e, err := newEditor(rwc, cfg)
	if err != nil {
		return nil, errors.Join(err, rwc.Close())
	}
	go e.write()
	go e.read()
	if err := e.initialize(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the editor %s: %w", e.profile.Name, err), e.Kill())
	}
	return e, nil
}

func newEditor(rwc io.ReadWriteCloser, cfg Config) (*Editor, error) {
	var profile Profile
	if cfg.Custom != nil {
		profile = *cfg.Custom
	} else {
		name := cfg.Profile
		if name == "" {
			name = "vscode"
		}
		var err error
		if profile, err = LoadProfile(name); err != nil {
			return nil, err
		}
	}
	if cfg.Patience == 0 {
		cfg.Patience = defaultPatience
	}
	if cfg.ProcessID == 0 {
		cfg.ProcessID = os.Getpid()
	}
	for _, folder := range append([]*string{&cfg.Root}, pointers(cfg.Folders)...) {
		if *folder == "" {
			continue
		}
		var err error
		if *folder, err = filepath.Abs(*folder); err != nil {
			return nil, fmt.Errorf("resolving a workspace folder: %w", err)
		}
	}
	e := &Editor{
		profile: profile, how: profile.Behaviour, cfg: cfg, rwc: rwc, out: newOutbox(), finished: make(chan struct{}),
		changed: make(chan struct{}), buffers: map[string]*buffer{}, foreign: map[string][]Diagnostic{},
		pending: map[string]pendingRequest{}, abandoned: map[string]string{}, tokens: map[string]bool{}, returned: map[string]map[int]bool{},
		questions: map[string]func(){}, encoding: utf16Units,
	}
	e.state.editor = e
	e.state.diagnostics = map[string][]Diagnostic{}
	return e, nil
}

func pointers(values []string) []*string {
	all := make([]*string, len(values))
	for i := range values {
		all[i] = &values[i]
	}
	return all
}

// Profile returns what the editor plays.
func (e *Editor) Profile() Profile { return e.profile }

// Encoding is the unit of positions agreed on: "utf-16", "utf-8" or "utf-32".
func (e *Editor) Encoding() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.encoding
}

// write sends what is put into the outbox.
func (e *Editor) write() {
	if err := e.out.run(e.rwc); err != nil {
		e.mu.Lock()
		e.note("(the editor could not write: %v)", err)
		e.mu.Unlock()
	}
}

// read takes in messages until the server closes its end. It never waits for
// anything but them.
func (e *Editor) read() {
	reader := bufio.NewReader(e.rwc)
	for {
		body, err := readFrame(reader)
		if err != nil {
			e.ended(err)
			return
		}
		m, complaints, err := decodeMessage(body)
		e.mu.Lock()
		e.trace.add("←", body)
		for _, complaint := range complaints {
			e.violate("%s: %s", complaint, shorten(string(body), traceWidth))
		}
		if err != nil {
			e.violate("%v", err)
		} else {
			e.receive(m)
		}
		e.broadcast()
		e.mu.Unlock()
	}
}

// ended marks the connection as closed and lets go of all who wait.
func (e *Editor) ended(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if errors.Is(err, errFrame) {
		e.violate("%v", err)
	}
	if !e.exited {
		e.violate("the server closed the connection by itself: %v", err)
	}
	e.state.Closed = true
	for _, b := range e.buffers {
		if b.timer != nil {
			b.timer.Stop()
		}
	}
	for _, cancel := range e.questions {
		cancel()
	}
	close(e.finished)
	e.out.close()
	e.broadcast()
}

// broadcast wakes all who wait for a change. e.mu is held.
func (e *Editor) broadcast() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// violate records what the server may not do. e.mu is held.
func (e *Editor) violate(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(e.state.Violations, text) {
		e.state.Violations = append(e.state.Violations, text)
	}
	e.note("! %s", text)
}

// note puts a line of the editor's own into the trace. e.mu is held.
func (e *Editor) note(format string, args ...any) {
	e.trace.add("·", fmt.Appendf(nil, format, args...))
}

// send puts a message on the wire. e.mu is held.
func (e *Editor) send(m message) {
	body, err := m.encode()
	if err != nil {
		// Only a caller's value that has no JSON form comes here; requests
		// and notifications are encoded before.
		e.violate("the editor's own message cannot be encoded: %v", err)
		return
	}
	e.trace.add("→", body)
	e.out.put(frame(body))
}

// notify sends a notification; nil params are left out. e.mu is held.
func (e *Editor) notify(method string, params any) error {
	var raw json.RawMessage
	if params != nil {
		var err error
		if raw, err = json.Marshal(params); err != nil {
			return fmt.Errorf("encoding params of %s: %w", method, err)
		}
	}
	if e.state.Closed {
		return fmt.Errorf("sending %s: %w", method, ErrClosed)
	}
	e.send(message{Method: method, Params: raw})
	return nil
}

// Notify sends any notification.
func (e *Editor) Notify(method string, params any) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.flushAll()
	return e.notify(method, params)
}

// Request sends any request, nil params left out, and waits for its reply. An error the server
// answers is a *ResponseError. When ctx ends first, or the patience, the
// editor stops waiting without a word to the server.
func (e *Editor) Request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	_, wait, err := e.begin(method, params)
	if err != nil {
		return nil, err
	}
	return wait(ctx, e.cfg.Patience)
}

// begin sends a request and returns its id and how to wait for it, once.
func (e *Editor) begin(method string, params any) (id string, wait func(context.Context, time.Duration) (json.RawMessage, error), err error) {
	var raw json.RawMessage
	if params != nil {
		if raw, err = json.Marshal(params); err != nil {
			return "", nil, fmt.Errorf("encoding params of %s: %w", method, err)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.flushAll()
	if e.state.Closed {
		return "", nil, fmt.Errorf("requesting %s: %w", method, ErrClosed)
	}
	e.nextID++
	id = strconv.Itoa(e.nextID)
	reply := make(chan message, 1)
	e.pending[id] = pendingRequest{method: method, reply: reply}
	e.rememberTokens(raw)
	e.send(message{ID: json.RawMessage(id), Method: method, Params: raw})
	return id, func(ctx context.Context, patience time.Duration) (json.RawMessage, error) {
		return e.wait(ctx, id, method, reply, patience)
	}, nil
}

// errPatience is the cause when a wait took too long.
var errPatience = errors.New("patience ran out")

func (e *Editor) wait(ctx context.Context, id, method string, reply chan message, patience time.Duration) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errPatience)
	defer cancel()
	var m message
	select {
	case m = <-reply:
	case <-e.finished:
		select { // it may have come just before
		case m = <-reply:
		default:
			return nil, fmt.Errorf("waiting for the reply to %s: %w\n%s", method, ErrClosed, e.Trace())
		}
	case <-ctx.Done():
		e.mu.Lock()
		delete(e.pending, id)
		e.abandoned[id] = method
		e.mu.Unlock()
		return nil, fmt.Errorf("waiting for the reply to %s: %w\n%s", method, context.Cause(ctx), e.Trace())
	}
	if m.Error != nil {
		return nil, fmt.Errorf("%s: %w", method, m.Error)
	}
	return m.Result, nil
}

// rememberTokens keeps the progress tokens the editor itself hands out.
func (e *Editor) rememberTokens(params json.RawMessage) {
	if params == nil {
		return
	}
	var tokens struct {
		WorkDone      json.RawMessage `json:"workDoneToken"`
		PartialResult json.RawMessage `json:"partialResultToken"`
	}
	if json.Unmarshal(params, &tokens) != nil {
		return // not an object: no tokens
	}
	for _, raw := range []json.RawMessage{tokens.WorkDone, tokens.PartialResult} {
		if raw != nil {
			e.tokens[tokenName(raw)] = true
		}
	}
}

// SendRaw writes bytes to the wire as they are, between two frames.
func (e *Editor) SendRaw(data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state.Closed {
		return fmt.Errorf("sending raw bytes: %w", ErrClosed)
	}
	e.trace.add("→ raw", data)
	e.out.put(slices.Clone(data))
	return nil
}

// SendBody writes a frame around any body, JSON or not.
func (e *Editor) SendBody(body string) error { return e.SendRaw(frame([]byte(body))) }

// Trace gives the last messages of both directions, oldest first, and the
// editor's own notes.
func (e *Editor) Trace() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.trace.String()
}

// Shutdown sends shutdown and waits for its reply.
func (e *Editor) Shutdown(ctx context.Context) error {
	e.mu.Lock()
	e.shuttingDown = true
	e.mu.Unlock()
	_, err := e.Request(ctx, "shutdown", nil)
	return err
}

// Exit sends shutdown unless that has been done, then exit, and waits until
// the server has closed its end. Requests it never answered are violations.
// Once the connection has ended Exit does nothing.
func (e *Editor) Exit(ctx context.Context) error {
	e.mu.Lock()
	done, asked := e.exited || e.state.Closed, e.shuttingDown
	e.mu.Unlock()
	if done {
		return errors.Join(e.awaitEnd(ctx), ignoreClosed(e.rwc.Close()))
	}
	var err error
	if !asked {
		err = e.Shutdown(ctx)
	}
	e.mu.Lock()
	for _, id := range slices.Sorted(maps.Keys(e.pending)) {
		e.violate("no reply to %s, request %s", e.pending[id].method, id)
	}
	e.exited = true
	e.send(message{Method: "exit"})
	e.mu.Unlock()
	err = errors.Join(err, e.awaitEnd(ctx))
	e.out.close()
	return errors.Join(err, ignoreClosed(e.rwc.Close()))
}

// ignoreClosed passes over that a connection was closed by the other end
// first.
func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

func (e *Editor) awaitEnd(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, e.cfg.Patience, errPatience)
	defer cancel()
	select {
	case <-e.finished:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the server to leave: %w\n%s", context.Cause(ctx), e.Trace())
	}
}

// Kill ends the connection at once, as an editor does that crashes.
func (e *Editor) Kill() error {
	e.mu.Lock()
	e.exited = true
	e.mu.Unlock()
	e.out.close()
	return ignoreClosed(e.rwc.Close())
}
