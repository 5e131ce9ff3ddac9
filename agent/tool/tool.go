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
	"fmt"

	"emend/agent/model"
	"emend/index"
	"emend/internal/workspace"
)

// Tool is one thing a model can call. Implementations hold no state: what a
// call needs is in its Env, and one Tool serves any number of runs at once.
type Tool interface {
	// Spec is what the model is told: name, description, schema of the arguments.
	Spec() model.Tool
	// Params names the arguments in the order of the schema, the main one first.
	Params() []string
	// Call does it. Arguments are as the model wrote them and are checked here.
	Call(ctx context.Context, env *Env, arguments json.RawMessage) (Result, error)
}

// Index is the part of [index.Index] that tools use.
type Index interface {
	Files(ctx context.Context) ([]index.Entry, error)
	Find(ctx context.Context, query string, limit int) ([]index.Entry, error)
	Grep(ctx context.Context, read func(workspace.Path) (string, bool), q index.Query) ([]index.Match, bool, error)
}

// DefaultMaxBytes bounds a result where an Env sets no bound.
const DefaultMaxBytes = 16 << 10

// Env is what the tools of one run work on.
type Env struct {
	Draft *workspace.Draft
	Roots workspace.Roots
	Index Index // nil: the searching tools say that they cannot search
	// MaxBytes bounds what one call returns; 0 means DefaultMaxBytes. What is
	// cut off is said in the result.
	MaxBytes int

	allowed map[workspace.Path]bool
	gate    gate
}

// Allow lets the tools read and change a document although it looks like it
// holds secrets: the person said so. It must not be called beside a tool.
func (e *Env) Allow(p workspace.Path) {
	if e.allowed == nil {
		e.allowed = map[workspace.Path]bool{}
	}
	e.allowed[p] = true
}

// secret reports whether a document is kept from the model for its name.
func (e *Env) secret(p workspace.Path) bool { return workspace.Sensitive(p) && !e.allowed[p] }

// Result is what the model reads back.
type Result struct {
	Text    string
	Refused bool   // what was asked was not done
	Done    bool   // the model says that its work is done
	Path    string // the file it was about, relative to its root; "" none
}

// refusef makes a refusal for the model to read: the fact, and what to do instead.
func refusef(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Refused: true}
}

func (e *Env) maxBytes() int {
	if e.MaxBytes > 0 {
		return e.MaxBytes
	}
	return DefaultMaxBytes
}

// resolve finds the document that a path of the model's means. A nil Result
// means that it may be read; otherwise it is the refusal.
func (e *Env) resolve(name string) (p workspace.Path, rel string, refused *Result) {
	p, err := e.Draft.Snapshot().Resolve(name)
	if err != nil {
		r := refusef("%v. Use a path inside the workspace, relative to its root.", err)
		r.Path = name
		return "", name, &r
	}
	rel = e.Roots.Rel(p)
	// A link with a secret's name leads to a secret, whatever that is called.
	if e.secret(p) || !e.allowed[p] && workspace.Sensitive(workspace.Path(name)) {
		r := refusef("%s looks like it holds secrets; it is neither read nor changed. Go on without it.", rel)
		r.Path = rel
		return "", rel, &r
	}
	return p, rel, nil
}

// text reads a document for a tool. Exists is false for one that is missing,
// which is no refusal.
func (e *Env) text(ctx context.Context, name string) (f *workspace.File, rel string, refused *Result, err error) {
	p, rel, refused := e.resolve(name)
	if refused != nil {
		return nil, rel, refused, nil
	}
	f, err = e.Draft.Read(ctx, p)
	if err != nil {
		if ctx.Err() != nil {
			return nil, rel, nil, fmt.Errorf("reading %s for the model: %w", rel, context.Cause(ctx))
		}
		r := refusef("%s cannot be read: %v", rel, err)
		r.Path = rel
		return nil, rel, &r, nil
	}
	if f.Binary || f.NotUTF8 {
		r := refusef("%s is not a text file in UTF-8; it is neither shown nor changed.", rel)
		r.Path = rel
		return nil, rel, &r, nil
	}
	if !e.allowed[p] && workspace.SensitiveText(f.Text) {
		r := refusef("%s holds what looks like a key or token; it is neither read nor changed. Go on without it.", rel)
		r.Path = rel
		return nil, rel, &r, nil
	}
	return f, rel, nil, nil
}

// missing is the refusal for a file that does not exist, with the nearest names.
func (e *Env) missing(ctx context.Context, rel string) Result {
	r := refusef("%s does not exist.", rel)
	r.Path = rel
	if e.Index == nil {
		return r
	}
	near, err := e.find(ctx, baseOf(rel), 3)
	if err != nil || len(near) == 0 {
		r.Text += " Use find_file or list_files to see what there is."
		return r
	}
	r.Text += " Did you mean:"
	for _, name := range near {
		r.Text += "\n" + name
	}
	return r
}
