package lsptest

import "encoding/json"

// Position is a place in a document as it goes over the wire: zero-based, the
// character counted in units of the encoding agreed on with the server.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is the text from Start up to but not including End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// At returns the empty range at a position.
func At(line, character int) Range {
	p := Position{Line: line, Character: character}
	return Range{Start: p, End: p}
}

// Diagnostic is one finding, as published. Raw keeps every member the server
// sent, those without a field here included; a diagnostic made by a test may
// leave it nil.
type Diagnostic struct {
	Range    Range           `json:"range"`
	Severity int             `json:"severity,omitempty"` // 1 error, 2 warning, 3 information, 4 hint; 0 not said
	Code     any             `json:"code,omitempty"`
	Source   string          `json:"source,omitempty"`
	Message  string          `json:"message"`
	Data     json.RawMessage `json:"data,omitempty"`
	Raw      map[string]any  `json:"-"`
}

// Command names something the server can do, with its arguments.
type Command struct {
	Title     string            `json:"title"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}

// CodeAction is one row of the editor's menu. A server that answers with bare
// commands is understood too: such a row has only Title and Command.
type CodeAction struct {
	Title       string          `json:"title"`
	Kind        string          `json:"kind,omitempty"`
	Diagnostics []Diagnostic    `json:"diagnostics,omitempty"`
	IsPreferred bool            `json:"isPreferred,omitempty"`
	Disabled    *Disabled       `json:"disabled,omitempty"`
	Edit        json.RawMessage `json:"edit,omitempty"` // a WorkspaceEdit, or nil
	Command     *Command        `json:"command,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
	Raw         json.RawMessage `json:"-"` // the action as the server sent it
}

// Disabled says why an action cannot be taken.
type Disabled struct {
	Reason string `json:"reason"`
}

// CodeLens is a line of the server's own above a line of text.
type CodeLens struct {
	Range   Range           `json:"range"`
	Command *Command        `json:"command,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// MessageType is the severity of a message to the person.
type MessageType int

// The severities of the protocol.
const (
	MessageError   MessageType = 1
	MessageWarning MessageType = 2
	MessageInfo    MessageType = 3
	MessageLog     MessageType = 4
	MessageDebug   MessageType = 5
)

// Message is what the server said to the person (window/showMessage) or into
// the log (window/logMessage).
type Message struct {
	Type MessageType `json:"type"`
	Text string      `json:"message"`
	Log  bool        `json:"-"` // it went to the log
}

// Question is a window/showMessageRequest and what became of it.
type Question struct {
	Type    MessageType
	Text    string
	Actions []string // titles, in order
	// Answer is the title picked, "" while it is open and when the person
	// dismissed it.
	Answer string
	// Done is set once the reply has been sent.
	Done bool
}

// ShownDocument is a window/showDocument and the answer to it.
type ShownDocument struct {
	URI       string `json:"uri"`
	External  bool   `json:"external"`
	TakeFocus *bool  `json:"takeFocus"`
	Selection *Range `json:"selection"`
	Success   bool   `json:"-"`
}

// Progress is the life of one work-done token.
type Progress struct {
	Token       string // a number is kept in its decimal form
	Created     bool   // by window/workDoneProgress/create
	Begun       bool
	Ended       bool
	Title       string
	Cancellable bool
	Percentage  int      // the last one reported; -1 when none was
	Messages    []string // of begin, report and end, in order, empty ones left out
	End         string   // the message of the end
}

// Registration is a capability the server registered while running.
type Registration struct {
	ID      string          `json:"id"`
	Method  string          `json:"method"`
	Options json.RawMessage `json:"registerOptions,omitempty"`
}

// Notification is a notification with no meaning to the editor.
type Notification struct {
	Method string
	Params json.RawMessage
}

// AppliedEdit is one workspace/applyEdit and what the editor made of it.
type AppliedEdit struct {
	Label   string
	Edit    json.RawMessage // the WorkspaceEdit
	Reply   string          // the result or error sent, as JSON; "" while none was sent
	Changed []string        // URIs whose text or existence really changed
	Stuck   bool            // the editor will never answer
}

// Buffer is a copy of a document as the editor has it.
type Buffer struct {
	URI      string // the editor's own spelling
	Language string
	Text     string // as the server's mirror should have it, once pending changes are sent
	Version  int    // the last version announced
	Open     bool   // announced to the server by didOpen
	Hidden   bool   // loaded by an edit, in no window
	Dirty    bool   // differs from what was loaded or saved last
}

// Preview is what a person is shown before an edit is applied.
type Preview struct {
	Label string
	Edits []PreviewEdit
}

// PreviewEdit is one row of a preview.
type PreviewEdit struct {
	URI        string
	Range      Range
	NewText    string
	Annotation string // the annotation's label, "" without one
	Ticked     bool   // as the editor ticked it to begin with
	Operation  string // "create", "rename" or "delete" for a file operation
}

// Decision is what the person did with a preview. The zero value applies what
// was ticked to begin with.
type Decision struct {
	Discard bool
	Ticks   []bool // one for each row; nil keeps the ticks
}
