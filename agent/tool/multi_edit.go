package tool

import (
	"context"
	_ "embed"

	"emend/edits"
)

//go:embed multi_edit.md
var multiEditText string

type multiEditArgs struct {
	Path  string         `json:"path" jsonschema:"file to change, relative to the workspace's root"`
	Edits []multiEditOne `json:"edits" jsonschema:"the edits, in any order"`
}

type multiEditOne struct {
	Search  string `json:"search" jsonschema:"the lines to replace, exactly as they are in the file; they must occur once"`
	Replace string `json:"replace" jsonschema:"the lines to put in their place; empty deletes them"`
}

// maxEdits is the most edits of one call: each that does not fit costs a search
// through the file for what was meant.
const maxEdits = 100

var multiEdit = define("multi_edit", multiEditText, func(ctx context.Context, env *Env, args multiEditArgs) (Result, error) {
	if len(args.Edits) == 0 {
		return refusef("argument \"edits\" is empty; give at least one edit"), nil
	}
	if len(args.Edits) > maxEdits {
		return refusef("at most %d edits are made at once, not %d; make several calls, or use write_file", maxEdits, len(args.Edits)), nil
	}
	blocks := make([]edits.Block, len(args.Edits))
	for i, edit := range args.Edits {
		blocks[i] = edits.Block{Text: true, Search: edit.Search, Replace: edit.Replace}
	}
	return env.applyBlocks(ctx, args.Path, blocks)
})
