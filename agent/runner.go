package agent

import (
	"context"
	"log/slog"
	"time"

	"emend/agent/model"
	"emend/agent/tool"
	"emend/internal/config"
	"emend/internal/workspace"
	"emend/state"
)

// Runner holds what all runs of one workspace share. Its fields are set before
// the first run and not changed afterwards; any number of runs may go on at once.
type Runner struct {
	Store    *state.Store
	Roots    workspace.Roots
	Settings config.Settings
	// Provider is the model server. With a nil one every run fails, saying what
	// to do about it.
	Provider model.Provider
	// Index answers the searching tools; nil leaves them out.
	Index tool.Index
	// Check looks at a finished draft: builds it, tests it. It is called in
	// editing modes only, when the draft holds changes, and again after each
	// repair. nil means not checked.
	Check func(ctx context.Context, draft *workspace.Draft) (Checked, error)
	// MaxTokens bounds the tokens that one run may have the model read and
	// write, over all its steps; 0 is no bound.
	MaxTokens int
	Log       *slog.Logger     // nil discards
	Now       func() time.Time // nil is time.Now
}

// Checked is what the checks say about a draft.
type Checked struct {
	// Summary is one line for the person, stored with the proposal:
	// "builds, 40 tests pass", "not checked: no go program found".
	Summary string
	// Broken tells the model what this run broke, with places; "" is nothing.
	// What was broken before the run does not belong here.
	Broken string
}

// Outcome is how a run ended.
type Outcome struct {
	Run      string          `json:"run"`
	Session  string          `json:"session"`
	Status   state.RunStatus `json:"status"`             // done, refused, cancelled or failed
	Reason   string          `json:"reason,omitempty"`   // for the person, what to do included; "" when done
	Proposal string          `json:"proposal,omitempty"` // id of the stored proposal; "" when nothing changed
	Answer   string          `json:"answer,omitempty"`   // the model's closing words: the answer in ask, a summary in edit
	Checks   string          `json:"checks,omitempty"`   // what the checks said of the proposal
	Model    string          `json:"model,omitempty"`
	Steps    int             `json:"steps"`
	Prompt   int             `json:"prompt"` // tokens read and written by the model, over all steps
	Output   int             `json:"output"`
	// Cause is the error behind a Reason where there is one, for errors.As: a
	// *model.Error when no model could be reached. nil when there is none.
	Cause error `json:"-"`
}

func (r *Runner) log() *slog.Logger {
	if r.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.Log
}

func (r *Runner) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}
