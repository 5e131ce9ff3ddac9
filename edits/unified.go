package edits

import (
	"strings"

	"github.com/sourcegraph/go-diff/diff"
)

// Unified returns the change from before to after as a unified diff with that
// many lines of context, or "" when the texts are equal. The paths are printed
// as given ("a/x", "b/x" for what git and patch -p1 read); an empty one, for a
// file that is created or deleted, is printed as /dev/null. Line endings are
// kept, and a last line without one is marked as such.
func Unified(oldPath, newPath, before, after string, context int) string {
	hunks := Hunks(before, after)
	if len(hunks) == 0 {
		return ""
	}
	a := splitLines(before)
	d := &diff.FileDiff{OrigName: diffName(oldPath), NewName: diffName(newPath)}
	context = max(0, context)
	for len(hunks) > 0 {
		n := 1
		for n < len(hunks) && hunks[n].OldStart-hunks[n-1].OldEnd <= 2*context {
			n++
		}
		d.Hunks = append(d.Hunks, diffHunk(a, hunks[:n], context))
		hunks = hunks[n:]
	}
	out, err := diff.PrintFileDiff(d)
	if err != nil { // printing to memory does not fail
		return ""
	}
	return string(out)
}

// diffName returns a path as a diff's header shows it. Like git, it ends a
// name with spaces in a tab, so that readers see where it ends.
func diffName(path string) string {
	if path == "" {
		return "/dev/null"
	}
	if strings.Contains(path, " ") {
		return path + "\t"
	}
	return path
}

// diffHunk prints neighbouring hunks with context lines around and between.
func diffHunk(a []string, hunks []Hunk, context int) *diff.Hunk {
	first, last := hunks[0], hunks[len(hunks)-1]
	lead := min(context, first.OldStart)
	end := min(last.OldEnd+context, len(a))
	h := &diff.Hunk{
		OrigStartLine: int32(first.OldStart - lead), OrigLines: int32(end - first.OldStart + lead),
		NewStartLine: int32(first.NewStart - lead), NewLines: int32(last.NewEnd - first.NewStart + lead + end - last.OldEnd),
	}
	if h.OrigLines > 0 {
		h.OrigStartLine++
	}
	if h.NewLines > 0 {
		h.NewStartLine++
	}
	var body []byte
	write := func(mark byte, lines []string) {
		for _, l := range lines {
			body = append(append(body, mark), l...)
		}
	}
	at := first.OldStart - lead
	for _, g := range hunks {
		write(' ', a[at:g.OldStart])
		write('-', splitLines(g.Old))
		if g.Old != "" && !strings.HasSuffix(g.Old, "\n") && g.New != "" {
			body = append(body, '\n')
			h.OrigNoNewlineAt = int32(len(body))
		}
		write('+', splitLines(g.New))
		at = g.OldEnd
	}
	write(' ', a[at:end])
	h.Body = body
	return h
}
