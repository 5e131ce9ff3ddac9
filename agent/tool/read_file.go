package tool

import (
	"context"
	_ "embed"
	"fmt"

	"emend/edits"
)

//go:embed read_file.md
var readFileText string

type readFileArgs struct {
	Path  string `json:"path" jsonschema:"file to read, relative to the workspace's root"`
	Start int    `json:"start_line,omitempty" jsonschema:"first line to read, from 1; default 1"`
	End   int    `json:"end_line,omitempty" jsonschema:"last line to read; default the end of the file"`
}

// maxLines is the most lines read at once.
const maxLines = 1000

var readFile = define("read_file", readFileText, func(ctx context.Context, env *Env, args readFileArgs) (Result, error) {
	f, rel, refused, err := env.text(ctx, args.Path)
	if err != nil || refused != nil {
		return deref(refused), err
	}
	if !f.Exists {
		return env.missing(ctx, rel), nil
	}
	if f.Text == "" {
		return Result{Text: rel + " is empty.", Path: rel}, nil
	}
	text := edits.NewText(f.Text)
	last := lastLine(text)
	from, to := max(args.Start, 1), args.End
	if to <= 0 || to > last {
		to = last
	}
	if from > to {
		r := refusef("%s has lines 1 to %d; there is nothing in lines %d to %d.", rel, last, args.Start, args.End)
		r.Path = rel
		return r, nil
	}
	shown, next := Numbered(text, from, min(to, from+maxLines-1), env.maxBytes())
	if next == 0 && to-from >= maxLines {
		next = from + maxLines
	}
	end := to
	if next > 0 {
		end = next - 1
	}
	out := fmt.Sprintf("%s, lines %d-%d of %d:\n%s", rel, from, end, last, shown)
	if next > 0 {
		out += fmt.Sprintf("[cut: lines %d-%d are not shown; read on with start_line=%d]\n", next, to, next)
	}
	return Result{Text: out, Path: rel}, nil
})

// deref returns the refusal, or nothing.
func deref(r *Result) Result {
	if r == nil {
		return Result{}
	}
	return *r
}
