package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"emend/lsp"
	"emend/lsp/lsptest"
)

// serving is `emend serve` at work.
type serving struct {
	*shell
	stop context.CancelFunc
	code chan int
}

// serve starts the server; stdio may be nil where it listens.
func (sh *shell) serve(stdio io.ReadWriteCloser, args ...string) *serving {
	sh.t.Helper()
	a := sh.app()
	if stdio != nil {
		a.in, a.out = stdio, stdio
	}
	ctx, stop := context.WithCancel(sh.t.Context())
	s := &serving{sh, stop, make(chan int, 1)}
	go func() { s.code <- a.main(ctx, append([]string{"serve"}, args...)) }()
	return s
}

// exits wants the exit code of the server.
func (s *serving) exits(want int) {
	s.t.Helper()
	if got := <-s.code; got != want {
		s.t.Errorf("serve exits with %d, want %d; stderr: %s", got, want, &s.err)
	}
}

// session is one short session of an editor.
func (sh *shell) session(conn io.ReadWriteCloser) {
	sh.t.Helper()
	ed := lsptest.New(sh.t, &closedOnce{ReadWriteCloser: conn}, lsptest.Config{Root: sh.dir})
	ed.Open("a.go")
	if titles := ed.Titles("a.go", lsptest.Range{}); len(titles) == 0 {
		sh.t.Error("no code actions")
	}
	ed.Exit()
}

// closedOnce takes a second Close for no error, which a socket does not.
type closedOnce struct {
	io.ReadWriteCloser
	once sync.Once
	err  error
}

func (c *closedOnce) Close() error {
	c.once.Do(func() { c.err = c.ReadWriteCloser.Close() })
	return c.err
}

// tap records what is written to a connection.
type tap struct {
	io.ReadWriteCloser
	wrote buffer
}

func (t *tap) Write(p []byte) (int, error) {
	if _, err := t.wrote.Write(p); err != nil {
		return 0, err
	}
	return t.ReadWriteCloser.Write(p)
}

func TestServe(t *testing.T) {
	sh := newShell(t, map[string]string{"a.go": "package a\n"})
	trace, log := filepath.Join(sh.home, "trace.jsonl"), filepath.Join(sh.home, "logs", "emend.log")
	editor, server := lsptest.Pipe()
	stdout := &tap{ReadWriteCloser: server}
	s := sh.serve(stdout, "--stdio", "--trace", trace, "--log", log, "--log-level", "debug")
	sh.session(editor)
	s.exits(exitDone)
	if sh.out.String() != "" || sh.err.String() != "" {
		t.Errorf("stdout %q, stderr %q", &sh.out, &sh.err)
	}
	sent := frames(t, stdout.wrote.String())
	if len(sent) < 3 {
		t.Errorf("only %d messages", len(sent))
	}
	data, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(data), "pid=") {
		t.Errorf("the log holds %q (%v)", data, err)
	}
	if info, err := os.Stat(trace); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the trace: %v (%v)", info, err)
	}
	lines := readTrace(t, trace)
	if n := lines["out"]; len(n) != len(sent) {
		t.Errorf("%d messages are on the wire, %d in the trace", len(sent), len(n))
	}

	// The trace can be fed back: the same requests get the same replies.
	editor, server = lsptest.Pipe()
	s = sh.serve(server)
	got := replay(t, editor, lines["in"])
	s.exits(exitDone)
	for id, want := range replies(t, lines["out"]) {
		if id == "1" { // names the log and the versions
			continue
		}
		if got[id] != want {
			t.Errorf("reply %s is %s, was %s", id, got[id], want)
		}
	}
}

// frames takes a stream apart, which must hold nothing else.
func frames(t *testing.T, stream string) []string {
	t.Helper()
	var out []string
	for stream != "" {
		head, rest, ok := strings.Cut(stream, "\r\n\r\n")
		var n int
		if _, err := fmt.Sscanf(head, "Content-Length: %d", &n); !ok || err != nil || n > len(rest) || strings.Contains(head, "\n") {
			t.Fatalf("no frame on stdout: %.200q", stream)
		}
		if !json.Valid([]byte(rest[:n])) {
			t.Fatalf("no JSON: %.200q", rest[:n])
		}
		out, stream = append(out, rest[:n]), rest[n:]
	}
	return out
}

// readTrace reads the messages of a trace, by direction.
func readTrace(t *testing.T, name string) map[string][]json.RawMessage {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]json.RawMessage{}
	for line := range bytes.Lines(data) {
		var l lsp.TraceLine
		if err := json.Unmarshal(line, &l); err != nil || l.Dir != "in" && l.Dir != "out" || l.Time.IsZero() {
			t.Fatalf("line %s: %v", line, err)
		}
		out[l.Dir] = append(out[l.Dir], l.Message)
	}
	return out
}

// replay sends what an editor sent, answers included, and returns the replies.
// A request is waited for before what follows it is sent.
func replay(t *testing.T, conn io.ReadWriteCloser, in []json.RawMessage) map[string]string {
	t.Helper()
	got := map[string]string{}
	next := json.NewDecoder(&unframed{r: conn})
	for _, m := range in {
		var head struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal(m, &head); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n%s", len(m), m); err != nil {
			t.Fatal(err)
		}
		for head.Method != "" && head.ID != nil && got[string(head.ID)] == "" {
			var m json.RawMessage
			if err := next.Decode(&m); err != nil {
				t.Fatal(err)
			}
			for id, reply := range replies(t, []json.RawMessage{m}) {
				got[id] = reply
			}
		}
	}
	_, _ = io.Copy(io.Discard, conn) // until the server has left
	return got
}

// unframed leaves the heads out of a stream of frames.
type unframed struct {
	r    io.Reader
	left int
}

func (u *unframed) Read(p []byte) (int, error) {
	for u.left == 0 {
		var head []byte
		for one := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); {
			if _, err := io.ReadFull(u.r, one); err != nil {
				return 0, err
			}
			head = append(head, one[0])
		}
		if _, err := fmt.Sscanf(string(head), "Content-Length: %d", &u.left); err != nil {
			return 0, err
		}
	}
	n, err := u.r.Read(p[:min(len(p), u.left)])
	u.left -= n
	return n, err
}

// replies are the results of replies, by id.
func replies(t *testing.T, messages []json.RawMessage) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, m := range messages {
		var r struct {
			ID            json.RawMessage
			Method        string
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(m, &r); err != nil {
			t.Fatal(err)
		}
		if r.Method == "" && r.ID != nil {
			out[string(r.ID)] = string(r.Result) + string(r.Error)
		}
	}
	return out
}

func TestServeOnASocket(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sockets have no mode there")
	}
	dir, err := os.MkdirTemp("", "emend") // short: a socket's name has some 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "s")
	// What a killed server left behind is no obstacle.
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Skip("no unix sockets here:", err)
	}
	dead.SetUnlinkOnClose(false)
	closeQuietly(dead)

	sh := newShell(t, map[string]string{"a.go": "package a\n"})
	s := sh.serve(nil, "--listen", "unix:"+path)
	sh.awaitListening(s)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v (%v)", info, err)
	}
	for range 2 { // one server, any number of sessions
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		sh.session(conn)
	}
	// A second server leaves the first alone.
	sh.serve(nil, "--listen", "unix:"+path).exits(exitFailed)
	s.stop()
	s.exits(exitDone)
	if _, err := os.Stat(path); err == nil {
		t.Error("the socket is still there")
	}
}

func TestServeOnAPort(t *testing.T) {
	sh := newShell(t, map[string]string{"a.go": "package a\n"})
	s := sh.serve(nil, "--listen", "tcp:127.0.0.1:0")
	conn, err := net.Dial("tcp", strings.TrimPrefix(sh.awaitListening(s), "tcp:"))
	if err != nil {
		t.Fatal(err)
	}
	sh.session(conn)
	s.stop()
	s.exits(exitDone)
}

// A file that is no socket is never removed.
func TestServeKeepsFiles(t *testing.T) {
	sh := newShell(t, map[string]string{"file": "mine\n"})
	sh.serve(nil, "--listen", "unix:"+sh.path("file")).exits(exitFailed)
	sh.holds(map[string]string{"file": "mine\n"})
}

func TestServeDebug(t *testing.T) {
	sh := newShell(t, map[string]string{"a.go": "package a\n"})
	editor, server := lsptest.Pipe()
	s := sh.serve(server, "--debug", "127.0.0.1:0")
	sh.session(editor)
	s.exits(exitDone)
}

// An editor that goes without a word is not a clean end.
func TestServeEditorGone(t *testing.T) {
	sh := newShell(t, nil)
	editor, server := lsptest.Pipe()
	s := sh.serve(server)
	closeQuietly(editor)
	s.exits(lsp.ExitUnasked)
	if _, err := os.Stat(filepath.Join(sh.home, "state", "emend", "emend.log")); err != nil {
		t.Error("no log:", err)
	}
}

// awaitListening returns where the server listens, as it says on stderr.
func (sh *shell) awaitListening(s *serving) string {
	sh.t.Helper()
	const line = "emend: listening on "
	for {
		select {
		case <-sh.err.changed():
		case code := <-s.code:
			sh.t.Fatalf("serve ended with %d: %s", code, &sh.err)
		}
		if _, rest, ok := strings.Cut(sh.err.String(), line); ok {
			where, _, _ := strings.Cut(rest, "\n")
			return where
		}
	}
}
