package lsp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"emend/state"
)

// job is one piece of work that outlives the request that asked for it.
type job struct {
	id      string // of the run, or a name of its own
	title   string // "edit lsp/docs.go"
	started time.Time
	cancel  context.CancelCauseFunc

	progress *progress
	ended    bool // its work is done, only its progress is still to be closed; guarded by jobs.mu
}

// jobs is the work under way.
type jobs struct {
	mu   sync.Mutex // guards the rest
	all  []*job     // in the order they started
	idle chan struct{}
}

func newJobs() *jobs {
	idle := make(chan struct{})
	close(idle)
	return &jobs{idle: idle}
}

// errCancelledByPerson is the cause of a job's end when somebody asked for it.
var errCancelledByPerson = errors.New("cancelled by the person")

// add registers a job.
func (j *jobs) add(jb *job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.all) == 0 {
		j.idle = make(chan struct{})
	}
	j.all = append(j.all, jb)
}

// remove takes a job that has ended out.
func (j *jobs) remove(jb *job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := slices.Index(j.all, jb)
	if i < 0 {
		return
	}
	j.all = slices.Delete(j.all, i, i+1)
	if len(j.all) == 0 {
		close(j.idle)
	}
}

// done notes that a job's work is done, before anybody is told.
func (j *jobs) done(jb *job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	jb.ended = true
}

// list returns the jobs under way, oldest first.
func (j *jobs) list() []*job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(j.all), func(jb *job) bool { return jb.ended })
}

// none reports whether no job is left, not even one whose progress is still to
// be closed.
func (j *jobs) none() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.all) == 0
}

// cancel stops the job with an id, or, for "", the newest one. It returns the
// job, nil when there is none such.
func (j *jobs) cancel(id string) *job {
	all := j.list()
	for i := len(all) - 1; i >= 0; i-- {
		if id == "" || all[i].id == id {
			all[i].cancel(errCancelledByPerson)
			return all[i]
		}
	}
	return nil
}

// cancelToken stops the job whose progress has a token.
func (j *jobs) cancelToken(token string) {
	for _, jb := range j.list() {
		if jb.progress != nil && jb.progress.token == token {
			jb.cancel(errCancelledByPerson)
		}
	}
}

// cancelAll stops everything.
func (j *jobs) cancelAll(why string) {
	for _, jb := range j.list() {
		jb.cancel(errors.New(why))
	}
}

// wait waits until no job is left, at most limit.
func (j *jobs) wait(limit time.Duration) bool {
	j.mu.Lock()
	idle := j.idle
	j.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-idle:
		return true
	case <-timer.C:
		return false
	}
}

// start runs f as a job with a progress of its own. f's context ends with the
// session or by cancel. It reports false when the session is leaving.
func (s *session) start(id, title string, f func(ctx context.Context, jb *job)) bool {
	jb := &job{id: id, title: title, started: time.Now()}
	ctx, cancel := context.WithCancelCause(s.tasks.ctx)
	jb.cancel = cancel
	jb.progress = newProgress(s.editor, state.NewID("progress"), title)
	s.jobs.add(jb)
	ok := s.tasks.spawn(title, func(context.Context) {
		defer cancel(nil)
		defer s.jobs.remove(jb)
		jb.progress.begin(s.tasks.ctx) // a cancelled job shows its end too; a leaving session waits for no editor
		defer jb.progress.end()
		defer s.jobs.done(jb)
		defer func() {
			if p := recover(); p != nil {
				jb.progress.outcome("failed")
				s.editor.fail(s.tasks.ctx, "%s failed by a fault of emend: %v. The session goes on; the log has the details", title, p)
				panic(p) // logged by the task
			}
		}()
		f(ctx, jb)
	})
	if !ok {
		cancel(nil)
		s.jobs.remove(jb)
	}
	return ok
}
