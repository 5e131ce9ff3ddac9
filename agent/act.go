package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"emend/agent/model"
	"emend/agent/tool"
	"emend/edits"
)

const (
	// maxCalls is how many calls of one reply are made; a model that wants more
	// has lost its way.
	maxCalls = 32
	// maxUseless is how often a model may say nothing that helps.
	maxUseless = 2
)

// act does what the reply asks for: calls, blocks, or nothing but words.
func act(ctx context.Context, u *run) (phase, *ending) {
	m := u.reply.Message
	m.Role = model.Assistant
	if m.Content == "" && len(m.Calls) == 0 {
		m.Content = "(nothing)" // servers refuse an empty turn
	}
	u.messages = append(u.messages, m)
	text := u.reply.Message.Content
	if u.task.edits() && !hasEdits(m.Calls) {
		if reply, ok := parseEdits(text); ok {
			return u.applyReply(ctx, reply, m.Calls)
		}
	}
	if len(m.Calls) > 0 {
		return u.callAll(ctx, m.Calls, true)
	}
	if calls := textCalls(text, u.tools.Params); len(calls) > 0 {
		return u.callAll(ctx, calls, false)
	}
	return u.words(ctx, strings.TrimSpace(text))
}

// hasEdits reports whether one of the calls changes files, in which case blocks
// beside them only illustrate.
func hasEdits(calls []model.Call) bool {
	for _, c := range calls {
		switch c.Name {
		case "search_replace", "multi_edit", "write_file", "create_file":
			return true
		}
	}
	return false
}

// words takes a reply that is nothing but text: the answer, the closing words
// after changes, or nothing useful.
func (u *run) words(ctx context.Context, text string) (phase, *ending) {
	if text != "" && (!u.task.edits() || changedSince(u.draft, u.begun)) {
		u.out.Answer = text
		return finish, nil
	}
	u.useless++
	if u.useless >= maxUseless {
		if text == "" {
			return nil, refuse("the model %s said nothing; try again, or choose another model", u.info.Name)
		}
		u.out.Answer = text
		return nil, refuse("the model changed nothing; it says: %s", excerpt(text, 300))
	}
	u.tell(u.nudge())
	u.commitStep(ctx)
	return ask, nil
}

// nudge tells a model that its reply did nothing.
func (u *run) nudge() string {
	switch {
	case !u.task.edits():
		return "Your reply was empty. Answer the question."
	case u.native:
		return "Nothing was changed. Make the changes with the tools. If nothing has to change, or it cannot be done, call finish and say why."
	}
	return "Nothing was changed. Write SEARCH/REPLACE blocks, each with the file's path above it. If nothing has to change, or it cannot be done, say why in one sentence."
}

// tell appends a message for the model.
func (u *run) tell(text string) {
	u.messages = append(u.messages, model.Message{Role: model.User, Content: text})
}

// excerpt cuts a text for one line of a message.
func excerpt(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// callAll makes the calls of one reply in order. finish counts only when
// nothing before it was refused: the model has not read the refusal yet.
func (u *run) callAll(ctx context.Context, calls []model.Call, native bool) (phase, *ending) {
	var results []string
	refused, finished := false, false
	for i, c := range calls {
		var result tool.Result
		var end *ending
		switch {
		case i >= maxCalls:
			result = tool.Result{Text: fmt.Sprintf("not called: at most %d calls are made at once", maxCalls), Refused: true}
		case c.Name == "finish" && refused:
			result = tool.Result{Text: "Not finished: a call before this one was refused. Read its result first.", Refused: true}
		default:
			result, end = u.call(ctx, c)
		}
		if end != nil {
			return nil, end
		}
		refused = refused || result.Refused
		if result.Done {
			u.out.Answer, finished = result.Text, true
		}
		if native {
			u.results = append(u.results, len(u.messages))
			u.messages = append(u.messages, model.Message{
				Role: model.ToolRole, CallID: c.ID, ToolName: c.Name, Content: result.Text,
			})
		} else {
			results = append(results, fmt.Sprintf("Result of %s %s:\n%s", c.Name, excerpt(string(c.Arguments), 100), result.Text))
		}
	}
	if !native {
		u.results = append(u.results, len(u.messages))
		u.tell(strings.Join(results, "\n\n"))
	}
	if finished {
		if text := strings.TrimSpace(u.reply.Message.Content); u.out.Answer == "" && native {
			u.out.Answer = text
		}
		return finish, nil
	}
	u.commitStep(ctx)
	return ask, nil
}

// call makes one call and tells of it. A panic in the tool ends the run.
func (u *run) call(ctx context.Context, c model.Call) (result tool.Result, end *ending) {
	defer func() {
		if v := recover(); v != nil {
			end = u.panicked("the tool "+c.Name, v)
		}
	}()
	u.emit(Event{Kind: KindToolCall, Tool: c.Name, Path: pathOf(c.Arguments), Data: c.Arguments})
	before := fingerprint(u.draft)
	var err error
	switch repeated, most := u.repeats.count(c), u.Settings.Agent.MaxRepeats; {
	case most > 0 && repeated > most:
		return result, refuse("the model made the same call of %s %d times and got no further; it was %s",
			c.Name, repeated+1, excerpt(canonical(c.Arguments), 200))
	case most > 0 && repeated == most:
		result = tool.Result{Refused: true, Text: fmt.Sprintf("You have made this very call %d times; its result stays the same "+
			"and is not shown again. Do something else, or call finish. Once more and the run ends.", repeated)}
	default:
		result, err = u.tools.Call(ctx, u.env, c.Name, c.Arguments)
	}
	if err != nil {
		return result, u.broke(ctx, fmt.Errorf("tool %s: %w", c.Name, err))
	}
	if changedSince(u.draft, before) {
		u.repeats.forget()
	}
	u.toolDone(c.Name, result)
	return result, nil
}

// pathOf is the file that a call names, as the model wrote it; "" for none.
func pathOf(arguments json.RawMessage) string {
	var named struct{ Path string }
	if json.Unmarshal(arguments, &named) != nil {
		return ""
	}
	return named.Path
}

// toolDone tells of a result.
func (u *run) toolDone(name string, result tool.Result) {
	u.emit(Event{
		Kind: KindToolResult, Tool: name, Path: result.Path, Text: result.Text,
		Data: ToolDone{Refused: result.Refused, Lines: edits.NewText(result.Text).NumLines()},
	})
}
