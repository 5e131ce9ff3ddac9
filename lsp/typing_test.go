package lsp

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"emend/agent/model/scripted"
	"emend/lsp/lsptest"
)

var typingSeeds = flag.Int("typing.seeds", 3, "how many random people type in each editor")

// TestTypingSurvives has a person type at random while runs, applies, discards
// and undos go on, in every editor. Whatever becomes of the changes, everything
// the person typed is in the text afterwards, exactly once, and so is
// everything that was there before.
func TestTypingSurvives(t *testing.T) {
	for _, profile := range lsptest.Profiles() {
		for seed := range *typingSeeds {
			t.Run(fmt.Sprintf("%s/%d", profile, seed), func(t *testing.T) {
				t.Parallel()
				newTypist(t, profile, uint64(seed)).work()
			})
		}
	}
}

// typist is the person, and what they know must be in the text.
type typist struct {
	t       *testing.T
	w       *world
	rnd     *rand.Rand
	tokens  []string
	started int // jobs that were begun
}

const slots = 6

func newTypist(t *testing.T, profile string, seed uint64) *typist {
	var text strings.Builder
	for i := range slots {
		fmt.Fprintf(&text, "slot %d:\n\nprose %d\n\n", i, i)
	}
	tp := &typist{t: t, rnd: rand.New(rand.NewPCG(seed, 7))}
	for i := range slots {
		tp.tokens = append(tp.tokens, fmt.Sprintf("slot %d:", i), fmt.Sprintf("prose %d", i))
	}
	tp.w = newWorld(t, setup{profile: profile, files: map[string]string{"a.txt": text.String()}, answers: scripted.Func(marks(seed))})
	tp.w.Open("a.txt")
	return tp
}

var slotLine = regexp.MustCompile(`(?m)^slot (\d+):.*$`)

// marks is a model that appends a mark to some of the slots it sees, as they
// are written there.
func marks(seed uint64) func(scripted.Request) scripted.Turn {
	rnd := rand.New(rand.NewPCG(seed, 11))
	n := 0
	return func(r scripted.Request) scripted.Turn {
		var reply strings.Builder
		lines := slotLine.FindAllString(r.Messages[len(r.Messages)-1].Content, -1)
		seen := map[string]bool{}
		for _, line := range lines {
			if seen[line] || rnd.IntN(3) > 0 && len(seen) > 0 {
				continue
			}
			seen[line] = true
			n++
			reply.WriteString(block("a.txt", line, fmt.Sprintf("%s<%d>", line, n)))
		}
		return scripted.Turn{Text: reply.String(), Chunk: 40}
	}
}

func (tp *typist) work() {
	tp.command("emend.run", "mark the slots")
	tp.idle()
	for range 25 {
		switch tp.rnd.IntN(10) {
		case 0, 1:
			tp.command("emend.run", "mark the slots")
			tp.typeToken()
			if tp.rnd.IntN(4) > 0 {
				tp.idle()
			}
		case 2, 3:
			tp.command("emend.apply")
		case 4:
			tp.command("emend.undo")
		case 5:
			tp.command("emend.discard")
			tp.started-- // it shows no progress
		case 6:
			tp.idle()
		default:
			for range 1 + tp.rnd.IntN(4) {
				tp.typeToken()
			}
		}
	}
	tp.command("emend.apply")
	tp.idle()
	tp.command("emend.undo")
	tp.idle()
	text := tp.w.Text("a.txt")
	for _, token := range tp.tokens {
		if n := strings.Count(text, token); n != 1 {
			tp.t.Errorf("%q is in the text %d times", token, n)
		}
	}
	said := map[string]int{}
	for _, m := range tp.w.Messages() {
		said[regexp.MustCompile(`\d+`).ReplaceAllString(m.Text, "N")]++
	}
	tp.t.Logf("said: %v", said)
	if tp.t.Failed() {
		tp.t.Logf("the text:\n%s", text)
	}
}

// command asks for something; that there is nothing to do it to is fine.
func (tp *typist) command(name string, args ...any) {
	tp.started++
	if _, err := tp.w.Editor.Request(tp.t.Context(), "workspace/executeCommand", map[string]any{"command": name, "arguments": args}); err != nil {
		tp.started--
		if name == "emend.discard" {
			tp.started++
		}
		if !strings.Contains(err.Error(), "is waiting") && !strings.Contains(err.Error(), "changes wait") {
			tp.t.Errorf("%s: %v", name, err)
		}
	}
}

// idle waits until every job has ended.
func (tp *typist) idle() {
	tp.w.Await(fmt.Sprintf("%d jobs to end", tp.started), func(s *lsptest.State) bool {
		for _, p := range s.Progress {
			if !p.Ended {
				return false
			}
		}
		return len(s.Progress) >= tp.started
	})
}

// typeToken types at the end of a line or as a line of its own. The text may
// move between the look and the keystroke: then the person looks again.
func (tp *typist) typeToken() {
	token := fmt.Sprintf("[%d]", len(tp.tokens))
	tp.tokens = append(tp.tokens, token)
	for range 100 {
		lines := strings.Split(tp.w.Text("a.txt"), "\n")
		i := tp.rnd.IntN(len(lines) - 1)
		at := lsptest.Position{Line: i, Character: len(strings.TrimSuffix(lines[i], "\r"))}
		text := token
		if tp.rnd.IntN(3) == 0 {
			at.Character, text = 0, token+"\n"
		}
		if tp.w.Editor.Type("a.txt", at, text) == nil {
			return
		}
	}
	tp.t.Error("the person could not type")
}
