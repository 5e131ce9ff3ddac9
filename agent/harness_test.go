package agent_test

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"emend/agent"
	"emend/agent/agenttest"
	"emend/agent/model"
	"emend/agent/model/scripted"
	"emend/edits"
	"emend/index"
	"emend/internal/config"
	"emend/internal/proposal"
	"emend/internal/workspace"
	"emend/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// story is a workspace, a scripted model server and a host, wired as a face
// wires them.
type story struct {
	t      *testing.T
	root   string
	docs   workspace.Documents
	server *scripted.Server
	host   *agenttest.Host
	runner agent.Runner
}

// newStory starts a server with the script over a folder with the files.
func newStory(t *testing.T, script string, files map[string]string) *story {
	t.Helper()
	turns, err := scripted.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	return playStory(t, turns, files)
}

func playStory(t *testing.T, answers scripted.Answers, files map[string]string, models ...scripted.Model) *story {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &story{t: t, root: root, host: &agenttest.Host{}}
	for name, text := range files {
		s.put(name, text)
	}
	s.server, err = scripted.Start(answers, models...)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := model.New(model.Config{Provider: "ollama", BaseURL: s.server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	store, err := state.Open(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		if err := s.server.Close(); err != nil {
			t.Error(err)
		}
	})
	roots := workspace.NewRoots(root)
	s.runner = agent.Runner{
		Store: store, Roots: roots, Settings: config.Defaults(), Provider: provider,
		Index: index.New(roots, index.Options{}),
		Log:   slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	return s
}

// put writes a file to the disk.
func (s *story) put(name, text string) {
	s.t.Helper()
	file := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) path(name string) workspace.Path {
	return workspace.Key(filepath.Join(s.root, filepath.FromSlash(name)))
}

// open opens a document in the editor with a text of its own.
func (s *story) open(name, text string) {
	p := s.path(name)
	s.docs.Open(workspace.Document{Path: p, URI: p.URI(), Version: 1, Text: edits.NewText(text)})
}

// openUntitled opens a document that has no file.
func (s *story) openUntitled(uri, text string) {
	s.docs.Open(workspace.Document{Path: workspace.FromURI(uri), URI: uri, Version: 1, Text: edits.NewText(text)})
}

// focus is the first place of a word in a file as the editor has it.
func (s *story) focus(name, word string) *agent.Focus {
	s.t.Helper()
	text := s.now(name)
	i := strings.Index(text, word)
	if i < 0 {
		s.t.Fatalf("%s has no %q", name, word)
	}
	return &agent.Focus{Path: s.path(name), Start: i, End: i + len(word)}
}

// now is what a file holds: in the editor, else on disk.
func (s *story) now(name string) string {
	s.t.Helper()
	if doc, open := s.docs.Get(s.path(name)); open {
		return doc.Text.String()
	}
	data, err := os.ReadFile(string(s.path(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// run runs a task and checks what holds for every run: one "ended" event, last,
// that says what Run says; a closed record that says the same; no file touched.
func (s *story) run(task agent.Task) agent.Outcome {
	s.t.Helper()
	out, err := s.runErr(s.t.Context(), task)
	if err != nil {
		s.t.Fatalf("run: %v", err)
	}
	return out
}

func (s *story) runErr(ctx context.Context, task agent.Task) (agent.Outcome, error) {
	s.t.Helper()
	before := s.disk()
	seen := len(s.host.Events())
	out, err := s.runner.Run(ctx, task, workspace.Disk(&s.docs), s.host)
	if after := s.disk(); after != before {
		s.t.Errorf("the run wrote to the workspace:\n%s\nbefore:\n%s", after, before)
	}
	ends := 0
	events := s.host.Events()[seen:]
	for _, e := range events {
		if e.Run != out.Run {
			s.t.Errorf("event %s is of run %q, not %q", e.Kind, e.Run, out.Run)
		}
		if e.Kind == agent.KindEnded {
			ends++
		}
	}
	if ends != 1 || events[len(events)-1].Kind != agent.KindEnded {
		s.t.Errorf("%d ended events; the last is %s", ends, events[len(events)-1].Kind)
	}
	record := s.record(out.Run)
	if record.Status != out.Status || record.Reason != out.Reason || record.Steps != out.Steps || record.Proposal != out.Proposal {
		s.t.Errorf("record %+v does not say what the outcome does: %+v", record, out)
	}
	if !record.Status.Final() || record.Ended.IsZero() || record.PID == 0 {
		s.t.Errorf("record is not closed: %+v", record)
	}
	if trace := s.trace(out.Run); len(trace) == 0 || trace[len(trace)-1].Kind != string(agent.KindEnded) {
		s.t.Errorf("the trace of the run has %d events and does not end with ended", len(trace))
	}
	return out, err
}

// disk is the names and texts of the workspace's files.
func (s *story) disk() string {
	var b strings.Builder
	err := filepath.WalkDir(s.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		b.WriteString(name + "\n" + string(data) + "\n")
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return b.String()
}

func (s *story) view(f func(tx *state.Tx) error) {
	s.t.Helper()
	if err := s.runner.Store.View(s.t.Context(), f); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) record(id string) (record *state.Run) {
	s.t.Helper()
	s.view(func(tx *state.Tx) (err error) {
		record, err = tx.Run(id)
		return err
	})
	return record
}

func (s *story) trace(id string) (events []state.Event) {
	s.t.Helper()
	s.view(func(tx *state.Tx) (err error) {
		events, err = tx.Events(id)
		return err
	})
	return events
}

func (s *story) proposal(id string) (content *proposal.Content) {
	s.t.Helper()
	s.view(func(tx *state.Tx) (err error) {
		content, err = proposal.Load(tx, id)
		return err
	})
	return content
}

// diff is what an outcome proposes.
func (s *story) diff(out agent.Outcome) string {
	s.t.Helper()
	if out.Proposal == "" {
		s.t.Fatalf("no proposal: %+v", out)
	}
	return s.proposal(out.Proposal).Diff()
}

// after is what a file of a proposal will be.
func (s *story) after(out agent.Outcome, name string) string {
	s.t.Helper()
	if out.Proposal == "" {
		s.t.Fatalf("no proposal: %+v", out)
	}
	content := s.proposal(out.Proposal)
	for i, f := range content.Files {
		if f.Path == string(s.path(name)) {
			return content.Texts[i].After
		}
	}
	s.t.Fatalf("%s is not in the proposal: %v", name, content.Paths())
	return ""
}

// played checks that the script was played as written, and that no prompt
// changed what an earlier one began with.
func (s *story) played() {
	s.t.Helper()
	if err := s.server.Check(); err != nil {
		s.t.Error(err)
	}
}

// wants checks an outcome's status, and that its reason holds some words.
func wants(t *testing.T, out agent.Outcome, status state.RunStatus, words ...string) {
	t.Helper()
	if out.Status != status {
		t.Errorf("the run is %s (%s), want %s", out.Status, out.Reason, status)
	}
	for _, word := range words {
		if !strings.Contains(out.Reason, word) {
			t.Errorf("the reason %q does not say %q", out.Reason, word)
		}
	}
}

// wantText checks that a text holds each of some parts.
func wantText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("missing %q in:\n%s", part, text)
		}
	}
}

// prefixKept checks that each request begins with all messages of the one
// before it: servers cache what they have read.
func (s *story) prefixKept() {
	s.t.Helper()
	requests := s.server.Requests()
	for i := 1; i < len(requests); i++ {
		before, now := requests[i-1].Messages, requests[i].Messages
		if len(now) < len(before) {
			s.t.Errorf("request %d has %d messages, the one before %d", i+1, len(now), len(before))
			continue
		}
		for j := range before {
			if before[j].Role != now[j].Role || before[j].Content != now[j].Content {
				s.t.Errorf("request %d changed message %d:\n%s\nwas:\n%s", i+1, j, now[j].Content, before[j].Content)
			}
		}
	}
}
