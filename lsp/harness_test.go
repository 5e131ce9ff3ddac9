package lsp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"emend/agent/model"
	"emend/agent/model/scripted"
	"emend/internal/config"
	"emend/lsp/lsptest"
	"emend/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a workspace with a server, an editor and a scripted model.
type world struct {
	*lsptest.Env
	t     *testing.T
	dir   string // the workspace folder
	state string // the state folder
	model *scripted.Server
	code  chan int // Serve's exit code
	cut   bool     // the editor was killed
}

// setup changes what a world starts with.
type setup struct {
	profile  string
	files    map[string]string
	script   string // "" has no model server at all
	answers  scripted.Answers
	model    *scripted.Server // a running one, of an earlier world
	settings func(*config.Settings)
	config   lsptest.Config
	options  func(*Options)
	state    string
	dir      string
}

func newWorld(t *testing.T, su setup) *world {
	t.Helper()
	w := &world{t: t, dir: su.dir, state: su.state, code: make(chan int, 1)}
	if w.dir == "" {
		w.dir = t.TempDir()
	}
	if w.state == "" {
		w.state = t.TempDir()
	}
	for name, text := range su.files {
		w.write(name, text)
	}
	w.startModel(su)
	opts := Options{Version: "test", StateHome: w.state, Log: testLog(t), Settings: w.settings(su.settings), NewProvider: newProvider}
	if su.options != nil {
		su.options(&opts)
	}
	editorSide, serverSide := lsptest.Pipe()
	go func() {
		code, err := NewServer(opts).Serve(context.WithoutCancel(t.Context()), serverSide)
		if err != nil {
			t.Logf("Serve: %v", err)
		}
		w.code <- code
	}()
	cfg := su.config
	if cfg.Profile == "" {
		cfg.Profile = su.profile
	}
	switch cfg.Root {
	case "":
		cfg.Root = w.dir
	case "none":
		cfg.Root = ""
	}
	t.Cleanup(func() {
		select {
		case <-w.code:
		case <-time.After(10 * time.Second):
			t.Error("Serve did not return")
		}
	})
	t.Cleanup(w.checkProgress)
	w.Env = lsptest.New(t, editorSide, cfg)
	return w
}

// checkProgress fails the test when a job's progress did not end, or did not
// begin; that it ended once only is the fake editor's own rule. A connection
// that was cut off shows no ends.
func (w *world) checkProgress() {
	if w.cut {
		return
	}
	w.Inspect(func(s *lsptest.State) {
		for _, p := range s.Progress {
			if !p.Begun || !p.Ended {
				w.t.Errorf("progress %q begun %t, ended %t", p.Title, p.Begun, p.Ended)
			}
		}
	})
}

// run executes a command with arguments, also where the person cannot pass any.
func (w *world) run(command string, args ...any) {
	w.t.Helper()
	w.Request("workspace/executeCommand", map[string]any{"command": command, "arguments": args})
}

// Kill is the editor dying.
func (w *world) Kill() error {
	w.cut = true
	return w.Editor.Kill()
}

// remoteProvider is the scripted server, claiming to be on another machine.
func remoteProvider(s config.Settings) (model.Provider, error) {
	p, err := newProvider(s)
	return remote{p}, err
}

type remote struct{ model.Provider }

func (remote) Loopback() bool { return false }
func (remote) Host() string   { return "models.example:443" }

func (w *world) startModel(su setup) {
	w.t.Helper()
	if su.model != nil {
		w.model = su.model
		return
	}
	answers := su.answers
	if answers == nil && su.script != "" {
		script, err := scripted.ParseScript(su.script)
		if err != nil {
			w.t.Fatal(err)
		}
		answers = script
	}
	if answers == nil {
		return
	}
	server, err := scripted.Start(answers)
	if err != nil {
		w.t.Fatal(err)
	}
	w.model = server
	w.t.Cleanup(func() {
		if err := server.Close(); err != nil {
			w.t.Error(err)
		}
		if err := server.Check(); err != nil && !w.t.Failed() {
			w.t.Error(err)
		}
	})
}

// settings is the defaults with the scripted server as the model's.
func (w *world) settings(change func(*config.Settings)) func([]byte, []string) (config.Settings, []config.Warning) {
	base := "http://127.0.0.1:1" // nobody there
	if w.model != nil {
		base = w.model.URL()
	}
	return func([]byte, []string) (config.Settings, []config.Warning) {
		s := config.Defaults()
		s.Model.BaseURL = base
		if change != nil {
			change(&s)
		}
		return s, nil
	}
}

func newProvider(s config.Settings) (model.Provider, error) {
	return model.New(model.Config{Provider: s.Model.Provider, BaseURL: s.Model.BaseURL})
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) disk(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// store reads the workspace's store.
func (w *world) store(read func(tx *state.Tx) error) {
	w.t.Helper()
	store, err := state.Open(state.Dir(w.state, w.dir))
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			w.t.Error(err)
		}
	}()
	if err := store.View(w.t.Context(), read); err != nil {
		w.t.Fatal(err)
	}
}

// at is the range of the first needle in a buffer.
func (w *world) at(file, needle string) lsptest.Range {
	w.t.Helper()
	r, err := w.Editor.Find(file, needle)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// text is a buffer's text, checked to be that of the profile's line ends.
func (w *world) has(file, want string) {
	w.t.Helper()
	if got := w.Text(file); got != want {
		w.t.Errorf("%s holds\n%s\nwant\n%s", file, got, want)
	}
}

// block renders a SEARCH/REPLACE block.
func block(path, search, replace string) string {
	return path + "\n<<<<<<< SEARCH\n" + search + "\n=======\n" + replace + "\n>>>>>>> REPLACE\n"
}

// say is a script's turn that answers with text.
func say(text string) string {
	return "< <<<\n" + strings.TrimSuffix(text, "\n") + "\n>>>\n"
}

type lsptestDiagnostic = lsptest.Diagnostic
