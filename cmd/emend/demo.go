package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"emend/agent/model"
	"emend/agent/model/scripted"
	"emend/internal/config"
	"emend/lsp"
	"emend/lsp/lsptest"
)

//go:embed demo/sample.txtar
var demoSample []byte

//go:embed demo/model.script
var demoScript string

func (a *app) demoCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "the whole main job on a small project, in a scratch copy", Args: cobra.NoArgs,
		Long: "Opens a small Go project with a failing test in an in-process editor, has the test fixed, and shows what\n" +
			"an editor would show. The model is scripted, unless --model names one of an Ollama server.",
		RunE: func(c *cobra.Command, _ []string) error { return a.demo(c.Context()) },
	}
	c.Flags().StringVar(&a.model, "model", "", "a real model of the Ollama server, in place of the scripted one")
	return c
}

// patience is the longest that checks and a model may take: the first build of a
// machine, a model read from a slow disk. Whatever needs neither has soon.
const (
	patience = 40 * time.Minute
	soon     = 30 * time.Second
)

// demo is one showing: an editor, a server and a model, talking as they do in
// earnest: the editor over pipes, the model over HTTP.
type demo struct {
	app      *app
	colour   bool
	dir      string
	settings config.Settings
	editor   *lsptest.Editor
	step     int
	events   int            // emend/event notifications already printed
	proposed bool           // a run has made a proposal
	thought  string         // of the model, not printed yet
	shown    map[string]int // progress messages already printed, by token
	mu       sync.Mutex     // one line at a time
}

func (a *app) demo(ctx context.Context) error {
	scratch, err := os.MkdirTemp("", "emend-demo-")
	if err != nil {
		return fmt.Errorf("making a scratch folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }() // a scratch folder
	d := &demo{app: a, colour: a.colours(a.out), dir: filepath.Join(scratch, "stats"), shown: map[string]int{}}
	if err := d.unpack(); err != nil {
		return err
	}
	settings, _ := a.layers(nil, nil)
	stop, err := d.startModel(ctx, settings)
	if err != nil {
		return err
	}
	defer stop()

	ctx, cancel := context.WithCancel(ctx)
	editorSide, serverSide := lsptest.Pipe()
	served := make(chan error, 1)
	go func() {
		_, err := lsp.NewServer(lsp.Options{
			Version: version, StateHome: filepath.Join(scratch, "state"), Log: slog.New(slog.DiscardHandler), NewProvider: a.provider,
			Settings: func([]byte, []string) (config.Settings, []config.Warning) { return d.settings, nil },
		}).Serve(ctx, serverSide)
		served <- err
	}()
	defer func() { cancel(); <-served }()
	d.editor, err = lsptest.Start(ctx, editorSide, lsptest.Config{
		Profile: "vscode", Root: d.dir, Answer: d.answer, InitOptions: map[string]any{"events": true},
		Patience: patience,
	})
	if err != nil {
		return fmt.Errorf("starting the editor: %w", err)
	}
	if err := d.play(ctx); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return d.editor.Exit(ctx)
}

// unpack writes the sample project.
func (d *demo) unpack() error {
	for _, f := range txtar.Parse(demoSample).Files {
		name := filepath.Join(d.dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// startModel starts the scripted model server, unless a real one is asked for,
// which must be there.
func (d *demo) startModel(ctx context.Context, settings config.Settings) (stop func(), err error) {
	d.settings = config.Defaults()
	if d.app.model != "" {
		d.settings.Model = settings.Model
		provider, err := d.app.provider(settings)
		if err != nil {
			return nil, err
		}
		info, err := model.Pick(ctx, provider, d.app.model)
		if err != nil {
			return nil, modelError(err, err.Error())
		}
		d.say("The model is %s of the %s server at %s.", info.Name, provider.Name(), provider.Host())
		return func() {}, nil
	}
	script, err := scripted.ParseScript(demoScript)
	if err != nil {
		return nil, fmt.Errorf("the demo's script: %w", err)
	}
	server, err := scripted.Start(script)
	if err != nil {
		return nil, fmt.Errorf("starting the scripted model: %w", err)
	}
	d.settings.Model.BaseURL = server.URL()
	d.say("The model is scripted: what it answers is written down beforehand. Everything else is real:")
	d.say("the editor's protocol, the agent, the edits, the checks. --model NAME uses a real model of an Ollama server.")
	return func() { closeQuietly(server) }, nil
}

// answer is the person at the demo's editor: it allows the checks, and leaves
// the notice of the proposal for the code action.
func (d *demo) answer(q lsptest.Question) string {
	for _, title := range q.Actions {
		if title == "Allow" {
			d.say("  %s", paint(d.colour, styleDim, "? "+strings.TrimPrefix(q.Text, "emend: ")+" → Allow"))
			return title
		}
	}
	return ""
}

// sampleFiles are the documents of the sample that the editor opens.
var sampleFiles = []string{"stats.go", "stats_test.go"}

// play goes through the main job.
func (d *demo) play(ctx context.Context) error {
	e := d.editor
	d.head("The editor opens a small Go project: %s", strings.Join(sampleFiles, " and "))
	for _, name := range sampleFiles {
		if err := e.Open(name); err != nil {
			return err
		}
	}
	before := d.texts()
	d.head("emend.verify runs the project's own checks over the editor's buffers")
	if err := d.verify(ctx); err != nil {
		return err
	}
	problem, err := d.problem()
	if err != nil {
		return err
	}
	if err := d.fix(ctx, problem); err != nil {
		return err
	}
	d.head("“emend: Apply” hands the change to the editor, after a checkpoint")
	if err := d.apply(ctx); err != nil {
		return err
	}
	if slices.Equal(d.texts(), before) {
		return errors.New("the editor's text did not change")
	}
	if err := d.verify(ctx); err != nil {
		return err
	}
	d.head("emend.undo takes it back through the editor")
	if _, err := e.Execute(ctx, "emend.undo"); err != nil {
		return err
	}
	if err := d.message(ctx, "changed"); err != nil {
		return err
	}
	if !slices.Equal(d.texts(), before) {
		return errors.New("undo did not restore the text")
	}
	d.say("  every file is byte for byte what it was")
	return nil
}

// texts is what the editor's documents hold.
func (d *demo) texts() []string {
	var all []string
	for _, name := range sampleFiles {
		all = append(all, d.editor.Text(name))
	}
	return all
}

// verify runs the checks and prints the diagnostics the editor then shows.
func (d *demo) verify(ctx context.Context) error {
	if _, err := d.editor.Execute(ctx, "emend.verify"); err != nil {
		return err
	}
	p, err := d.followProgress(ctx, "emend: checks")
	if err != nil {
		return err
	}
	if p.End == "findings" { // they are on their way
		err := d.editor.Await(ctx, "the findings", func(s *lsptest.State) bool {
			return slices.ContainsFunc(sampleFiles, func(name string) bool {
				return slices.ContainsFunc(s.Diagnostics(name), isProblem)
			})
		})
		if err != nil {
			return err
		}
	}
	for _, name := range sampleFiles {
		for _, diag := range d.editor.Diagnostics(name) {
			if isProblem(diag) {
				d.say("  %s", paint(d.colour, styleRed, fmt.Sprintf("%s:%d: %s", name, diag.Range.Start.Line+1, firstLine(diag.Message))))
			}
		}
	}
	d.lastMessage()
	return nil
}

// isProblem tells a finding from a hint on a proposed change.
func isProblem(d lsptest.Diagnostic) bool { return d.Severity != 4 }

// problem is the diagnostic of the failing test.
func (d *demo) problem() (lsptest.Diagnostic, error) {
	for _, diag := range d.editor.Diagnostics("stats_test.go") {
		if strings.Contains(diag.Message, "Median") {
			return diag, nil
		}
	}
	return lsptest.Diagnostic{}, errors.New("the checks did not find the failing test; is there a go program?")
}

// fix picks the code action on the diagnostic and shows the run's progress and
// the proposal.
func (d *demo) fix(ctx context.Context, problem lsptest.Diagnostic) error {
	actions, err := d.editor.CodeActions(ctx, "stats_test.go", problem.Range)
	if err != nil {
		return err
	}
	for _, action := range actions {
		if !strings.HasPrefix(action.Title, "emend: Fix: ") {
			continue
		}
		d.head("The code action “%s”", action.Title)
		if _, err := d.editor.Run(ctx, action); err != nil {
			return err
		}
		p, err := d.followRun(ctx)
		if err != nil {
			return err
		}
		if p.End != "done" {
			d.lastMessage()
			return fmt.Errorf("the run ended: %s", p.End)
		}
		if !d.proposed {
			d.lastMessage()
			return errors.New("the model changed nothing; another one may do better")
		}
		return d.proposal(ctx)
	}
	return errors.New("the editor was offered no “emend: Fix” action")
}

// proposal prints the diff that waits for a decision.
func (d *demo) proposal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	var q lsptest.Question
	err := d.editor.Await(ctx, "the notice of the proposal", func(s *lsptest.State) bool {
		for _, asked := range s.Questions {
			if slices.Contains(asked.Actions, "Review") {
				q = asked
				return true
			}
		}
		return false
	})
	if err != nil {
		return err
	}
	d.head("A proposal waits: %s", strings.TrimPrefix(q.Text, "emend: "))
	d.say("  [%s]\n", strings.Join(q.Actions, "] ["))
	raw, err := d.editor.Execute(ctx, "emend.show")
	if err != nil {
		return err
	}
	diff, err := field(raw, "diff")
	if err != nil {
		return err
	}
	d.say("%s", strings.TrimRight(paintDiff(d.colour, d.app.shown(diff)), "\n"))
	return nil
}

// apply picks the code action that applies the proposal, at one of its hints.
func (d *demo) apply(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	var at lsptest.Range
	var name string
	err := d.editor.Await(ctx, "a hint of the proposal", func(s *lsptest.State) bool {
		for _, name = range sampleFiles {
			for _, diag := range s.Diagnostics(name) {
				if at = diag.Range; diag.Severity == 4 {
					return true
				}
			}
		}
		return false
	})
	if err != nil {
		return err
	}
	if _, err := d.editor.Pick(ctx, name, at, "emend: Apply"); err != nil {
		return err
	}
	return d.message(ctx, "changed")
}
