package sandbox

import "os"

// launch is a resolved command, ready to be started. It is also what the guard
// process is sent, as gob: names and variables need not be UTF-8.
type launch struct {
	Path string   // absolute name of the program
	Args []string // with the program's own name first
	Dir  string   // absolute
	Env  []string
	// Confine asks for Landlock; Writable is then what may be changed.
	Confine  bool
	Writable []string
}

// ended is how a command ended.
type ended struct {
	Exit   int    // exit status, -1 after a signal
	Signal string // name of the signal, or ""
}

// process is a running command and everything it started. Each system has one
// implementation.
type process interface {
	// kill asks for the end of the whole tree. It returns at once and may be
	// called more than once, and while wait runs.
	kill()
	// wait blocks until the command has ended and the tree is gone, as far as
	// the system allows. It is called exactly once.
	wait() (ended, error)
}

// start starts l with its standard output and error going to the given pipes,
// which stay the caller's to close.
func start(l launch, stdout, stderr *os.File) (process, error) {
	return startProcess(l, stdout, stderr)
}
