package edits

import (
	"strings"
)

// gitHeader is what git says of one file above its "---" and "+++" lines. Such
// a file may have no such lines at all: one that only moves, is empty, or
// changes what is no text.
type gitHeader struct {
	line           int    // of "diff --git"
	path           string // where both sides have the same; "" otherwise
	from, to       string // of a rename
	added, deleted bool
	cannot         string // what no edit can do: "" nothing
	told           bool   // its file lines came
}

// newGitHeader reads a "diff --git" line.
func newGitHeader(line string, at int) *gitHeader {
	h := &gitHeader{line: at}
	rest := strings.TrimPrefix(line, "diff --git ")
	if half := len(rest) / 2; len(rest)%2 == 1 && rest[half] == ' ' {
		from, to := diffPaths(rest[:half], rest[half+1:])
		if from == to {
			h.path = from
		}
	}
	return h
}

// read takes one more line of the header.
func (h *gitHeader) read(line string) {
	switch {
	case strings.HasPrefix(line, "rename from "):
		h.from = diffPath(strings.TrimPrefix(line, "rename from "))
	case strings.HasPrefix(line, "rename to "):
		h.to = diffPath(strings.TrimPrefix(line, "rename to "))
	case strings.HasPrefix(line, "new file mode "):
		h.added = true
	case strings.HasPrefix(line, "deleted file mode "):
		h.deleted = true
	case strings.HasPrefix(line, "copy to "):
		h.cannot = "copies a file; create the copy with its whole text instead"
	case strings.HasPrefix(line, "new mode "):
		h.cannot = "changes a file's mode, which an edit cannot carry; leave it out"
	case strings.HasPrefix(line, "Binary files "), strings.HasPrefix(line, "GIT binary patch"):
		h.cannot = "changes a binary file, which an edit cannot carry; leave it out"
	}
}

// end returns the block of a file that had no lines of its own, or why there
// can be none. Both are nil when its lines said all.
func (h *gitHeader) end() (*Block, string) {
	if h == nil {
		return nil, ""
	}
	b := &Block{Path: h.path, Line: h.line, patch: true}
	switch {
	case h.cannot != "":
		return nil, "the diff " + h.cannot + "."
	case h.told:
		return nil, ""
	case h.from != "" && h.to != "":
		b.Path, b.MoveTo = h.from, h.to
	case h.added:
		b.Create = true
	case h.deleted:
		b.Delete = true
	default:
		return nil, "the diff names a file and changes nothing in it."
	}
	if b.Path == "" {
		return nil, "the diff's file cannot be told from its \"diff --git\" line."
	}
	return b, ""
}
