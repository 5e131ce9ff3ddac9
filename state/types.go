package state

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// A Hash is the SHA-256 of a blob's bytes. The zero Hash means "no blob". In JSON it is lower-case hexadecimal, "" for
// the zero Hash.
type Hash [32]byte

// IsZero reports whether h names no blob.
func (h Hash) IsZero() bool { return h == Hash{} }

// String is h in lower-case hexadecimal, "" for the zero Hash.
func (h Hash) String() string {
	if h.IsZero() {
		return ""
	}
	return hex.EncodeToString(h[:])
}

// MarshalText implements encoding.TextMarshaler as String does.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler for what MarshalText writes.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*h = Hash{}
		return nil
	}
	var out Hash
	if len(text) != 2*len(out) {
		return fmt.Errorf("reading a hash: %d characters instead of %d", len(text), 2*len(out))
	}
	if _, err := hex.Decode(out[:], text); err != nil {
		return fmt.Errorf("reading a hash: %w", err)
	}
	*h = out
	return nil
}

// A Session is one conversation: its turns share a history, and at most one of its proposals is pending at a time.
type Session struct {
	ID      string    `json:"id"`
	Root    string    `json:"root,omitempty"`  // absolute folder it lives in
	Title   string    `json:"title,omitempty"` // for people
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`          // last turn; PutSession does not touch it
	Model   string    `json:"model,omitempty"`  // "" = the settings decide
	Window  int       `json:"window,omitempty"` // context window fixed for the session, in tokens; 0 = not yet fixed
}

// A Turn is one message of a session, as a person reads it.
type Turn struct {
	Session string    `json:"session"`
	Seq     uint64    `json:"seq"`  // from 1 upwards within the session; given by AppendTurn
	Role    string    `json:"role"` // "user" or "assistant"
	Content string    `json:"content"`
	Run     string    `json:"run,omitempty"` // the run that answered or was started, "" = none
	Time    time.Time `json:"time"`
}

// A RunStatus says how far a run has come.
type RunStatus string

// The states of a run. All but RunRunning are final.
const (
	RunRunning     RunStatus = "running"
	RunDone        RunStatus = "done"
	RunRefused     RunStatus = "refused"     // the model or a rule declined
	RunCancelled   RunStatus = "cancelled"   // by the person
	RunFailed      RunStatus = "failed"      // Reason says why
	RunInterrupted RunStatus = "interrupted" // its process went away
)

// Final reports whether s is a status that no run leaves again.
func (s RunStatus) Final() bool { return s != RunRunning && s != "" }

// A Run is one piece of agent work and how it ended.
type Run struct {
	ID           string    `json:"id"`
	Session      string    `json:"session,omitempty"`
	Root         string    `json:"root,omitempty"`
	Mode         string    `json:"mode,omitempty"`
	Instruction  string    `json:"instruction,omitempty"`
	Focus        string    `json:"focus,omitempty"` // a path, for people
	Model        string    `json:"model,omitempty"`
	Provider     string    `json:"provider,omitempty"`
	Status       RunStatus `json:"status"`
	Reason       string    `json:"reason,omitempty"`
	PID          int       `json:"pid,omitempty"`  // process that runs it; PutRun fills it in for a running run when zero
	Boot         string    `json:"boot,omitempty"` // boot of the machine that PID belongs to; filled in with PID
	Born         string    `json:"born,omitempty"` // start time of that process in the system's own unit, "" = unknown
	Started      time.Time `json:"started"`
	Ended        time.Time `json:"ended,omitzero"`
	Steps        int       `json:"steps,omitempty"`
	PromptTokens int       `json:"prompt_tokens,omitempty"`
	OutputTokens int       `json:"output_tokens,omitempty"`
	Proposal     string    `json:"proposal,omitempty"` // "" = none
}

// An Event is one step of a run's trace.
type Event struct {
	Seq  uint64          `json:"seq"` // from 1 upwards within the run; given by AppendEvents
	Time time.Time       `json:"time"`
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data,omitempty"`
}

// A ProposalStatus says what became of a proposal.
type ProposalStatus string

// The states of a proposal.
const (
	ProposalPending    ProposalStatus = "pending"
	ProposalApplied    ProposalStatus = "applied"
	ProposalPartly     ProposalStatus = "partly" // some hunks applied, none pending
	ProposalDiscarded  ProposalStatus = "discarded"
	ProposalSuperseded ProposalStatus = "superseded" // another proposal carries its hunks on
	ProposalConflicted ProposalStatus = "conflicted" // what is left cannot be applied to the texts as they now are
)

// A Fate says what became of one hunk.
type Fate string

// The fates of a hunk.
const (
	FatePending   Fate = "pending"
	FateApplied   Fate = "applied"
	FateDiscarded Fate = "discarded"
	FateConflict  Fate = "conflict"
)

// A Proposal is what a run wants to change.
type Proposal struct {
	ID         string         `json:"id"`
	Session    string         `json:"session,omitempty"`
	Run        string         `json:"run,omitempty"`
	Root       string         `json:"root,omitempty"`
	Title      string         `json:"title,omitempty"`
	Supersedes string         `json:"supersedes,omitempty"` // id of the proposal it carries on, "" = none
	Checks     string         `json:"checks,omitempty"`     // what the checks said of it, one line
	Status     ProposalStatus `json:"status"`
	Created    time.Time      `json:"created"`
	Updated    time.Time      `json:"updated"`
	Files      []ProposalFile `json:"files,omitempty"`
}

// A ProposalFile is one file of a proposal. Its texts are blobs.
type ProposalFile struct {
	Path        string         `json:"path"`
	URI         string         `json:"uri,omitempty"`  // the editor's spelling
	From        string         `json:"from,omitempty"` // old path of a rename
	Kind        string         `json:"kind"`           // "edit", "create", "delete" or "rename"
	Base        Hash           `json:"base"`           // text it was made against
	After       Hash           `json:"after"`          // text with every hunk applied
	BaseExists  bool           `json:"base_exists,omitempty"`
	BOM         bool           `json:"bom,omitempty"`
	BaseVersion int32          `json:"base_version,omitempty"` // version of the open document, 0 when it was not open
	Mode        uint32         `json:"mode,omitempty"`         // permission bits of fs.FileMode
	Hunks       []ProposalHunk `json:"hunks,omitempty"`
}

// A ProposalHunk is one change of a file. Lines are zero-based and half-open; Old in Base, New in After.
type ProposalHunk struct {
	ID       string `json:"id"`
	Fate     Fate   `json:"fate"`
	OldStart int    `json:"old_start"`
	OldEnd   int    `json:"old_end"`
	NewStart int    `json:"new_start"`
	NewEnd   int    `json:"new_end"`
}

// A Checkpoint holds what files were before a change, for undo.
type Checkpoint struct {
	ID       string           `json:"id"`
	Root     string           `json:"root,omitempty"`
	Label    string           `json:"label,omitempty"`
	Run      string           `json:"run,omitempty"`
	Proposal string           `json:"proposal,omitempty"`
	Parent   string           `json:"parent,omitempty"` // checkpoint this one undoes or follows, "" = none
	Created  time.Time        `json:"created"`
	Files    []CheckpointFile `json:"files,omitempty"`
}

// A CheckpointFile is one file of a checkpoint. Its texts are blobs.
type CheckpointFile struct {
	Path        string `json:"path"`
	URI         string `json:"uri,omitempty"`
	Existed     bool   `json:"existed,omitempty"`
	Open        bool   `json:"open,omitempty"` // it was open in the editor
	Before      Hash   `json:"before"`         // zero when it did not exist
	After       Hash   `json:"after"`          // text expected after the apply; zero when deleted
	AfterExists bool   `json:"after_exists,omitempty"`
	Mode        uint32 `json:"mode,omitempty"` // permission bits of fs.FileMode
	BOM         bool   `json:"bom,omitempty"`
}

// The kinds of a Grant.
const (
	GrantRemoteModel = "remote-model" // text may leave for the host Subject
	GrantChecks      = "checks"       // the checks of the root may run; Subject is a hash of what names them
	GrantCommand     = "command"      // the command or prefix Subject may run
)

// A Grant is a permission that a person gave for this workspace.
type Grant struct {
	ID      string    `json:"id"`
	Root    string    `json:"root,omitempty"`
	Kind    string    `json:"kind"`
	Subject string    `json:"subject,omitempty"`
	Created time.Time `json:"created"`
}

// A Note is a piece of text that the agent keeps for later runs.
type Note struct {
	ID      string    `json:"id"`
	Root    string    `json:"root,omitempty"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}

// A Notice tells a person what the store had to do on its own, such as setting a damaged file aside.
type Notice struct {
	Time    time.Time
	Path    string // where the file that was set aside now is, "" = no file was moved
	Message string // one or two sentences for a person, path included
}
