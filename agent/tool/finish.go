package tool

import (
	"context"
	_ "embed"
	"strings"
)

//go:embed finish.md
var finishText string

type finishArgs struct {
	Summary string `json:"summary" jsonschema:"what was done or the answer, for the person, in a few sentences"`
}

var finish = define("finish", finishText, func(_ context.Context, _ *Env, args finishArgs) (Result, error) {
	return Result{Text: strings.TrimSpace(args.Summary), Done: true}, nil
})
