package sandbox

import (
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A command has no terminal: on the person's, it could type (TIOCSTI) what
// their shell would run, and print what nobody has looked at.
func TestRunHasNoTerminal(t *testing.T) {
	needShell(t)
	for _, unconfined := range []bool{false, true} {
		b := newBox(t, Config{Root: tempRoot(t, map[string]string{"a": ""}), Unconfined: unconfined})
		stat := shell(t, b, "cat /proc/self/stat")
		fields := strings.Fields(string(stat.Output)[strings.LastIndexByte(string(stat.Output), ')')+1:])
		mine, err := unix.Getsid(0)
		must(t, err)
		if len(fields) < 5 || fields[3] == strconv.Itoa(mine) || fields[4] != "0" {
			t.Errorf("session and terminal of the command are %v; ours is session %d", fields[3:5], mine)
		}
		if res := shell(t, b, "echo x >/dev/tty"); res.Exit == 0 {
			t.Error("/dev/tty can be opened")
		}
	}
}
