// Package scripted is a model server that says what a script tells it to, over
// real HTTP on loopback, in the protocols of Ollama and of OpenAI.
package scripted

import (
	"context"
	"encoding/json"

	"emend/agent/model"
)

// Turn is one answer, and what the request must look like to get it.
type Turn struct {
	Contains []string // each must occur somewhere in the request's messages
	Lacks    []string // none may occur in them
	Last     []string // each must occur in the last message

	Gate     string // waited for before anything is sent, headers included: a slow load
	Thinking string
	Text     string
	Calls    []model.Call
	Steps    []Step // after Thinking, Text and Calls, in order

	Chunk  int    // bytes of text in a piece, at least one rune; 0 means all at once
	Break  int    // the connection is cut after so many bytes of body; -1: before any; 0: never
	Stop   string // done reason; "" means stop, or tool_calls where that is the protocol's word
	Prompt int    // tokens reported; 0 means an estimate
	Output int    // tokens reported; 0 means an estimate

	HTML    bool   // answers with a web page
	Status  int    // answers with this status and Message as the error
	Message string // goes with Status

	Forever bool // the turn repeats; it must be the last
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
	Stall    bool   // nothing more, until the client leaves
}

// Script is a list of turns, used in order.
type Script []Turn

// Func makes up each turn when it is asked for. Calls are not concurrent.
type Func func(Request) Turn

// Answers is where a server's turns come from: a [Script] or a [Func].
type Answers interface{ answers() }

func (Script) answers() {}
func (Func) answers()   {}

// Request is a chat request as it arrived, decoded.
type Request struct {
	Wire          string // "ollama" or "openai"
	Model         string
	Messages      []model.Message
	Tools         []model.Tool
	Options       map[string]any // ollama: "options"; openai: every other top-level field
	Raw           json.RawMessage
	Authorization string
}

// Model is a model the server claims to have.
type Model struct {
	Name    string
	Window  int
	Size    int64
	Family  string
	NoTools bool
	Embed   bool
	Remote  string
}

// Server is a running scripted model server.
type Server struct{}

// Start runs a server. Without models it has one, [DefaultModel].
func Start(a Answers, models ...Model) (*Server, error) { panic("todo") }

// DefaultModel is the name of the model a server has when none is given.
const DefaultModel = "scripted-coder:latest"

// URL is the base URL for the Ollama protocol.
func (s *Server) URL() string { panic("todo") }

// OpenAI is the base URL for the OpenAI protocol.
func (s *Server) OpenAI() string { panic("todo") }

// Requests returns the chat requests so far, in order of arrival.
func (s *Server) Requests() []Request { panic("todo") }

// Await waits until n chat requests have arrived, and returns the n-th (from 1).
func (s *Server) Await(ctx context.Context, n int) (Request, error) { panic("todo") }

// Release opens a gate, for good.
func (s *Server) Release(gate string) { panic("todo") }

// Reached is closed when a turn first waits at the gate.
func (s *Server) Reached(gate string) <-chan struct{} { panic("todo") }

// Left yields the number of the request (from 1) each time a client leaves before its answer was finished.
func (s *Server) Left() <-chan int { panic("todo") }

// Unused describes the turns that were never asked for.
func (s *Server) Unused() []string { panic("todo") }

// Failures describes the requests that did not fit the script.
func (s *Server) Failures() []string { panic("todo") }

// Check joins Failures and Unused into one error, or nil.
func (s *Server) Check() error { panic("todo") }

// Close stops the server and waits for what it was doing.
func (s *Server) Close() error { panic("todo") }

// ParseScript reads the text form of a script.
func ParseScript(text string) (Script, error) { panic("todo") }
