package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A web page that sends messages to the server's port is not answered.
func TestServeNoBrowser(t *testing.T) {
	sh := newShell(t, map[string]string{"a.go": "package a\n"})
	s := sh.serve(nil, "--listen", "tcp:127.0.0.1:0")
	address := strings.TrimPrefix(sh.awaitListening(s), "tcp:")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	if _, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", address, len(body), body); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(io.LimitReader(conn, 20))
	if len(reply) > 0 {
		t.Errorf("it was answered %q, %v", reply, err)
	}
	closeQuietly(conn)
	s.stop()
	s.exits(exitDone)
}

// Profiles are not given out under the name of a web page.
func TestLocalNamesOnly(t *testing.T) {
	served := localOnly(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for host, code := range map[string]int{
		"127.0.0.1:6060": http.StatusOK, "localhost:6060": http.StatusOK, "[::1]:6060": http.StatusOK,
		"evil.example:6060": http.StatusForbidden, "": http.StatusForbidden,
	} {
		r := httptest.NewRequest(http.MethodGet, "/debug/pprof/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if served.ServeHTTP(w, r); w.Code != code {
			t.Errorf("%q: %d", host, w.Code)
		}
	}
}
