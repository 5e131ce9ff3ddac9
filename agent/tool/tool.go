// Package tool holds what a model can do in a run: read, search and edit the
// run's draft. Start at [ForMode], which gives the tools a mode may use.
//
// Each tool is one file with its description for the model beside it (name.md).
// A tool that does not do what was asked says so in its [Result], which the
// model reads; a Go error is a fault of ours or the end of the context. Tools
// see the workspace only through the draft and its roots. They do not know
// which model calls them, nor how a proposal reaches an editor.
package tool

import (
	"context"
	"encoding/json"

	"emend/agent/model"
	"emend/index"
	"emend/internal/workspace"
)

// Tool is one thing a model can call. Implementations hold no state: what a
// call needs is in its Env, and one Tool serves any number of runs at once.
type Tool interface {
	// Spec is what the model is told: name, description, schema of the arguments.
	Spec() model.Tool
	// Call does it. Arguments are as the model wrote them and are checked here.
	Call(ctx context.Context, env *Env, arguments json.RawMessage) (Result, error)
}

// Index is the part of [index.Index] that tools use.
type Index interface {
	Files(ctx context.Context) ([]index.Entry, error)
	Find(ctx context.Context, query string, limit int) ([]index.Entry, error)
	Grep(ctx context.Context, read func(workspace.Path) (string, bool), q index.Query) ([]index.Match, bool, error)
}

// Env is what the tools of one run work on.
type Env struct {
	Draft *workspace.Draft
	Roots workspace.Roots
	Index Index // nil: the searching tools are not offered
}

// Result is what the model reads back.
type Result struct {
	Text  string
	Error bool // a refusal: what was asked was not done
	Done  bool // the model says that its work is done
	Path  string
}
