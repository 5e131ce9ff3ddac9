package proposal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"emend/edits"
	"emend/state"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// who changes a stretch of a story's text.
type who int

const (
	nobody who = iota
	agent
	person
	both     // differently
	together // in the same way
	numWho
)

// story is a text made of stretches, each changed by somebody or nobody, with
// unchanged lines between them: what must come of it is known by construction.
type story struct {
	stretches []stretch
	ending    string // "\n" or "\r\n"
}

type stretch struct {
	by               who
	base, agent, own string
}

// text returns the story as told by a choice for each stretch.
func (s story) text(choose func(int, stretch) string) string {
	var b strings.Builder
	for i, st := range s.stretches {
		fmt.Fprintf(&b, "kept line %d\n", i)
		b.WriteString(choose(i, st))
	}
	b.WriteString("the end\n")
	return strings.ReplaceAll(b.String(), "\n", s.ending)
}

func (s story) base() string   { return s.text(func(_ int, st stretch) string { return st.base }) }
func (s story) person() string { return s.text(func(_ int, st stretch) string { return st.own }) }
func (s story) agent() string  { return s.text(func(_ int, st stretch) string { return st.agent }) }

// merged is the person's text with the agent's chosen stretches where they do
// not clash.
func (s story) merged(chosen func(int) bool) string {
	return s.text(func(i int, st stretch) string {
		if st.by == agent && chosen(i) {
			return st.agent
		}
		return st.own
	})
}

// hunks returns the indexes of the stretches the agent changed.
func (s story) hunks() []int {
	var out []int
	for i, st := range s.stretches {
		if st.by != nobody && st.by != person {
			out = append(out, i)
		}
	}
	return out
}

func genStory(t *rapid.T) story {
	s := story{ending: rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "ending")}
	n := rapid.IntRange(1, 8).Draw(t, "stretches")
	serial := 0
	lines := func(label, who string) string {
		var b strings.Builder
		for range rapid.IntRange(0, 3).Draw(t, label) {
			serial++
			fmt.Fprintf(&b, "\t%s wrote this as %d\n", who, serial)
		}
		return b.String()
	}
	other := func(than, label, who string) string {
		if out := lines(label, who); out != than {
			return out
		}
		serial++
		return fmt.Sprintf("%s did not want nothing %d\n", who, serial)
	}
	for i := range n {
		st := stretch{by: who(rapid.IntRange(0, int(numWho)-1).Draw(t, "by"))}
		if i == 0 && st.by != both && st.by != together {
			st.by = agent // a proposal must change something
		}
		st.base = lines("base", "the author")
		st.agent, st.own = st.base, st.base
		switch st.by {
		case agent:
			st.agent = other(st.base, "agent", "the agent")
		case person:
			st.own = other(st.base, "person", "the person")
		case both:
			st.agent = other(st.base, "agent", "the agent")
			st.own = other(st.base, "person", "the person")
			if st.own == st.agent {
				st.own += "and more\n"
			}
		case together:
			st.agent = other(st.base, "both", "everybody")
			st.own = st.agent
		}
		s.stretches = append(s.stretches, st)
	}
	return s
}

func everything(int) bool { return true }

// TestPlanMerges: hunks the person did not touch all apply, the others are
// named, and the person's text is never lost.
func TestPlanMerges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := genStory(rt)
		w := world{path("a.txt"): s.base()}
		c := propose(rt, t.Context(), w, map[string]string{"a.txt": s.agent()})
		if diff := cmp.Diff(edits.Hunks(s.base(), s.agent()), c.change(0).frame(endsNone, false).hunks); diff != "" {
			rt.Fatalf("hunks differ from those found (-found +framed)\n%s", diff)
		}
		w[path("a.txt")] = s.person()
		p := plan(rt, c, Selection{}, w)
		w.apply(rt, p)
		if got, want := w[path("a.txt")], s.merged(everything); got != want {
			rt.Fatalf("got %q\nwant %q\nbase %q\nperson %q\nagent %q", got, want, s.base(), s.person(), s.agent())
		}
		clashes := 0
		for _, st := range s.stretches {
			if st.by == both {
				clashes++
			}
		}
		if len(p.Conflicts) != clashes {
			rt.Fatalf("%d conflicts, want %d: %v", len(p.Conflicts), clashes, p.Conflicts)
		}
	})
}

// TestEditorsSpelling: an editor that drops the byte-order mark and makes CRLF
// LF, or the other way round, changes nothing but the spelling.
func TestEditorsSpelling(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := genStory(rt)
		w := world{path("a.txt"): bom + s.base()}
		c := propose(rt, t.Context(), w, map[string]string{"a.txt": s.agent()})
		other := map[string]string{"\n": "\r\n", "\r\n": "\n"}[s.ending]
		mark := rapid.SampledFrom([]string{"", bom}).Draw(rt, "mark")
		respelled := func(text string) string { return mark + strings.ReplaceAll(text, s.ending, other) }
		w[path("a.txt")] = respelled(s.person())
		p := plan(rt, c, Selection{}, w)
		w.apply(rt, p)
		if got, want := w[path("a.txt")], respelled(s.merged(everything)); got != want {
			rt.Fatalf("got %q, want %q", got, want)
		}
		for _, fp := range p.Files {
			back := s.merged(everything) // as the disk would have it
			if got := Judge(fp, Current{Exists: true, Text: back}); got != OutcomeApplied {
				rt.Fatalf("judged %s", got)
			}
		}
	})
}

// TestOneByOne: hunks applied one at a time in any order, with the fates
// recorded or not, give what applying them all gives.
func TestOneByOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := genStory(rt)
		w := world{path("a.txt"): s.base()}
		c := propose(rt, t.Context(), w, map[string]string{"a.txt": s.agent()})
		w[path("a.txt")] = s.person()
		ids := []string{}
		for _, h := range c.Hunks() {
			ids = append(ids, h.ID)
		}
		if len(ids) != len(s.hunks()) {
			rt.Fatalf("%d hunks, want %d", len(ids), len(s.hunks()))
		}
		for _, id := range rapid.Permutation(ids).Draw(rt, "order") {
			p := plan(rt, c, Selection{Hunk: id}, w)
			w.apply(rt, p)
			if rapid.Bool().Draw(rt, "record") {
				c.Record(p, applied(p))
			}
		}
		if got, want := w[path("a.txt")], s.merged(everything); got != want {
			rt.Fatalf("got %q, want %q", got, want)
		}
		p := plan(rt, c, Selection{}, w)
		c.Record(p, applied(p))
		if len(p.Files) > 0 {
			rt.Fatalf("there is still something to do: %+v", p.Files)
		}
		if n := len(p.Conflicts); c.Open() != n {
			rt.Fatalf("%d hunks open, %d conflicts", c.Open(), n)
		}
	})
}

// TestSubsets: any choice of hunks applies, and the rest can be had later.
func TestSubsets(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := genStory(rt)
		w := world{path("a.txt"): s.base()}
		c := propose(rt, t.Context(), w, map[string]string{"a.txt": s.agent()})
		w[path("a.txt")] = s.person()
		hunks, stretches := c.Hunks(), s.hunks()
		refused := map[int]bool{}
		for i, h := range hunks {
			if rapid.Bool().Draw(rt, "refuse") {
				refused[stretches[i]] = true
				c.Discard(Selection{Hunk: h.ID})
			}
		}
		diff := c.Diff()
		for i, h := range hunks {
			if h.New != "" && !refused[stretches[i]] && !strings.Contains(diff, "+"+strings.SplitAfter(h.New, "\n")[0]) {
				rt.Fatalf("hunk %q is not in the diff\n%s", h.New, diff)
			}
		}
		p := plan(rt, c, Selection{}, w)
		w.apply(rt, p)
		c.Record(p, applied(p))
		if got, want := w[path("a.txt")], s.merged(func(i int) bool { return !refused[i] }); got != want {
			rt.Fatalf("got %q, want %q", got, want)
		}
	})
}

// TestUndoKeepsLaterEdits: apply, let the person change what the agent did not
// touch, take back: the person's text stays, the agent's is gone.
func TestUndoKeepsLaterEdits(t *testing.T) {
	store := openStore(t)
	rapid.Check(t, func(rt *rapid.T) {
		s := genStory(rt)
		start := world{path("a.txt"): s.base()}
		c := propose(rt, t.Context(), start, map[string]string{"a.txt": s.agent()})
		p := plan(rt, c, Selection{}, start)
		w := world{path("a.txt"): s.base()}
		later := s.text(func(_ int, st stretch) string {
			if st.by == person {
				return st.own
			}
			return st.agent
		})
		want := s.text(func(_ int, st stretch) string {
			if st.by == person {
				return st.own
			}
			return st.base
		})
		err := store.Update(t.Context(), func(tx *state.Tx) error {
			cp, err := Checkpoint(p, c, "test", tx.PutBlob)
			if err != nil {
				return err
			}
			w.apply(rt, p)
			w[path("a.txt")] = later
			back, err := Undo(tx, cp, nil, w.now)
			if err != nil {
				return err
			}
			again, err := Checkpoint(back, nil, "undo", tx.PutBlob)
			if err != nil {
				return err
			}
			w.apply(rt, back)
			if got := w[path("a.txt")]; got != want || len(back.Conflicts) > 0 {
				rt.Fatalf("undone to %q, want %q; conflicts %v", got, want, back.Conflicts)
			}
			forth, err := Undo(tx, again, nil, w.now)
			if err != nil {
				return err
			}
			w.apply(rt, forth)
			if got := w[path("a.txt")]; got != later {
				rt.Fatalf("undo undone to %q, want %q", got, later)
			}
			return nil
		})
		if err != nil {
			rt.Fatalf("%v", err)
		}
	})
}

// genLines is a text of few different lines, where alignments are ambiguous.
func genLines(t *rapid.T, label string) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"\n", "}\n", "x\n", "\ty()\n", "z\r\n"}), 0, 30).Draw(t, label)
}

// mangle inserts, drops and repeats lines.
func mangle(t *rapid.T, label string, lines []string, fresh func() string) []string {
	out := slices.Clone(lines)
	for range rapid.IntRange(0, 6).Draw(t, label) {
		at := rapid.IntRange(0, len(out)).Draw(t, "at")
		if at < len(out) && rapid.Bool().Draw(t, "drop") {
			out = slices.Delete(out, at, at+1)
		} else {
			out = slices.Insert(out, at, fresh())
		}
	}
	return out
}

// TestPersonsLinesSurvive: in texts full of equal lines, where nobody can know
// which one moved, what the person wrote still stays, in its order.
func TestPersonsLinesSurvive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base := genLines(rt, "base")
		after := mangle(rt, "agent", base, func() string { return rapid.SampledFrom([]string{"}\n", "x\n", "new\n"}).Draw(rt, "new") })
		serial := 0
		now := mangle(rt, "person", base, func() string { serial++; return fmt.Sprintf("mine %d\n", serial) })
		if strings.Join(after, "") == strings.Join(base, "") {
			return
		}
		w := world{path("a.txt"): strings.Join(base, "")}
		c := propose(rt, t.Context(), w, map[string]string{"a.txt": strings.Join(after, "")})
		w[path("a.txt")] = strings.Join(now, "")
		p := plan(rt, c, Selection{}, w)
		w.apply(rt, p)
		mine := func(text string) []string {
			var out []string
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "mine") {
					out = append(out, line)
				}
			}
			return out
		}
		if got, want := mine(w[path("a.txt")]), mine(strings.Join(now, "")); !slices.Equal(got, want) {
			rt.Fatalf("the person's lines are %q, were %q", got, want)
		}
	})
}

// TestPartialTicks: when an editor applies some edits and not others, the
// outcome is partly and what it did is found.
func TestPartialTicks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := genStory(rt)
		w := world{path("a.txt"): s.base()}
		c := propose(rt, t.Context(), w, map[string]string{"a.txt": s.agent()})
		p := plan(rt, c, Selection{}, w)
		fp := p.Files[0]
		stretches := s.hunks()
		ticked := map[int]bool{}
		for _, i := range stretches {
			ticked[i] = rapid.Bool().Draw(rt, "tick")
		}
		w[fp.Path] = s.text(func(i int, st stretch) string {
			if ticked[i] {
				return st.agent
			}
			return st.base
		})
		outcome := c.Settle(p, w.now)[fp.Path]
		want := OutcomePartly
		switch w[fp.Path] {
		case fp.Expect:
			want = OutcomeApplied
		case fp.Before:
			want = OutcomeNot
		}
		if outcome != want {
			rt.Fatalf("judged %s, want %s\nbefore %q\nnow %q", outcome, want, fp.Before, w[fp.Path])
		}
		for i, h := range c.Hunks() {
			if (h.Fate == state.FateApplied) != ticked[stretches[i]] {
				rt.Fatalf("hunk %d has fate %s, ticked %v", i, h.Fate, ticked[stretches[i]])
			}
		}
	})
}

// TestTakenBackByHand: when the editor's own undo takes back what was applied,
// the hunks that are left still apply, whatever lines repeat.
func TestTakenBackByHand(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base := genLines(rt, "base")
		after := mangle(rt, "agent", base, func() string { return rapid.SampledFrom([]string{"}\n", "x\n", "new\n"}).Draw(rt, "new") })
		text := strings.Join(base, "")
		if strings.Join(after, "") == text {
			return
		}
		w := world{path("a.txt"): text}
		c := propose(rt, t.Context(), w, map[string]string{"a.txt": strings.Join(after, "")})
		for _, h := range c.Hunks() {
			if rapid.Bool().Draw(rt, "apply") {
				p := plan(rt, c, Selection{Hunk: h.ID}, w)
				w.apply(rt, p)
				c.Record(p, applied(p))
			}
		}
		left := c.Open()
		w[path("a.txt")] = text
		p := plan(rt, c, Selection{}, w)
		if len(p.Conflicts) > 0 || left > 0 && len(p.Files[0].Hunks) != left {
			rt.Fatalf("%d hunks left, planned %s", left, summary(p))
		}
		for _, h := range c.Hunks() {
			again := plan(rt, c, Selection{Hunk: h.ID}, w)
			if len(again.Files) != 1 {
				rt.Fatalf("hunk %s: %s", h.ID, summary(again))
			}
		}
	})
}
