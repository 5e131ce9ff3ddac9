package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"emend/agent/model/scripted"
	"emend/internal/config"
	"emend/lsp/lsptest"
	"emend/state"
)

// leaveLimit is what invariant 11 allows.
const leaveLimit = 2 * time.Second

// doIt starts a run.
var doIt = map[string]any{"command": "emend.run", "arguments": []string{"do it"}}

// leaving is a server with a run under way, of which the model has said half.
type leaving struct {
	t      *testing.T
	editor *lsptest.Editor
	model  *scripted.Server
	home   string
	dir    string
	alive  *atomic.Bool
	end    context.CancelFunc
	done   chan struct{} // closed when Serve has returned
	code   int
}

// startLeaving starts a run on a model that goes silent in the middle.
func startLeaving(t *testing.T, cfg lsptest.Config) *leaving {
	t.Helper()
	l := &leaving{t: t, home: t.TempDir(), dir: t.TempDir(), alive: new(atomic.Bool), done: make(chan struct{})}
	l.alive.Store(true)
	script, err := scripted.ParseScript("< \"Let me see, \"\n! gate half\n! stall\n! forever\n")
	if err != nil {
		t.Fatal(err)
	}
	if l.model, err = scripted.Start(script); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.model.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(l.dir, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	client, server := lsptest.Pipe()
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	l.end = end
	t.Cleanup(end)
	opts := Options{StateHome: l.home, Log: testLog(t), NewProvider: newProvider, Alive: func(int) bool { return l.alive.Load() },
		Settings: func([]byte, []string) (config.Settings, []config.Warning) {
			s := config.Defaults()
			s.Model.BaseURL = l.model.URL()
			return s, nil
		}}
	go func() {
		defer close(l.done)
		l.code, _ = NewServer(opts).Serve(ctx, server)
	}()
	cfg.Root, cfg.ProcessID = l.dir, 4242
	if cfg.Profile == "" {
		cfg.Profile = "helix"
	}
	if l.editor, err = lsptest.Start(t.Context(), client, cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.editor.Kill(); err != nil {
			t.Error(err)
		}
	})
	if err := l.editor.Open("a.go"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.editor.Request(t.Context(), "workspace/executeCommand", doIt); err != nil {
		t.Fatal(err)
	}
	<-l.model.Reached("half")
	return l
}

// left waits until Serve has returned, since began, and checks what it leaves.
func (l *leaving) left(began time.Time, code int) {
	l.t.Helper()
	select {
	case <-l.done:
	case <-time.After(patience):
		l.t.Fatal("Serve does not return")
	}
	if took := time.Since(began); took > leaveLimit {
		l.t.Errorf("leaving took %v", took)
	}
	if l.code != code {
		l.t.Errorf("exit code %d, want %d", l.code, code)
	}
	select {
	case <-l.model.Left():
	case <-time.After(patience):
		l.t.Error("the model goes on generating")
	}
	store, err := state.Open(state.Dir(l.home, l.dir))
	if err != nil {
		l.t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			l.t.Error(err)
		}
	}()
	err = store.View(l.t.Context(), func(tx *state.Tx) error {
		runs, err := tx.Runs()
		if err != nil {
			return err
		}
		if len(runs) != 1 || runs[0].Status != state.RunCancelled && runs[0].Status != state.RunInterrupted || runs[0].Ended.IsZero() {
			return fmt.Errorf("the runs on record are %+v", runs)
		}
		return nil
	})
	if err != nil {
		l.t.Error(err)
	}
}

// TestLeaving ends a session in every way there is, in the middle of a run.
func TestLeaving(t *testing.T) {
	type end struct {
		name string
		end  func(l *leaving) error
		code int
	}
	exit := func(l *leaving) error { return l.editor.Notify("exit", nil) }
	for _, e := range []end{
		{"shutdown and exit", func(l *leaving) error {
			return errors.Join(l.editor.Shutdown(l.t.Context()), exit(l))
		}, ExitClean},
		{"shutdown, exit without waiting", func(l *leaving) error {
			_, err := l.editor.Go("shutdown", nil)
			return errors.Join(err, exit(l))
		}, ExitClean},
		{"shutdown and end of stream", func(l *leaving) error {
			return errors.Join(l.editor.Shutdown(l.t.Context()), l.editor.Kill())
		}, ExitClean},
		{"exit", exit, ExitUnasked},
		{"end of stream", func(l *leaving) error { return l.editor.Kill() }, ExitUnasked},
		{"end of the context", func(l *leaving) error { l.end(); return nil }, ExitUnasked},
		{"death of the editor's process", func(l *leaving) error { l.alive.Store(false); return nil }, ExitUnasked},
		{"garbage and end of stream", func(l *leaving) error {
			return errors.Join(l.editor.SendRaw([]byte("Content-Length: 99\r\n\r\n{")), l.editor.Kill())
		}, ExitUnasked},
	} {
		t.Run(e.name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			t.Run("session", func(t *testing.T) { // its clean-up is part of what must leave nothing
				l := startLeaving(t, lsptest.Config{})
				began := time.Now()
				if err := e.end(l); err != nil {
					t.Error(err)
				}
				l.left(began, e.code)
			})
		})
	}
}

// TestLeavingADeafEditor leaves an editor that answers nothing and reads
// nothing more, its end of the stream open: as when its process is stopped, or
// a child of it holds the pipe.
func TestLeavingADeafEditor(t *testing.T) {
	for _, profile := range []string{"vscode", "neovim", "helix"} {
		t.Run(profile, func(t *testing.T) {
			client, server := lsptest.Pipe()
			deaf := &deafConn{ReadWriteCloser: client, gone: make(chan struct{})}
			home, dir := t.TempDir(), t.TempDir()
			model, err := scripted.Start(scripted.Script{{Steps: []scripted.Step{{Text: "x"}, {Gate: "half"}}, Stall: true, Forever: true}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := model.Close(); err != nil {
					t.Error(err)
				}
			}()
			var alive atomic.Bool
			alive.Store(true)
			done := make(chan int, 1)
			go func() {
				code, _ := NewServer(Options{StateHome: home, Log: testLog(t), NewProvider: newProvider, Alive: func(int) bool { return alive.Load() },
					Settings: func([]byte, []string) (config.Settings, []config.Warning) {
						s := config.Defaults()
						s.Model.BaseURL = model.URL()
						return s, nil
					}}).Serve(context.WithoutCancel(t.Context()), server)
				done <- code
			}()
			ed, err := lsptest.Start(t.Context(), deaf, lsptest.Config{Profile: profile, Root: dir, ProcessID: 4242, InitOptions: map[string]any{"events": true}})
			if err != nil {
				t.Fatal(err)
			}
			if err := ed.OpenText("file://"+filepath.ToSlash(dir)+"/a.go", "go", "package a\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := ed.Request(t.Context(), "workspace/executeCommand", doIt); err != nil {
				t.Fatal(err)
			}
			deaf.stop() // before the progress is answered, it may be, or behind it
			<-model.Reached("half")
			began := time.Now()
			alive.Store(false)
			if code := <-done; code != ExitUnasked {
				t.Errorf("exit code %d", code)
			}
			if took := time.Since(began); took > leaveLimit+flushTime {
				t.Errorf("leaving took %v", took)
			}
			<-model.Left()
			if err := ed.Kill(); err != nil {
				t.Error(err)
			}
		})
	}
}

// deafConn is an editor's end whose reads stop for good.
type deafConn struct {
	io.ReadWriteCloser
	mu   sync.Mutex // guards deaf
	deaf bool
	gone chan struct{}
	once sync.Once
}

func (d *deafConn) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deaf = true
}

func (d *deafConn) Read(p []byte) (int, error) {
	d.mu.Lock()
	deaf := d.deaf
	d.mu.Unlock()
	if deaf {
		<-d.gone
		return 0, io.EOF
	}
	return d.ReadWriteCloser.Read(p)
}

func (d *deafConn) Close() error {
	d.once.Do(func() { close(d.gone) })
	return d.ReadWriteCloser.Close()
}

// TestLeavingBeforeInitialize ends what has not begun.
func TestLeavingBeforeInitialize(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		code     int
	}{
		{"nothing", "", ExitUnasked},
		{"exit", framed(`{"jsonrpc":"2.0","method":"exit"}`), ExitUnasked},
		{"shutdown and exit", framed(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`) + framed(`{"jsonrpc":"2.0","method":"exit"}`), ExitUnasked},
		{"half a header", "Content-Le", ExitUnasked},
		{"a whole session", framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`) +
			framed(`{"jsonrpc":"2.0","method":"initialized","params":{}}`) +
			framed(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`) + framed(`{"jsonrpc":"2.0","method":"exit"}`), ExitClean},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rw := &pipedInput{in: strings.NewReader(tt.in), closed: make(chan struct{})}
			code, err := NewServer(Options{StateHome: t.TempDir(), Log: testLog(t)}).Serve(t.Context(), rw)
			if code != tt.code || err != nil {
				t.Errorf("code %d, %v; want %d", code, err, tt.code)
			}
			if want, got := strings.Count(tt.in, `"id"`), strings.Count(rw.out.String(), `"id"`); got != want {
				t.Errorf("%d replies, want %d: %s", got, want, rw.out.String())
			}
		})
	}
}

// TestCallsEndWithTheSession has an editor that never answers: what waits for
// it does not hold the leaving up, whatever its own context.
func TestCallsEndWithTheSession(t *testing.T) {
	r := startSession(t, Options{}, nil)
	r.begin(`{"capabilities":{}}`)
	const method = "window/workDoneProgress/create"
	done := make(chan error, 1)
	go func() {
		done <- r.s.editor.call(context.WithoutCancel(t.Context()), callTimeout, method, nil, nil)
	}()
	r.until("the request", func() bool { return slices.Contains(r.others, method) })
	began := time.Now()
	r.s.leave()
	if err := <-done; !errors.Is(err, context.Canceled) || time.Since(began) > callTimeout/2 {
		t.Errorf("the call ended after %v with %v", time.Since(began), err)
	}
}
