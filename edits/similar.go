package edits

import (
	"strings"
)

// The bounds of the similarity tier and of looking for what may be meant.
const (
	maxSimilarSearch = 50 << 10
	maxSimilarText   = 2 << 20
	maxSimilarLine   = 1000
	similarBudget    = 40_000_000 // characters compared
)

// similarity returns how alike two lines are, 1 for equal: one minus the edit
// distance over the longer one's length. White space around them is ignored.
// It is 0 as soon as it cannot reach least.
func similarity(a, b string, least float64) float64 {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == b {
		return 1
	}
	long := max(len(a), len(b))
	allowed := int(float64(long) * (1 - least))
	if long > maxSimilarLine || long-min(len(a), len(b)) > allowed {
		return 0
	}
	p := commonPrefix(a, b)
	a, b = a[p:], b[p:]
	q := commonSuffix(a, b)
	d := distance(a[:len(a)-q], b[:len(b)-q], allowed)
	if d > allowed {
		return 0
	}
	return 1 - float64(d)/float64(long)
}

// distance is the edit distance of two strings by bytes, or anything above
// most when it is more than that.
func distance(a, b string, most int) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
			least = min(least, cost)
		}
		if least > most {
			return most + 1
		}
	}
	return row[len(b)]
}

// matchSimilar is the last tier: the same number of lines, nearly the same,
// clearly more so than anywhere else, and without doubt at both ends.
func (m *matcher) matchSimilar(s *source, b Block, c section) (found, *Refusal, bool) {
	if t, ok := c.trimBlank(); ok {
		c = t
	}
	text := strings.Join(c.search, "\n")
	if len(c.search) == 0 || len(text) > maxSimilarSearch || len(s.text) > maxSimilarText ||
		len(c.search) < 2 && len(strings.Join(strings.Fields(text), "")) < 12 {
		return found{}, nil, false
	}
	best, second, at := 0.0, 0.0, -1
	budget := similarBudget
	for first := 0; first+len(c.search) <= len(s.bodies) && budget > 0; first++ {
		score := windowScore(c.search, s.bodies[first:first+len(c.search)], &budget)
		if score > best {
			best, second, at = score, best, first
		} else if score > second {
			second = score
		}
	}
	if at < 0 || best < 0.9 || best-second < 0.05 || budget <= 0 {
		return found{}, nil, false
	}
	a := attempt{tier: TierSimilar, sec: c, spans: [][2]int{{at, at + len(c.search)}}}
	f, r := m.rewrite(s, b, a, 0)
	return f, r, true
}

// windowScore returns the mean similarity of lines by their length, or 0 when
// one of them is too unlike.
func windowScore(search, file []string, budget *int) float64 {
	sum, weight := 0.0, 0.0
	last := len(search) - 1
	for i, l := range search {
		least := 0.6
		if i == 0 || i == last {
			least = 0.9
		}
		if blank(l) != blank(file[i]) {
			return 0
		}
		*budget -= 1 + len(l)
		score := similarity(l, file[i], least)
		if score < least {
			return 0
		}
		w := float64(len(strings.TrimSpace(l)))
		sum, weight = sum+score*w, weight+w
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}
