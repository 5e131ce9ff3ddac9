package agent

import (
	"context"
	"time"

	"emend/internal/proposal"
)

// Host is the face a run is started from: the language server, the command
// line, a test. Its methods may be called from the run's goroutine at any time
// between [Runner.Run] and its return, never two at once for one run.
type Host interface {
	// Propose offers a stored proposal to the person. It returns when the
	// proposal is shown, not when it is decided. An error is reported as a
	// warning; the proposal stays stored and pending.
	Propose(ctx context.Context, p *proposal.Content) error
	// Ask puts a question and waits for the answer or the end of ctx. Nobody
	// there to answer is the question's Default, without an error.
	Ask(ctx context.Context, q Question) (Answer, error)
	// Emit tells what happens, in order. It must not block.
	Emit(e Event)
}

// The kinds of question.
const (
	// QuestionRemoteModel asks whether text of this workspace may be sent to a
	// model server on another machine. Options: Allow, Deny.
	QuestionRemoteModel = "remote-model"
	// QuestionSecret asks whether a file that the request is about, and that
	// looks like it holds secrets, may be sent to the model in this run.
	// Options: Allow, Deny.
	QuestionSecret = "secret"
)

// The options of a question for permission.
const (
	Allow = "allow"
	Deny  = "deny"
)

// Question is something only the person can decide. The run waits for it.
type Question struct {
	ID      string   `json:"id"`   // unique
	Run     string   `json:"run"`  // the run that waits
	Kind    string   `json:"kind"` // one of the Question constants
	Text    string   `json:"text"` // the question, one sentence
	Detail  string   `json:"detail,omitempty"`
	Options []string `json:"options"`
	Default string   `json:"default"` // one of Options; always the one that permits nothing
}

// Answer is one of a question's Options. Anything else counts as its Default.
type Answer struct {
	Choice string `json:"choice"`
}

// Kind says what an [Event] tells.
type Kind string

// The kinds of event, in the order in which a run has them.
const (
	KindStarted    Kind = "started"     // Text: the instruction; Data: Started
	KindStep       Kind = "step"        // a request to the model begins; Step
	KindToken      Kind = "token"       // Text: a piece of the model's answer. In the store: the whole answer of a step
	KindThinking   Kind = "thinking"    // Text: a piece of its thoughts. In the store: all of a step
	KindToolCall   Kind = "tool_call"   // Tool, Path as the model wrote it; Data: the arguments. The checks are the tool "checks"
	KindToolResult Kind = "tool_result" // Tool, Path, Text: what the model reads; Data: ToolDone. Edits written as text are the tool "blocks", without a call
	KindQuestion   Kind = "question"    // Text; Data: Question, and after it a second one with Data: Answer
	KindUsage      Kind = "usage"       // Prompt, Output: tokens of this step; Data: Window
	KindWarning    Kind = "warning"     // Text: something the person should know
	KindProposal   Kind = "proposal"    // Text: its title; Data: Proposed
	KindEnded      Kind = "ended"       // Text: the reason; Data: Outcome. Exactly once, last
)

// Event is one thing that happened in a run.
type Event struct {
	Run    string    `json:"run"`
	Kind   Kind      `json:"kind"`
	Text   string    `json:"text,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	Path   string    `json:"path,omitempty"` // relative to its root
	Step   int       `json:"step,omitempty"` // from 1; 0 before the first request
	Prompt int       `json:"prompt,omitempty"`
	Output int       `json:"output,omitempty"`
	Data   any       `json:"data,omitempty"` // marshals to JSON; its type goes with Kind
	Time   time.Time `json:"time"`
}

// Started is the Data of [KindStarted].
type Started struct {
	Session  string `json:"session"`
	Mode     string `json:"mode"`
	Approval string `json:"approval,omitempty"`
	Follows  string `json:"follows,omitempty"` // the pending proposal the draft began from
}

// ToolDone is the Data of [KindToolResult].
type ToolDone struct {
	Refused bool `json:"refused"` // the tool did not do what was asked
	Lines   int  `json:"lines"`   // lines of the result
}

// Window is the Data of [KindUsage].
type Window struct {
	Model  string `json:"model"`
	Tokens int    `json:"tokens"` // size of the context window in use; 0 unknown
}

// Proposed is the Data of [KindProposal].
type Proposed struct {
	Proposal   string   `json:"proposal"`
	Supersedes string   `json:"supersedes,omitempty"`
	Files      []string `json:"files"` // relative to their root
	Checks     string   `json:"checks,omitempty"`
}
