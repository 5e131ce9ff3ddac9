package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"emend/agent/model"
	"emend/agent/tool"
	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

// Run does the task over the documents of src and returns how it ended. What
// the person or the model did (a refusal, a cancellation, a dead model server)
// is an Outcome; an error is a fault of ours (the store, a panic), and comes
// with an Outcome whose Status is failed. Cancelling ctx ends the run as
// cancelled, within the time a tool or the model server takes to notice.
//
// In every case the store holds a closed record of the run (unless the store is
// what failed) and the host has received one "ended" event, last, before Run
// returns. Run appends the turns of the session itself: the instruction at the
// start, the answer at the end.
func (r *Runner) Run(ctx context.Context, task Task, src workspace.Source, host Host) (Outcome, error) {
	u := newRun(r, task, src, host)
	limit := time.Duration(r.Settings.Agent.MaxMinutes) * time.Minute
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errTimeLimit)
		defer cancel()
	}
	return u.close(ctx, u.phases(ctx))
}

// run is the state of one run. It belongs to the goroutine of [Runner.Run].
type run struct {
	*Runner
	task Task
	host Host
	src  workspace.Source
	out  Outcome

	record  state.Run
	opened  bool // the record is in the store
	session state.Session
	turns   []*state.Turn // of the session, before this run
	trace   []state.Event // not yet in the store
	started time.Time

	snapshot *workspace.Snapshot
	draft    *workspace.Draft
	follows  *proposal.Content // the pending proposal the draft began from; nil none
	begun    map[workspace.Path]string
	env      *tool.Env
	tools    tool.Set

	info     model.Info
	native   bool // tool calls go over the server's own interface
	window   window
	messages []model.Message
	results  []int // places in messages of what tools returned, ascending
	reply    *model.Response

	repeats  repeats
	useless  int // replies that did nothing, so far
	refusals int // replies in a row none of whose blocks applied
	repairs  int // times the checks sent the model back
}

func newRun(r *Runner, task Task, src workspace.Source, host Host) *run {
	if task.Mode == "" {
		task.Mode = ModeEdit
	}
	u := &run{Runner: r, task: task, src: src, host: host, started: r.now()}
	if u.out.Run = task.ID; u.out.Run == "" {
		u.out.Run = state.NewID("run")
	}
	return u
}

// phase is one state of a run: it does its part and names the next, or ends
// the run. Exactly one of next and end is set.
type phase func(ctx context.Context, u *run) (next phase, end *ending)

// ending is how a run ends.
type ending struct {
	status state.RunStatus
	reason string
	cause  error // what stands behind the reason
	fault  error // ours: what Run returns
}

var errTimeLimit = errors.New("the run's time is up")

func done() *ending { return &ending{status: state.RunDone} }

func refuse(format string, args ...any) *ending {
	return &ending{status: state.RunRefused, reason: fmt.Sprintf(format, args...)}
}

// failed ends a run for an error that is not ours.
func failed(cause error) *ending {
	return &ending{status: state.RunFailed, reason: cause.Error(), cause: cause}
}

// faulty ends a run for an error of ours.
func faulty(err error) *ending {
	return &ending{status: state.RunFailed, reason: err.Error(), cause: err, fault: err}
}

// ended returns the ending for a context that is over.
func (u *run) ended(ctx context.Context) *ending {
	cause := context.Cause(ctx)
	if errors.Is(cause, errTimeLimit) {
		return refuse("stopped after %d minutes without a result; ask for less at once, or raise agent.max_minutes",
			u.Settings.Agent.MaxMinutes)
	}
	reason := "cancelled"
	if cause != nil && !errors.Is(cause, context.Canceled) {
		reason += ": " + cause.Error()
	}
	return &ending{status: state.RunCancelled, reason: reason, cause: cause}
}

// broke turns the error of a phase into an ending: the context's end if that
// is behind it, else a fault of ours.
func (u *run) broke(ctx context.Context, err error) *ending {
	if ctx.Err() != nil {
		return u.ended(ctx)
	}
	return faulty(err)
}

// phases goes through the phases until one of them ends the run. A panic ends
// it too.
func (u *run) phases(ctx context.Context) (end *ending) {
	defer func() {
		if v := recover(); v != nil {
			end = u.panicked("the run", v)
		}
	}()
	for next := phase(open); ; {
		if ctx.Err() != nil && u.opened {
			return u.ended(ctx)
		}
		if next, end = next(ctx, u); end != nil {
			return end
		}
	}
}

// panicked logs a panic with its stack and makes an ending of it.
func (u *run) panicked(where string, v any) *ending {
	u.log().Error("panic in a run", "run", u.out.Run, "where", where, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
	return faulty(fmt.Errorf("%s broke down: panic: %v; this is a fault in emend, the log has its trace", where, v))
}
