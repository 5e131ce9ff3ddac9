package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// completion puts an answer of chat completions together.
type completion struct {
	x *exchange
	*answer
	calls    []*pendingCall // in order of appearance
	finished bool           // the end mark has come
}

// pendingCall is a tool call whose pieces are still coming.
type pendingCall struct {
	index     int
	id, name  string
	arguments strings.Builder
}

// piece is one event of a stream, or a whole completion. The types are our own,
// because servers that call themselves compatible send arguments as objects, null
// for anything, and reasoning under two names.
type piece struct {
	Model   string `json:"model"`
	Choices []struct {
		Index        int     `json:"index"`
		Delta        speech  `json:"delta"`
		Message      speech  `json:"message"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type speech struct {
	Content          *string     `json:"content"`
	Refusal          *string     `json:"refusal"`
	Reasoning        *string     `json:"reasoning"`
	ReasoningContent *string     `json:"reasoning_content"`
	ToolCalls        []callPiece `json:"tool_calls"`
}

type callPiece struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// take adds one piece.
func (s *completion) take(data []byte) error {
	var p piece
	if err := json.Unmarshal(data, &p); err != nil {
		return s.x.newFault(BadReply, "a piece of the answer cannot be read: "+brief(string(data)), s.x.addressRemedy(), err)
	}
	if len(p.Error) > 0 && !bytes.Equal(p.Error, []byte("null")) {
		return s.x.reported(p.Error)
	}
	if p.Model != "" {
		s.resp.Model = p.Model
	}
	if p.Usage != nil {
		s.resp.Usage = Usage{Prompt: p.Usage.Prompt, Output: p.Usage.Output}
	}
	for _, c := range p.Choices {
		if c.Index != 0 {
			continue
		}
		for _, said := range []speech{c.Delta, c.Message} {
			if err := s.say(said); err != nil {
				return err
			}
		}
		if c.FinishReason != nil && *c.FinishReason != "" {
			s.resp.Stop = *c.FinishReason
		}
	}
	return nil
}

func (s *completion) say(said speech) error {
	// The names are alternatives; a server that sends both sends the same twice.
	if said.ReasoningContent != nil {
		s.thinking(*said.ReasoningContent)
	} else if said.Reasoning != nil {
		s.thinking(*said.Reasoning)
	}
	for _, text := range []*string{said.Content, said.Refusal} {
		if text != nil {
			s.text(*text)
		}
	}
	for i, c := range said.ToolCalls {
		if err := s.callPiece(i, c); err != nil {
			return err
		}
	}
	return nil
}

// callPiece adds a piece to the call it belongs to: the one with its index, unless
// it has an id of its own. Some servers give no index, or always the same, but send
// whole calls with ids.
func (s *completion) callPiece(position int, c callPiece) error {
	index := position
	if c.Index != nil {
		index = max(*c.Index, 0)
	}
	var call *pendingCall
	for _, known := range s.calls {
		if known.index == index && (c.ID == "" || known.id == "" || c.ID == known.id) {
			call = known
		}
	}
	if call == nil {
		if len(s.calls) >= maxCalls {
			return s.x.newFault(BadReply, fmt.Sprintf("the answer holds more than %d tool calls", maxCalls), "", nil)
		}
		call = &pendingCall{index: index}
		s.calls = append(s.calls, call)
	}
	if call.id == "" {
		call.id = c.ID
	}
	// A name comes once, in pieces, or again with every piece.
	if c.Function.Name != call.name {
		if call.name += c.Function.Name; len(call.name) > maxName {
			return s.x.newFault(BadReply, fmt.Sprintf("the name of a tool call is longer than %d bytes", maxName), "", nil)
		}
	}
	if raw := c.Function.Arguments; len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
		call.arguments.WriteString(rawArguments(raw))
	}
	return nil
}

// maxName bounds the name of a tool call, in bytes.
const maxName = 1000

// flush passes on the calls, which are whole now.
func (s *completion) flush() error {
	for _, c := range s.calls {
		if err := s.call(c.id, c.name, c.arguments.String()); err != nil {
			return s.x.newFault(BadReply, err.Error(), "", err)
		}
	}
	return nil
}
