package edits

import "strings"

// Diff returns the set that turns before into after. It changes as few lines
// as it can, and within changed lines as few words and characters, without
// ever splitting a character, a character and its marks, or a "\r\n". Equal
// texts give nil. Cost: near the length of the texts where they are alike;
// texts with more than a thousand changed lines get a coarser answer.
func Diff(before, after string) Set {
	if before == after {
		return nil
	}
	var out Set
	for _, h := range Hunks(before, after) {
		out = append(out, h.Edits...)
	}
	return out
}

// diffLines aligns the lines of two texts, whose common start and end are set
// aside first. It returns the regions by line number of the whole texts.
func diffLines(a, b []string) []region {
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
	}
	hiA, hiB := len(a), len(b)
	for hiA > lo && hiB > lo && a[hiA-1] == b[hiB-1] {
		hiA--
		hiB--
	}
	x, y := intern(a[lo:hiA], b[lo:hiB])
	regions := align(x, y, maxDistance)
	for i := range regions {
		r := &regions[i]
		r.i0, r.i1, r.j0, r.j1 = r.i0+lo, r.i1+lo, r.j0+lo, r.j1+lo
	}
	return regions
}

// The bounds of diffWords: more text or more differences than these are
// replaced as one piece.
const (
	maxWordText     = 64 << 10
	maxWordDistance = 400
)

// diffWords returns the edits that turn one run of changed lines into another,
// with offsets moved by base. Both texts must start at a line's start.
func diffWords(before, after string, base int) Set {
	if before == "" || after == "" {
		return Set{{Start: base, End: base + len(before), New: after}}
	}
	if len(before)+len(after) > maxWordText {
		return trimEdit(nil, before, after, base)
	}
	a, b := tokens(before), tokens(after)
	x, y := intern(a, b)
	offA, offB := lineOffsets(a), lineOffsets(b)
	var out Set
	for _, r := range joinNear(align(x, y, maxWordDistance), before, offA, offB) {
		out = trimEdit(out, before[offA[r.i0]:offA[r.i1]], after[offB[r.j0]:offB[r.j1]], base+offA[r.i0])
	}
	return out
}

// joinNear joins neighbouring regions where what is equal between them is
// shorter than either and holds neither a word nor a line's end: such islands
// make a change harder to read, and no smaller in any way that counts.
func joinNear(regions []region, before string, offA, offB []int) []region {
	size := func(r region) int { return max(offA[r.i1]-offA[r.i0], offB[r.j1]-offB[r.j0]) }
	var out []region
	for _, r := range regions {
		if n := len(out) - 1; n >= 0 {
			island := before[offA[out[n].i1]:offA[r.i0]]
			if len(island) <= min(size(out[n]), size(r)) && !strings.ContainsFunc(island, isWordRune) {
				out[n].i1, out[n].j1 = r.i1, r.j1
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// isWordRune reports whether an island with this character must stay.
func isWordRune(r rune) bool {
	return r == '\n' || r >= 0x80 || isWordByte(byte(r))
}

// trimEdit appends the replacement of before by after without what they have
// in common at their start and end, cluster by cluster.
func trimEdit(out Set, before, after string, base int) Set {
	if len(before)+len(after) > 4*maxWordText {
		return trimLines(out, before, after, base)
	}
	a, b := clusters(before), clusters(after)
	lo, start := 0, 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		start += len(a[lo])
		lo++
	}
	end, endB := len(before), len(after)
	for i, j := len(a), len(b); i > lo && j > lo && a[i-1] == b[j-1]; i, j = i-1, j-1 {
		end -= len(a[i-1])
		endB -= len(b[j-1])
	}
	if start == end && start == endB {
		return out
	}
	return append(out, Edit{Start: base + start, End: base + end, New: after[start:endB]})
}

// trimLines is trimEdit for texts too long to be cut into clusters: it sets
// aside whole lines only.
func trimLines(out Set, before, after string, base int) Set {
	start := commonPrefix(before, after)
	start = strings.LastIndexByte(before[:start], '\n') + 1
	n := commonSuffix(before[start:], after[start:])
	if i := strings.IndexByte(before[len(before)-n:], '\n'); i >= 0 {
		n -= i + 1
	} else {
		n = 0
	}
	if start == len(before)-n && start == len(after)-n {
		return out
	}
	return append(out, Edit{Start: base + start, End: base + len(before) - n, New: after[start : len(after)-n]})
}
