package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// maxCalls bounds the tool calls of one answer.
const maxCalls = 128

// answer puts a response together from its pieces, and passes them on.
type answer struct {
	emit     func(Chunk)
	content  strings.Builder
	thoughts strings.Builder
	resp     Response
}

func newAnswer(emit func(Chunk)) *answer {
	if emit == nil {
		emit = func(Chunk) {}
	}
	return &answer{emit: emit, resp: Response{Message: Message{Role: Assistant}}}
}

func (a *answer) text(s string) {
	if s != "" {
		a.content.WriteString(s)
		a.emit(Chunk{Text: s})
	}
}

func (a *answer) thinking(s string) {
	if s != "" {
		a.thoughts.WriteString(s)
		a.emit(Chunk{Thinking: s})
	}
}

// call adds a finished tool call, and sees to it that its id is its own.
func (a *answer) call(id, name, arguments string) error {
	calls := a.resp.Message.Calls
	if len(calls) >= maxCalls {
		return fmt.Errorf("the answer holds more than %d tool calls", maxCalls)
	}
	used := func(id string) bool {
		for _, c := range calls {
			if c.ID == id {
				return true
			}
		}
		return id == ""
	}
	for n := len(calls) + 1; used(id); n++ {
		id = fmt.Sprintf("call_%d", n)
	}
	c := Call{ID: id, Name: name, Arguments: validArguments(arguments)}
	a.resp.Message.Calls = append(calls, c)
	a.emit(Chunk{Call: &c})
	return nil
}

func (a *answer) response() *Response {
	r := a.resp
	r.Message.Content = a.content.String()
	r.Message.Thinking = a.thoughts.String()
	if len(r.Message.Calls) > 0 && (r.Stop == StopEnd || r.Stop == "function_call") {
		r.Stop = StopCalls
	}
	return &r
}

// validArguments keeps what a model wrote as arguments, as JSON in any case.
func validArguments(s string) json.RawMessage {
	s = strings.TrimSpace(s)
	if s == "" || s == "null" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage("{}")
	}
	return quoted
}

// rawArguments is the inverse of validArguments: the model's own words.
func rawArguments(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// isTransport reports whether err is the HTTP client's, not a decoder's.
func isTransport(err error) bool {
	var u *url.Error
	return errors.As(err, &u)
}
