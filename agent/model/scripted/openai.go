package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"emend/agent/model"
)

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) {
	list := []map[string]any{}
	for _, m := range s.models {
		list = append(list, map[string]any{
			"id": m.Name, "object": "model", "created": modified.Unix(), "owned_by": m.Family,
			"max_model_len": m.Window, "capabilities": map[string]any{
				"completion_chat": !m.Embed, "function_calling": !m.NoTools && !m.Embed,
			},
		})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

// openaiWire is OpenAI's /v1/chat/completions.
type openaiWire struct{}

func (openaiWire) contentType() string { return "text/event-stream" }

func (openaiWire) refuse(w http.ResponseWriter, status int, message string) {
	kind, code := "invalid_request_error", any(nil)
	if status == http.StatusNotFound {
		code = "model_not_found"
	}
	if status >= 500 {
		kind = "server_error"
	}
	writeJSON(w, status, map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": code}})
}

func (openaiWire) fault(message string) []byte {
	return event(map[string]any{"error": map[string]any{"message": message, "type": "server_error", "code": nil}})
}

func (openaiWire) decode(w http.ResponseWriter, r *http.Request) (Request, bool) {
	var body struct {
		Model    string
		Messages []struct {
			Role       string
			Content    json.RawMessage
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		Stream bool
		Tools  []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
	}
	raw, ok := decode(w, r, &body)
	if !ok {
		return Request{}, false
	}
	if !body.Stream {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": "scripted model: it only streams"}})
		return Request{}, false
	}
	req := Request{Wire: "openai", Model: body.Model, Raw: raw, Options: map[string]any{}}
	for _, m := range body.Messages {
		out := model.Message{Role: model.Role(m.Role), Content: contentText(m.Content), CallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			out.Calls = append(out.Calls, model.Call{ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
		}
		req.Messages = append(req.Messages, out)
	}
	for _, t := range body.Tools {
		req.Tools = append(req.Tools, model.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	if err := json.Unmarshal(raw, &req.Options); err != nil {
		req.Options = nil
	}
	for _, key := range []string{"model", "messages", "tools"} {
		delete(req.Options, key)
	}
	return req, true
}

// contentText reads a content that is a string, or a list of parts.
func contentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		s += p.Text
	}
	return s
}

func (w openaiWire) piece(p progress, text, thinking string, call *model.Call) []byte {
	delta := map[string]any{}
	if p.pieces == 0 {
		delta["role"] = "assistant"
	}
	switch {
	case call != nil:
		return w.callPieces(p, call)
	case thinking != "":
		delta["reasoning_content"] = thinking
	default:
		delta["content"] = text
	}
	return event(w.chunk(p, delta, nil))
}

// callPieces streams a call as the real servers do: its name first, then its
// arguments in three parts.
func (w openaiWire) callPieces(p progress, call *model.Call) []byte {
	part := func(call map[string]any) []byte {
		call["index"] = p.calls
		return event(w.chunk(p, map[string]any{"tool_calls": []any{call}}, nil))
	}
	out := part(map[string]any{
		"id": callID(p, call), "type": "function",
		"function": map[string]any{"name": call.Name, "arguments": ""},
	})
	args := string(arguments(call))
	for _, s := range chunks(args, max(1, (len(args)+2)/3)) {
		out = append(out, part(map[string]any{"function": map[string]any{"arguments": s}})...)
	}
	return out
}

func (w openaiWire) end(p progress, stop string, prompt, output int) []byte {
	if stop == "" {
		stop = model.StopEnd
		if p.calls > 0 {
			stop = model.StopCalls
		}
	}
	usage := w.chunk(p, nil, nil)
	usage["choices"] = []any{}
	usage["usage"] = map[string]any{"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
	return slices.Concat(event(w.chunk(p, map[string]any{}, stop)), event(usage), []byte("data: [DONE]\n\n"))
}

func (openaiWire) chunk(p progress, delta map[string]any, stop any) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", p.number), "object": "chat.completion.chunk",
		"created": modified.Unix(), "model": p.request.Model,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": stop}},
	}
}

func event(v any) []byte {
	return slices.Concat([]byte("data: "), jsonLine(v), []byte("\n"))
}
