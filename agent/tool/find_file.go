package tool

import (
	"context"
	_ "embed"
	"strings"
)

//go:embed find_file.md
var findFileText string

type findFileArgs struct {
	Query string `json:"query" jsonschema:"part of a file's name or path"`
}

// maxFound is the most files one search by name returns.
const maxFound = 20

var findFile = define("find_file", findFileText, func(ctx context.Context, env *Env, args findFileArgs) (Result, error) {
	if strings.TrimSpace(args.Query) == "" {
		return refusef("argument \"query\" is empty; give a part of the file's name"), nil
	}
	names, err := env.find(ctx, args.Query, maxFound)
	if err != nil {
		return Result{}, err
	}
	if len(names) == 0 {
		return refusef("no file's name is like %q; try a shorter part, or grep for what is in it.", args.Query), nil
	}
	return Result{Text: bounded(names, env.maxBytes(), "files")}, nil
})
