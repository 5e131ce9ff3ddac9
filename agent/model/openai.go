package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"
)

// openAI speaks chat completions.
type openAI struct{ link }

// options are those of one request. The SDK's retries are off: the caller alone
// knows whether what was already shown can be taken back.
func (o *openAI) options(x *exchange) []option.RequestOption {
	return []option.RequestOption{
		option.WithBaseURL(o.base.String() + "/"),
		option.WithHTTPClient(x.client()),
		option.WithMaxRetries(0),
	}
}

// official reports whether the server is OpenAI's own, which refuses fields it
// does not know, where others take more than it does.
func (o *openAI) official() bool { return strings.HasSuffix(o.base.Hostname(), ".openai.com") }

// Chat streams one answer.
func (o *openAI) Chat(ctx context.Context, req Request, emit func(Chunk)) (*Response, error) {
	x, inner := o.start(ctx, req.Model)
	defer x.finish()
	params, err := o.params(req)
	if err != nil {
		return nil, x.newFault(Refused, "the request cannot be written: "+err.Error(), "", err)
	}
	// A client from openai.NewClient would take keys, organisations and headers from
	// the OPENAI_* variables and send them to whatever server is configured here.
	client := openai.Client{Options: o.options(x)}
	var raw *http.Response
	err = client.Post(inner, "chat/completions", params, &raw,
		option.WithJSONSet("stream", true), option.WithHeader("Accept", "text/event-stream"))
	if err != nil {
		return nil, x.fail(ctx, inner, err)
	}
	s := &completion{x: x, answer: newAnswer(emit)}
	if isJSON(raw) {
		err = s.whole(raw.Body)
	} else {
		err = s.stream(raw)
	}
	if err != nil {
		return nil, x.fail(ctx, inner, err)
	}
	return s.response(), nil
}

func isJSON(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// stream reads server-sent events to their end. The SDK's own stream is not used
// above its decoder: it takes `"error":null`, which some servers put into every
// event, for an error, and has no field for reasoning.
func (s *completion) stream(raw *http.Response) (err error) {
	events := ssestream.NewDecoder(raw)
	defer func() {
		if closeErr := events.Close(); err == nil && !s.finished {
			err = closeErr
		}
	}()
	for events.Next() {
		data := events.Event().Data
		if strings.HasPrefix(string(data), "[DONE]") {
			s.finished = true
			break
		}
		s.x.beat()
		if err := s.take(data); err != nil {
			return err
		}
	}
	switch err := events.Err(); {
	case s.finished && s.resp.Stop == "":
		s.resp.Stop = StopEnd
	case s.finished: // whatever happened to the connection after that
	case err != nil:
		return err
	case s.resp.Stop == "":
		return s.x.broken("the answer ended before it was finished", nil)
	}
	return s.flush()
}

// whole reads an answer from a server that does not stream.
func (s *completion) whole(body io.ReadCloser) (err error) {
	data, err := io.ReadAll(body)
	closeErr := body.Close()
	if err != nil {
		return err
	}
	if err := s.take(data); err != nil {
		return err
	}
	if s.resp.Stop == "" {
		return s.x.newFault(BadReply, "the answer is not a chat completion", s.x.addressRemedy(), closeErr)
	}
	return s.flush()
}

func (o *openAI) params(req Request) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{
		Model:         req.Model,
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	opt := req.Options
	optional(&p.Temperature, opt.Temperature)
	optional(&p.TopP, opt.TopP)
	if opt.Seed != nil {
		p.Seed = param.NewOpt(int64(*opt.Seed))
	}
	switch {
	case opt.MaxTokens <= 0:
	case o.official():
		p.MaxCompletionTokens = param.NewOpt(int64(opt.MaxTokens))
	default:
		p.MaxTokens = param.NewOpt(int64(opt.MaxTokens))
	}
	switch opt.Think {
	case "low", "medium", "high":
		p.ReasoningEffort = shared.ReasoningEffort(opt.Think)
	}
	if !o.official() {
		extra := map[string]any{}
		set(extra, "top_k", opt.TopK)
		set(extra, "min_p", opt.MinP)
		set(extra, "repeat_penalty", opt.RepeatPenalty)     // llama.cpp, LM Studio
		set(extra, "repetition_penalty", opt.RepeatPenalty) // vLLM, OpenRouter
		if len(extra) > 0 {
			p.SetExtraFields(extra)
		}
	}
	for _, m := range req.Messages {
		p.Messages = append(p.Messages, openAIMessage(m))
	}
	for _, t := range req.Tools {
		f := shared.FunctionDefinitionParam{Name: t.Name}
		if t.Description != "" {
			f.Description = param.NewOpt(t.Description)
		}
		if len(t.Schema) > 0 {
			if err := json.Unmarshal(t.Schema, &f.Parameters); err != nil {
				return p, fmt.Errorf("schema of tool %s: %w", t.Name, err)
			}
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(f))
	}
	return p, nil
}

func optional(to *param.Opt[float64], from *float64) {
	if from != nil {
		*to = param.NewOpt(*from)
	}
}

// openAIMessage leaves thinking out: the protocol has no place for it, and some
// servers refuse a message that has one.
func openAIMessage(m Message) openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case System:
		return openai.SystemMessage(m.Content)
	case ToolRole:
		return openai.ToolMessage(m.Content, m.CallID)
	case Assistant:
		out := openai.ChatCompletionAssistantMessageParam{}
		if m.Content != "" || len(m.Calls) == 0 {
			out.Content.OfString = param.NewOpt(m.Content)
		}
		for _, c := range m.Calls {
			out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
					ID: c.ID,
					Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
						Name: c.Name, Arguments: rawArguments(c.Arguments),
					},
				},
			})
		}
		return openai.ChatCompletionMessageParamUnion{OfAssistant: &out}
	}
	return openai.UserMessage(m.Content)
}

// Models lists what the server offers.
func (o *openAI) Models(ctx context.Context) ([]Info, error) {
	x, inner := o.start(ctx, "")
	defer x.finish()
	service := openai.NewModelService(o.options(x)...)
	page, err := service.List(inner)
	if err != nil {
		return nil, x.lookupFault(ctx, inner, err)
	}
	infos := make([]Info, 0, len(page.Data))
	for _, m := range page.Data {
		infos = append(infos, o.info(m.ID, m.Created, m.RawJSON()))
	}
	return infos, nil
}

// openAIInfo reads what some servers tell of a model beyond its name.
func openAIInfo(name string, created int64, raw string) Info {
	var more struct {
		ContextLength    float64 `json:"context_length"`     // OpenRouter
		MaxModelLen      float64 `json:"max_model_len"`      // vLLM
		MaxContextLength float64 `json:"max_context_length"` // Mistral
		ContextWindow    float64 `json:"context_window"`     // Groq
		Meta             struct {
			NumCtxTrain float64 `json:"n_ctx_train"` // llama.cpp
			NumCtx      float64 `json:"n_ctx"`
			Parameters  float64 `json:"n_params"`
			Size        float64 `json:"size"`
		} `json:"meta"`
		Supported    []string         `json:"supported_parameters"` // OpenRouter
		Capabilities *json.RawMessage `json:"capabilities"`         // Mistral: an object
	}
	info := Info{Name: name, Tools: true, Chat: !notForChat.MatchString(strings.ToLower(name)), Parameters: parametersInName(name)}
	if created > 0 {
		info.Created = time.Unix(created, 0)
	}
	if json.Unmarshal([]byte(raw), &more) != nil {
		return info
	}
	for _, n := range []float64{more.ContextLength, more.MaxModelLen, more.MaxContextLength, more.ContextWindow, more.Meta.NumCtx, more.Meta.NumCtxTrain} {
		if n > 0 {
			info.Window = int(n)
			break
		}
	}
	info.Size = int64(more.Meta.Size)
	if more.Meta.Parameters > 0 {
		info.Parameters = int64(more.Meta.Parameters)
	}
	if len(more.Supported) > 0 {
		info.Tools = false
		for _, s := range more.Supported {
			info.Tools = info.Tools || s == "tools"
		}
	}
	if more.Capabilities != nil {
		var can struct {
			Chat  *bool `json:"completion_chat"`
			Calls *bool `json:"function_calling"`
		}
		if json.Unmarshal(*more.Capabilities, &can) == nil {
			info.Tools = info.Tools && (can.Calls == nil || *can.Calls)
			info.Chat = info.Chat && (can.Chat == nil || *can.Chat)
		}
	}
	return info
}

// Describe looks the model up in the server's list. A model that is not listed,
// or a server without a list, is no error: many servers answer to more names than
// they list, and the chat itself will tell.
func (o *openAI) Describe(ctx context.Context, model string) (Info, error) {
	infos, err := o.Models(ctx)
	switch KindOf(err) {
	case "", BadReply:
	default:
		return Info{}, err
	}
	for _, info := range infos {
		if info.Name == model {
			return info, nil
		}
	}
	return o.info(model, 0, "{}"), nil
}

// info is what is known of a model. A server on this machine may be Ollama,
// which forwards models by their names in this protocol as well.
func (o *openAI) info(name string, created int64, raw string) Info {
	info := openAIInfo(name, created, raw)
	if o.loopback {
		info.Remote = remoteHost(name, "")
	}
	return info
}
