package agent

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"emend/agent/model"
	"emend/agent/tool"
)

// The parts of the system prompt.
var (
	//go:embed prompt/system.md
	systemText string
	//go:embed prompt/edit.md
	editText string
	//go:embed prompt/ask.md
	askText string
	//go:embed prompt/text.md
	blocksText string
	//go:embed prompt/text_tools.md
	textToolsText string
)

// How much of the prompt's room each part may take, in hundredths. What is
// left is for the steps that follow.
const (
	instructionsShare = 10
	turnsShare        = 10
	focusShare        = 35
	filesShare        = 15
	followShare       = 10
	diagnosticsShare  = 10
	resultShare       = 20 // of one tool result
)

// prompt begins the conversation: who the model is, what was said before, and
// the request with what belongs to it.
func prompt(ctx context.Context, u *run) (phase, *ending) {
	if u.env == nil {
		u.env = &tool.Env{Draft: u.draft, Roots: u.Roots, Index: u.Index}
	}
	u.tools = tool.ForMode(!u.task.edits(), u.Index != nil)
	u.results = nil
	u.messages = []model.Message{{Role: model.System, Content: u.systemPrompt()}}
	u.window.fixed = model.EstimateRequest(u.modelRequest())
	u.env.MaxBytes = max(1000, u.window.bytes(resultShare))
	u.messages = append(u.messages, u.earlier()...)
	request, end := u.requestPrompt(ctx)
	if end != nil {
		return nil, end
	}
	u.tell(request)
	return ask, nil
}

// systemPrompt is the same for every run of a mode, so that servers can keep
// what they made of it.
func (u *run) systemPrompt() string {
	parts := []string{systemText}
	switch {
	case !u.task.edits():
		parts = append(parts, askText)
	case u.native:
		parts = append(parts, editText)
	default:
		parts = append(parts, blocksText)
	}
	if !u.native {
		parts = append(parts, textToolsText+textTools(u.tools))
	}
	if own := strings.TrimSpace(u.Settings.Instructions); own != "" {
		parts = append(parts, "The person's standing instructions:\n\n"+own)
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.Join(parts, "\n\n")
}

// textTools lists the calls that read, for models that write them as text.
func textTools(set tool.Set) string {
	var b strings.Builder
	for _, spec := range set.Specs() {
		params, _ := set.Params(spec.Name)
		switch spec.Name {
		case "read_file", "list_files", "find_file", "grep":
			args := make([]string, len(params))
			for i, p := range params {
				args[i] = p + "=…"
			}
			about, _, _ := strings.Cut(spec.Description, ". ")
			fmt.Fprintf(&b, "\n%s(%s)\n%s.\n", spec.Name, strings.Join(args, ", "), strings.TrimSuffix(about, "."))
		}
	}
	return b.String()
}

// noAnswer stands for the answer of a run that ended without one: servers want
// the two to take turns.
const noAnswer = "(stopped before there was an answer)"

// earlier is what was said in the session before, the last of it, by the person
// and the model in turn.
func (u *run) earlier() []model.Message {
	budget, first := u.window.bytes(turnsShare), len(u.turns)
	for first > 0 && budget >= len(u.turns[first-1].Content) {
		first--
		budget -= len(u.turns[first].Content)
	}
	for first < len(u.turns) && u.turns[first].Role == roleAssistant {
		first++
	}
	if first > 0 {
		u.warn("%d earlier turns of the conversation do not fit the model's window and are left out", first)
	}
	var messages []model.Message
	for _, turn := range u.turns[first:] {
		last := len(messages) - 1
		switch {
		case turn.Role == roleAssistant && messages[last].Role == model.Assistant:
			messages[last].Content += "\n\n" + turn.Content
		case turn.Role == roleAssistant:
			messages = append(messages, model.Message{Role: model.Assistant, Content: turn.Content})
		default:
			messages = append(answered(messages), model.Message{Role: model.User, Content: turn.Content})
		}
	}
	return answered(messages)
}

// answered ends a conversation with the model's turn.
func answered(messages []model.Message) []model.Message {
	if n := len(messages); n > 0 && messages[n-1].Role == model.User {
		return append(messages, model.Message{Role: model.Assistant, Content: noAnswer})
	}
	return messages
}

// requestPrompt is the request with everything that belongs to it, the request
// itself last.
func (u *run) requestPrompt(ctx context.Context) (string, *ending) {
	var parts []string
	for _, section := range []func(context.Context) (string, *ending){
		u.instructionsSection, u.filesSection, u.focusSection, u.followSection, u.diagnosticsSection,
	} {
		text, end := section(ctx)
		if end != nil {
			return "", end
		}
		if ctx.Err() != nil {
			return "", u.ended(ctx)
		}
		if text != "" {
			parts = append(parts, strings.TrimRight(text, "\n"))
		}
	}
	parts = append(parts, "The request:\n\n"+u.request())
	return strings.Join(parts, "\n\n"), nil
}

// fenced writes text as a code block that nothing in the text can end.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + language + "\n" + text + fence + "\n"
}
