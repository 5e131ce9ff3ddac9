package proposal

import (
	"slices"
	"strings"

	"emend/edits"
	"emend/internal/workspace"
	"emend/state"
)

// Outcome is what became of one file of a plan.
type Outcome string

// The outcomes.
const (
	OutcomeApplied  Outcome = "applied"  // the text is what was planned
	OutcomePartly   Outcome = "partly"   // some of the edits are in it and nothing else
	OutcomeNot      Outcome = "not"      // the text is what it was
	OutcomeDiverged Outcome = "diverged" // it is neither
	OutcomeUnknown  Outcome = "unknown"  // it could not be read
)

// Judge compares a document with what was planned for it, without regard to
// byte-order mark and line ends. A line end that only the last line has in one
// of the two texts is no difference either, unless it is the whole change:
// some editors end every file with one. For a rename now is the document at
// the new path.
func Judge(fp FilePlan, now Current) Outcome {
	text, before, expect := plain(now.Text), plain(fp.Before), plain(fp.Expect)
	there := now.exists()
	switch {
	case fp.Delete && !there:
		return OutcomeApplied
	case fp.Delete && text == before:
		return OutcomeNot
	case fp.Delete:
		return OutcomeDiverged
	case !there && (fp.Create || fp.From != ""):
		return OutcomeNot
	case !there:
		return OutcomeDiverged
	case text == expect:
		return OutcomeApplied
	case text == before && (fp.Create || fp.From != ""):
		return OutcomePartly // the file is there, its text is not
	case text == before:
		return OutcomeNot
	case strings.TrimSuffix(text, "\n") == strings.TrimSuffix(expect, "\n"):
		return OutcomeApplied
	case hasSome(before, plainSet(fp.Before, fp.Edits), text):
		return OutcomePartly
	}
	return OutcomeDiverged
}

// plainSet returns a set against before as one against plain(before).
func plainSet(before string, set edits.Set) edits.Set {
	mark, _ := cutBOM(before)
	out := make(edits.Set, 0, len(set))
	at, gone := 0, len(mark)
	move := func(offset int) int {
		gone += strings.Count(before[at:offset], "\r\n")
		at = offset
		return max(0, offset-gone)
	}
	for _, e := range set {
		start := move(e.Start)
		out = append(out, edits.Edit{Start: start, End: move(e.End), New: strings.ReplaceAll(e.New, "\r\n", "\n")})
	}
	return out
}

// maxReadings bounds how many ways of reading a text hasSome follows at once.
const maxReadings = 256

// hasSome reports whether now is before with a part of the edits done. It
// walks both texts edit by edit and keeps every place of now that some choice
// so far leads to.
func hasSome(before string, set edits.Set, now string) bool {
	places, at := []int{0}, 0
	for _, e := range set {
		var next []int
		follow := func(place int, s string) {
			if strings.HasPrefix(now[place:], s) && !slices.Contains(next, place+len(s)) {
				next = append(next, place+len(s))
			}
		}
		kept, old := before[at:e.Start], before[e.Start:e.End]
		for _, p := range places {
			if strings.HasPrefix(now[p:], kept) {
				follow(p+len(kept), old)
				follow(p+len(kept), e.New)
			}
		}
		if len(next) == 0 || len(next) > maxReadings {
			return false
		}
		places, at = next, e.End
	}
	return slices.ContainsFunc(places, func(p int) bool { return now[p:] == before[at:] })
}

// Record takes over what a plan found and what came of it: conflicts, hunks
// that were there already, and the hunks of every file that was applied. The
// hunks of other files stay open. A file without an outcome is unknown.
func (c *Content) Record(plan *Plan, outcomes map[workspace.Path]Outcome) {
	fates := map[string]state.Fate{}
	for _, id := range plan.Already {
		fates[id] = state.FateApplied
	}
	for _, con := range plan.Conflicts {
		fates[con.Hunk] = state.FateConflict
	}
	for _, fp := range plan.Files {
		fate := state.FatePending
		if outcomes[fp.Path] == OutcomeApplied {
			fate = state.FateApplied
		}
		for _, id := range fp.Hunks {
			fates[id] = fate
		}
	}
	c.setFates(func(_ state.ProposalFile, h state.ProposalHunk) (state.Fate, bool) {
		fate, ok := fates[h.ID]
		return fate, ok && isOpen(h.Fate)
	})
}

// Settle reads what became of a plan and records it: [Judge] for each file,
// [Record], and for a file that was applied in part or changed otherwise, each
// planned hunk by itself.
func (c *Content) Settle(plan *Plan, now Now) map[workspace.Path]Outcome {
	outcomes := map[workspace.Path]Outcome{}
	in := map[string]bool{}
	for _, fp := range plan.Files {
		cur, err := now(fp.Path)
		if err != nil {
			outcomes[fp.Path] = OutcomeUnknown
			continue
		}
		outcomes[fp.Path] = Judge(fp, cur)
		switch outcomes[fp.Path] {
		case OutcomePartly, OutcomeDiverged:
			for _, id := range c.present(fp, cur) {
				in[id] = true
			}
		}
	}
	c.Record(plan, outcomes)
	c.setFates(func(_ state.ProposalFile, h state.ProposalHunk) (state.Fate, bool) {
		return state.FateApplied, in[h.ID] && isOpen(h.Fate)
	})
	return outcomes
}

// present returns the ids of a file plan's hunks whose result a document holds.
func (c *Content) present(fp FilePlan, cur Current) []string {
	var out []string
	for i, f := range c.Files {
		if f.Kind == KindCreate || f.Kind == KindDelete || !cur.exists() {
			continue
		}
		if fp.From != "" && f.Path == string(fp.Path) && f.Kind == KindRename {
			out = append(out, f.Hunks[0].ID)
		}
		if f.Path != string(fp.Path) && f.From != string(fp.Path) {
			continue
		}
		hunks := c.textHunks(i)
		for _, s := range c.place(i, cur.Text) {
			if id := hunks[s.index].ID; s.State == edits.Already && slices.Contains(fp.Hunks, id) {
				out = append(out, id)
			}
		}
	}
	return out
}
