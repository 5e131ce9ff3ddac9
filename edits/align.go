package edits

// region is a stretch where two sequences differ: a[i0:i1] became b[j0:j1].
type region struct{ i0, i1, j0, j1 int }

// The bounds of align. A pair of texts that differs in more places than
// maxDistance is cut at the elements that occur once in both, and its parts
// are aligned with the smaller bound; a part beyond that is one region.
const (
	maxDistance  = 1000
	partDistance = 128
	maxCuts      = 8
)

// align returns the regions where a and b differ, in order, each separated
// from the next by at least one equal element. It is the shortest such list
// within distance maxD, and a good one beyond. Cost: O((len(a)+len(b))·maxD).
func align(a, b []int32, maxD int) []region {
	var out []region
	alignPart(a, b, 0, 0, maxD, maxCuts, func(r region) {
		if n := len(out) - 1; n >= 0 && out[n].i1 == r.i0 && out[n].j1 == r.j0 {
			out[n].i1, out[n].j1 = r.i1, r.j1
			return
		}
		out = append(out, r)
	})
	return slideDown(a, b, out)
}

// alignPart reports the regions of a and b, which start at i and j of the
// whole sequences.
func alignPart(a, b []int32, i, j, maxD, cuts int, emit func(region)) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b, i, j = a[1:], b[1:], i+1, j+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 && len(b) == 0 {
		return
	}
	whole := region{i, i + len(a), j, j + len(b)}
	if len(a) == 0 || len(b) == 0 {
		emit(whole)
		return
	}
	if myers(a, b, i, j, maxD, emit) {
		return
	}
	var anchors [][2]int
	if cuts > 0 {
		anchors = uniqueAnchors(a, b)
	}
	if len(anchors) == 0 {
		emit(whole)
		return
	}
	x, y := 0, 0
	for _, p := range append(anchors, [2]int{len(a), len(b)}) {
		alignPart(a[x:p[0]], b[y:p[1]], i+x, j+y, partDistance, cuts-1, emit)
		x, y = p[0], p[1]
	}
}

// myers reports the regions of the shortest edit script of at most maxD
// single insertions and deletions, or false when there is none (Myers 1986,
// greedy, with the furthest reaching points of each round kept to walk back).
func myers(a, b []int32, i, j, maxD int, emit func(region)) bool {
	n, m := len(a), len(b)
	maxD = min(maxD, n+m)
	v := make([]int32, 2*maxD+3)
	off := maxD + 1
	var rounds [][]int32 // rounds[d] is v[off-d : off+d+1] before round d
	for d := 0; d <= maxD; d++ {
		rounds = append(rounds, append([]int32(nil), v[off-d:off+d+1]...))
		for k := -d; k <= d; k += 2 {
			var x int
			if k == -d || k != d && v[off+k-1] < v[off+k+1] {
				x = int(v[off+k+1])
			} else {
				x = int(v[off+k-1]) + 1
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			v[off+k] = int32(x)
			if x >= n && x-k >= m {
				walkBack(rounds, n, m, i, j, emit)
				return true
			}
		}
	}
	return false
}

// walkBack follows the rounds of myers from the end to the start and reports
// the regions in order.
func walkBack(rounds [][]int32, x, y, i, j int, emit func(region)) {
	var back []region
	for d := len(rounds) - 1; d > 0; d-- {
		v, off := rounds[d], d
		k := x - y
		down := k == -d || k != d && v[off+k-1] < v[off+k+1]
		from := k - 1
		if down {
			from = k + 1
		}
		px := int(v[off+from])
		py := px - from
		step := region{px, px + 1, py, py}
		if down {
			step = region{px, px, py, py + 1}
		}
		if n := len(back) - 1; n >= 0 && back[n].i0 == step.i1 && back[n].j0 == step.j1 {
			back[n].i0, back[n].j0 = step.i0, step.j0
		} else {
			back = append(back, step)
		}
		x, y = px, py
	}
	for n := len(back) - 1; n >= 0; n-- {
		r := back[n]
		emit(region{r.i0 + i, r.i1 + i, r.j0 + j, r.j1 + j})
	}
}

// uniqueAnchors pairs the elements that occur once in a and once in b, in the
// longest order both agree on.
func uniqueAnchors(a, b []int32) [][2]int {
	type place struct{ na, nb, ia, ib int }
	places := make(map[int32]*place, len(a))
	for i, id := range a {
		p := places[id]
		if p == nil {
			p = &place{}
			places[id] = p
		}
		p.na, p.ia = p.na+1, i
	}
	for j, id := range b {
		if p := places[id]; p != nil {
			p.nb, p.ib = p.nb+1, j
		}
	}
	var pairs [][2]int
	for i, id := range a {
		if p := places[id]; p.na == 1 && p.nb == 1 && p.ia == i {
			pairs = append(pairs, [2]int{i, p.ib})
		}
	}
	return longestRun(pairs)
}

// longestRun returns the longest part of pairs, which ascend in their first
// number, that ascends in the second as well.
func longestRun(pairs [][2]int) [][2]int {
	var tails []int // tails[l] ends the best run of length l+1
	prev := make([]int, len(pairs))
	for i, p := range pairs {
		lo, hi := 0, len(tails)
		for lo < hi {
			mid := (lo + hi) / 2
			if pairs[tails[mid]][1] < p[1] {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		prev[i] = -1
		if lo > 0 {
			prev[i] = tails[lo-1]
		}
		tails = append(tails[:lo], append([]int{i}, tails[min(lo+1, len(tails)):]...)...)
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([][2]int, len(tails))
	for n, i := len(tails)-1, tails[len(tails)-1]; i >= 0; n, i = n-1, prev[i] {
		out[n] = pairs[i]
	}
	return out
}

// slideDown moves every pure insertion and deletion as far down as it goes,
// so that equal changes always look the same, and joins those that meet.
func slideDown(a, b []int32, regions []region) []region {
	nextI, nextJ := len(a), len(b)
	kept := len(regions)
	for n := len(regions) - 1; n >= 0; n-- {
		r := regions[n]
		for r.i0 == r.i1 && r.i1 < nextI && b[r.j0] == a[r.i1] ||
			r.j0 == r.j1 && r.j1 < nextJ && a[r.i0] == b[r.j1] {
			r = region{r.i0 + 1, r.i1 + 1, r.j0 + 1, r.j1 + 1}
		}
		if kept < len(regions) && r.i1 == nextI && r.j1 == nextJ {
			regions[kept].i0, regions[kept].j0 = r.i0, r.j0
		} else {
			kept--
			regions[kept] = r
		}
		nextI, nextJ = regions[kept].i0, regions[kept].j0
	}
	return regions[kept:]
}

// intern numbers the distinct strings of both lists.
func intern(a, b []string) (x, y []int32) {
	ids := make(map[string]int32, len(a))
	number := func(list []string) []int32 {
		out := make([]int32, len(list))
		for i, s := range list {
			id, ok := ids[s]
			if !ok {
				id = int32(len(ids))
				ids[s] = id
			}
			out[i] = id
		}
		return out
	}
	return number(a), number(b)
}
