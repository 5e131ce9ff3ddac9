package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"emend/internal/proposal"
	"emend/internal/workspace"
)

// tally is what came of a plan, for the person.
type tally struct {
	outcomes  map[workspace.Path]proposal.Outcome // of each document, the last one known
	deletes   map[workspace.Path]bool             // documents that were to be deleted
	written   map[workspace.Path]bool             // by emend itself, to the disk
	reason    string                              // the client's own word for why not
	conflicts []proposal.Conflict
	already   []string // ids of hunks that the text holds without an edit of ours
	doubtful  bool     // an edit was never answered: it may still be carried out
}

// newTally begins with what a plan found.
func newTally(plan *proposal.Plan) *tally {
	t := &tally{
		deletes: map[workspace.Path]bool{}, outcomes: map[workspace.Path]proposal.Outcome{}, written: map[workspace.Path]bool{},
		conflicts: slices.Clone(plan.Conflicts), already: slices.Clone(plan.Already),
	}
	for _, fp := range plan.Files {
		t.deletes[fp.Path] = fp.Delete
	}
	return t
}

// take notes what became of documents, in the place of what was noted of them.
func (t *tally) take(outcomes map[workspace.Path]proposal.Outcome, reason string) {
	for path, outcome := range outcomes {
		t.outcomes[path] = outcome
	}
	if reason != "" {
		t.reason = reason
	}
}

// replanned notes what a new plan found about some documents.
func (t *tally) replanned(plan *proposal.Plan, paths []workspace.Path) {
	t.conflicts = slices.DeleteFunc(t.conflicts, func(c proposal.Conflict) bool { return slices.Contains(paths, c.Path) })
	for _, c := range plan.Conflicts {
		if slices.Contains(paths, c.Path) {
			t.conflicts = append(t.conflicts, c)
		}
	}
	for _, id := range plan.Already {
		if !slices.Contains(t.already, id) {
			t.already = append(t.already, id)
		}
	}
	for _, path := range paths {
		planned := slices.ContainsFunc(plan.Files, func(fp proposal.FilePlan) bool { return fp.Path == path })
		if !planned && t.outcomes[path] == proposal.OutcomeNot {
			delete(t.outcomes, path) // the conflict says it, or it is in the text
		}
	}
}

// of returns the documents with an outcome, sorted.
func (t *tally) of(outcome proposal.Outcome) []workspace.Path {
	var out []workspace.Path
	for path, o := range t.outcomes {
		if o == outcome {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// nothing reports whether surely no document was changed.
func (t *tally) nothing() bool {
	return len(t.of(proposal.OutcomeNot)) == len(t.outcomes) && !t.doubtful
}

// bad reports whether not everything is as it was planned.
func (t *tally) bad() bool {
	return len(t.of(proposal.OutcomeApplied)) < len(t.outcomes) || len(t.conflicts) > 0
}

// word is the outcome in one word.
func (t *tally) word() string {
	some := len(t.of(proposal.OutcomeApplied))+len(t.of(proposal.OutcomePartly)) > 0
	switch {
	case some && t.bad():
		return "partly applied"
	case some:
		return "applied"
	case t.bad():
		return "not applied"
	default:
		return "nothing to apply"
	}
}

// tell says in one message what came of a plan.
func (s *session) tell(ctx context.Context, root string, t *tally, open int) {
	parts := s.parts(s.rootsWith(root), t)
	if open > 0 {
		parts = append(parts, counted(open, "change")+" still waiting")
	}
	if len(t.outcomes)+len(t.conflicts) == 0 {
		parts = append([]string{"the text has these changes already"}, parts...)
	}
	text := strings.Join(parts, "; ")
	if t.bad() {
		s.editor.warn(ctx, "%s", text)
		return
	}
	s.editor.info(ctx, "%s", text)
}

func (s *session) parts(roots workspace.Roots, t *tally) []string {
	var parts []string
	if applied := t.of(proposal.OutcomeApplied); len(applied) > 0 {
		text := counted(len(applied), "file") + " changed"
		if n := s.countUnsaved(applied, t); n > 0 {
			text += fmt.Sprintf(", %d not saved", n)
		}
		parts = append(parts, text+" (take it back with emend.undo)")
	}
	name := func(paths []workspace.Path) string {
		var out []string
		for _, p := range paths {
			out = append(out, roots.Rel(p))
		}
		return strings.Join(out, ", ")
	}
	if partly := t.of(proposal.OutcomePartly); len(partly) > 0 {
		parts = append(parts, "only partly changed: "+name(partly))
	}
	if not := t.of(proposal.OutcomeNot); len(not) > 0 {
		reason := t.reason
		if reason == "" {
			reason = "the editor did not apply it"
		}
		parts = append(parts, fmt.Sprintf("not changed: %s (%s)", name(not), reason))
	}
	if diverged := t.of(proposal.OutcomeDiverged); len(diverged) > 0 {
		parts = append(parts, "changed otherwise than planned: "+name(diverged)+"; look at it, or take it back with emend.undo")
	}
	if unknown := t.of(proposal.OutcomeUnknown); len(unknown) > 0 {
		parts = append(parts, "cannot tell whether it was changed, open it to see: "+name(unknown))
	}
	if left := s.leftOpen(t); len(left) > 0 {
		parts = append(parts, "deleted, but still open in the editor: "+name(left))
	}
	for _, c := range t.conflicts {
		c.Path = workspace.Path(roots.Rel(c.Path))
		parts = append(parts, "conflict at "+c.String())
	}
	return parts
}

// leftOpen returns the deleted documents whose buffers the editor has kept.
func (s *session) leftOpen(t *tally) []workspace.Path {
	return slices.DeleteFunc(t.of(proposal.OutcomeApplied), func(p workspace.Path) bool {
		doc, open := s.mirror.docs.Get(p)
		return !t.deletes[p] || !open || strings.TrimSpace(doc.Text.String()) == ""
	})
}

// countUnsaved counts the documents whose new text is in the editor only.
func (s *session) countUnsaved(paths []workspace.Path, t *tally) int {
	n := 0
	for _, p := range paths {
		if !t.written[p] && !t.deletes[p] && s.mirror.docs.Unsaved(p) {
			n++
		}
	}
	return n
}
