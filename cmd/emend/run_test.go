package main

import (
	"context"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"emend/agent/model"
	"emend/agent/model/scripted"
	"emend/internal/workspace"
	"emend/state"
)

const listGo = "package list\n\nfunc First(all []int) int {\n\treturn all[0]\n}\n"

// replaceScript has the model replace one line of list.go.
const replaceScript = `
> contains "guard"
< call search_replace {"path": "list.go", "search": "\treturn all[0]\n", "replace": "\tif len(all) == 0 {\n\t\treturn 0\n\t}\n\treturn all[0]\n"}
---
< call finish {"summary": "First guards against an empty list."}
`

var guarded = strings.Replace(listGo, "\treturn", "\tif len(all) == 0 {\n\t\treturn 0\n\t}\n\treturn", 1)

func TestRunPrintsTheDiff(t *testing.T) {
	sh := newShell(t, map[string]string{"list.go": listGo})
	server := sh.script(replaceScript)
	sh.run(exitDone, "run", "guard First")
	sh.holds(map[string]string{"list.go": listGo})
	sh.says("stdout", sh.out.String(), "--- a/list.go\n+++ b/list.go\n@@ ", "\n+\tif len(all) == 0 {\n")
	sh.says("stderr", sh.err.String(), "step 1", "search_replace list.go")
	if err := server.Check(); err != nil {
		t.Error(err)
	}
	// What was printed can be applied.
	sh.in = strings.NewReader(sh.out.String())
	sh.run(exitDone, "apply")
	sh.holds(map[string]string{"list.go": guarded})
}

func TestRunApply(t *testing.T) {
	sh := newShell(t, map[string]string{"list.go": listGo})
	sh.script(replaceScript)
	sh.run(exitDone, "run", "--apply", "guard First")
	sh.holds(map[string]string{"list.go": guarded})
	sh.says("stderr", sh.err.String(), "1 file changed: list.go; checkpoint ")
	var points []*state.Checkpoint
	var proposals []*state.Proposal
	sh.stored(func(tx *state.Tx) (err error) {
		if points, err = tx.Checkpoints(); err != nil {
			return err
		}
		proposals, err = tx.Proposals()
		return err
	})
	if len(points) != 1 || len(points[0].Files) != 1 || !strings.Contains(sh.err.String(), points[0].ID) {
		t.Fatalf("checkpoints: %+v", points)
	}
	var before []byte
	sh.stored(func(tx *state.Tx) (err error) {
		before, err = tx.Blob(points[0].Files[0].Before)
		return err
	})
	if string(before) != listGo {
		t.Errorf("the checkpoint holds %q", before)
	}
	if len(proposals) != 1 || proposals[0].Status != state.ProposalApplied {
		t.Errorf("proposals: %+v", proposals)
	}
}

// stored looks into the workspace's store.
func (sh *shell) stored(look func(*state.Tx) error) {
	sh.t.Helper()
	home, err := sh.app().stateHome()
	if err != nil {
		sh.t.Fatal(err)
	}
	store, err := state.Open(state.Dir(home, sh.dir))
	if err != nil {
		sh.t.Fatal(err)
	}
	defer closeQuietly(store)
	if err := store.View(sh.t.Context(), look); err != nil {
		sh.t.Fatal(err)
	}
}

// A file that changes between the run and its end is never overwritten: what
// still fits is carried over, what does not refuses everything.
func TestRunApplyAfterAChange(t *testing.T) {
	for _, c := range []struct {
		name, now, want string
		code            int
		err             string
	}{
		{"the same lines", "package list\n\nfunc First(all ...int) int {\n\tpanic(all)\n}\n", "", exitFailed, "nothing was written: the files have changed since the run began"},
		{"other lines", "// Package list is small.\n" + listGo, "// Package list is small.\n" + guarded, exitDone, "2 files changed: list.go, other.go"},
		{"the same change", guarded, guarded, exitDone, "1 file changed: other.go"},
		{"gone", "", "", exitFailed, "nothing was written"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sh := newShell(t, map[string]string{"list.go": listGo, "other.go": "package list\n"})
			sh.model(scripted.Func(func(r scripted.Request) scripted.Turn {
				if len(r.Messages) > 2 { // the edit is in the draft
					if c.now == "" {
						if err := os.Remove(sh.path("list.go")); err != nil {
							t.Error(err)
						}
					} else {
						sh.write("list.go", c.now)
					}
					return scripted.Turn{Text: "Done."}
				}
				return scripted.Turn{Calls: []model.Call{
					{Name: "search_replace", Arguments: []byte(`{"path":"list.go","search":"\treturn all[0]\n","replace":"\tif len(all) == 0 {\n\t\treturn 0\n\t}\n\treturn all[0]\n"}`)},
					{Name: "search_replace", Arguments: []byte(`{"path":"other.go","search":"package list\n","replace":"package list // too\n"}`)},
				}}
			}))
			sh.run(c.code, "run", "--apply", "guard First, and the other")
			sh.says("stderr", sh.err.String(), c.err)
			want := map[string]string{"list.go": c.want, "other.go": "package list // too\n"}
			if c.code != exitDone {
				want = map[string]string{"list.go": c.now, "other.go": "package list\n"}
			}
			if c.now == "" {
				delete(want, "list.go")
			}
			sh.holds(want)
		})
	}
}

func TestRunJSON(t *testing.T) {
	sh := newShell(t, map[string]string{"list.go": listGo})
	sh.script(replaceScript)
	sh.run(exitDone, "run", "--json", "--apply", "guard First")
	rows := sh.jsonLines()
	var kinds []string
	for _, row := range rows {
		kind, _ := row["kind"].(string)
		kinds = append(kinds, kind)
	}
	for _, kind := range []string{"started", "step", "tool_call", "tool_result", "proposal"} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("no %s among %q", kind, kinds)
		}
	}
	if n := len(kinds); kinds[0] != "started" || kinds[n-1] != "ended" || slices.Index(kinds, "ended") != n-1 {
		t.Errorf("events: %q", kinds)
	}
	sh.holds(map[string]string{"list.go": guarded})

	// A run that fails ends the same way.
	sh.env["EMEND_MODEL_BASE_URL"] = "http://" + freeAddress(t)
	sh.run(exitNoModel, "run", "--json", "x")
	rows = sh.jsonLines()
	if last := rows[len(rows)-1]; last["kind"] != "ended" {
		t.Errorf("the last line is %v", last)
	}
}

func TestRunAsk(t *testing.T) {
	sh := newShell(t, map[string]string{"list.go": listGo})
	sh.script(`< "It returns the first."`)
	sh.run(exitDone, "run", "--mode", "ask", "what does it do?")
	if got := sh.out.String(); got != "It returns the first.\n" {
		t.Errorf("prints %q", got)
	}
}

func TestRunNothingChanged(t *testing.T) {
	sh := newShell(t, map[string]string{"list.go": listGo})
	sh.script(`< call finish {"summary": "It is fine as it is."}`)
	sh.run(exitDone, "run", "--apply", "guard First")
	if sh.out.String() != "" {
		t.Errorf("prints %q", &sh.out)
	}
	sh.says("stderr", sh.err.String(), "nothing was changed", "fine as it is")
}

// The focus is a place as seen from the current folder, else from the root.
func TestRunFocus(t *testing.T) {
	files := map[string]string{"list.go": listGo, "sub/deep.go": "package sub\n\nvar Deep = 1\n\nvar Other = 2\n", "notes.txt": "keep it short\n"}
	for _, c := range []struct {
		name, cwd string
		focus     []string
		want      []string
	}{
		{"lines", ".", []string{"list.go:3-5"}, []string{"list.go", "lines 3 to 5"}},
		{"a line", ".", []string{"sub/deep.go:3"}, []string{"sub/deep.go", "     3\tvar Deep = 1"}},
		{"from a folder", "sub", []string{"deep.go:3"}, []string{"sub/deep.go", "     3\tvar Deep = 1"}},
		{"from the root", "sub", []string{"list.go:3-5"}, []string{"list.go", "lines 3 to 5"}},
		{"a file", ".", []string{"list.go"}, []string{"list.go", "return all[0]"}},
		{"more files", "sub", []string{"deep.go:3", "notes.txt", "../list.go:4"}, []string{"sub/deep.go", "keep it short", "return all[0]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sh := newShell(t, files)
			t.Chdir(sh.path(c.cwd))
			server := sh.script(`< "fine"`)
			args := []string{"run", "--mode", "ask", "what is this?"}
			for _, f := range c.focus {
				args = append(args, "--focus", f)
			}
			sh.run(exitDone, args...)
			requests := server.Requests()
			if len(requests) == 0 {
				t.Fatal("the model was not asked")
			}
			sh.says("the prompt", requests[0].Text(), c.want...)
		})
	}
}

func TestRunExitCodes(t *testing.T) {
	sh := newShell(t, map[string]string{"list.go": listGo})

	sh.env["EMEND_MODEL_BASE_URL"] = "http://" + freeAddress(t)
	sh.run(exitNoModel, "run", "x")
	sh.says("stderr", sh.err.String(), "ollama")

	sh.script(`< "hello"`)
	sh.run(exitNoModel, "run", "--model", "no-such-model", "x")
	sh.says("stderr", sh.err.String(), "no-such-model")

	sh.script(`< call read_file {"path": "list.go"}` + "\n! forever\n")
	sh.run(exitFailed, "run", "x") // broken off for repeating itself
	if !strings.Contains(sh.err.String(), "emend: ") {
		t.Errorf("no reason: %s", &sh.err)
	}

	sh.script(`< "hello"`)
	sh.run(exitFailed, "run", "  ")
	sh.says("stderr", sh.err.String(), "there is no instruction")

	sh.env["EMEND_MODEL_KEY_ENV"] = "NO_SUCH_KEY"
	sh.run(exitFailed, "run", "x")
	sh.says("stderr", sh.err.String(), "NO_SUCH_KEY")
}

// freeAddress is where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer closeQuietly(ln)
	return ln.Addr().String()
}

func TestRunCancelled(t *testing.T) {
	sh := newShell(t, map[string]string{"list.go": listGo})
	server := sh.script("< \"I am thin\"\n! stall\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		if _, err := server.Await(t.Context(), 1); err == nil {
			cancel()
		}
	}()
	sh.runIn(ctx, exitInterrupted, "run", "--apply", "guard First")
	sh.says("stderr", sh.err.String(), "cancelled")
	var runs []*state.Run
	sh.stored(func(tx *state.Tx) (err error) {
		runs, err = tx.Runs()
		return err
	})
	if len(runs) != 1 || runs[0].Status != state.RunCancelled {
		t.Errorf("runs: %+v", runs)
	}
}

// Text goes to another machine only after a yes, which a program that is not
// at a terminal can give beforehand.
func TestRunRemote(t *testing.T) {
	sh := newShell(t, map[string]string{"list.go": listGo})
	cloud := scripted.Model{Name: "cloud-coder", Remote: "https://cloud.example:443"}
	server := sh.model(scripted.Script{{Text: "hello", Forever: true}}, cloud)
	args := []string{"run", "--mode", "ask", "--model", "cloud-coder", "hello?"}
	sh.run(exitFailed, args...)
	sh.says("stderr", sh.err.String(), "cloud.example", "--yes allows it", "may not be sent")
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	sh.run(exitDone, append(args, "--yes")...)
	sh.run(exitDone, args...) // allowed for this workspace
	if n := len(server.Requests()); n != 2 {
		t.Errorf("%d requests were sent", n)
	}
}

// Without an answer in sight the host asks nobody.
func TestTerminalAsksNobody(t *testing.T) {
	sh := newShell(t, map[string]string{"list.go": listGo})
	sh.env["EMEND_MODEL_BASE_URL"] = "http://models.example:11434"
	sh.in = strings.NewReader("y\n")
	sh.run(exitFailed, "run", "x")
	sh.says("stderr", sh.err.String(), "models.example:11434", "nobody to ask")
}

// Settings come from the person's file, the workspace's narrow one and flags.
func TestRunSettings(t *testing.T) {
	sh := newShell(t, map[string]string{"list.go": listGo, ".emend/config.toml": "[model]\nbase_url = \"http://evil.example\"\n"})
	server := sh.model(scripted.Script{{Text: "fine", Forever: true}}, scripted.Model{Name: "one"}, scripted.Model{Name: "two"})
	sh.folder(sh.homeDir("config/emend"))
	if err := os.WriteFile(sh.home+"/config/emend/config.toml", []byte("[model]\nname = \"one\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sh.run(exitDone, "run", "--mode", "ask", "x")
	sh.says("stderr", sh.err.String(), ".emend/config.toml:2")
	sh.run(exitDone, "run", "--mode", "ask", "--model", "two", "x")
	var got []string
	for _, r := range server.Requests() {
		got = append(got, r.Model)
	}
	if !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("models: %q", got)
	}
}

// What a run reads and writes keeps to the workspace's own bytes.
func TestRunApplyKeepsBytes(t *testing.T) {
	sh := newShell(t, map[string]string{"a.txt": "\ufeffone\r\ntwo\r\n"})
	sh.model(scripted.Func(func(r scripted.Request) scripted.Turn {
		if len(r.Messages) > 2 {
			return scripted.Turn{Calls: []model.Call{{Name: "finish", Arguments: []byte(`{"summary":"Done."}`)}}}
		}
		return scripted.Turn{Calls: []model.Call{
			{Name: "search_replace", Arguments: []byte(`{"path":"a.txt","search":"two\n","replace":"2\n3\n"}`)},
			{Name: "create_file", Arguments: []byte(`{"path":"sub/b.txt","content":"b\n"}`)},
		}}
	}))
	sh.run(exitDone, "run", "--apply", "change a.txt")
	sh.holds(map[string]string{"a.txt": "\ufeffone\r\n2\r\n3\r\n", "sub/b.txt": "b\n"})
	sh.says("stderr", sh.err.String(), "2 files changed: a.txt, sub/b.txt")
}

// A plan that cannot be carried out says where the checkpoint is.
func TestApplyDiskFails(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere")
	}
	sh := newShell(t, map[string]string{"sub/list.go": listGo})
	if err := os.Chmod(sh.path("sub"), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(sh.path("sub"), 0o755) })
	sh.model(scripted.Func(func(r scripted.Request) scripted.Turn {
		if len(r.Messages) > 2 {
			return scripted.Turn{Text: "Done."}
		}
		return scripted.Turn{Text: block("sub/list.go", "package list\n", "package sub\n")}
	}))
	sh.run(exitFailed, "run", "--apply", "rename the package")
	sh.says("stderr", sh.err.String(), "checkpoint", "as it was")
	sh.holds(map[string]string{"sub/list.go": listGo})
}

func TestResolveName(t *testing.T) {
	sh := newShell(t, map[string]string{"a.txt": "root\n", "sub/a.txt": "sub\n"})
	roots := workspace.NewRoots(sh.dir)
	t.Chdir(sh.path("sub"))
	for name, want := range map[string]string{
		"a.txt": "sub/a.txt", "../a.txt": "a.txt", "sub/a.txt": "sub/a.txt", sh.path("a.txt"): "a.txt",
	} {
		if got, err := resolveName(roots, name); err != nil || roots.Rel(got) != want {
			t.Errorf("%s is %s (%v), want %s", name, got, err, want)
		}
	}
	if got, err := resolveName(roots, "../../cache"); err == nil {
		t.Errorf("a name outside is %s", got)
	}
}
