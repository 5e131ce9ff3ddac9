package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// tasks owns the goroutines of a session. The zero value is not ready; see
// newTasks.
type tasks struct {
	ctx context.Context //nolint:containedctx // tasks are a lifetime: this is when it ends
	log *slog.Logger

	mu     sync.Mutex // guards closed, and adding to wg before it is waited for
	closed bool
	wg     sync.WaitGroup
}

func newTasks(ctx context.Context, log *slog.Logger) *tasks {
	return &tasks{ctx: ctx, log: log}
}

// spawn runs f in a goroutine that wait waits for; f must end soon after its
// context does. A panic in f is logged and ends nothing else. After wait it
// does nothing and reports false.
func (t *tasks) spawn(name string, f func(ctx context.Context)) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.wg.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				t.log.Error("task panicked", "task", name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
		}()
		f(t.ctx)
	})
	return true
}

// wait refuses new tasks and waits for those there are, at most limit. It
// reports whether all have ended.
func (t *tasks) wait(limit time.Duration) bool {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.wg.Wait()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
