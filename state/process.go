package state

import (
	"os"
	"sync"
)

// An identity names one process for good: process ids are used again, after a restart of the machine and before.
type identity struct {
	PID  int
	Boot string // the boot of the machine, "" = unknown
	Born string // when the process started, in the system's own unit, "" = unknown
}

// self is the identity of this process.
var self = sync.OnceValue(func() identity {
	pid := os.Getpid()
	return identity{PID: pid, Boot: bootID(), Born: bornAt(pid)}
})

// alive reports whether the process is still there. What is unknown counts as equal.
func (id identity) alive() bool {
	if id.PID <= 0 {
		return false
	}
	if here := self().Boot; id.Boot != "" && here != "" && id.Boot != here {
		return false
	}
	if !processExists(id.PID) {
		return false
	}
	born := bornAt(id.PID)
	return id.Born == "" || born == "" || id.Born == born
}
