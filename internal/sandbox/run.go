package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Default bounds of a command.
const (
	DefaultTimeout   = 5 * time.Minute
	DefaultMaxOutput = 8 << 20
)

// drainWithin is how long the output may stay open after the processes that
// wrote it are gone; only a process that escaped holds it longer.
const drainWithin = 2 * time.Second

// Command is a program to run in a Box.
type Command struct {
	// Args are the program and its arguments. A name without a slash is
	// looked for in PATH, one with a slash in Dir.
	Args []string
	// Dir is the folder to run in, slash-separated, relative to the root; ""
	// is the root.
	Dir string
	// Env is added, as "NAME=value", to what the command gets of this
	// process's variables: those of a fixed list, and nothing that looks like
	// a secret. TMPDIR is a folder of the Box.
	Env []string
	// Timeout ends the command; 0 is DefaultTimeout.
	Timeout time.Duration
	// MaxOutput bounds Result.Output, in bytes; 0 is DefaultMaxOutput. A
	// command that prints 32 times as much is ended.
	MaxOutput int64
	// Stdout and Stderr, if not nil, get each line as it comes, without its
	// ending and valid only during the call; a line longer than 1 MB comes in
	// pieces. They are called from one goroutine at a time, and see all lines
	// whatever MaxOutput. A nil Stderr sends its lines to Stdout.
	Stdout, Stderr func(line []byte)
}

// Result is how a command ended.
type Result struct {
	// Exit is the exit status, -1 when a signal ended the command.
	Exit int
	// Signal is the name of that signal, such as "SIGKILL", or "".
	Signal string
	// Output is what was printed on both streams, as it came: the first and
	// the last half of MaxOutput bytes when it is more.
	Output []byte
	// Truncated is true when there was more output than MaxOutput.
	Truncated bool
	// TimedOut and Flooded tell that the command was ended for taking too
	// long, or for printing without end.
	TimedOut, Flooded bool
	Took              time.Duration
}

// Run runs one command and returns when it and all it started are gone. Its
// standard input is empty. A status other than 0 is no error. When ctx ends,
// the command is killed, and what there is of a Result comes with an error that
// wraps ctx's. A program that is not there is an error that wraps
// exec.ErrNotFound or fs.ErrNotExist.
func (b *Box) Run(ctx context.Context, cmd Command) (Result, error) {
	if err := b.take(ctx); err != nil {
		return Result{}, err
	}
	defer b.give()
	l, err := b.resolve(cmd)
	if err != nil {
		return Result{}, err
	}
	if cmd.Timeout <= 0 {
		cmd.Timeout = DefaultTimeout
	}
	if cmd.MaxOutput <= 0 {
		cmd.MaxOutput = DefaultMaxOutput
	}
	began := time.Now()
	sink := newSink(cmd)
	p, err := sink.start(l)
	if err != nil {
		return Result{}, err
	}
	why, end, err := b.watch(ctx, p, sink.flooded, cmd.Timeout)
	sink.drain()
	out := sink.captured
	res := Result{
		Exit: end.Exit, Signal: end.Signal,
		Output: out.bytes(), Truncated: out.truncated(),
		TimedOut: errors.Is(why, errTimedOut), Flooded: errors.Is(why, errFlooded),
		Took: time.Since(began),
	}
	switch {
	case res.TimedOut, res.Flooded:
		return res, nil
	case why != nil:
		return res, fmt.Errorf("run %s: %w", strings.Join(cmd.Args, " "), why)
	case err != nil:
		return res, fmt.Errorf("run %s: %w", strings.Join(cmd.Args, " "), err)
	}
	return res, nil
}

var (
	errTimedOut = errors.New("timed out")
	errFlooded  = errors.New("printed without end")
)

// watch waits for p and kills it when there is a reason to, which it returns.
func (b *Box) watch(ctx context.Context, p process, flooded <-chan struct{}, timeout time.Duration) (why error, end ended, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		end, err = p.wait()
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-done:
		return nil, end, err
	case <-ctx.Done():
		why = ctx.Err()
	case <-b.closing:
		why = ErrClosed
	case <-timer.C:
		why = errTimedOut
	case <-flooded:
		why = errFlooded
	}
	p.kill()
	<-done
	return why, end, err
}

// resolve turns a Command into what the system starts.
func (b *Box) resolve(cmd Command) (launch, error) {
	if len(cmd.Args) == 0 || cmd.Args[0] == "" {
		return launch{}, errors.New("run a command: it has no program")
	}
	dir, err := b.folder(cmd.Dir)
	if err != nil {
		return launch{}, fmt.Errorf("run %s: %w", cmd.Args[0], err)
	}
	env := environment(dir, b.slot.tmp(), cmd.Env)
	program, err := lookProgram(cmd.Args[0], dir, variable(env, "PATH"))
	if err != nil {
		return launch{}, fmt.Errorf("run %s: %w", cmd.Args[0], err)
	}
	l := launch{Path: program, Args: cmd.Args, Dir: dir, Env: env}
	if b.level == Files {
		l.Confine = true
		l.Writable = append([]string{b.tree.dir, b.slot.tmp()}, devices...)
		l.Writable = append(l.Writable, toolCaches(cmd.Args[0], env)...)
		l.Writable = append(l.Writable, b.cfg.Writable...)
	}
	return l, nil
}

// folder returns the copy's folder for a Command's Dir.
func (b *Box) folder(rel string) (string, error) {
	if rel == "" {
		rel = "."
	}
	local := filepath.FromSlash(rel)
	if !filepath.IsLocal(local) {
		return "", fmt.Errorf("the folder %s is not in the workspace", rel)
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(b.tree.dir, local))
	if err != nil {
		return "", err
	}
	if in, err := filepath.Rel(b.tree.dir, dir); err != nil || !filepath.IsLocal(in) {
		return "", fmt.Errorf("the folder %s leads out of the workspace", rel)
	}
	return dir, nil
}

// lookProgram finds a program as a shell in dir would, but never in a folder
// of PATH that is relative.
func lookProgram(name, dir, path string) (string, error) {
	if strings.ContainsAny(name, `/\`) && (runtime.GOOS == "windows" || strings.ContainsRune(name, '/')) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, filepath.FromSlash(name))
		}
		return name, executable(name)
	}
	if runtime.GOOS == "windows" {
		return exec.LookPath(name) // which knows about extensions
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if full := filepath.Join(folder, name); executable(full) == nil {
			return full, nil
		}
	}
	return "", fmt.Errorf("find it in PATH: %w", exec.ErrNotFound)
}

func executable(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return &fs.PathError{Op: "run", Path: name, Err: fs.ErrPermission}
	}
	return nil
}

// sink reads a command's two streams.
type sink struct {
	flooded chan struct{} // closed when there is too much
	limit   int64
	readers sync.WaitGroup
	pipes   []*os.File

	outMu    sync.Mutex // guards what follows, and orders the callbacks
	captured *capture
	out, err lines
}

func newSink(cmd Command) *sink {
	call := func(f func([]byte)) func([]byte) {
		if f == nil {
			return func([]byte) {}
		}
		return f
	}
	stderr := cmd.Stderr
	if stderr == nil {
		stderr = cmd.Stdout
	}
	return &sink{
		flooded:  make(chan struct{}),
		limit:    cmd.MaxOutput * floodFactor,
		captured: newCapture(cmd.MaxOutput),
		out:      lines{emit: call(cmd.Stdout)},
		err:      lines{emit: call(stderr)},
	}
}

// start starts l with its output going to the sink.
func (s *sink) start(l launch) (process, error) {
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", l.Path, err)
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", l.Path, err), outR.Close(), outW.Close())
	}
	p, err := start(l, outW, errW)
	// The writing ends are the command's now; errors of closing ours are
	// without effect.
	_, _ = outW.Close(), errW.Close()
	if err != nil {
		_, _ = outR.Close(), errR.Close()
		return nil, err
	}
	s.pipes = []*os.File{outR, errR}
	s.readers.Go(func() { s.read(outR, &s.out) })
	s.readers.Go(func() { s.read(errR, &s.err) })
	return p, nil
}

func (s *sink) read(from io.Reader, to *lines) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		s.take(buf[:n], to)
		if err != nil { // the end, or drain's deadline
			s.outMu.Lock()
			to.end()
			s.outMu.Unlock()
			return
		}
	}
}

func (s *sink) take(p []byte, to *lines) {
	s.outMu.Lock()
	defer s.outMu.Unlock()
	before := s.captured.total
	s.captured.add(p)
	if before <= s.limit && s.captured.total > s.limit {
		close(s.flooded)
	}
	if before <= s.limit {
		to.feed(p)
	}
}

// drain waits for the rest of the output and closes the pipes.
func (s *sink) drain() {
	for _, p := range s.pipes {
		// Where there are no deadlines, the end of the processes is enough.
		_ = p.SetReadDeadline(time.Now().Add(drainWithin))
	}
	s.readers.Wait()
	for _, p := range s.pipes {
		_ = p.Close()
	}
}
