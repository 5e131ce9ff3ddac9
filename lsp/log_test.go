package lsp

import (
	"log/slog"
	"sync"
	"testing"
)

// testLog is a log that a failed test prints.
func testLog(t testing.TB) *slog.Logger {
	w := &testWriter{}
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if t.Failed() {
			t.Logf("server log:\n%s", w.text)
		}
	})
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

type testWriter struct {
	mu   sync.Mutex
	text []byte
}

func (w *testWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	return len(p), nil
}
