package sandbox

// Level is how far a command is confined. The package comment says what each
// level keeps.
type Level string

// The levels, strictest first.
const (
	Full  Level = "full"  // own namespaces; not built yet, never reported
	Files Level = "files" // cannot change files outside its copy
	None  Level = "none"  // a scratch copy, and nothing that holds it there
)

// Support is what the system this process runs on can do.
type Support struct {
	// Level is the strictest level that New gives here.
	Level Level
	// Landlock is the kernel's Landlock ABI, 0 where there is none.
	Landlock int
	// Notes are sentences for people about what is weaker than it could be.
	// May be empty.
	Notes []string
}

// Probe finds out what confinement this system allows. It costs a system call
// or two and changes nothing.
func Probe() Support { return probe() }

// note is a Level in a sentence, for people.
func (l Level) note() string {
	switch l {
	case Files:
		return "in a scratch copy of the workspace; Landlock keeps writes to the copy and the tool caches"
	default:
		return "in a scratch copy of the workspace; nothing stops a command from writing elsewhere by absolute path"
	}
}
