package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"emend/lsp"
)

// serveFlags is what `emend serve` is told.
type serveFlags struct{ listen, trace, debug, log string }

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use: "serve", Short: "run the language server on stdin and stdout", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.serve(c.Context(), f) },
	}
	c.Flags().StringVar(&f.listen, "listen", "", "serve on unix:PATH or tcp:HOST:PORT instead of stdin and stdout")
	c.Flags().StringVar(&f.trace, "trace", "", "record every message to this file, as JSON lines")
	c.Flags().StringVar(&f.debug, "debug", "", "serve profiles on this loopback address")
	c.Flags().StringVar(&f.log, "log", "", "log file (default: under the state folder)")
	c.Flags().Bool("stdio", true, "accepted and without effect: some editors pass it")
	return c
}

// serve runs the server. stdout is the wire: nothing else is printed there.
func (a *app) serve(ctx context.Context, f serveFlags) error {
	home, err := a.stateHome()
	if err != nil {
		return err
	}
	settings, _ := a.layers(nil, nil)
	log, logFile := a.openLog(f.log, home, settings.Log.Level)
	defer closeQuietly(logFile)
	opts := lsp.Options{Version: version, StateHome: home, Settings: a.layers, NewProvider: a.provider, Log: log}
	if f.trace != "" {
		file, err := os.OpenFile(f.trace, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return fmt.Errorf("opening the trace: %w", err)
		}
		defer closeQuietly(file)
		opts.Trace = lsp.NewTrace(file)
		defer func() {
			if err := opts.Trace.Err(); err != nil {
				log.Warn("the trace is not whole", "file", f.trace, "error", err)
			}
		}()
	}
	if f.debug != "" {
		stop, err := debugServer(f.debug, log)
		if err != nil {
			return err
		}
		defer stop()
	}
	if f.listen != "" {
		return a.listen(ctx, f.listen, opts)
	}
	defer outliveReader()()
	code, err := lsp.NewServer(opts).Serve(ctx, stdio{a.in, a.out})
	if err != nil {
		log.Warn("the connection ended", "error", err)
	}
	if code != exitDone {
		return &exitError{code: code}
	}
	return nil
}

// openLog opens the log file. A server whose log cannot be written serves all
// the same and logs to stderr.
func (a *app) openLog(path, home, level string) (*slog.Logger, io.Closer) {
	if path == "" {
		path = filepath.Join(home, "emend.log")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err == nil {
			return logger(file, level).With("pid", os.Getpid()), file
		}
	}
	return logger(a.err, level), nil
}

// listen serves each connection with a server of its own, until ctx ends.
func (a *app) listen(ctx context.Context, where string, opts lsp.Options) error {
	network, address, ok := strings.Cut(where, ":")
	if !ok || network != "unix" && network != "tcp" {
		return &exitError{exitUsage, fmt.Errorf("--listen %s is neither unix:PATH nor tcp:HOST:PORT", where)}
	}
	if network == "tcp" && !loopback(address) {
		return &exitError{exitUsage, fmt.Errorf("--listen %s: only loopback addresses are served, because whoever connects may read the workspace", where)}
	}
	if network == "unix" {
		dropDeadSocket(ctx, address)
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, network, address)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	defer closeQuietly(ln)
	if network == "unix" {
		if err := os.Chmod(address, 0o600); err != nil {
			return fmt.Errorf("restricting the socket: %w", err)
		}
	}
	stop := context.AfterFunc(ctx, func() { closeQuietly(ln) })
	defer stop()
	opts.Log.Info("listening", "address", ln.Addr().String())
	if _, err := fmt.Fprintf(a.err, "emend: listening on %s:%s\n", network, ln.Addr()); err != nil {
		opts.Log.Debug("printing the address", "error", err)
	}
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for {
		conn, err := ln.Accept()
		if ctx.Err() != nil {
			if err == nil {
				closeQuietly(conn)
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("accepting: %w", err)
		}
		if network == "tcp" {
			conn = &noBrowser{Conn: conn, head: make([]byte, len(protocolHead))}
		}
		sessions.Go(func() {
			if _, err := lsp.NewServer(opts).Serve(ctx, conn); err != nil {
				opts.Log.Info("a connection ended", "error", err)
			}
		})
	}
}

// protocolHead is how every connection of the language server protocol begins.
const protocolHead = "Content-"

// noBrowser is a connection that ends when it begins as none of the language
// server protocol does. Any web page can have the person's browser send a
// request to a port of this machine, with messages for the server in its body.
type noBrowser struct {
	net.Conn
	head  []byte // the beginning, read and then given out
	known bool   // the beginning has been looked at
}

// Read is for one goroutine.
func (c *noBrowser) Read(p []byte) (int, error) {
	if !c.known {
		if _, err := io.ReadFull(c.Conn, c.head); err != nil {
			return 0, err
		}
		if !strings.EqualFold(string(c.head), protocolHead) {
			return 0, errors.Join(fmt.Errorf("a connection that begins with %q is no editor's", c.head), c.Close())
		}
		c.known = true
	}
	if len(c.head) > 0 {
		n := copy(p, c.head)
		c.head = c.head[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// dropDeadSocket removes a socket that a server which was killed left behind:
// one at which nobody answers. What is no socket stays, and listening fails.
func dropDeadSocket(ctx context.Context, path string) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSocket {
		return
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err == nil {
		closeQuietly(conn)
	} else if errors.Is(err, syscall.ECONNREFUSED) {
		_ = os.Remove(path) // listening then says what is wrong
	}
}

// debugServer serves profiles to this machine only.
func debugServer(address string, log *slog.Logger) (stop func(), err error) {
	if !loopback(address) {
		return nil, &exitError{exitUsage, fmt.Errorf("--debug %s: only loopback addresses are served", address)}
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serving profiles: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: localOnly(mux), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.Warn("serving profiles", "error", err)
		}
	}()
	log.Info("profiles", "address", ln.Addr().String())
	return func() {
		closeQuietly(server)
		<-done
	}, nil
}

// localOnly refuses requests under names other than this machine's own: a web
// page can give its name this machine's address.
func localOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r.Host) {
			http.Error(w, "not by that name", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// loopback reports whether an address is of this machine only.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// outliveReader makes a write to a stdout that nobody reads any more an error
// of that write. Otherwise the signal of it ends the process at once, with runs
// unrecorded and their children at work. A signal that is ignored would be so in
// the children too; one that is caught is not.
func outliveReader() (undo func()) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGPIPE)
	return func() { signal.Stop(caught) }
}

// stdio is the process's own pipes as one connection.
type stdio struct {
	io.Reader
	io.Writer
}

// Close ends reading and writing. A read that is under way in another goroutine
// may outlast it; the process ends then anyway.
func (s stdio) Close() error {
	var errs []error
	for _, end := range []any{s.Reader, s.Writer} {
		if c, ok := end.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// closeQuietly closes what has nothing left to lose.
func closeQuietly(c io.Closer) {
	if c != nil {
		_ = c.Close() // see the name
	}
}
