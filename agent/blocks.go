package agent

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"emend/agent/model"
	"emend/agent/tool"
	"emend/edits"
	"emend/internal/workspace"
)

// maxRefusals is how many replies in a row may hold no block that applies.
const maxRefusals = 4

// maxBlocks is the most blocks of one reply: each that does not fit costs a
// search through its file for what was meant.
const maxBlocks = 200

// blocksTool is what edits written as text are called in events.
const blocksTool = "blocks"

// parseEdits finds the edits that a reply holds as text: SEARCH/REPLACE blocks,
// unified diffs and patches. ok is false when there is none.
func parseEdits(text string) (reply edits.Reply, ok bool) {
	reply = edits.Parse(text)
	return reply, len(reply.Blocks) > 0 || len(reply.Problems) > 0
}

// applyReply puts the edits of a reply into the draft, each block that fits.
// What does not fit goes back to the model. calls are those that came with the
// reply; they are made afterwards.
func (u *run) applyReply(ctx context.Context, reply edits.Reply, calls []model.Call) (phase, *ending) {
	repeated := u.repeats.count(model.Call{Name: blocksTool, Arguments: []byte(fmt.Sprintf("%q", u.reply.Message.Content))})
	if most := u.Settings.Agent.MaxRepeats; most > 0 && repeated >= most {
		return nil, refuse("the model sent the same blocks %d times, and they do not apply", repeated+1)
	}
	applied, refused, end := u.applyBlocks(ctx, reply)
	if end != nil {
		return nil, end
	}
	result := tool.Result{Text: shorten(blocksReport(applied, refused), u.env.MaxBytes), Refused: len(refused) > 0}
	u.toolDone(blocksTool, result)
	if len(applied) > 0 {
		u.repeats.forget()
		u.refusals = 0
	}
	if len(refused) == 0 {
		if len(calls) > 0 {
			return u.callAll(ctx, calls, true)
		}
		u.out.Answer = strings.TrimSpace(reply.Prose)
		return finish, nil
	}
	for _, c := range calls {
		u.messages = append(u.messages, model.Message{
			Role: model.ToolRole, CallID: c.ID, ToolName: c.Name,
			Content: "Not called: blocks of the same reply did not apply.",
		})
	}
	if u.refusals++; u.refusals >= maxRefusals && len(applied) == 0 {
		return nil, refuse("the model's edits did not apply %d times in a row; the last reason: %s", u.refusals, excerpt(refused[0].Message, 200))
	}
	u.tell(result.Text)
	u.commitStep(ctx)
	return ask, nil
}

// applyBlocks applies a reply to the draft and returns the numbers of the
// blocks that applied, and the refusals in the order of the blocks.
func (u *run) applyBlocks(ctx context.Context, reply edits.Reply) (applied []int, refused []edits.Refusal, end *ending) {
	if n := len(reply.Blocks); n > maxBlocks {
		return nil, []edits.Refusal{{Block: -1, Code: edits.Malformed, Message: fmt.Sprintf(
			"The reply holds %d blocks. At most %d are applied at once; send fewer, larger ones, or a file at a time.", n, maxBlocks)}}, nil
	}
	files := draftFiles{known: u.knownFiles(ctx), read: func(name string) (*workspace.File, string, error) {
		return u.env.Read(ctx, name)
	}}
	current := ""
	if u.task.Focus != nil {
		current = u.Roots.Rel(u.task.Focus.Path)
	}
	results := edits.ApplyReply(reply, files, current, edits.Options{Partial: true})
	if ctx.Err() != nil {
		return nil, nil, u.ended(ctx)
	}
	for _, r := range results {
		refused = append(refused, r.Refused...)
		if len(r.Applied) == 0 {
			continue
		}
		if why := u.parsesWorse(ctx, r); why != "" {
			refused = append(refused, edits.Refusal{Block: r.Applied[0].Block, Path: r.Path, Code: syntaxCode, Message: why})
			continue
		}
		err := u.putResult(ctx, r)
		if ctx.Err() != nil {
			return nil, nil, u.ended(ctx)
		}
		for _, a := range r.Applied {
			if err != nil {
				refused = append(refused, edits.Refusal{
					Block: a.Block, Path: r.Path, Code: edits.BadPath, Message: fmt.Sprintf("%s was not changed: %v", r.Path, err),
				})
				continue
			}
			applied = append(applied, a.Block)
		}
	}
	sort.Ints(applied)
	sort.SliceStable(refused, func(i, j int) bool { return refused[i].Block < refused[j].Block })
	return applied, refused, nil
}

// syntaxCode is why blocks are refused that fit and make a file parse worse.
const syntaxCode edits.Code = "syntax"

// parsesWorse returns what the model is to read when the blocks of one file,
// taken together, make it parse worse.
func (u *run) parsesWorse(ctx context.Context, r edits.FileResult) string {
	if r.Deleted || !r.Existed {
		return ""
	}
	p, err := u.snapshot.Resolve(r.Path)
	if err != nil {
		return "" // putResult says it
	}
	return u.env.SyntaxWorse(ctx, p, r.Before, r.After)
}

// putResult makes a file of the draft what the blocks made of it.
func (u *run) putResult(ctx context.Context, r edits.FileResult) error {
	p, err := u.snapshot.Resolve(r.Path)
	if err != nil {
		return err
	}
	if r.Deleted {
		return u.draft.Delete(ctx, p)
	}
	if r.After != r.Before || !r.Existed {
		if err := u.draft.Write(ctx, p, r.After); err != nil {
			return err
		}
	}
	if r.MovedTo == "" {
		return nil
	}
	to, err := u.snapshot.Resolve(r.MovedTo)
	if err != nil {
		return err
	}
	if workspace.Sensitive(to) {
		return fmt.Errorf("%s is a name for files that hold secrets", r.MovedTo)
	}
	return u.draft.Rename(ctx, p, to)
}

// blocksReport tells the model what became of its blocks, which it counts from
// one.
func blocksReport(applied []int, refused []edits.Refusal) string {
	if len(refused) == 0 {
		return "All blocks were applied."
	}
	var b strings.Builder
	if len(applied) == 0 {
		b.WriteString("Nothing was applied.\n")
	} else {
		numbers := make([]string, len(applied))
		for i, n := range applied {
			numbers[i] = strconv.Itoa(n + 1)
		}
		if len(applied) == 1 {
			fmt.Fprintf(&b, "Block %s was applied; do not send it again.\n", numbers[0])
		} else {
			fmt.Fprintf(&b, "Blocks %s were applied; do not send them again.\n", strings.Join(numbers, ", "))
		}
	}
	for _, r := range refused {
		b.WriteByte('\n')
		if r.Block >= 0 {
			fmt.Fprintf(&b, "Block %d", r.Block+1)
			if r.Path != "" {
				fmt.Fprintf(&b, " (%s)", r.Path)
			}
			b.WriteString(": ")
		}
		b.WriteString(strings.TrimSpace(r.Message))
		b.WriteByte('\n')
	}
	b.WriteString("\nSend only the blocks that were not applied, put right.")
	return b.String()
}

// draftFiles is the draft as the block engine sees it.
type draftFiles struct {
	known []string
	read  func(name string) (f *workspace.File, refused string, err error)
}

func (d draftFiles) Known() []string { return d.known }

func (d draftFiles) Read(name string) (text string, exists bool, err error) {
	f, refused, err := d.read(name)
	if err != nil {
		return "", false, err
	}
	if refused != "" {
		return "", false, errors.New(refused)
	}
	return f.Text, f.Exists, nil
}

// knownFiles lists the paths that blocks may name in short: those of the
// workspace, and what the draft has made.
func (u *run) knownFiles(ctx context.Context) []string {
	if u.Index != nil {
		if names, err := u.env.Files(ctx); err == nil {
			return names
		}
	}
	var names []string
	for _, doc := range u.snapshot.Open() {
		if !workspace.Sensitive(doc.Path) {
			names = append(names, u.Roots.Rel(doc.Path))
		}
	}
	return names
}
