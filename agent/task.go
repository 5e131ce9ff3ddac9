package agent

import "emend/internal/workspace"

// The modes of a run, as the Mode of a [Task].
const (
	ModeEdit   = "edit"   // changes files; ends in a proposal. The default.
	ModeAsk    = "ask"    // reads only; ends in an answer
	ModeRepair = "repair" // edit, with diagnostics that have to go away
)

// Task is what a person asked for. It is read only once a run has it.
type Task struct {
	// ID is the run's id, for a face that must name the run before it begins;
	// "" lets Run make one (state.NewID("run")).
	ID string
	// Instruction is the request in the person's words. It may be empty only
	// when Diagnostics say what is wrong.
	Instruction string
	// Mode is one of the Mode constants; "" is ModeEdit.
	Mode string
	// Root is the folder the run belongs to, one of the Runner's roots; ""
	// takes the focus document's root, else the first.
	Root string
	// Session is the conversation the run belongs to; "" starts a new one.
	// Its earlier turns are part of the prompt, and in an editing mode its
	// pending proposal is where the draft begins.
	Session string
	// Focus is the place the request is about; nil when it is about no place.
	Focus *Focus
	// Include names files, by path, whose text belongs in the prompt.
	Include []string
	// Diagnostics are the messages the run is to act on, in any document.
	Diagnostics []Diagnostic
	// Fresh starts from the workspace even when the session has a pending
	// proposal; the new proposal still supersedes it.
	Fresh bool
	// Model overrides the settings' model for this run; "" does not.
	Model string
	// Approval overrides the settings' approval ("review", "preview", "auto").
	// The run itself does nothing with it but hand it on in its events.
	Approval string
	// Directive is the comment that the request was written in; nil when it
	// came another way. It leaves the file together with the change.
	Directive *Directive
}

// Focus is a place in a document: bytes of the text that the run's source holds
// when the run begins. Start == End is a cursor.
type Focus struct {
	Path       workspace.Path
	Start, End int
	Symbol     string // name of the definition around it; "" unknown
}

// Diagnostic is a message about a place: bytes of the text at the run's start.
type Diagnostic struct {
	Path       workspace.Path
	Start, End int
	Message    string
	Source     string // who says so: "gopls", "go test"; "" unknown
	Code       string // the tool's own code for it; "" none
}

// Directive is the exact span of a directive comment, its line break included
// when it stands alone on its line: bytes of the text at the run's start.
type Directive struct {
	Path       workspace.Path
	Start, End int
}

// edits reports whether the task may change files.
func (t Task) edits() bool { return t.Mode != ModeAsk }
