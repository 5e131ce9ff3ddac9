package sandbox

import (
	"bufio"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// guardName is the program name under which this executable is the guard.
const guardName = "emend-sandbox-guard"

// The guard's files beside the standard ones, which are all /dev/null but for
// standard error.
const (
	guardControl = 3 // read: a launch as gob, then nothing; its end means "kill"
	guardReport  = 4 // written: guardMessages as JSON lines
	guardStdout  = 5 // the command's standard output
	guardStderr  = 6 // the command's standard error
)

// guardMessage is what the guard says: first Started or Error, at last Ended.
type guardMessage struct {
	Started int    `json:",omitempty"` // pid of the command, which leads its group
	Ended   *ended `json:",omitempty"`
	Error   string `json:",omitempty"`
}

// init turns this process into the guard when it was started as one. It runs
// before main, so that every program and every test binary that uses the
// package can be its own guard.
func init() {
	if len(os.Args) == 1 && os.Args[0] == guardName {
		os.Exit(guardMain())
	}
}

// guard is the state of a guard process.
type guard struct {
	report *json.Encoder

	// treeMu guards the three below.
	treeMu  sync.Mutex
	pid     int  // of the command; 0 before its start and after its end
	killing bool // the tree is being brought down
	over    bool // the command has ended: whatever is left is to go
}

// guardMain adopts, watches and buries the command. The order of things:
//
//	control: launch ─▶ start ─▶ command runs ─▶ command ends ─▶ kill the rest ─▶ no child left ─▶ exit
//	                              └ control ends, or a signal: kill all ─┘
func guardMain() int {
	for _, fd := range []int{guardControl, guardReport, guardStdout, guardStderr} {
		unix.CloseOnExec(fd)
	}
	g := &guard{report: json.NewEncoder(os.NewFile(guardReport, "report"))}
	control := bufio.NewReader(os.NewFile(guardControl, "control"))
	var l launch
	if err := gob.NewDecoder(control).Decode(&l); err != nil {
		return g.fail(fmt.Errorf("read the command: %w", err))
	}
	// Descendants whose parents die come to this process instead of init.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return g.fail(fmt.Errorf("adopt the command's processes: %w", err))
	}
	// Handled, not ignored: an ignored signal would stay so in the command.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT)
	go func() {
		for range signals {
			g.killAll()
		}
	}()
	pid, err := g.start(l)
	if err != nil {
		return g.fail(err)
	}
	if err := g.report.Encode(guardMessage{Started: pid}); err != nil {
		g.killAll() // nobody listens any more
	}
	go func() {
		// Nothing more is sent; this returns when the other end is closed,
		// also by the death of its process. An error means the same.
		_, _ = io.Copy(io.Discard, control)
		g.killAll()
	}()
	end := g.reap(pid)
	if err := g.report.Encode(guardMessage{Ended: &end}); err != nil {
		return 1
	}
	return 0
}

// fail reports err and returns the guard's exit status.
func (g *guard) fail(err error) int {
	if g.report.Encode(guardMessage{Error: err.Error()}) != nil {
		return 2
	}
	return 1
}

// start forks the command on a thread of its own, which takes the confinement
// and ends right after: were the thread to stay, the command could signal it,
// as both would be in one domain, and so end the guard.
func (g *guard) start(l launch) (int, error) {
	type forked struct {
		pid int
		err error
	}
	done := make(chan forked)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		pid, err := forkCommand(l)
		done <- forked{pid, err}
	}()
	f := <-done
	g.treeMu.Lock()
	defer g.treeMu.Unlock()
	g.pid = f.pid
	if g.killing && f.pid > 0 {
		g.killLocked()
	}
	return f.pid, f.err
}

func forkCommand(l launch) (int, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close() //nolint:errcheck // opened for reading
	// A core dump of a crashing test is of no use and may be large.
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return 0, fmt.Errorf("switch core dumps off: %w", err)
	}
	if l.Confine {
		if err := restrictThread(l.Writable); err != nil {
			return 0, err
		}
	}
	pid, err := syscall.ForkExec(l.Path, l.Args, &syscall.ProcAttr{
		Dir:   l.Dir,
		Env:   l.Env,
		Files: []uintptr{null.Fd(), guardStdout, guardStderr},
		// A session of its own has no terminal, and is a group of its own.
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", l.Path, err)
	}
	// The output ends when the command's processes do, not when the guard does.
	// Were a close to fail, it would only end later.
	_ = unix.Close(guardStdout)
	_ = unix.Close(guardStderr)
	return pid, nil
}

// reap waits until the command and every process that came of it is gone, and
// returns how the command ended.
func (g *guard) reap(command int) ended {
	end := ended{Exit: -1}
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil { // ECHILD: nobody is left
			return end
		}
		g.treeMu.Lock()
		if pid == command {
			g.pid, g.over = 0, true
			if status.Signaled() {
				end.Signal = unix.SignalName(status.Signal())
			} else {
				end.Exit = status.ExitStatus()
			}
		}
		if g.over && hasChildren() {
			g.killLocked()
		}
		g.treeMu.Unlock()
	}
}

// hasChildren is a cheap look before a walk through /proc.
func hasChildren() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return !errors.Is(err, unix.ECHILD)
}

// killAll brings the tree down. What it forks meanwhile is killed by reap,
// which comes by after each death.
func (g *guard) killAll() {
	g.treeMu.Lock()
	defer g.treeMu.Unlock()
	g.killing = true
	if g.pid > 0 || g.over {
		g.killLocked()
	}
}

// killLocked kills the command's group and all descendants that there are
// now. Errors mean that one is gone already.
func (g *guard) killLocked() {
	if g.pid > 0 {
		_ = unix.Kill(-g.pid, unix.SIGKILL)
	}
	for _, pid := range descendants(os.Getpid()) {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// descendants returns the processes below root, children before their own.
func descendants(root int) []int {
	children := map[int][]int{}
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	names, err := proc.Readdirnames(-1)
	if closeErr := proc.Close(); err != nil || closeErr != nil {
		return nil
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // gone
		}
		if parent, ok := parentOf(string(stat)); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	found := children[root]
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found
}

// parentOf reads the parent's pid from the text of /proc/PID/stat, where the
// program's name, in brackets, may itself hold brackets and spaces.
func parentOf(stat string) (int, bool) {
	i := strings.LastIndexByte(stat, ')')
	if i < 0 {
		return 0, false
	}
	fields := strings.Fields(stat[i+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(fields[1])
	return parent, err == nil
}
