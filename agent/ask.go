package agent

import (
	"context"
	"strings"
	"time"

	"emend/agent/model"
)

// maxTries is how often one request is sent before the run gives up on it.
const maxTries = 3

// ask has the model make the next step.
func ask(ctx context.Context, u *run) (phase, *ending) {
	if end := u.overLimit(); end != nil {
		return nil, end
	}
	u.lastStep()
	req, end := u.fit()
	if end != nil {
		return nil, end
	}
	u.out.Steps++
	u.emit(Event{Kind: KindStep})
	guess := model.EstimateRequest(req)
	reply, err := u.chat(ctx, req)
	if err != nil {
		if u.lacksTools(err) {
			return u.withoutTools(ctx)
		}
		return nil, u.modelEnding(ctx, err)
	}
	u.window.learn(guess, reply.Usage.Prompt)
	u.out.Prompt += reply.Usage.Prompt
	u.out.Output += reply.Usage.Output
	u.emit(Event{
		Kind: KindUsage, Prompt: reply.Usage.Prompt, Output: reply.Usage.Output,
		Data: Window{Model: u.info.Name, Tokens: u.window.size},
	})
	if reply.Stop == model.StopLength {
		u.warn("the answer of step %d was cut off: it reached the limit of tokens", u.out.Steps)
	}
	u.noteReply(reply.Message)
	u.reply = reply
	return act, nil
}

// overLimit ends a run that has used up what it may.
func (u *run) overLimit() *ending {
	a := u.Settings.Agent
	if a.MaxSteps > 0 && u.out.Steps >= a.MaxSteps {
		return refuse("stopped after %d steps without a result; ask for less at once, or raise agent.max_steps", u.out.Steps)
	}
	if a.MaxMinutes > 0 && u.now().Sub(u.started) >= time.Duration(a.MaxMinutes)*time.Minute {
		return refuse("stopped after %d minutes without a result; ask for less at once, or raise agent.max_minutes", a.MaxMinutes)
	}
	if used := u.out.Prompt + u.out.Output; u.MaxTokens > 0 && used >= u.MaxTokens {
		return refuse("stopped after %d tokens without a result, of which %d are allowed; ask for less at once", used, u.MaxTokens)
	}
	return nil
}

// lastStep tells the model when one step is left, at the end of what it has not
// read yet.
func (u *run) lastStep() {
	if u.out.Steps == 0 || u.out.Steps != u.Settings.Agent.MaxSteps-1 {
		return
	}
	u.messages[len(u.messages)-1].Content += "\n\n[This is your last step. Bring the work to an end now: what is not finished with this reply is lost.]"
}

// chat sends a request, and sends it again when the answer breaks off: the
// messages are as they were, so every try begins from the same point.
func (u *run) chat(ctx context.Context, req model.Request) (*model.Response, error) {
	for try := 1; ; try++ {
		reply, err := u.Provider.Chat(ctx, req, u.stream)
		if err == nil {
			return reply, nil
		}
		if try == maxTries || ctx.Err() != nil || !model.Retryable(err) {
			return nil, err
		}
		u.warn("asking again, what the model said last is void: %v", err)
		if model.KindOf(err) == model.Overloaded {
			select {
			case <-ctx.Done():
				return nil, err
			case <-time.After(time.Duration(try) * time.Second):
			}
		}
	}
}

// stream passes a piece of the answer on.
func (u *run) stream(c model.Chunk) {
	if c.Text != "" {
		u.emit(Event{Kind: KindToken, Text: c.Text})
	}
	if c.Thinking != "" {
		u.emit(Event{Kind: KindThinking, Text: c.Thinking})
	}
}

// noteReply puts the whole answer on record.
func (u *run) noteReply(m model.Message) {
	if m.Thinking != "" {
		u.note(Event{Kind: KindThinking, Text: m.Thinking})
	}
	if m.Content != "" {
		u.note(Event{Kind: KindToken, Text: m.Content})
	}
}

// lacksTools reports whether an error says that the model takes no tools, where
// going on without them is allowed.
func (u *run) lacksTools(err error) bool {
	return u.native && u.Settings.Agent.Tools != "native" && model.KindOf(err) == model.Refused &&
		strings.Contains(strings.ToLower(err.Error()), "does not support tools")
}

// withoutTools begins the conversation anew, with calls and edits as text. It
// happens at the first request or never.
func (u *run) withoutTools(ctx context.Context) (phase, *ending) {
	u.native = false
	u.out.Steps--
	u.warn("the model %s takes no tools: it writes its edits as text", u.info.Name)
	return prompt(ctx, u)
}
