package proposal

import (
	"slices"
	"strings"
	"testing"

	"emend/state"

	"pgregory.net/rapid"
)

// TestLocatedAgreesWithPlan: what is shown is what would be sent.
func TestLocatedAgreesWithPlan(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := genStory(rt)
		w := world{path("a.txt"): s.base()}
		c := propose(rt, t.Context(), w, map[string]string{"a.txt": s.agent()})
		for range rapid.IntRange(1, 5).Draw(rt, "keystrokes") {
			text := w[path("a.txt")]
			at := rapid.IntRange(0, len(text)).Draw(rt, "at")
			end := min(len(text), at+rapid.IntRange(0, 3).Draw(rt, "cut"))
			w[path("a.txt")] = text[:at] + rapid.SampledFrom([]string{"", "q", "\n", "  "}).Draw(rt, "typed") + text[end:]
			agree(rt, c, w)
		}
		w[path("a.txt")] = s.person()
		agree(rt, c, w)
	})
}

// agree compares Located with Plan for a.txt.
func agree(t fataler, c *Content, w world) {
	t.Helper()
	now := w[path("a.txt")]
	located := c.Located(string(path("a.txt")), now)
	p := plan(t, c, Selection{}, w)
	n := fates(located)
	planned := 0
	for _, fp := range p.Files {
		planned += len(fp.Hunks)
	}
	if n[state.FatePending] != planned || n[state.FateConflict] != len(p.Conflicts) || n[state.FateApplied] != len(p.Already) {
		t.Fatalf("located %v; planned %d, %d conflicts, %d already\n%q", n, planned, len(p.Conflicts), len(p.Already), now)
	}
	pending, any := 0, 0 // where the last pending one, and the last of all, ended
	for _, l := range located {
		if l.Start < 0 || l.End < l.Start || l.End > len(now) {
			t.Fatalf("hunk %s is at %d-%d of %d bytes", l.ID, l.Start, l.End, len(now))
		}
		switch {
		case l.Fate == state.FateConflict:
			continue // all that changed there, which may reach over its neighbours
		case l.Fate == state.FatePending && l.Start < any || l.Start < pending:
			t.Fatalf("hunk %s is at %d-%d, after %d", l.ID, l.Start, l.End, any)
		case l.Fate == state.FatePending && now[l.Start:l.End] != l.Old:
			t.Fatalf("hunk %s is located at %q, replaces %q", l.ID, now[l.Start:l.End], l.Old)
		case l.Fate == state.FatePending:
			pending = l.End
		}
		any = max(any, l.End)
	}
}

// TestLocatedFollowsTyping: a text that is followed keystroke by keystroke has
// its hunks where a fresh look finds them. Among repeated lines a fresh look
// may come to another of several equal answers; what is shown must then still
// be what the hunks replace.
func TestLocatedFollowsTyping(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lines := strings.SplitAfter(numbered(150), "\n")
		repeats := rapid.Bool().Draw(rt, "repeats")
		keys := []string{"", "q", "zz ", bom, "\r"}
		if repeats {
			keys = append(keys, "\n", "\r\n")
			for i := range lines {
				if i%3 > 0 {
					lines[i] = []string{"}\n", "\n", "return nil\n"}[i/3%3]
				}
			}
		}
		base := strings.Join(lines, "")
		after := slices.Clone(lines)
		for range rapid.IntRange(1, 4).Draw(rt, "hunks") {
			at := rapid.IntRange(0, len(after)-2).Draw(rt, "hunk")
			after[at] = rapid.SampledFrom([]string{"", "}\n", after[at] + "new\n", "new\n" + after[at], "other\n"}).Draw(rt, "change")
		}
		if strings.Join(after, "") == base {
			return
		}
		w := world{path("a.txt"): base}
		c := propose(rt, t.Context(), w, map[string]string{"a.txt": strings.Join(after, "")})
		text := base
		for range rapid.IntRange(1, 12).Draw(rt, "keystrokes") {
			at := rapid.IntRange(0, len(text)).Draw(rt, "at")
			end := min(len(text), at+rapid.SampledFrom([]int{0, 0, 1, 30}).Draw(rt, "cut"))
			text = text[:at] + rapid.SampledFrom(keys).Draw(rt, "typed") + text[end:]
			got := c.Located(string(path("a.txt")), text)
			for _, l := range got {
				if l.Fate == state.FatePending && text[l.Start:l.End] != l.Old {
					rt.Fatalf("%+v is located at %q", l, text[l.Start:l.End])
				}
			}
			if want := c.Clone().Located(string(path("a.txt")), text); !repeats && !slices.Equal(got, want) {
				rt.Fatalf("followed to %+v\nfresh %+v\n%q", got, want, text)
			}
		}
	})
}
