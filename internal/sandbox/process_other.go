//go:build !linux

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// direct is a command that is our own child.
type direct struct{ cmd *exec.Cmd }

func startProcess(l launch, stdout, stderr *os.File) (process, error) {
	if l.Confine {
		return nil, errors.New("confine: not on this system")
	}
	cmd := &exec.Cmd{Path: l.Path, Args: l.Args, Dir: l.Dir, Env: l.Env, Stdout: stdout, Stderr: stderr}
	isolate(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", l.Path, err)
	}
	return &direct{cmd}, nil
}

func (d *direct) kill() { killTree(d.cmd) }

func (d *direct) wait() (ended, error) {
	err := d.cmd.Wait()
	killTree(d.cmd)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return ended{}, nil
	case errors.As(err, &exit):
		end := ended{Exit: exit.ExitCode()}
		if end.Exit < 0 {
			end.Signal = exit.String()
		}
		return end, nil
	default:
		return ended{Exit: -1}, err
	}
}
