package lsp

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"emend/agent/model"
	"emend/internal/config"
)

// Options is what a server is made with. The zero value serves, keeps its
// state in a temporary place's default and logs nowhere; cmd/emend fills it in.
type Options struct {
	// Version is what `emend version` prints; the client is told it.
	Version string
	// StateHome is the folder under which each workspace keeps its store.
	StateHome string
	// Settings merges what the client sends (JSON, nil for nothing) with the
	// other layers, for a workspace of these folders. nil knows the defaults only.
	Settings func(client []byte, roots []string) (config.Settings, []config.Warning)
	// NewProvider makes the model provider that settings name.
	NewProvider func(config.Settings) (model.Provider, error)
	// Trace records the wire; nil does not.
	Trace *Trace
	// Log takes what a maintainer wants to read; nil discards.
	Log *slog.Logger
	// Leave bounds how long a leaving server waits for its jobs; 0 is 2 s.
	Leave time.Duration
	// Alive says whether a process lives, for the watch over the editor's own
	// process; nil asks the operating system.
	Alive func(pid int) bool
}

// Server serves one editor on one connection.
type Server struct {
	opts Options
}

// NewServer returns a server; nothing starts before Serve.
func NewServer(opts Options) *Server {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Leave == 0 {
		opts.Leave = 2 * time.Second
	}
	if opts.Settings == nil {
		opts.Settings = func([]byte, []string) (config.Settings, []config.Warning) { return config.Defaults(), nil }
	}
	if opts.Alive == nil {
		opts.Alive = processAlive
	}
	return &Server{opts: opts}
}

// Exit codes of Serve, as the protocol wants them.
const (
	ExitClean    = 0 // shutdown was asked for before the end
	ExitUnasked  = 1 // exit, end of stdin or the editor's death without shutdown
	watchPeriod  = 500 * time.Millisecond
	connCloseMax = 200 * time.Millisecond
)

// Serve speaks to the editor at the other end of rwc until it leaves: the exit
// notification, the end of the stream, the death of the editor's process, or
// the end of ctx. Before it returns, within Options.Leave, runs are cancelled
// and recorded, and every goroutine of the session is gone. rwc is closed.
//
// The exit code is for the process: see ExitClean.
func (srv *Server) Serve(ctx context.Context, rwc io.ReadWriteCloser) (exitCode int, err error) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	log := srv.opts.Log
	stream := newFrameStream(rwc, srv.opts.Trace, log)
	conn := jsonrpc2.NewConn(stream, jsonrpc2.WithCodec(codec{}))
	s := newSession(ctx, srv.opts, conn, leave)
	conn.Go(ctx, chain(s.dispatch, log))

	select {
	case <-stream.end:
	case <-conn.Done():
	case <-ctx.Done():
	}
	s.close()
	closeConn(conn, stream, log)
	if s.life.Load() >= lifeShutdown {
		return ExitClean, conn.Err()
	}
	return ExitUnasked, conn.Err()
}

// closeConn ends the connection. jsonrpc2's Close waits for the read loop,
// which may sit in a read that only the peer can end: the transport is closed
// under it, and the wait is bounded.
func closeConn(conn jsonrpc2.Conn, stream io.Closer, log *slog.Logger) {
	if err := stream.Close(); err != nil {
		log.Debug("closing the transport", "error", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := conn.Close(); err != nil {
			log.Debug("closing the connection", "error", err)
		}
	}()
	timer := time.NewTimer(connCloseMax)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		log.Warn("the connection's read did not end")
	}
}

// The life of a session.
const (
	lifeNew int32 = iota
	lifeInitialized
	lifeShutdown
)

// lifecycle is where a session stands between its first and last message.
type lifecycle struct{ atomic.Int32 }

// admit says whether method may be handled now, as the protocol's lifecycle
// rules have it.
func (l *lifecycle) admit(method string, isCall bool) error {
	switch state := l.Load(); {
	case method == protocol.MethodExit:
		return nil
	case state == lifeNew && method != protocol.MethodInitialize:
		if !isCall {
			return errDropped
		}
		return jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "%s came before initialize", method)
	case state != lifeNew && method == protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize came twice; the first one holds")
	case state == lifeShutdown:
		if !isCall {
			return errDropped
		}
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s came after shutdown", method)
	default:
		return nil
	}
}
