package lsptest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
)

// TestReadFrame: headers as servers write them, well and badly.
func TestReadFrame(t *testing.T) {
	tests := []struct {
		name, in, body string
		err            error // nil: a body
	}{
		{"plain", "Content-Length: 2\r\n\r\n{}", "{}", nil},
		{"case and type", "content-type: x\r\nCONTENT-LENGTH:2\r\n\r\n{}rest", "{}", nil},
		{"empty", "", "", io.EOF},
		{"text on the wire", "listening…\r\n\r\n", "", errFrame},
		{"no length", "Content-Type: x\r\n\r\n{}", "", errFrame},
		{"negative", "Content-Length: -1\r\n\r\n", "", errFrame},
		{"huge", "Content-Length: 99999999999\r\n\r\n", "", errFrame},
		{"bare newline", "Content-Length: 2\n\n{}", "", errFrame},
		{"cut header", "Content-Len", "", errFrame},
		{"cut body", "Content-Length: 9\r\n\r\n{}", "", errFrame},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, err := readFrame(bufio.NewReader(strings.NewReader(tt.in)))
			if !errors.Is(err, tt.err) || string(body) != tt.body {
				t.Errorf("got %q, %v, want %q, %v", body, err, tt.body, tt.err)
			}
		})
	}
}

// FuzzReadFrame: whatever comes, a body read is the body framed.
func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 0\r\nX: y\r\n\r\n"))
	f.Add([]byte("Content-Length: 1000000000\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(bytes.ToLower(data), []byte("content-length")) && len(data) > 64 {
			t.Skip("a length that is only claimed costs memory")
		}
		body, err := readFrame(bufio.NewReader(bytes.NewReader(data)))
		if err != nil {
			return
		}
		again, err := readFrame(bufio.NewReader(bytes.NewReader(frame(body))))
		if err != nil || !bytes.Equal(again, body) {
			t.Fatalf("%q framed is read as %q, %v", body, again, err)
		}
	})
}

// FuzzDecodeMessage: whatever comes does no harm, and what is understood can
// be encoded again.
func FuzzDecodeMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":null}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`, `[]`, `{"method":7}`, `{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, _, err := decodeMessage(data)
		if err != nil {
			return
		}
		if _, err := m.encode(); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
	})
}

// TestRaw: bytes go out as they are, between frames.
func TestRaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env, server := start(t, Config{}, nil)
		if err := env.SendBody("{not json"); err != nil {
			t.Fatal(err)
		}
		if err := env.SendRaw(frame([]byte(`{"jsonrpc":"2.0","method":"x/raw"}`))); err != nil {
			t.Fatal(err)
		}
		env.Request("x/after", nil)
		if got := server.methods(); !strings.HasSuffix(got, "x/raw x/after") {
			t.Errorf("the server saw %s", got)
		}
	})
}

// TestTrace: the ring keeps the last lines, in order.
func TestTrace(t *testing.T) {
	var ring trace
	for i := range traceLines + 5 {
		ring.add("→", []byte(strings.Repeat("x", i)))
	}
	got := strings.Split(strings.TrimSpace(ring.String()), "\n")
	if len(got) != traceLines+1 || got[0] != "… 5 earlier messages" || got[1] != "→ xxxxx" || !strings.HasSuffix(got[traceLines], strings.Repeat("x", traceLines+4)) {
		t.Errorf("kept %q … %q", got[:2], got[len(got)-1])
	}
}

// TestNothingLeft: a session leaves no goroutine behind, however it ends.
func TestNothingLeft(t *testing.T) {
	ends := map[string]func(*Editor, *counterpart) error{
		"exit": func(e *Editor, _ *counterpart) error { return e.Exit(context.WithoutCancel(t.Context())) },
		"kill": func(e *Editor, _ *counterpart) error { return e.Kill() },
		"leave": func(e *Editor, s *counterpart) error {
			err := s.rwc.Close()
			<-e.finished
			return errors.Join(err, e.Exit(context.WithoutCancel(t.Context())))
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			editorEnd, serverEnd := Pipe()
			server := newCounterpart(t, serverEnd)
			go server.serve()
			e, err := Start(t.Context(), editorEnd, Config{Profile: "neovim", Answer: func(Question) string { return "" }})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(e.OpenText("file://", "", "a\n"), e.Type("file://", Position{}, "x")); err != nil {
				t.Fatal(err)
			}
			if err := end(e, server); err != nil {
				t.Fatal(err)
			}
			if name == "kill" {
				<-e.finished
			}
		})
	}
}
