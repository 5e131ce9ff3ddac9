package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"emend/internal/config"
	"emend/lsp/lsptest"
)

// script is a session being played.
type script struct {
	t       *testing.T
	profile string
	work    string // where the archive's files are
	dir     string // the workspace
	state   string
	noroot  bool // the editor has no folder to take names from
	w       *world

	mu      sync.Mutex // guards answers and preview
	answers map[string]string
	preview lsptest.Decision
}

type scriptKey struct{}

type verb = func(ts *testscript.TestScript, neg bool, args []string)

// verbs is what a session can say. FILE is relative to the workspace; NEEDLE is
// text of the buffer, "" its beginning; \n and \t in NEEDLE and TEXT are a line
// break and a tab.
//
//	start [noroot] [input] [events] [remote]   starts the server and the editor
//	restart                          leaves, and starts both again over the same state
//	kill                             the editor dies
//	open FILE | close FILE | save FILE | nativeundo FILE
//	foreign FILE NEEDLE MESSAGE      another server's diagnostic
//	[!] action FILE NEEDLE TITLE     picks a code action
//	[!] offers FILE NEEDLE TITLE     looks whether there is such an action
//	[!] run COMMAND [ARG…]           executes a command; an ARG that is JSON is sent as that
//	await message TEXT | hint FILE [TEXT] | nohint FILE | question TEXT | end TITLE
//	await holds FILE TEXT | lacks FILE TEXT | edit N | request N | gate NAME | left | conflict FILE
//	await diagnostic FILE TEXT [NEEDLE]   one that holds TEXT, on the needle's line
//	type FILE NEEDLE TEXT            types behind the needle
//	replace FILE NEEDLE TEXT
//	release GATE
//	answer TEXT TITLE                to questions that hold TEXT from now on
//	preview apply | discard | ticks 1,0,…
//	buffer FILE | disk FILE          to stdout, for cmp; ! disk FILE: there is none
//	write FILE TEXT                  another program writes a file
//	[!] said TEXT | [!] asked TEXT   so far
//	cancel TITLE                     by the progress whose title holds TITLE
var verbs = map[string]verb{
	"start":   on(scriptStart),
	"restart": on(scriptRestart),
	"kill":    on(func(s *script, _ *testscript.TestScript, _ bool, _ []string) error { return s.w.Kill() }),
	"open": on(func(s *script, _ *testscript.TestScript, _ bool, a []string) error {
		return s.w.Editor.Open(s.file(a[0]))
	}),
	"close": on(func(s *script, _ *testscript.TestScript, _ bool, a []string) error {
		return s.w.Editor.Close(s.file(a[0]))
	}),
	"save": on(func(s *script, _ *testscript.TestScript, _ bool, a []string) error {
		return s.w.Editor.Save(s.file(a[0]))
	}),
	"nativeundo": on(func(s *script, _ *testscript.TestScript, _ bool, a []string) error {
		return s.w.Editor.Undo(s.file(a[0]))
	}),
	"foreign": on(scriptForeign),
	"action":  on(scriptAction),
	"offers":  on(scriptOffers),
	"run":     on(scriptRun),
	"await":   on(scriptAwait),
	"type":    on(scriptType),
	"replace": on(scriptReplace),
	"release": on(func(s *script, _ *testscript.TestScript, _ bool, a []string) error {
		s.w.model.Release(a[0])
		return nil
	}),
	"answer":  on(scriptAnswer),
	"preview": on(scriptPreview),
	"buffer":  on(scriptBuffer),
	"disk":    on(scriptDisk),
	"write": on(func(s *script, _ *testscript.TestScript, _ bool, a []string) error {
		s.w.write(a[0], unescape(a[1]))
		return nil
	}),
	"said":   on(scriptSaid),
	"asked":  on(scriptAsked),
	"cancel": on(scriptCancel),
}

// on makes a verb of a function; an error fails the script unless it is
// negated, and verbs that know negation handle it themselves.
func on(f func(s *script, ts *testscript.TestScript, neg bool, args []string) error) verb {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		s, ok := ts.Value(scriptKey{}).(*script)
		if !ok {
			ts.Fatalf("no session")
		}
		ts.Check(f(s, ts, neg, args))
	}
}

func unescape(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(s)
}

func scriptStart(s *script, ts *testscript.TestScript, _ bool, args []string) error {
	su := setup{profile: s.profile, dir: s.dir, state: s.state}
	if text, err := os.ReadFile(filepath.Join(s.work, "model")); err == nil {
		su.script = string(text)
	}
	if data, err := os.ReadFile(filepath.Join(s.work, "settings")); err == nil {
		su.settings = func(set *config.Settings) {
			base := set.Model.BaseURL
			loaded, warnings := config.Load(config.Layer{Name: "settings", Data: data})
			if len(warnings) > 0 {
				s.t.Errorf("settings: %v", warnings)
			}
			*set = loaded
			if set.Model.BaseURL == config.Defaults().Model.BaseURL {
				set.Model.BaseURL = base
			}
		}
	}
	su.config.Patience = 10 * time.Second
	su.config.Answer = s.answerTo
	su.config.Preview = func(lsptest.Preview) lsptest.Decision {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.preview
	}
	for _, arg := range args {
		switch arg {
		case "noroot":
			su.config.Root, s.noroot = "none", true
		case "input":
			su.config.InitOptions = map[string]any{"input": true}
		case "events":
			su.config.InitOptions = map[string]any{"events": true}
		case "remote":
			su.options = func(o *Options) { o.NewProvider = remoteProvider }
		default:
			return fmt.Errorf("start knows no %q", arg)
		}
	}
	if s.w != nil && s.w.model != nil {
		su.model, su.script = s.w.model, ""
	}
	s.w = newWorld(s.t, su)
	return nil
}

func scriptRestart(s *script, ts *testscript.TestScript, neg bool, args []string) error {
	s.w.Exit()
	return scriptStart(s, ts, neg, args)
}

func (s *script) answerTo(q lsptest.Question) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text, title := range s.answers {
		if strings.Contains(q.Text, text) {
			return title
		}
	}
	return ""
}

func scriptAnswer(s *script, _ *testscript.TestScript, _ bool, args []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers == nil {
		s.answers = map[string]string{}
	}
	s.answers[args[0]] = args[1]
	return nil
}

func scriptPreview(s *script, _ *testscript.TestScript, _ bool, args []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.preview = lsptest.Decision{Discard: args[0] == "discard"}
	if args[0] == "ticks" {
		for _, t := range strings.Split(args[1], ",") {
			s.preview.Ticks = append(s.preview.Ticks, t == "1")
		}
	}
	return nil
}

// file is the name by which the editor knows a file of the workspace.
func (s *script) file(name string) string {
	if s.noroot && !strings.Contains(name, ":") {
		return filepath.Join(s.dir, name)
	}
	return name
}

// place is the range of a needle.
func (s *script) place(file, needle string) (lsptest.Range, error) {
	if needle == "" {
		return lsptest.At(0, 0), nil
	}
	return s.w.Editor.Find(s.file(file), unescape(needle))
}

func scriptForeign(s *script, _ *testscript.TestScript, _ bool, args []string) error {
	r, err := s.place(args[0], args[1])
	if err != nil {
		return err
	}
	s.w.SetForeign(s.file(args[0]), lsptest.Diagnostic{Range: r, Severity: 1, Source: "compiler", Message: args[2]})
	return nil
}

func scriptAction(s *script, _ *testscript.TestScript, neg bool, args []string) error {
	r, err := s.place(args[0], args[1])
	if err != nil {
		return err
	}
	_, err = s.w.Editor.Pick(s.t.Context(), s.file(args[0]), r, args[2])
	return negated(neg, err, "action "+args[2])
}

// negated turns success into failure and the other way around.
func negated(neg bool, err error, what string) error {
	switch {
	case !neg:
		return err
	case err == nil:
		return fmt.Errorf("%s went well, which it should not", what)
	default:
		return nil
	}
}

func scriptOffers(s *script, ts *testscript.TestScript, neg bool, args []string) error {
	r, err := s.place(args[0], args[1])
	if err != nil {
		return err
	}
	actions, err := s.w.Editor.CodeActions(s.t.Context(), s.file(args[0]), r)
	if err != nil {
		return err
	}
	var titles []string
	for _, a := range actions {
		titles = append(titles, a.Title)
	}
	there := slices.ContainsFunc(titles, func(title string) bool { return strings.HasPrefix(title, args[2]) })
	if there == neg {
		return fmt.Errorf("offered: %q", titles)
	}
	return nil
}

// scriptRun executes a command. A negated one must fail, and its error goes to
// stderr.
func scriptRun(s *script, ts *testscript.TestScript, neg bool, args []string) error {
	var arguments []any
	for _, a := range args[1:] {
		a = strings.NewReplacer("@PROPOSAL", s.proposal()).Replace(unescape(a))
		if json.Valid([]byte(a)) && strings.HasPrefix(a, "{") {
			arguments = append(arguments, json.RawMessage(a))
		} else {
			arguments = append(arguments, a)
		}
	}
	result, err := s.execute(args[0], arguments)
	out, text := ts.Stdout(), string(result)
	if err != nil {
		out, text = ts.Stderr(), err.Error()
	}
	if _, err := fmt.Fprintln(out, text); err != nil {
		return err
	}
	return negated(neg, err, args[0])
}

// execute runs a command as a person does. Where they can pass no arguments with
// one, it is sent as the next version of the editor sends it.
func (s *script) execute(command string, arguments []any) (json.RawMessage, error) {
	if len(arguments) > 0 && !s.w.Profile().Behaviour.Commands.Arguments {
		return s.w.Editor.Request(s.t.Context(), "workspace/executeCommand", map[string]any{"command": command, "arguments": arguments})
	}
	return s.w.Editor.Execute(s.t.Context(), command, arguments...)
}

// proposal is the id of the newest proposal that a hint names.
func (s *script) proposal() string {
	id := ""
	s.w.Inspect(func(st *lsptest.State) {
		for _, b := range s.files() {
			for _, d := range st.Diagnostics(b) {
				var data hintData
				if json.Unmarshal(d.Data, &data) == nil && data.Proposal > id {
					id = data.Proposal
				}
			}
		}
	})
	return id
}

// files is the names of all files of the workspace.
func (s *script) files() []string {
	var out []string
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
	return out
}

func scriptAwait(s *script, _ *testscript.TestScript, _ bool, args []string) (err error) {
	ctx, e := s.t.Context(), s.w.Editor
	rest := args[1:]
	number := func() (n int) {
		_, err = fmt.Sscan(rest[0], &n)
		return n
	}
	switch args[0] {
	case "message":
		_, err = e.AwaitMessage(ctx, rest[0])
	case "hint":
		text := ""
		if len(rest) > 1 {
			text = unescape(rest[1])
		}
		err = e.AwaitDiagnostics(ctx, s.file(rest[0]), func(ds []lsptest.Diagnostic) bool {
			return slices.ContainsFunc(ds, func(d lsptest.Diagnostic) bool {
				return d.Severity == 4 && strings.Contains(d.Message, text)
			})
		})
	case "diagnostic":
		line := -1
		if len(rest) > 2 {
			r, err := s.place(rest[0], rest[2])
			if err != nil {
				return err
			}
			line = r.Start.Line
		}
		err = e.AwaitDiagnostics(ctx, s.file(rest[0]), func(ds []lsptest.Diagnostic) bool {
			return slices.ContainsFunc(ds, func(d lsptest.Diagnostic) bool {
				return strings.Contains(d.Message, unescape(rest[1])) && (line < 0 || d.Range.Start.Line == line)
			})
		})
	case "nohint":
		err = e.AwaitDiagnostics(ctx, s.file(rest[0]), func(ds []lsptest.Diagnostic) bool { return len(ds) == 0 })
	case "question":
		_, err = e.AwaitQuestion(ctx, rest[0])
	case "begin":
		_, err = e.AwaitProgressBegin(ctx, rest[0])
	case "end":
		var p lsptest.Progress
		if p, err = e.AwaitProgressEnd(ctx, rest[0]); err == nil && len(rest) > 1 && p.End != rest[1] {
			err = fmt.Errorf("the progress %q ended with %q, not %q", p.Title, p.End, rest[1])
		}
	case "holds":
		err = e.AwaitBuffer(ctx, s.file(rest[0]), func(text string) bool { return strings.Contains(text, unescape(rest[1])) })
	case "lacks":
		err = e.AwaitBuffer(ctx, s.file(rest[0]), func(text string) bool { return !strings.Contains(text, unescape(rest[1])) })
	case "edit":
		_, err = e.AwaitEdit(ctx, number())
	case "event":
		_, err = e.AwaitEvent(ctx, "emend/event", rest[0])
	case "request":
		if n := number(); err == nil {
			_, err = s.w.model.Await(ctx, n)
		}
	case "gate":
		select {
		case <-s.w.model.Reached(rest[0]):
		case <-ctx.Done():
			err = ctx.Err()
		}
	case "left":
		select {
		case <-s.w.model.Left():
		case <-ctx.Done():
			err = ctx.Err()
		}
	default:
		err = fmt.Errorf("await knows no %q", args[0])
	}
	return err
}

func scriptType(s *script, _ *testscript.TestScript, _ bool, args []string) error {
	r, err := s.place(args[0], args[1])
	if err != nil {
		return err
	}
	return s.w.Editor.Type(s.file(args[0]), r.End, unescape(args[2]))
}

func scriptReplace(s *script, _ *testscript.TestScript, _ bool, args []string) error {
	r, err := s.place(args[0], args[1])
	if err != nil {
		return err
	}
	return s.w.Editor.Replace(s.file(args[0]), r, unescape(args[2]))
}

func scriptBuffer(s *script, ts *testscript.TestScript, _ bool, args []string) error {
	b, ok := s.w.Buffer(s.file(args[0]))
	if !ok {
		return fmt.Errorf("%s is not loaded", args[0])
	}
	_, err := fmt.Fprint(ts.Stdout(), strings.ReplaceAll(b.Text, "\r\n", "\n"))
	return err
}

func scriptDisk(s *script, ts *testscript.TestScript, neg bool, args []string) error {
	data, err := os.ReadFile(filepath.Join(s.dir, args[0]))
	if err == nil {
		_, err = ts.Stdout().Write(data)
	}
	return negated(neg, err, "reading "+args[0])
}

func scriptSaid(s *script, _ *testscript.TestScript, neg bool, args []string) error {
	for _, m := range s.w.Messages() {
		if strings.Contains(m.Text, args[0]) {
			return negated(neg, nil, fmt.Sprintf("the message %q", m.Text))
		}
	}
	return negated(neg, fmt.Errorf("nobody said %q; said was: %v", args[0], s.w.Messages()), "")
}

func scriptAsked(s *script, _ *testscript.TestScript, neg bool, args []string) (err error) {
	err = fmt.Errorf("nobody asked %q", args[0])
	s.w.Inspect(func(st *lsptest.State) {
		for _, q := range st.Questions {
			if strings.Contains(q.Text, args[0]) {
				err = nil
			}
		}
	})
	return negated(neg, err, "a question with "+args[0])
}

func scriptCancel(s *script, _ *testscript.TestScript, _ bool, args []string) error {
	token := ""
	s.w.Inspect(func(st *lsptest.State) {
		for _, p := range st.Progress {
			if strings.Contains(p.Title, args[0]) && !p.Ended {
				token = p.Token
			}
		}
	})
	if token == "" {
		return fmt.Errorf("nothing under way is titled %q", args[0])
	}
	return s.w.Editor.Cancel(token)
}
