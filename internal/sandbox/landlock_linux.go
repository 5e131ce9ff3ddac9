package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// abiTruncate is the first ABI that can stop a truncation. Below it a
	// command could empty the person's files, so there is no level "files".
	abiTruncate = 3
	// abiSignals is the first ABI whose signal scope lets the threads of one
	// process signal each other (Linux 6.15); before, it breaks the Go
	// runtime's preemption.
	abiSignals = 7
)

// accessDir are the rights to change a tree. Reading, executing and device
// ioctls are not handled, so they stay as they are.
const accessDir = unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
	unix.LANDLOCK_ACCESS_FS_TRUNCATE |
	unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
	unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
	unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
	unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
	unix.LANDLOCK_ACCESS_FS_MAKE_REG |
	unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
	unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
	unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
	unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
	unix.LANDLOCK_ACCESS_FS_REFER

// accessFile is the part of accessDir that may be granted on a file.
const accessFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE

func probe() Support {
	abi := landlockABI()
	s := Support{Level: None, Landlock: abi}
	switch {
	case abi == 0:
		s.Notes = []string{"the kernel has no Landlock (or it is off): commands run in a scratch copy and nothing stops them from writing elsewhere by absolute path"}
	case abi < abiTruncate:
		s.Notes = []string{fmt.Sprintf("Landlock ABI %d cannot stop truncation (Linux 6.2 can): not used", abi)}
	default:
		s.Level = Files
		if abi < abiSignals {
			s.Notes = []string{fmt.Sprintf("Landlock ABI %d does not keep signals in (Linux 6.15 does): a command can end other processes of the same person", abi)}
		}
	}
	return s
}

// landlockABI returns the kernel's Landlock ABI, or 0.
func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// restrictThread gives up, for the calling thread and all it forks, the right
// to change files outside writable, the right to gain privileges, and most of
// root's powers. Missing
// names are left out. The caller has locked the goroutine to its thread.
func restrictThread(writable []string) error {
	abi := landlockABI()
	if abi < abiTruncate {
		return fmt.Errorf("confine with Landlock: the kernel offers ABI %d, %d is needed", abi, abiTruncate)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("confine: give up new privileges: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: accessDir}
	if abi >= abiSignals {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	// The kernel takes a structure larger than it knows if the rest is zero.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("confine: create a Landlock ruleset: %w", errno)
	}
	ruleset := int(fd)
	for _, name := range writable {
		if err := allowBeneath(ruleset, name); err != nil {
			return errors.Join(err, unix.Close(ruleset))
		}
	}
	_, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
	if errno != 0 {
		return errors.Join(fmt.Errorf("confine: apply the Landlock ruleset: %w", errno), unix.Close(ruleset))
	}
	return unix.Close(ruleset)
}

// allowBeneath lets the ruleset's holder change what is at and under name.
func allowBeneath(ruleset int, name string) (err error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("confine: allow writes under %s: %w", name, err)
	}
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("confine: allow writes under %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }()
	rule := unix.LandlockPathBeneathAttr{Allowed_access: accessDir, Parent_fd: int32(fd)}
	if !info.IsDir() {
		rule.Allowed_access = accessFile
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("confine: allow writes under %s: %w", name, errno)
	}
	return nil
}
