package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"emend/agent/model"
)

// modified is when the server's models claim to have been made.
var modified = time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	list := []map[string]any{}
	for _, m := range s.models {
		item := map[string]any{
			"name": m.Name, "model": m.Name, "modified_at": modified, "size": m.Size,
			"details": map[string]any{"format": "gguf", "family": m.Family, "families": []string{m.Family}},
		}
		if m.Remote != "" {
			item["remote_host"], item["remote_model"] = m.Remote, m.Name
		}
		list = append(list, item)
	}
	writeJSON(w, http.StatusOK, map[string]any{"models": list})
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	var ask struct{ Model, Name string }
	if _, ok := decode(w, r, &ask); !ok {
		return
	}
	if ask.Model == "" {
		ask.Model = ask.Name
	}
	m, ok := s.has(ask.Model)
	if !ok {
		writeJSON(w, http.StatusNotFound, map[string]any{"error": fmt.Sprintf("model '%s' not found", ask.Model)})
		return
	}
	can := []string{"completion"}
	switch {
	case m.Embed:
		can = []string{"embedding"}
	case !m.NoTools:
		can = append(can, "tools")
	}
	reply := map[string]any{
		"details":      map[string]any{"format": "gguf", "family": m.Family, "families": []string{m.Family}},
		"model_info":   map[string]any{"general.architecture": m.Family, m.Family + ".context_length": m.Window},
		"capabilities": can, "modified_at": modified, "template": "{{ .Prompt }}",
	}
	if m.Remote != "" {
		reply["remote_host"], reply["remote_model"] = m.Remote, m.Name
	}
	writeJSON(w, http.StatusOK, reply)
}

// ollamaWire is Ollama's /api/chat.
type ollamaWire struct{}

func (ollamaWire) contentType() string { return "application/x-ndjson" }

func (ollamaWire) refuse(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]any{"error": message})
}

func (ollamaWire) fault(message string) []byte { return jsonLine(map[string]any{"error": message}) }

func (ollamaWire) decode(w http.ResponseWriter, r *http.Request) (Request, bool) {
	var body struct {
		Model    string
		Messages []api.Message
		Stream   *bool
		Options  map[string]any
		Tools    []struct {
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
	if body.Stream != nil && !*body.Stream {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "scripted model: it only streams"})
		return Request{}, false
	}
	req := Request{Wire: "ollama", Model: body.Model, Options: body.Options, Raw: raw}
	for _, m := range body.Messages {
		out := model.Message{
			Role: model.Role(m.Role), Content: m.Content, Thinking: m.Thinking,
			CallID: m.ToolCallID, ToolName: m.ToolName,
		}
		for _, c := range m.ToolCalls {
			out.Calls = append(out.Calls, model.Call{
				ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments.String()),
			})
		}
		req.Messages = append(req.Messages, out)
	}
	for _, t := range body.Tools {
		req.Tools = append(req.Tools, model.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	return req, true
}

func (ollamaWire) piece(p progress, text, thinking string, call *model.Call) []byte {
	message := map[string]any{"role": "assistant", "content": text}
	if thinking != "" {
		message["thinking"] = thinking
	}
	if call != nil {
		message["tool_calls"] = []any{map[string]any{
			"id": callID(p, call),
			"function": map[string]any{
				"index": p.calls, "name": call.Name, "arguments": arguments(call),
			},
		}}
	}
	return jsonLine(map[string]any{
		"model": p.request.Model, "created_at": time.Now().UTC(), "message": message, "done": false,
	})
}

func (ollamaWire) end(p progress, stop string, prompt, output int) []byte {
	if stop == "" {
		stop = model.StopEnd
	}
	return jsonLine(map[string]any{
		"model": p.request.Model, "created_at": time.Now().UTC(),
		"message": map[string]any{"role": "assistant", "content": ""},
		"done":    true, "done_reason": stop,
		"total_duration": 1_000_000, "load_duration": 1000,
		"prompt_eval_count": prompt, "prompt_eval_duration": 1000,
		"eval_count": output, "eval_duration": 1000,
	})
}

// arguments are a call's arguments as the script has them; an empty object when it
// has none.
func arguments(call *model.Call) json.RawMessage {
	if len(call.Arguments) == 0 {
		return json.RawMessage("{}")
	}
	return call.Arguments
}

// callID is the script's, or one that no other call of the server has.
func callID(p progress, call *model.Call) string {
	if call.ID != "" {
		return call.ID
	}
	return fmt.Sprintf("call_%d_%d", p.number, p.calls+1)
}

// jsonLine is v on a line. A value that cannot be written, which only arguments
// that are not JSON make, becomes an error object that says so.
func jsonLine(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte(`{"error":"scripted model: a call's arguments are not JSON"}` + "\n")
	}
	return []byte(b.String())
}
