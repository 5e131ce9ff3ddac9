package lsptest

import (
	"context"
	"encoding/json"
	"io"
	"time"
)

type Profile struct{ Name string }

func Profiles() []string                       { panic("todo") }
func LoadProfile(name string) (Profile, error) { panic("todo") }

type Config struct {
	Profile     string // name of an embedded profile, or a prefix of one ("neovim" = the newest); "" = "vscode"
	Custom      *Profile
	Root        string   // workspace folder; "" = none (rootUri null)
	Folders     []string // further workspace folders
	Encodings   []string // offered instead of the profile's
	InitOptions any      // initializationOptions
	Settings    map[string]any
	ProcessID   int
	PatchInit   func(params map[string]any)
	Answer      func(q Question) string  // showMessageRequest: title to pick, "" = dismissed
	Preview     func(p Preview) Decision // nil = apply as pre-ticked
	Patience    time.Duration            // longest wait of Await and requests; 0 = 20s
	Logf        func(format string, args ...any)
}

type Editor struct{}

func Pipe() (editor, server io.ReadWriteCloser) { panic("todo") }
func Start(ctx context.Context, rwc io.ReadWriteCloser, cfg Config) (*Editor, error) {
	panic("todo")
}
func (e *Editor) URI(file string) string                           { panic("todo") }
func (e *Editor) Open(file string) error                           { panic("todo") }
func (e *Editor) OpenText(uri, language, text string) error        { panic("todo") }
func (e *Editor) Buffer(file string) (Buffer, bool)                { panic("todo") }
func (e *Editor) Text(file string) string                          { panic("todo") }
func (e *Editor) Find(file, needle string) (Range, error)          { panic("todo") }
func (e *Editor) Type(file string, at Position, text string) error { panic("todo") }
func (e *Editor) Replace(file string, r Range, text string) error  { panic("todo") }
func (e *Editor) Save(file string) error                           { panic("todo") }
func (e *Editor) Close(file string) error                          { panic("todo") }
func (e *Editor) Undo(file string) error                           { panic("todo") }
func (e *Editor) SetForeign(file string, ds ...Diagnostic)         { panic("todo") }
func (e *Editor) CodeActions(ctx context.Context, file string, r Range, foreign ...Diagnostic) ([]CodeAction, error) {
	panic("todo")
}
func (e *Editor) Run(ctx context.Context, a CodeAction) (json.RawMessage, error) { panic("todo") }
func (e *Editor) Pick(ctx context.Context, file string, r Range, titlePrefix string) (json.RawMessage, error) {
	panic("todo")
}
func (e *Editor) Execute(ctx context.Context, command string, args ...any) (json.RawMessage, error) {
	panic("todo")
}
func (e *Editor) Diagnostics(file string) []Diagnostic { panic("todo") }
func (e *Editor) Hover(ctx context.Context, file string, at Position) (string, error) {
	panic("todo")
}
func (e *Editor) CodeLenses(ctx context.Context, file string) ([]CodeLens, error) { panic("todo") }
func (e *Editor) Request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	panic("todo")
}
func (e *Editor) Notify(method string, params any) error { panic("todo") }
func (e *Editor) SendRaw(frame []byte) error             { panic("todo") }
func (e *Editor) Cancel(token string) error              { panic("todo") }
func (e *Editor) Shutdown(ctx context.Context) error     { panic("todo") }
func (e *Editor) Exit(ctx context.Context) error         { panic("todo") }
func (e *Editor) Kill() error                            { panic("todo") }
func (e *Editor) Violations() []string                   { panic("todo") }
func (e *Editor) Trace() string                          { panic("todo") }
func (e *Editor) Messages() []Message                    { panic("todo") }

type State struct {
	Capabilities  map[string]any
	Messages      []Message
	Questions     []Question
	Shown         []ShownDocument
	Progress      []Progress
	Edits         []AppliedEdit
	Events        []Notification
	Registrations []Registration
	Violations    []string
	Closed        bool
}

func (s *State) Buffer(file string) (Buffer, bool)    { panic("todo") }
func (s *State) Diagnostics(file string) []Diagnostic { panic("todo") }

func (e *Editor) Await(ctx context.Context, what string, cond func(*State) bool) error {
	panic("todo")
}
func (e *Editor) AwaitMessage(ctx context.Context, substring string) (Message, error) {
	panic("todo")
}
func (e *Editor) AwaitProgressEnd(ctx context.Context, title string) (Progress, error) {
	panic("todo")
}
func (e *Editor) AwaitDiagnostics(ctx context.Context, file string, cond func([]Diagnostic) bool) error {
	panic("todo")
}
func (e *Editor) AwaitBuffer(ctx context.Context, file string, cond func(string) bool) error {
	panic("todo")
}

// TB is the part of testing.TB that New needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
	Cleanup(func())
	Context() context.Context
	Failed() bool
}

// Env is an Editor whose methods fail the test instead of returning errors.
type Env struct{ *Editor }

// New starts an editor on rwc for the length of a test: at its end it shuts the server down, and fails the test on any violation.
func New(tb TB, rwc io.ReadWriteCloser, cfg Config) *Env { panic("todo") }
