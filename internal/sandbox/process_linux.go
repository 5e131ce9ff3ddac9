package sandbox

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// buryWithin is how long a guard may take to bring a killed tree down before
// it is killed itself. Only processes stuck in the kernel take longer.
const buryWithin = 10 * time.Second

// guarded is a command below a guard process.
type guarded struct {
	cmd      *exec.Cmd
	control  *os.File // its closing is the order to kill
	report   *os.File
	killOnce sync.Once
	late     *time.Timer // set by kill
	lateMu   sync.Mutex  // guards late
	pid      int         // the command's
	said     *tail       // the guard's standard error: a crash of its own
	messages *json.Decoder
}

func startProcess(l launch, stdout, stderr *os.File) (process, error) {
	controlR, controlW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", l.Path, err)
	}
	reportR, reportW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", l.Path, err), controlR.Close(), controlW.Close())
	}
	g := &guarded{control: controlW, report: reportR, said: &tail{max: 4 << 10}, messages: json.NewDecoder(reportR)}
	g.cmd = &exec.Cmd{
		Path:        "/proc/self/exe",
		Args:        []string{guardName},
		Env:         []string{"GOTRACEBACK=single"},
		Dir:         "/",
		Stderr:      g.said,
		ExtraFiles:  []*os.File{controlR, reportW, stdout, stderr},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		WaitDelay:   time.Second,
	}
	err = g.cmd.Start()
	err = errors.Join(err, controlR.Close(), reportW.Close())
	if err != nil {
		return nil, g.abandon(fmt.Errorf("start a guard for %s: %w", l.Path, err))
	}
	if err := gob.NewEncoder(controlW).Encode(l); err != nil {
		return nil, g.abandon(fmt.Errorf("start %s: tell the guard: %w", l.Path, err))
	}
	var m guardMessage
	if err := g.messages.Decode(&m); err != nil {
		return nil, g.abandon(fmt.Errorf("start %s: the guard ended: %w", l.Path, err))
	}
	if m.Error != "" {
		return nil, g.abandon(errors.New(m.Error))
	}
	g.pid = m.Started
	return g, nil
}

// abandon gives up a command that did not start, and returns why with what the
// guard had to say.
func (g *guarded) abandon(why error) error {
	g.kill()
	if g.cmd.Process != nil {
		if err := g.cmd.Wait(); err != nil && g.said.len() > 0 {
			why = fmt.Errorf("%w (%w: %s)", why, err, bytes.TrimSpace(g.said.bytes()))
		}
	}
	g.stopLate()
	return errors.Join(why, g.report.Close())
}

func (g *guarded) kill() {
	g.killOnce.Do(func() {
		// The guard reads the end of control as the order; an error of Close
		// changes nothing about that.
		_ = g.control.Close()
		g.lateMu.Lock()
		defer g.lateMu.Unlock()
		if g.cmd.Process != nil {
			g.late = time.AfterFunc(buryWithin, func() { _ = g.cmd.Process.Kill() })
		}
	})
}

func (g *guarded) stopLate() {
	g.lateMu.Lock()
	defer g.lateMu.Unlock()
	if g.late != nil {
		g.late.Stop()
	}
}

func (g *guarded) wait() (ended, error) {
	var m guardMessage
	decodeErr := g.messages.Decode(&m)
	if decodeErr != nil {
		// The guard died, which it does by no doing of ours but the late
		// kill: bring down at least the command's own group.
		_ = unix.Kill(-g.pid, unix.SIGKILL)
	}
	waitErr := g.cmd.Wait()
	g.kill()
	g.stopLate()
	closeErr := g.report.Close()
	switch {
	case m.Ended != nil:
		return *m.Ended, nil
	case errors.Is(decodeErr, io.EOF) || decodeErr == nil:
		return ended{Exit: -1}, fmt.Errorf("the command's guard ended early: %w: %s", errors.Join(waitErr, closeErr), bytes.TrimSpace(g.said.bytes()))
	default:
		return ended{Exit: -1}, fmt.Errorf("hear from the command's guard: %w", decodeErr)
	}
}
