//go:build unix && !linux

package sandbox

import (
	"os/exec"
	"syscall"
)

// isolate puts the command into a session of its own, which has no terminal and
// is a process group of its own.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killTree kills the command's process group; its members that moved to
// another group or session live on.
func killTree(cmd *exec.Cmd) {
	// An error means that the group is gone.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
