package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

func hourAgo() time.Time { return time.Now().Add(-time.Hour).Truncate(time.Second) }

func TestRun(t *testing.T) {
	needShell(t)
	b := newBox(t, Config{Root: tempRoot(t, map[string]string{"a": "text", "sub/tool": "x"})})
	for _, tc := range []struct {
		name   string
		cmd    Command
		exit   int
		signal string
		output string
	}{
		{name: "output", cmd: Command{Args: []string{"cat", "a"}}, output: "text"},
		{name: "status", cmd: Command{Args: []string{"sh", "-c", "exit 3"}}, exit: 3},
		{name: "signal", cmd: Command{Args: []string{"sh", "-c", "kill -9 $$"}}, exit: -1, signal: "SIGKILL"},
		{name: "folder", cmd: Command{Args: []string{"sh", "-c", "ls; echo $PWD | sed 's,.*/ws,ws,'"}, Dir: "sub"}, output: "tool\nws/sub\n"},
		{name: "no input", cmd: Command{Args: []string{"cat"}}},
		{name: "environment", cmd: Command{Args: []string{"sh", "-c", "echo $X$TERM"}, Env: []string{"X=1", "TERM=x"}}, output: "1x\n"},
		{name: "temporary files", cmd: Command{Args: []string{"sh", "-c", "echo hi > $TMPDIR/f && cat $TMPDIR/f"}}, output: "hi\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res, err := b.Run(t.Context(), tc.cmd)
			must(t, err)
			if runtime.GOOS != "linux" && tc.signal != "" {
				tc.signal = res.Signal
			}
			if res.Exit != tc.exit || res.Signal != tc.signal || string(res.Output) != tc.output {
				t.Errorf("exit %d, signal %q, output %q; want %d, %q, %q", res.Exit, res.Signal, res.Output, tc.exit, tc.signal, tc.output)
			}
		})
	}
}

func TestRunRefuses(t *testing.T) {
	needShell(t)
	root := tempRoot(t, map[string]string{"plain": "no program", "dir/": ""})
	b := newBox(t, Config{Root: root})
	for name, tc := range map[string]struct {
		cmd  Command
		want error
	}{
		"nothing":        {Command{}, nil},
		"unknown":        {Command{Args: []string{"no-such-program-here"}}, exec.ErrNotFound},
		"missing script": {Command{Args: []string{"./mvnw"}}, os.ErrNotExist},
		"no program":     {Command{Args: []string{"./plain"}}, os.ErrPermission},
		"a folder":       {Command{Args: []string{"./dir"}}, os.ErrPermission},
		"no folder":      {Command{Args: []string{"true"}, Dir: "none"}, os.ErrNotExist},
		"outside":        {Command{Args: []string{"true"}, Dir: "../x"}, nil},
		"absolute":       {Command{Args: []string{"true"}, Dir: root}, nil},
	} {
		if _, err := b.Run(t.Context(), tc.cmd); err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: Run = %v, want %v", name, err, tc.want)
		}
	}
}

func TestLines(t *testing.T) {
	needShell(t)
	b := newBox(t, Config{Root: tempRoot(t, nil)})
	var out, errs []string
	_, err := b.Run(t.Context(), Command{
		Args:   []string{"sh", "-c", `printf 'one\ntwo\r\n'; printf 'e1\n' >&2; printf 'no end'`},
		Stdout: func(line []byte) { out = append(out, string(line)) },
		Stderr: func(line []byte) { errs = append(errs, string(line)) },
	})
	must(t, err)
	if got := strings.Join(out, "|"); got != "one|two|no end" {
		t.Errorf("stdout lines %q", got)
	}
	if got := strings.Join(errs, "|"); got != "e1" {
		t.Errorf("stderr lines %q", got)
	}
}

func TestOutputBounds(t *testing.T) {
	needShell(t)
	b := newBox(t, Config{Root: tempRoot(t, nil)})
	seen := 0
	res, err := b.Run(t.Context(), Command{
		Args:      []string{"sh", "-c", "i=0; while [ $i -lt 200 ]; do echo line-$i; i=$((i+1)); done"},
		MaxOutput: 100,
		Stdout:    func([]byte) { seen++ },
	})
	must(t, err)
	if !res.Truncated || res.Flooded || len(res.Output) > 150 || seen != 200 {
		t.Errorf("truncated %v, flooded %v, %d bytes, %d lines; want some 130 bytes and all 200 lines", res.Truncated, res.Flooded, len(res.Output), seen)
	}
	for _, part := range []string{"line-0\n", "left out", "line-199\n"} {
		if !bytes.Contains(res.Output, []byte(part)) {
			t.Errorf("output %q lacks %q", res.Output, part)
		}
	}
	res, err = b.Run(t.Context(), Command{Args: []string{"sh", "-c", "while :; do echo y; done"}, MaxOutput: 1000})
	must(t, err)
	if !res.Flooded || !res.Truncated {
		t.Errorf("a command that prints without end ended with %+v", res)
	}
}

func TestTimeout(t *testing.T) {
	needShell(t)
	b := newBox(t, Config{Root: tempRoot(t, nil)})
	res, err := b.Run(t.Context(), Command{Args: []string{"sh", "-c", "sleep 1000 & sleep 1000"}, Timeout: 50 * time.Millisecond})
	must(t, err)
	if !res.TimedOut || res.Exit == 0 {
		t.Errorf("Run = %+v, want a timeout", res)
	}
}

// escapees starts processes that try to outlive their command, each in its
// own way, and goes on when all of them are up. Each prints its pid.
const escapees = `
child='echo pid $$; : > up-$$; exec sleep 1000'
stubborn='trap "" TERM HUP INT; echo pid $$; : > up-$$; exec sleep 1000'
n=1
sh -c "$child" &
if command -v setsid >/dev/null; then
  n=5
  setsid sh -c "$child" &
  (setsid sh -c "$stubborn" &) &
  env -i "$(command -v setsid)" "$(command -v sh)" -c "PATH=$PATH; $child" &
  (env -i "$(command -v setsid)" "$(command -v sh)" -c "PATH=$PATH; $stubborn" &) &
fi
until [ "$(ls | grep -c ^up-)" = $n ]; do :; done
`

func pids(t *testing.T, output []byte) []int {
	t.Helper()
	var found []int
	for line := range strings.Lines(string(output)) {
		if text, ok := strings.CutPrefix(line, "pid "); ok {
			pid, err := strconv.Atoi(strings.TrimSpace(text))
			must(t, err)
			found = append(found, pid)
		}
	}
	return found
}

// alive reports whether a process exists; a zombie does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestTreeIsGone(t *testing.T) {
	needShell(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has the guard")
	}
	for _, how := range []string{"end", "failure", "timeout", "cancel", "close"} {
		t.Run(how, func(t *testing.T) {
			b := newBox(t, Config{Root: tempRoot(t, nil)})
			ctx, cancel := background(t)
			defer cancel()
			cmd := Command{Timeout: time.Minute}
			tail := ""
			switch how {
			case "failure":
				tail = "exit 1"
			case "timeout":
				cmd.Timeout = 700 * time.Millisecond
				tail = "sleep 1000"
			case "cancel", "close":
				tail = "echo ready; sleep 1000"
			}
			cmd.Args = []string{"sh", "-c", escapees + tail}
			closed := make(chan error, 1)
			cmd.Stdout = func(line []byte) {
				if string(line) != "ready" {
					return
				}
				if how == "cancel" {
					cancel()
				} else {
					go func() { closed <- b.Close() }()
				}
			}
			res, err := b.Run(ctx, cmd)
			switch how {
			case "cancel":
				if !errors.Is(err, context.Canceled) {
					t.Errorf("Run = %v, want context.Canceled", err)
				}
			case "close":
				if !errors.Is(err, ErrClosed) {
					t.Errorf("Run = %v, want ErrClosed", err)
				}
				must(t, <-closed)
			default:
				must(t, err)
			}
			found := pids(t, res.Output)
			if len(found) == 0 {
				t.Fatalf("no process was started: %q", res.Output)
			}
			for _, pid := range found {
				if alive(pid) {
					t.Errorf("process %d outlived its command", pid)
				}
			}
		})
	}
}

// TestGuardOutlivesUs kills the process that runs a command, and looks for
// what the command started.
func TestGuardOutlivesUs(t *testing.T) {
	needShell(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has the guard")
	}
	if root := os.Getenv("SANDBOX_TEST_VICTIM"); root != "" {
		b, err := New(t.Context(), Config{Root: root, Parent: root + "-scratch"})
		must(t, err)
		_, err = b.Run(t.Context(), Command{
			Args:   []string{"sh", "-c", escapees + "echo ready; sleep 1000"},
			Stdout: func(line []byte) { _, _ = os.Stderr.Write(append(line, '\n')) },
		})
		t.Fatal("not killed: ", err)
	}
	root := tempRoot(t, nil)
	victim := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestGuardOutlivesUs$")
	victim.Env = append(os.Environ(), "SANDBOX_TEST_VICTIM="+root)
	stderr, err := victim.StderrPipe()
	must(t, err)
	must(t, victim.Start())
	var said bytes.Buffer
	buf := make([]byte, 4096)
	for !bytes.Contains(said.Bytes(), []byte("ready")) {
		n, err := stderr.Read(buf)
		said.Write(buf[:n])
		if err != nil {
			t.Fatalf("the victim said %q and ended: %v", said.Bytes(), err)
		}
	}
	must(t, victim.Process.Kill())
	_ = victim.Wait() // killed
	found := pids(t, said.Bytes())
	if len(found) == 0 {
		t.Fatalf("no process was started: %q", said.Bytes())
	}
	deadline := time.Now().Add(5 * time.Second)
	for _, pid := range found {
		for alive(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d outlived emend", pid)
			}
			runtime.Gosched()
		}
	}
	// The next box removes what the dead one left.
	b, err := New(t.Context(), Config{Root: root, Parent: root + "-scratch"})
	must(t, err)
	must(t, b.Close())
	if left, err := filepath.Glob(root + "-scratch/*-*[0-9]"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// hostile tries to harm the workspace through relative paths.
const hostile = `
echo harm > a; echo harm >> sub/b; rm -rf sub gone; mkdir -p sub/x; chmod 000 kept; chmod -R 777 .
ln -f a linked; : > run.sh; mv kept moved; touch -d 2001-01-01 a 2>/dev/null
echo harm > in; echo harm > up/harm; find . -type f -exec sh -c 'echo harm > "$1"' _ {} \;
chmod 000 sub .
`

func TestHostileRelative(t *testing.T) {
	for _, unconfined := range []bool{true, false} {
		root := tempRoot(t, map[string]string{
			"a": "1", "sub/b": "2", "gone": "3", "kept": "4", "in": "-> sub/b", "up": "-> ..", "run.sh": "5",
		})
		must(t, os.Chmod(filepath.Join(root, "run.sh"), 0o755))
		before, around := dump(t, root), dump(t, filepath.Dir(root))
		b := newBox(t, Config{Root: root, Unconfined: unconfined})
		shell(t, b, hostile)
		must(t, b.Update(t.Context(), nil, nil))
		shell(t, b, hostile)
		if after := dump(t, root); after != before {
			t.Errorf("the workspace is\n%s\nwas\n%s", after, before)
		}
		if after := dump(t, filepath.Dir(root)); after != around {
			t.Errorf("around the workspace is\n%s\nwas\n%s", after, around)
		}
	}
}

func TestHostileAbsolute(t *testing.T) {
	root := tempRoot(t, map[string]string{"a": "1", "sub/b": "2", "c": "3"})
	b := newBox(t, Config{Root: root})
	if b.Level() != Files {
		t.Skipf("the level here is %s: %v", b.Level(), Probe().Notes)
	}
	before := dump(t, root)
	res := shell(t, b, strings.ReplaceAll(`
		cd ROOT; echo x > a; echo x >> a; : > sub/b; rm -f c; rm -rf sub; mkdir new; mv a z; ln a l; ln -s a s
		mkfifo p; truncate -s 0 a; ln ROOT/a $OLDPWD/stolen; mv ROOT/c $OLDPWD/; cp /dev/null ROOT/a
		true`, "ROOT", root))
	if after := dump(t, root); after != before {
		t.Errorf("the workspace is\n%s\nwas\n%s\noutput\n%s", after, before, res.Output)
	}
	if res := shell(t, b, "kill -0 "+strconv.Itoa(os.Getpid())+" && echo signalled"); Probe().Landlock >= 7 && bytes.Contains(res.Output, []byte("signalled")) {
		t.Error("a command can signal emend")
	}
	if res := shell(t, b, "cat /proc/"+strconv.Itoa(os.Getpid())+"/environ"); res.Exit == 0 {
		t.Errorf("a command can read emend's environment: %q", res.Output)
	}
	if res := shell(t, b, "kill -9 $PPID; echo alive"); Probe().Landlock >= 7 && !bytes.Contains(res.Output, []byte("alive")) {
		t.Errorf("a command can kill its guard: %q", res.Output)
	}
}

func TestWritable(t *testing.T) {
	granted := t.TempDir()
	b := newBox(t, Config{Root: tempRoot(t, nil), Writable: []string{granted, filepath.Join(granted, "missing")}})
	if res := shell(t, b, "echo x > "+granted+"/f && echo y > /dev/null"); res.Exit != 0 {
		t.Errorf("writing where it is granted: %s", res.Output)
	}
}

func TestRunsTakeTurns(t *testing.T) {
	needShell(t)
	b := newBox(t, Config{Root: tempRoot(t, nil)})
	started := make(chan struct{})
	ctx, cancel := background(t)
	defer cancel()
	first := make(chan error, 1)
	go func() {
		_, err := b.Run(ctx, Command{Args: []string{"sh", "-c", "echo go; sleep 1000"}, Stdout: func([]byte) { close(started) }})
		first <- err
	}()
	<-started
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if err := b.Update(short, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Update beside a running command = %v, want to wait", err)
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v, want context.Canceled", err)
	}
}
