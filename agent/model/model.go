// Package model talks to language models.
//
// A [Provider] is one server: [New] makes one from a [Config], [Pick] chooses a
// model on it, and [Provider.Chat] streams one turn. Two wire protocols are
// spoken: Ollama's own and the chat completions of OpenAI and everything
// compatible with it.
//
// Every failure is an [*Error] with a [Kind], what was tried on which host, and a
// remedy for the person. Nothing is retried in here: [Retryable] says what the
// caller may try again from a clean point.
//
// The package knows nothing of editors, files, prompts or what a tool does, and
// imports nothing else of this module.
package model

import (
	"context"
	"encoding/json"
	"time"
)

// Role says who speaks in a [Message].
type Role string

// The roles of a conversation.
const (
	System    Role = "system"    // instructions; at most one, first
	User      Role = "user"      // the person, or what speaks for them
	Assistant Role = "assistant" // the model
	ToolRole  Role = "tool"      // the result of one call
)

// Message is one turn of a conversation. Only Role is always set.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content,omitempty"`
	// Thinking is what a reasoning model said to itself. It is shown, and given
	// back to servers that take it; it is never part of the answer.
	Thinking string `json:"thinking,omitempty"`
	// Calls are the tool calls of an assistant message, in the model's order.
	Calls []Call `json:"calls,omitempty"`
	// CallID and ToolName tie a tool message to the call it answers.
	CallID   string `json:"call_id,omitempty"`
	ToolName string `json:"tool_name,omitempty"`
}

// Call is a model's wish to use a tool.
type Call struct {
	// ID is unique within its message; made up where a server sends none.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is always valid JSON: an object when the model behaved, and a JSON
	// string with the model's own words when those were not JSON.
	Arguments json.RawMessage `json:"arguments"`
}

// Tool is what a model is told of a tool.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Schema is a JSON Schema of type object; nil means no arguments.
	Schema json.RawMessage `json:"schema,omitempty"`
}

// DefaultNumCtx is the context window, in tokens, asked for when
// [Options.NumCtx] is zero.
const DefaultNumCtx = 16384

// Options are the settings of a generation. A zero or nil field is left to the
// server, except NumCtx, which is always sent to servers that take it: they would
// silently cut the prompt at a small default otherwise.
type Options struct {
	NumCtx        int // tokens; 0 means DefaultNumCtx
	MaxTokens     int // of the answer; 0 means no limit of ours
	Temperature   *float64
	TopP          *float64
	TopK          *int
	MinP          *float64
	RepeatPenalty *float64
	Seed          *int
	// KeepAlive is how long the model stays loaded: a Go duration, or a number of
	// seconds; negative means for ever. Ollama only.
	KeepAlive string
	// Think is "" (the server's default, nothing is sent), "true", "false", or a
	// level ("low", "medium", "high").
	Think string
}

// Request asks for the next assistant message.
type Request struct {
	Model    string
	Messages []Message
	Tools    []Tool
	Options  Options
}

// Chunk is a piece of an answer as it comes; exactly one field is set. A Call
// comes whole.
type Chunk struct {
	Text     string
	Thinking string
	Call     *Call
}

// Usage counts tokens as the server did; zero when it did not say.
type Usage struct {
	Prompt int
	Output int
}

// Why an answer ended, in [Response.Stop]. Other values are a server's own words.
const (
	StopEnd    = "stop"       // the model was done
	StopLength = "length"     // the window or MaxTokens was full: the answer is cut
	StopCalls  = "tool_calls" // the model wants tools
)

// Response is a whole answer.
type Response struct {
	Message Message // role Assistant: everything that was emitted, put together
	Usage   Usage
	Stop    string
	Model   string // the model that answered, as the server names it
}

// Info describes a model of a server.
type Info struct {
	Name string
	// Window is the longest context the model takes, in tokens; 0 means unknown.
	Window int
	// Tools says whether the model takes tool definitions.
	Tools bool
	// Size is the model's size on disk in bytes; 0 means unknown.
	Size int64
	// Parameters is the number of parameters; 0 means unknown.
	Parameters int64
	// Family is the architecture as the server names it, "" when unknown.
	Family string
	// Remote is the host that really runs the model when the server only forwards
	// to it ("https://ollama.com:443"), else "". Text sent to such a model leaves
	// the machine even where [Provider.Loopback] is true.
	Remote string
	// Chat is false for models that only embed, rank, transcribe or draw.
	Chat bool
	// Created is when the model was made or fetched; zero when unknown.
	Created time.Time
}

// Provider is one model server. Implementations are safe for concurrent use and
// hold no connection between calls.
type Provider interface {
	// Name is the protocol: "ollama" or "openai".
	Name() string
	// Host is where text goes: "127.0.0.1:11434" or "unix:/run/llama.sock".
	Host() string
	// Loopback reports whether Host is this machine. See also [Info.Remote].
	Loopback() bool
	// Chat streams one answer. emit, which may be nil, is called in order on the
	// caller's goroutine; it must not block for long. It waits as long as ctx lets
	// it: loading a model can take minutes. When ctx ends, the connection is closed
	// at once, so that the server stops generating, and the error is of kind
	// [Cancelled]. On an error the response is nil, and what was emitted is void.
	Chat(ctx context.Context, req Request, emit func(Chunk)) (*Response, error)
	// Models lists what the server has, in the server's order. Only Name is
	// certain; [Provider.Describe] knows more.
	Models(ctx context.Context) ([]Info, error)
	// Describe looks one model up.
	Describe(ctx context.Context, model string) (Info, error)
}
