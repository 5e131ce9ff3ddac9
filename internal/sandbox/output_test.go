package sandbox

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLineSplitting: however a stream is cut into pieces, its lines are the
// same.
func TestLineSplitting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab\r\n"))).Draw(t, "text")
		var got []string
		l := lines{emit: func(line []byte) { got = append(got, string(line)) }}
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			l.feed([]byte(rest[:n]))
			rest = rest[n:]
		}
		l.end()
		var want []string
		for line := range strings.Lines(text) {
			if bare, ok := strings.CutSuffix(line, "\n"); ok {
				line = strings.TrimSuffix(bare, "\r")
			}
			want = append(want, line)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(want) {
			t.Fatalf("lines of %q: %q, want %q", text, got, want)
		}
	})
}

func TestLongLine(t *testing.T) {
	var sizes []int
	l := lines{emit: func(line []byte) { sizes = append(sizes, len(line)) }}
	for range 5 {
		l.feed([]byte(strings.Repeat("x", maxLine/2)))
	}
	l.feed([]byte("y\n"))
	if len(sizes) != 3 || sizes[0] != maxLine || sizes[2] != maxLine/2+1 {
		t.Errorf("pieces of %v bytes", sizes)
	}
}

// TestCapture: what fits is kept whole, else its first and last half.
func TestCapture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(2, 40).Draw(t, "limit")
		c := newCapture(limit)
		var all string
		for _, piece := range rapid.SliceOf(rapid.StringN(0, 20, 30)).Draw(t, "pieces") {
			c.add([]byte(piece))
			all += piece
		}
		got := string(c.bytes())
		if int64(len(all)) <= limit {
			if got != all || c.truncated() {
				t.Fatalf("kept %q of %q", got, all)
			}
			return
		}
		half := int(limit / 2)
		if !c.truncated() || !strings.HasPrefix(got, all[:half]) || !strings.HasSuffix(got, all[len(all)-half:]) || !strings.Contains(got, "left out") {
			t.Fatalf("kept %q of %q at %d", got, all, limit)
		}
	})
}
