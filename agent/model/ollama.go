package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	ollamamodel "github.com/ollama/ollama/types/model"
)

// ollama speaks Ollama's own protocol. Its /v1 is not used: that one ignores
// num_ctx, so that prompts are cut at a small default without a word.
type ollama struct{ link }

// Chat streams one answer.
func (o *ollama) Chat(ctx context.Context, req Request, emit func(Chunk)) (*Response, error) {
	x, inner := o.start(ctx, req.Model)
	defer x.finish()
	wire, err := ollamaRequest(req)
	if err != nil {
		return nil, x.newFault(Refused, "the request cannot be written: "+err.Error(), "", err)
	}
	a := newAnswer(emit)
	done := false
	err = api.NewClient(o.base, x.client()).Chat(inner, wire, func(r api.ChatResponse) error {
		x.beat()
		if err := o.take(a, r); err != nil {
			return x.newFault(BadReply, err.Error(), "", err)
		}
		done = done || r.Done
		return nil
	})
	switch {
	case done:
		return a.response(), nil
	case err == nil, x.fault != nil, ctx.Err() != nil, inner.Err() != nil:
		return nil, x.fail(ctx, inner, orBroken(x, err))
	}
	return nil, x.ollamaFault(ctx, inner, err)
}

// orBroken stands in for the error the library does not give when a stream ends
// before its last piece.
func orBroken(x *exchange, err error) error {
	if err != nil {
		return err
	}
	return x.broken("the answer ended before it was finished", nil)
}

// ollamaFault sorts the library's errors. It turns an error object and a line that
// is not JSON into the same plain error; only what came by can tell them apart.
func (x *exchange) ollamaFault(ctx, inner context.Context, err error) error {
	if isTransport(err) {
		return x.fail(ctx, inner, err)
	}
	if KindOf(err) != "" {
		return err
	}
	var badType *json.UnmarshalTypeError
	var badSyntax *json.SyntaxError
	unreadable := errors.As(err, &badType) || errors.As(err, &badSyntax)
	switch {
	case x.sawError && !unreadable:
		text, jsonErr := json.Marshal(err.Error())
		if jsonErr != nil {
			return x.newFault(Failed, brief(err.Error()), "", jsonErr)
		}
		return x.reported(text)
	case x.last != '\n':
		return x.broken("the answer broke off in the middle of a line", err)
	}
	return x.newFault(BadReply, "a piece of the answer cannot be read: "+brief(err.Error()), x.addressRemedy(), nil)
}

// take adds one piece to the answer.
func (o *ollama) take(a *answer, r api.ChatResponse) error {
	a.thinking(r.Message.Thinking)
	a.text(r.Message.Content)
	for _, c := range r.Message.ToolCalls {
		if err := a.call(c.ID, c.Function.Name, c.Function.Arguments.String()); err != nil {
			return err
		}
	}
	if r.Model != "" {
		a.resp.Model = r.Model
	}
	if r.Done {
		a.resp.Stop = r.DoneReason
		a.resp.Usage = Usage{Prompt: r.PromptEvalCount, Output: r.EvalCount}
	}
	return nil
}

// Models lists what has been pulled.
func (o *ollama) Models(ctx context.Context) ([]Info, error) {
	x, inner := o.start(ctx, "")
	defer x.finish()
	list, err := api.NewClient(o.base, x.client()).List(inner)
	if err != nil {
		return nil, x.lookupFault(ctx, inner, err)
	}
	infos := make([]Info, 0, len(list.Models))
	for _, m := range list.Models {
		name := m.Name
		if name == "" {
			name = m.Model
		}
		infos = append(infos, Info{
			Name: name, Size: m.Size, Family: m.Details.Family, Remote: remoteHost(name, m.RemoteHost),
			Parameters: parameterCount(m.Details.ParameterSize),
			Chat:       !notForChat.MatchString(strings.ToLower(name + " " + m.Details.Family)), Created: m.ModifiedAt,
		})
	}
	return infos, nil
}

// Describe asks for one model's window and abilities.
func (o *ollama) Describe(ctx context.Context, model string) (Info, error) {
	x, inner := o.start(ctx, model)
	defer x.finish()
	show, err := api.NewClient(o.base, x.client()).Show(inner, &api.ShowRequest{Model: model})
	if err != nil {
		return Info{}, x.lookupFault(ctx, inner, err)
	}
	info := Info{
		Name: model, Family: show.Details.Family, Remote: remoteHost(model, show.RemoteHost), Created: show.ModifiedAt,
		Window: contextLength(show.ModelInfo), Parameters: parameterCount(show.Details.ParameterSize),
		Tools: slices.Contains(show.Capabilities, ollamamodel.CapabilityTools),
		Chat:  slices.Contains(show.Capabilities, ollamamodel.CapabilityCompletion),
	}
	if len(show.Capabilities) == 0 { // servers before 0.6 do not say
		info.Tools = strings.Contains(show.Template, ".Tools")
		info.Chat = !notForChat.MatchString(strings.ToLower(model + " " + show.Details.Family))
	}
	return info, nil
}

// ollamaCloud is where Ollama forwards models that are not on its machine.
const ollamaCloud = "https://ollama.com:443"

// remoteHost is where a model of an Ollama server runs, "" for the server
// itself. What the server says is not enough: newer ones forward a name that
// ends in "cloud" without having the model, and then say nothing of it.
func remoteHost(name, said string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if said == "" && (strings.HasSuffix(name, "-cloud") || strings.HasSuffix(name, ":cloud")) {
		return ollamaCloud
	}
	return said
}

// lookupFault sorts the errors of plain requests.
func (x *exchange) lookupFault(ctx, inner context.Context, err error) error {
	if x.fault != nil || ctx.Err() != nil || isTransport(err) || KindOf(err) != "" {
		return x.fail(ctx, inner, err)
	}
	return x.newFault(BadReply, "the reply cannot be read", x.addressRemedy(), err)
}

// contextLength finds the window in what /api/show tells of a model's file.
func contextLength(info map[string]any) int {
	if arch, ok := info["general.architecture"].(string); ok {
		if n, ok := info[arch+".context_length"].(float64); ok {
			return int(n)
		}
	}
	best := 0
	for key, v := range info {
		if n, ok := v.(float64); ok && strings.HasSuffix(key, ".context_length") {
			best = max(best, int(n))
		}
	}
	return best
}

func ollamaRequest(req Request) (*api.ChatRequest, error) {
	no, stream := false, true
	wire := &api.ChatRequest{
		Model:  req.Model,
		Stream: &stream,
		// A prompt that does not fit is to be an error: by default the server drops
		// the oldest messages, or forgets the beginning while it generates, in silence.
		Truncate: &no,
		Shift:    &no,
		Options:  ollamaOptions(req.Options),
	}
	var err error
	if wire.KeepAlive, err = keepAlive(req.Options.KeepAlive); err != nil {
		return nil, err
	}
	switch t := req.Options.Think; t {
	case "":
	case "true", "false":
		wire.Think = &api.ThinkValue{Value: t == "true"}
	default:
		wire.Think = &api.ThinkValue{Value: t}
	}
	for _, m := range req.Messages {
		wire.Messages = append(wire.Messages, ollamaMessage(m))
	}
	for _, t := range req.Tools {
		tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: t.Name, Description: t.Description}}
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		if err := json.Unmarshal(schema, &tool.Function.Parameters); err != nil {
			return nil, fmt.Errorf("schema of tool %s: %w", t.Name, err)
		}
		wire.Tools = append(wire.Tools, tool)
	}
	return wire, nil
}

func ollamaMessage(m Message) api.Message {
	out := api.Message{
		Role: string(m.Role), Content: m.Content, Thinking: m.Thinking,
		ToolName: m.ToolName, ToolCallID: m.CallID,
	}
	for i, c := range m.Calls {
		call := api.ToolCall{ID: c.ID, Function: api.ToolCallFunction{Index: i, Name: c.Name}}
		args := bytes.TrimSpace(c.Arguments)
		if len(args) > 0 && args[0] == '{' && json.Unmarshal(args, &call.Function.Arguments) == nil {
			out.ToolCalls = append(out.ToolCalls, call)
			continue
		}
		// The protocol has only objects; what a model wrote instead must not be lost,
		// or it could not make sense of the refusal that follows.
		call.Function.Arguments = api.NewToolCallFunctionArguments()
		if text := rawArguments(c.Arguments); text != "" {
			call.Function.Arguments.Set("arguments", text)
		}
		out.ToolCalls = append(out.ToolCalls, call)
	}
	return out
}

func ollamaOptions(o Options) map[string]any {
	m := map[string]any{"num_ctx": o.NumCtx}
	if o.NumCtx <= 0 {
		m["num_ctx"] = DefaultNumCtx
	}
	if o.MaxTokens > 0 {
		m["num_predict"] = o.MaxTokens
	}
	set(m, "temperature", o.Temperature)
	set(m, "top_p", o.TopP)
	set(m, "top_k", o.TopK)
	set(m, "min_p", o.MinP)
	set(m, "repeat_penalty", o.RepeatPenalty)
	set(m, "seed", o.Seed)
	return m
}

func set[T any](m map[string]any, key string, v *T) {
	if v != nil {
		m[key] = *v
	}
}

// keepAlive reads "10m", a number of seconds, or a negative number for ever.
func keepAlive(s string) (*api.Duration, error) {
	if s = strings.TrimSpace(s); s == "" {
		return nil, nil
	}
	if n, err := strconv.Atoi(s); err == nil {
		return &api.Duration{Duration: time.Duration(n) * time.Second}, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return nil, fmt.Errorf("keep_alive %q is neither a duration such as 10m nor a number of seconds", s)
	}
	return &api.Duration{Duration: d}, nil
}
