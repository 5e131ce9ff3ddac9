package proposal

import (
	"slices"
	"strings"

	"emend/state"
)

// keystroke is the difference between two versions of a text taken as one
// replacement: bytes lo to hi of the earlier by lo to hi+delta of the later.
type keystroke struct{ lo, hi, delta int }

// keystrokeOf compares two texts from both ends.
func keystrokeOf(before, after string) keystroke {
	n := min(len(before), len(after))
	lo := commonPrefix(before[:n], after[:n])
	tail := commonSuffix(before[lo:], after[lo:])
	return keystroke{lo: lo, hi: len(before) - tail, delta: len(after) - len(before)}
}

// compared is how much of two texts is compared at once.
const compared = 4096

func commonPrefix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+compared <= n && a[i:i+compared] == b[i:i+compared] {
		i += compared
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+compared <= n && a[len(a)-i-compared:len(a)-i] == b[len(b)-i-compared:len(b)-i] {
		i += compared
	}
	for i < n && a[len(a)-i-1] == b[len(b)-i-1] {
		i++
	}
	return i
}

// clearLines is how many lines away from a hunk typing must be for the hunk to
// be merely shifted. It is more than [edits.Rebase] looks at around a hunk.
const clearLines = 20

// follow returns located hunks of one text in the next, where what was typed
// in between cannot have changed more than their offsets. It spares the
// comparison of the whole text with the one the run saw, at each keystroke.
func follow(located []LocatedHunk, before, after string) ([]LocatedHunk, bool) {
	k := keystrokeOf(before, after)
	if !k.keepsSpelling(before, after) {
		return nil, false
	}
	lo, hi := linesBefore(before, k.lo, clearLines), linesAfter(before, k.hi, clearLines)
	out := slices.Clone(located)
	for i := range out {
		h := &out[i]
		switch {
		case h.Fate != state.FatePending, h.Kind == KindCreate, h.Kind == KindDelete:
			return nil, false // its reason speaks of lines, or it is about more than its place
		case h.Kind == KindRename, h.End < lo:
		case h.Start > hi:
			h.Start += k.delta
			h.End += k.delta
		default:
			return nil, false
		}
	}
	return out, true
}

// keepsSpelling reports whether a keystroke surely leaves alone the kind of
// the text's line ends and its byte-order mark.
func (k keystroke) keepsSpelling(before, after string) bool {
	cut, typed := before[k.lo:k.hi], after[k.lo:k.hi+k.delta]
	_, body := cutBOM(before)
	switch {
	case k.lo < len(bom) && (len(body) != len(before) || strings.HasPrefix(after, bom)):
		return false
	case strings.Contains(cut, "\r") || strings.Contains(typed, "\r") || k.lo > 0 && after[k.lo-1] == '\r':
		return false
	case !strings.Contains(cut, "\n") && !strings.Contains(typed, "\n"):
		return true
	}
	// Line ends came or went: fine only among plain LF ones.
	return !strings.Contains(before, "\r") && strings.Contains(before, "\n") && strings.Contains(after, "\n")
}

// linesBefore returns the start of the line that is n lines above offset.
func linesBefore(s string, offset, n int) int {
	for ; n >= 0 && offset >= 0; n-- {
		offset = strings.LastIndexByte(s[:offset], '\n')
	}
	return max(0, offset)
}

// linesAfter returns the end of the line that is n lines below offset.
func linesAfter(s string, offset, n int) int {
	for ; n >= 0; n-- {
		i := strings.IndexByte(s[offset:], '\n')
		if i < 0 {
			return len(s)
		}
		offset += i + 1
	}
	return offset
}
