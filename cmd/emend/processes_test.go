//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"emend/agent/model/scripted"
	"emend/lsp/lsptest"
	"emend/state"
)

// mainVariable makes this test binary be emend.
const mainVariable = "EMEND_TEST_IS_EMEND"

func init() {
	if os.Getenv(mainVariable) != "" {
		main()
	}
}

// untilGone bounds the wait for a process to end.
const untilGone = 20 * time.Second

// process is a real emend, whose standard streams are pipes.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	err    buffer
	gone   chan struct{} // closed when it has ended
}

// process starts emend. It is killed at the end of the test if it is still
// there.
func (sh *shell) process(args ...string) *process {
	sh.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		sh.t.Fatal(err)
	}
	p := &process{t: sh.t, cmd: exec.Command(exe, args...), gone: make(chan struct{})}
	p.cmd.Dir = sh.dir
	p.cmd.Env = []string{mainVariable + "=1", "PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + sh.homeDir("cover")}
	for name, value := range sh.env {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	// Pipes of our own: exec's are closed by Wait, under a reader.
	var inRead, outWrite *os.File
	if inRead, p.stdin, err = os.Pipe(); err != nil {
		sh.t.Fatal(err)
	}
	if p.stdout, outWrite, err = os.Pipe(); err != nil {
		sh.t.Fatal(err)
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inRead, outWrite, &p.err
	if err := p.cmd.Start(); err != nil {
		sh.t.Fatal(err)
	}
	closeQuietly(inRead)
	closeQuietly(outWrite)
	go func() {
		defer close(p.gone)
		_ = p.cmd.Wait() // how it ended is in ProcessState
	}()
	sh.t.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGCONT) // it may have ended
		_ = p.cmd.Process.Kill()
		<-p.gone
		closeQuietly(p.stdin)
		closeQuietly(p.stdout)
	})
	return p
}

func (p *process) Read(b []byte) (int, error)  { return p.stdout.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

// Close is what an editor's end does to its pipes.
func (p *process) Close() error { return errors.Join(p.stdin.Close(), p.stdout.Close()) }

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits for the process to end; want is its exit code, -1 for a signal.
func (p *process) ends(within time.Duration, want int) {
	p.t.Helper()
	began := time.Now()
	select {
	case <-p.gone:
	case <-time.After(untilGone):
		p.t.Fatalf("the process goes on; stderr: %s", &p.err)
	}
	if took := time.Since(began); took > within {
		p.t.Errorf("the process took %v to end", took)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != want {
		p.t.Errorf("the process ended with %v, want code %d; stderr: %s", p.cmd.ProcessState, want, &p.err)
	}
}

// editor starts a session of an editor with a server process of its own.
func (sh *shell) editor() (*process, *lsptest.Editor) {
	sh.t.Helper()
	p := sh.process("serve")
	ed, err := lsptest.Start(sh.t.Context(), p, lsptest.Config{Profile: "neovim", Root: sh.dir})
	if err != nil {
		sh.t.Fatalf("%v; stderr: %s", err, &p.err)
	}
	sh.t.Cleanup(func() { closeQuietly(killed{ed}) })
	if err := ed.Open("a.go"); err != nil {
		sh.t.Fatal(err)
	}
	return p, ed
}

type killed struct{ *lsptest.Editor }

func (k killed) Close() error { return k.Kill() }

// ask starts a run; what it asks for is what the scripted model looks for.
func ask(t *testing.T, ed *lsptest.Editor, what string) {
	t.Helper()
	params := map[string]any{"command": "emend.run", "arguments": []string{what, "uri=" + ed.URI("a.go")}}
	if _, err := ed.Request(t.Context(), "workspace/executeCommand", params); err != nil {
		t.Fatal(err)
	}
}

// runs reads the runs on record, newest first.
func (sh *shell) runs() []state.Run {
	sh.t.Helper()
	var runs []state.Run
	sh.stored(func(tx *state.Tx) error {
		all, err := tx.Runs()
		runs = nil
		for _, r := range all {
			runs = append(runs, *r)
		}
		return err
	})
	return runs
}

const silent = "< \"Let me see, \"\n! gate half\n! stall\n! forever\n"

// TestServerProcessLeaves ends a real server in the middle of a run.
func TestServerProcessLeaves(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(p *process, ed *lsptest.Editor) error
		code int
	}{
		{"stdin closes", func(p *process, _ *lsptest.Editor) error { return p.stdin.Close() }, exitFailed},
		{"both pipes close", func(_ *process, ed *lsptest.Editor) error { return ed.Kill() }, exitFailed},
		{"stdout closes first", func(p *process, _ *lsptest.Editor) error {
			err := p.stdout.Close()
			for range 3 { // each makes the server write where nobody reads
				_, werr := io.WriteString(p.stdin, "Content-Length: 2\r\n\r\n[]")
				err = errors.Join(err, werr)
			}
			return errors.Join(err, p.stdin.Close())
		}, exitFailed},
		{"SIGTERM", func(p *process, _ *lsptest.Editor) error { return p.cmd.Process.Signal(syscall.SIGTERM) }, exitFailed},
		{"SIGINT", func(p *process, _ *lsptest.Editor) error { return p.cmd.Process.Signal(os.Interrupt) }, exitFailed},
		{"shutdown and exit", func(_ *process, ed *lsptest.Editor) error { return ed.Exit(context.Background()) }, exitDone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sh := newShell(t, map[string]string{"a.go": "package a\n"})
			model := sh.script(silent)
			p, ed := sh.editor()
			ask(t, ed, "do it")
			<-model.Reached("half")
			if err := tt.end(p, ed); err != nil {
				t.Error(err)
			}
			p.ends(3*time.Second, tt.code) // 2 s, and what a busy machine adds
			select {
			case <-model.Left():
			case <-time.After(untilGone):
				t.Error("the model goes on generating")
			}
			runs := sh.runs()
			if len(runs) != 1 || runs[0].Status != state.RunCancelled && runs[0].Status != state.RunInterrupted {
				t.Errorf("the runs on record are %+v", runs)
			}
		})
	}
}

// TestKilledServer kills a server in the middle of a run, behind one that has
// proposed something: the next start records the run as interrupted, and offers
// the proposal again.
func TestKilledServer(t *testing.T) {
	sh := newShell(t, map[string]string{"a.go": "package a\n"})
	model := sh.model(scripted.Func(func(r scripted.Request) scripted.Turn {
		if strings.Contains(r.Text(), "second wish") {
			return scripted.Turn{Steps: []scripted.Step{{Text: "Let me see, "}, {Gate: "half"}}, Stall: true}
		}
		return scripted.Turn{Text: change("wish of the first")}
	}))
	p, ed := sh.editor()
	ask(t, ed, "first wish")
	if _, err := ed.AwaitProgressEnd(t.Context(), "first wish"); err != nil {
		t.Fatal(err)
	}
	ask(t, ed, "second wish")
	<-model.Reached("half")
	p.signal(syscall.SIGKILL)
	p.ends(untilGone, -1)
	statuses := func() string {
		var out []string
		for _, r := range sh.runs() {
			out = append(out, fmt.Sprintf("%s: %s, ended %v", r.Instruction, r.Status, !r.Ended.IsZero()))
		}
		return strings.Join(out, "; ")
	}
	if got, want := statuses(), "second wish: running, ended false; first wish: done, ended true"; got != want {
		t.Errorf("the runs on record are %s, want %s", got, want)
	}
	if err := ed.Kill(); err != nil {
		t.Error(err)
	}
	again, next := sh.editor()
	if _, err := next.AwaitMessage(t.Context(), "1 proposal from before still waiting"); err != nil {
		t.Fatal(err)
	}
	if got, want := statuses(), "second wish: interrupted, ended true; first wish: done, ended true"; got != want {
		t.Errorf("the runs on record are %s, want %s", got, want)
	}
	if _, err := next.Request(t.Context(), "workspace/executeCommand", map[string]any{"command": "emend.apply"}); err != nil {
		t.Error(err)
	}
	if err := next.AwaitBuffer(t.Context(), "a.go", func(text string) bool { return strings.Contains(text, "wish of the first") }); err != nil {
		t.Error(err)
	}
	if err := next.Exit(t.Context()); err != nil {
		t.Error(err)
	}
	again.ends(untilGone, exitDone)
}

// change is a reply of the model that adds a line to a.go.
func change(line string) string {
	return "a.go\n<<<<<<< SEARCH\npackage a\n=======\npackage a\n\n// " + line + "\n>>>>>>> REPLACE\n"
}

// TestProcessesShareAWorkspace has two servers and a headless run at work in
// one workspace. One server is stopped in the middle of a run: the others go on
// and finish theirs, and so does it when it is let go.
func TestProcessesShareAWorkspace(t *testing.T) {
	sh := newShell(t, map[string]string{"a.go": "package a\n"})
	model := sh.model(scripted.Func(func(r scripted.Request) scripted.Turn {
		for _, who := range []string{"first", "second", "third", "fourth"} {
			if strings.Contains(r.Text(), who+" wish") {
				return scripted.Turn{Steps: []scripted.Step{{Text: "Here: \n\n"}, {Gate: who}, {Text: change("wish of the " + who)}}}
			}
		}
		return scripted.Turn{Text: "nothing"}
	}))
	one, first := sh.editor()
	_, second := sh.editor()
	ask(t, first, "first wish")
	ask(t, second, "second wish")
	<-model.Reached("first")
	<-model.Reached("second")
	one.signal(syscall.SIGSTOP)

	headless := sh.process("run", "--yes", "--apply", "third wish")
	output := make(chan []byte, 1)
	go func() {
		out, err := io.ReadAll(headless.stdout)
		if err != nil {
			out = fmt.Append(out, err)
		}
		output <- out
	}()
	<-model.Reached("third")
	model.Release("third")
	model.Release("second")
	headless.ends(untilGone, exitDone)
	if out := <-output; !bytes.Contains(out, []byte("+// wish of the third")) {
		t.Errorf("the headless run says %s\n%s", out, &headless.err)
	}
	if _, err := second.AwaitProgressEnd(t.Context(), "wish"); err != nil {
		t.Fatal(err)
	}
	// The stopped server's run is still its own: nobody else closes it.
	status := map[string]state.RunStatus{}
	for _, r := range sh.runs() {
		status[r.Instruction] = r.Status
	}
	if status["first wish"] != state.RunRunning || status["second wish"] != state.RunDone || status["third wish"] != state.RunDone {
		t.Errorf("the runs on record are %v", status)
	}

	// A third server, which starts while the first is stopped, works too.
	_, fourth := sh.editor()
	ask(t, fourth, "fourth wish")
	model.Release("fourth")
	if _, err := fourth.AwaitProgressEnd(t.Context(), "wish"); err != nil {
		t.Fatal(err)
	}

	one.signal(syscall.SIGCONT)
	model.Release("first")
	if _, err := first.AwaitProgressEnd(t.Context(), "wish"); err != nil { // the run's record is closed by then
		t.Fatal(err)
	}
	for _, r := range sh.runs() {
		if r.Status != state.RunDone {
			t.Errorf("run %q is on record as %s: %s", r.Instruction, r.Status, r.Reason)
		}
	}
	sh.says("a.go", sh.read("a.go"), "wish of the third")
	for _, ed := range []*lsptest.Editor{first, second, fourth} {
		if err := ed.Exit(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func (sh *shell) read(name string) string {
	sh.t.Helper()
	data, err := os.ReadFile(sh.path(name))
	if err != nil {
		sh.t.Fatal(err)
	}
	return string(data)
}
