package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"emend/edits"
)

//go:embed write_file.md
var writeFileText string

type writeFileArgs struct {
	Path    string `json:"path" jsonschema:"file to write, relative to the workspace's root"`
	Content string `json:"content" jsonschema:"the whole new text of the file"`
}

var writeFile = define("write_file", writeFileText, func(ctx context.Context, env *Env, args writeFileArgs) (Result, error) {
	f, rel, refused, err := env.text(ctx, args.Path)
	if err != nil || refused != nil {
		return deref(refused), err
	}
	after := closed(args.Content, f.Text)
	if f.Exists && plainEnds(after) == plainEnds(f.Text) {
		r := refusef("%s already reads exactly so; nothing was changed.", rel)
		r.Path = rel
		return r, nil
	}
	if r, omitted := omission(rel, f.Text, after); omitted {
		return r, nil
	}
	if !f.Exists {
		return env.create(ctx, f.Path, rel, after)
	}
	return env.write(ctx, f.Path, rel, f.Text, after)
})

// closed ends a text with a line break unless the text it replaces has none:
// models leave it out.
func closed(content, before string) string {
	if content == "" || strings.HasSuffix(content, "\n") || before != "" && !strings.HasSuffix(before, "\n") {
		return content
	}
	return content + "\n"
}

func plainEnds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// omission refuses a whole text in which a placeholder ("rest of the code")
// stands for what the model did not care to write.
func omission(rel, before, after string) (Result, bool) {
	if before == "" {
		return Result{}, false
	}
	whole := []edits.Block{{Path: rel, Search: before, Replace: after}}
	for _, r := range edits.ApplyBlocks(rel, before, true, whole, edits.Options{}).Refused {
		if r.Code == edits.Omission {
			return Result{Text: fmt.Sprintf("Nothing was changed in %s.\n%s", rel, r.Message), Refused: true, Path: rel}, true
		}
	}
	return Result{}, false
}
