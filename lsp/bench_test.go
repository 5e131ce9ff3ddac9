package lsp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"emend/lsp/lsptest"
)

// memory is a wire without I/O: bodies in, bodies out.
type memory struct {
	in  chan []byte
	out chan []byte
}

func (m *memory) Read(context.Context) (jsonrpc2.Message, int64, error) {
	body, ok := <-m.in
	if !ok {
		return nil, 0, io.EOF
	}
	msg, err := jsonrpc2.DecodeMessage(body)
	return msg, int64(len(body)), err
}

func (m *memory) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	body, err := jsonrpc2.EncodeMessage(msg)
	if err == nil {
		m.out <- body
	}
	return int64(len(body)), err
}

func (m *memory) Close() error { return nil }

// benchmark is a session with a document open, at the end of a wire without
// I/O.
type benchmark struct {
	*memory
	b       *testing.B
	changed chan struct{} // one for each didChange that is done
	took    []time.Duration
}

func newBenchmark(b *testing.B, uri, text string) *benchmark {
	b.Helper()
	m := &benchmark{memory: &memory{in: make(chan []byte), out: make(chan []byte, 16)}, b: b, changed: make(chan struct{}, 1)}
	log := slog.New(slog.DiscardHandler)
	ctx, leave := context.WithCancel(context.WithoutCancel(b.Context()))
	conn := jsonrpc2.NewConn(m.memory, jsonrpc2.WithCodec(codec{}))
	s := newSession(ctx, NewServer(Options{StateHome: b.TempDir(), Log: log}).opts, conn, leave)
	conn.Go(ctx, chain(func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		change := req.Method() == protocol.MethodTextDocumentDidChange
		result, err := s.dispatch(ctx, req)
		if err != nil {
			b.Error(err)
		}
		if change {
			m.changed <- struct{}{}
		}
		return result, err
	}, log))
	b.Cleanup(func() {
		close(m.in)
		s.close()
		<-conn.Done()
	})
	m.request("initialize", `{"capabilities":{},"rootUri":`+quoted(fileURI(b.TempDir()))+`}`)
	m.in <- []byte(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":` + quoted(uri) + `,"languageId":"go","version":1,"text":` + quoted(text) + `}}}`)
	m.request("textDocument/codeAction", `{"textDocument":{"uri":`+quoted(uri)+`},"range":`+rangeJSON(0, 0, 0, 0)+`,"context":{"diagnostics":[]}}`)
	return m
}

// request sends a request and waits for its reply.
func (m *benchmark) request(method, params string) []byte {
	m.in <- []byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`)
	return <-m.out
}

// timed notes how long f takes.
func (m *benchmark) timed(f func()) {
	began := time.Now()
	f()
	m.took = append(m.took, time.Since(began))
}

// report adds the 99th percentile of what was timed.
func (m *benchmark) report() {
	slices.Sort(m.took)
	m.b.ReportMetric(float64(m.took[len(m.took)*99/100]), "p99-ns")
}

// keystroke is the two bodies of a didChange that types a letter into a line,
// and of one that takes it back.
func keystroke(uri string, line int) [2][]byte {
	body := func(version int, event string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%s,"version":%d},"contentChanges":[%s]}}`, quoted(uri), version, event)
	}
	return [2][]byte{body(2, partial(line, 3, line, 3, "y")), body(3, partial(line, 3, line, 4, ""))}
}

// goSource is a Go file of so many lines.
func goSource(lines int) string {
	var b strings.Builder
	b.WriteString("package big\n")
	for i := 1; i < lines; i += 5 {
		fmt.Fprintf(&b, "\n// F%d returns a number.\nfunc F%d(x int) int {\n\treturn x*%d + 1\n}\n", i, i, i)
	}
	return b.String()
}

// BenchmarkInitialize is from a new connection until initialize is answered.
func BenchmarkInitialize(b *testing.B) {
	p, err := lsptest.LoadProfile("vscode")
	if err != nil {
		b.Fatal(err)
	}
	message := framed(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":%s}`, p.Initialize))
	home := b.TempDir()
	var sessions []func()
	for b.Loop() {
		client, server := net.Pipe()
		done := make(chan error, 1)
		go func() {
			_, err := NewServer(Options{StateHome: home, Log: slog.New(slog.DiscardHandler)}).Serve(b.Context(), server)
			done <- err
		}()
		if _, err := io.WriteString(client, message); err != nil {
			b.Fatal(err)
		}
		if _, err := newFrameReader(client).next(); err != nil {
			b.Fatal(err)
		}
		sessions = append(sessions, func() {
			if err := client.Close(); err != nil {
				b.Error(err)
			}
			if err := <-done; err != nil {
				b.Error(err)
			}
		})
		if len(sessions) == 64 { // leaving is not part of it
			b.StopTimer()
			for _, leave := range sessions {
				leave()
			}
			sessions = nil
			b.StartTimer()
		}
	}
	for _, leave := range sessions {
		leave()
	}
}

// BenchmarkDidChange1MB is one keystroke in the middle of a file of a megabyte,
// from the message's body to the new text.
func BenchmarkDidChange1MB(b *testing.B) {
	const uri = "untitled:big"
	line := strings.Repeat("x", 79) + "\n"
	m := newBenchmark(b, uri, strings.Repeat(line, 1<<20/len(line)))
	keys := keystroke(uri, 1<<20/len(line)/2)
	i := 0
	for b.Loop() {
		m.timed(func() {
			m.in <- keys[i%2]
			<-m.changed
		})
		i++
	}
	m.report()
}

// BenchmarkCodeAction10k asks for the actions in a file of 10,000 lines, each
// time right behind an edit of it.
func BenchmarkCodeAction10k(b *testing.B) {
	uri := fileURI(b.TempDir()) + "/big.go"
	m := newBenchmark(b, uri, goSource(10_000))
	m.in <- []byte(`{"jsonrpc":"2.0","method":"workspace/didChangeWorkspaceFolders","params":{"event":{"added":[{"uri":` + quoted(strings.TrimSuffix(uri, "/big.go")) + `,"name":"x"}],"removed":[]}}}`)
	keys := keystroke(uri, 5000)
	params := `{"textDocument":{"uri":` + quoted(uri) + `},"range":` + rangeJSON(5003, 1, 5003, 4) + `,"context":{"diagnostics":[],"triggerKind":2}}`
	if got := string(m.request("textDocument/codeAction", params)); !strings.Contains(got, "emend: Fix this line") {
		b.Fatalf("the actions are %s", got)
	}
	i := 0
	for b.Loop() {
		m.in <- keys[i%2]
		<-m.changed
		m.timed(func() { m.request("textDocument/codeAction", params) })
		i++
	}
	m.report()
}
