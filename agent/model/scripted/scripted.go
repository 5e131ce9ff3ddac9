// Package scripted is a model server that says what a script tells it to. It speaks
// the protocols of Ollama and of OpenAI over real HTTP on loopback, and can wait,
// stall, break off and lie the way real servers do. Tests and the demo use it; it
// does not import testing.
//
// [Start] runs a [Server] from a [Script] or a [Func]. Each chat request takes the
// script's next [Turn]; a request that does not hold what the turn demands is
// answered with an error and noted in [Server.Failures]. [ParseScript] reads scripts
// from text.
package scripted

import (
	"encoding/json"
	"fmt"
	"strings"

	"emend/agent/model"
)

// Turn is one answer, and what the request must look like to get it. The zero Turn
// is an empty answer to any request.
type Turn struct {
	Contains []string // each must occur somewhere in the request's messages
	Lacks    []string // none may occur in them
	Last     []string // each must occur in the last message

	// Gate is waited for before anything is sent, headers included: a slow load.
	Gate     string
	Thinking string
	Text     string
	Calls    []model.Call
	Steps    []Step // after Thinking, Text and Calls, in order
	Stall    bool   // after all of these nothing more, until the client leaves

	Chunk  int    // bytes of text or thinking in a piece, at least one rune; 0: a step is a piece
	Break  int    // the connection is cut after so many bytes of body, if there are so many; -1: before any; 0: never
	Stop   string // why it ended; "" means what the protocol says of such an answer
	Prompt int    // tokens reported; 0 means an estimate
	Output int    // tokens reported; 0 means an estimate

	HTML    bool   // answers with a web page
	Status  int    // answers with this status, and Message as the error
	Message string // goes with Status

	Forever bool // the turn repeats; only the last one can
	Line    int  // where ParseScript found it; 0 when made in Go
}

// Step is one thing a turn does while it streams; exactly one field is set.
type Step struct {
	Text     string
	Thinking string
	Call     *model.Call
	Gate     string // what came before is flushed, then the gate is waited for
	Garbage  string // sent as it is, in place of a piece
	Error    string // an error object amid the stream, which ends it
	Stall    bool   // nothing more, until the client leaves or the server closes
}

// steps are all the turn's steps.
func (t Turn) steps() []Step {
	var all []Step
	if t.Thinking != "" {
		all = append(all, Step{Thinking: t.Thinking})
	}
	if t.Text != "" {
		all = append(all, Step{Text: t.Text})
	}
	for _, c := range t.Calls {
		all = append(all, Step{Call: &c})
	}
	all = append(all, t.Steps...)
	if t.Stall {
		all = append(all, Step{Stall: true})
	}
	return all
}

// misfit says why a request does not fit the turn; "" when it does.
func (t Turn) misfit(r Request) string {
	text, last := r.Text(), ""
	if n := len(r.Messages); n > 0 {
		last = messageText(r.Messages[n-1])
	}
	for _, s := range t.Contains {
		if !strings.Contains(text, s) {
			return fmt.Sprintf("the messages do not contain %q", s)
		}
	}
	for _, s := range t.Lacks {
		if strings.Contains(text, s) {
			return fmt.Sprintf("the messages contain %q", s)
		}
	}
	for _, s := range t.Last {
		if !strings.Contains(last, s) {
			return fmt.Sprintf("the last message does not contain %q: it is %.300q", s, last)
		}
	}
	return ""
}

// describe names a turn in a report.
func (t Turn) describe(number int) string {
	s := fmt.Sprintf("turn %d", number)
	if t.Line > 0 {
		s += fmt.Sprintf(" (line %d)", t.Line)
	}
	return s
}

// Script is a list of turns, used in order.
type Script []Turn

// Func makes up each turn when it is asked for. It is called for one request at a
// time, and may look at all of that.
type Func func(Request) Turn

// Answers is where a server's turns come from: a [Script] or a [Func].
type Answers interface {
	// turn returns the turn for the n-th request that got one, counting from 0, and
	// whether there is one.
	turn(n int, r Request) (Turn, bool)
}

func (s Script) turn(n int, _ Request) (Turn, bool) {
	if n >= len(s) && len(s) > 0 && s[len(s)-1].Forever {
		n = len(s) - 1
	}
	if n >= len(s) {
		return Turn{}, false
	}
	return s[n], true
}

func (f Func) turn(_ int, r Request) (Turn, bool) { return f(r), true }

// Request is a chat request as it arrived, decoded.
type Request struct {
	Wire     string // "ollama" or "openai"
	Model    string
	Messages []model.Message
	Tools    []model.Tool
	// Options is what Ollama calls options; for OpenAI, the top-level fields other
	// than model, messages and tools.
	Options       map[string]any
	Raw           json.RawMessage // the whole body
	Authorization string          // the header, as sent
}

// Text is everything the messages say, one part a line: contents, thinking, and the
// names and arguments of calls.
func (r Request) Text() string {
	parts := make([]string, 0, len(r.Messages))
	for _, m := range r.Messages {
		parts = append(parts, messageText(m))
	}
	return strings.Join(parts, "\n")
}

func messageText(m model.Message) string {
	parts := []string{m.Content}
	if m.Thinking != "" {
		parts = append(parts, m.Thinking)
	}
	for _, c := range m.Calls {
		parts = append(parts, c.Name+" "+string(c.Arguments))
	}
	return strings.Join(parts, "\n")
}

// DefaultModel is the name of the model a server has when none is given.
const DefaultModel = "scripted-coder:latest"

// Model is a model the server claims to have.
type Model struct {
	Name    string
	Window  int    // tokens; 0 means 32768
	Size    int64  // bytes; 0 means 1 GB
	Family  string // "" means "scripted"
	NoTools bool   // takes no tools
	Embed   bool   // only embeds
	Remote  string // the host that runs it, as for Ollama's cloud models
}

func (m Model) completed() Model {
	if m.Window == 0 {
		m.Window = 32768
	}
	if m.Size == 0 {
		m.Size = 1_000_000_000
	}
	if m.Family == "" {
		m.Family = "scripted"
	}
	return m
}
