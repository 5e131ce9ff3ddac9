package proposal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"emend/edits"
)

// isText reports whether a draft would take s.
func isText(texts ...string) bool {
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || strings.HasPrefix(s, bom) {
			return false
		}
	}
	return true
}

// FuzzPlan: whatever the three texts are, every hunk is accounted for, what is
// planned is what comes out, a second plan finds nothing more to do there, and
// Located agrees.
func FuzzPlan(f *testing.F) {
	f.Add("1\n2\n3\n", "x\n2\ny\n", "1\n2\n3\n4\n")
	f.Add("1\r\n2\r\n3\r\n", "1\r\n3\r\n", "1\n2\n3\n")
	f.Add("a\r\nb\nc", "a\nb\r\nc\n", "a\nb\nc")
	f.Add("}\n}\n}\n", "}\n}\n}\n}\n", "}\n\n}\n}\n")
	f.Add("a", "a\r\r\nb", "\r\n")
	f.Add("x\r", "x\r\n", "x\r\r\n")
	f.Fuzz(func(t *testing.T, base, after, now string) {
		if !isText(base, after) || !utf8.ValidString(now) || base == after {
			return
		}
		c := fuzzed(t, base, after)
		if c == nil {
			return
		}
		w := world{path("a.txt"): now}
		agree(t, c, w)
		p := plan(t, c, Selection{}, w)
		w.apply(t, p)
		for _, fp := range p.Files {
			cur, _ := w.now(fp.Path)
			if got := Judge(fp, cur); got != OutcomeApplied {
				t.Fatalf("judged %s after applying", got)
			}
		}
		c.Record(p, applied(p))
		if again := plan(t, c, Selection{}, w); c.Open() != len(p.Conflicts) {
			t.Fatalf("%d open after %d conflicts, then %+v", c.Open(), len(p.Conflicts), again)
		}
		_ = c.Diff()
	})
}

// fuzzed is a proposal for a.txt; nil when a draft would make base of after.
func fuzzed(t *testing.T, base, after string) *Content {
	draft := draftOf(world{path("a.txt"): base})
	if err := draft.Write(t.Context(), path("a.txt"), after); err != nil {
		t.Fatal(err)
	}
	if len(draft.Changes()) == 0 {
		return nil
	}
	return build(t, draft)
}

// FuzzJudge: a part of the edits is recognised in any spelling.
func FuzzJudge(f *testing.F) {
	f.Add("1\n2\n3\n", "x\n2\ny\n", uint64(1), true)
	f.Add("a\r\nb\r\n", "a\r\nc\r\nb\r\n", uint64(0), false)
	f.Fuzz(func(t *testing.T, before, expect string, mask uint64, lf bool) {
		set := edits.Diff(before, expect)
		if len(set) > 8 {
			return
		}
		var some edits.Set
		for i, e := range set {
			if mask>>i&1 == 1 {
				some = append(some, e)
			}
		}
		text := mustApply(t, some, before)
		if lf {
			text = plain(text)
		}
		got := Judge(FilePlan{Before: before, Expect: expect, Edits: set}, Current{Exists: true, Text: text})
		if got == OutcomeDiverged && !strings.Contains(before+expect, "\r\r\n") && !strings.Contains(before+expect, bom) {
			t.Fatalf("%q with %v of %v is %q: judged %s", before, some, set, text, got)
		}
	})
}
