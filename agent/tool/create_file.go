package tool

import (
	"context"
	_ "embed"
	"fmt"

	"emend/internal/workspace"
)

//go:embed create_file.md
var createFileText string

type createFileArgs struct {
	Path    string `json:"path" jsonschema:"new file, relative to the workspace's root; folders are made"`
	Content string `json:"content" jsonschema:"its whole text"`
}

var createFile = define("create_file", createFileText, func(ctx context.Context, env *Env, args createFileArgs) (Result, error) {
	f, rel, refused, err := env.text(ctx, args.Path)
	if err != nil || refused != nil {
		return deref(refused), err
	}
	if f.Exists {
		r := refusef("%s exists already; read it, then change it with search_replace, or replace it with write_file.", rel)
		r.Path = rel
		return r, nil
	}
	return env.create(ctx, f.Path, rel, closed(args.Content, ""))
})

// create puts a new file into the draft.
func (e *Env) create(ctx context.Context, p workspace.Path, rel, text string) (Result, error) {
	r, err := e.write(ctx, p, rel, "", text)
	if err == nil && !r.Refused {
		r.Text = fmt.Sprintf("%s was created.", rel)
	}
	return r, err
}
