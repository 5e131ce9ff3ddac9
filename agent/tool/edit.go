package tool

import (
	"context"
	"fmt"
	"strings"

	"emend/edits"
	"emend/internal/workspace"
)

// applyBlocks edits one file of the draft by blocks, all or none, and returns
// what the model reads.
func (e *Env) applyBlocks(ctx context.Context, name string, blocks []edits.Block) (Result, error) {
	f, rel, refused, err := e.text(ctx, name)
	if err != nil || refused != nil {
		return deref(refused), err
	}
	if !f.Exists && blocks[0].Search != "" {
		return e.missing(ctx, rel), nil
	}
	for i := range blocks {
		blocks[i].Index, blocks[i].Path = i, rel
	}
	result := edits.ApplyBlocks(rel, f.Text, f.Exists, blocks, edits.Options{})
	if len(result.Refused) > 0 {
		return e.refusedBlocks(rel, blocks, result.Refused), nil
	}
	return e.write(ctx, f.Path, rel, f.Text, result.After)
}

// refusedBlocks tells the model what was wrong with its edits.
func (e *Env) refusedBlocks(rel string, blocks []edits.Block, list []edits.Refusal) Result {
	var b strings.Builder
	fmt.Fprintf(&b, "Nothing was changed in %s.\n", rel)
	for i, r := range list {
		if i > 0 && b.Len()+len(r.Message) > e.maxBytes() {
			fmt.Fprintf(&b, "[cut: the reasons of %d more are not shown]\n", len(list)-i)
			break
		}
		if len(blocks) > 1 && r.Block >= 0 {
			fmt.Fprintf(&b, "Edit %d: ", r.Block+1)
		}
		b.WriteString(strings.TrimSpace(r.Message))
		b.WriteByte('\n')
	}
	if len(blocks) > len(list) {
		b.WriteString("Send all edits of the file again, the good ones too.\n")
	}
	return Result{Text: b.String(), Refused: true, Path: rel}
}

// write puts a text into the draft and shows the model the lines that changed.
func (e *Env) write(ctx context.Context, p workspace.Path, rel, before, after string) (Result, error) {
	if why := e.SyntaxWorse(ctx, p, before, after); why != "" {
		return Result{Text: why, Refused: true, Path: rel}, nil
	}
	if err := e.Draft.Write(ctx, p, after); err != nil {
		if ctx.Err() != nil {
			return Result{}, fmt.Errorf("writing %s to the draft: %w", rel, context.Cause(ctx))
		}
		r := refusef("%s was not changed: %v", rel, err)
		r.Path = rel
		return r, nil
	}
	return Result{Text: fmt.Sprintf("%s was changed. It now reads:\n%s", rel, e.changedLines(before, after)), Path: rel}, nil
}

// around is how many unchanged lines are shown beside changed ones.
const around = 3

// changedLines shows the places where after differs from before, numbered as
// in after.
func (e *Env) changedLines(before, after string) string {
	text, hunks := edits.NewText(after), edits.Hunks(before, after)
	var b strings.Builder
	for shown := 0; ; {
		from, to := nextChange(hunks, shown)
		if to == 0 {
			return b.String()
		}
		room := e.maxBytes()/2 - b.Len()
		if room <= 0 {
			b.WriteString("[cut: further changed lines are not shown]\n")
			return b.String()
		}
		if shown > 0 {
			b.WriteString("…\n")
		}
		lines, next := Numbered(text, from, to, room)
		b.WriteString(lines)
		if next > 0 {
			fmt.Fprintf(&b, "[cut: changed up to line %d]\n", to)
		}
		shown = to
	}
}

// nextChange returns the one-based lines to show for the next hunks beyond line
// shown, joined where their surroundings touch; 0, 0 when there is none.
func nextChange(hunks []edits.Hunk, shown int) (from, to int) {
	for _, h := range hunks {
		first, last := max(h.NewStart+1-around, shown+1), h.NewEnd+around
		switch {
		case last <= shown:
		case to == 0:
			from, to = first, last
		case first <= to+1:
			to = last
		default:
			return from, to
		}
	}
	return from, to
}
