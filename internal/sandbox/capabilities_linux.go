package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// keptCapabilities are those that a build run by root may need, all about
// files and users. The others (to load modules, trace, look into all memory,
// make devices, signal anybody, administer) reach past Landlock.
const keptCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH |
	1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID |
	1<<unix.CAP_NET_BIND_SERVICE

// dropCapabilities gives up all other capabilities for the calling thread. An
// ordinary person's process has none, and nothing changes. They do not come
// back when a program is started, as no new privileges may be gained; the
// caller sees to that.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(&header, &have[0]); err != nil {
		return fmt.Errorf("confine: read the capabilities: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("confine: clear the ambient capabilities: %w", err)
	}
	want := [2]unix.CapUserData{}
	want[0].Permitted = have[0].Permitted & keptCapabilities
	want[0].Effective = have[0].Effective & keptCapabilities
	if err := unix.Capset(&header, &want[0]); err != nil {
		return fmt.Errorf("confine: drop capabilities: %w", err)
	}
	return nil
}
