package agent

import (
	"context"

	"emend/internal/workspace"
)

// Run does the task over the documents of src and returns how it ended. What
// the person or the model did (a refusal, a cancellation, a dead model server)
// is an Outcome; an error is a fault of ours (the store, a panic), and comes
// with an Outcome whose Status is failed. Cancelling ctx ends the run as
// cancelled, within the time a tool or the model server takes to notice.
//
// In every case the store holds a closed record of the run and the host has
// received one "ended" event, last, before Run returns. Run appends the turns
// of the session itself: the instruction at the start, the answer at the end.
func (r *Runner) Run(ctx context.Context, task Task, src workspace.Source, host Host) (Outcome, error) {
	panic("todo")
}
