package tool

import (
	"context"
	_ "embed"

	"emend/edits"
)

//go:embed search_replace.md
var searchReplaceText string

type searchReplaceArgs struct {
	Path    string `json:"path" jsonschema:"file to change, relative to the workspace's root"`
	Search  string `json:"search" jsonschema:"the lines to replace, exactly as they are in the file, without line numbers; they must occur once"`
	Replace string `json:"replace" jsonschema:"the lines to put in their place; empty deletes them"`
	All     bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence; default false"`
}

var searchReplace = define("search_replace", searchReplaceText, func(ctx context.Context, env *Env, args searchReplaceArgs) (Result, error) {
	blocks := []edits.Block{{Text: true, Search: args.Search, Replace: args.Replace, All: args.All}}
	return env.applyBlocks(ctx, args.Path, blocks)
})
