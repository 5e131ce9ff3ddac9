package proposal

import (
	"fmt"
	"strings"
	"time"

	"emend/internal/workspace"
	"emend/state"
)

// Meta says where a proposal comes from.
type Meta struct {
	ID         string // "" for a new one
	Session    string
	Run        string
	Root       string // absolute folder; paths in diffs are relative to it
	Title      string
	Supersedes string    // id of the proposal this one carries on; see [Continue]
	Checks     string    // what the checks said, one line
	Time       time.Time // zero for the present
}

// Build makes a proposal of what a draft changed. Nothing is stored yet. It
// fails with [ErrNoChanges] for a draft that left everything as it was.
func Build(draft *workspace.Draft, meta Meta) (*Content, error) {
	if meta.ID == "" {
		meta.ID = state.NewID("proposal")
	}
	if meta.Time.IsZero() {
		meta.Time = time.Now().UTC()
	}
	c := &Content{Proposal: state.Proposal{
		ID: meta.ID, Session: meta.Session, Run: meta.Run, Root: meta.Root, Title: meta.Title,
		Supersedes: meta.Supersedes, Checks: meta.Checks,
		Status: state.ProposalPending, Created: meta.Time, Updated: meta.Time,
	}}
	for _, change := range draft.Changes() {
		f, texts, err := buildFile(change)
		if err != nil {
			return nil, fmt.Errorf("building a proposal: %w", err)
		}
		if len(f.Hunks) == 0 {
			continue // its bytes differ in what a proposal does not carry
		}
		c.Files = append(c.Files, f)
		c.Texts = append(c.Texts, texts)
	}
	if len(c.Files) == 0 {
		return nil, fmt.Errorf("building a proposal: %w", ErrNoChanges)
	}
	return c, nil
}

// buildFile makes one file of a proposal.
func buildFile(ch workspace.Change) (state.ProposalFile, Texts, error) {
	f := state.ProposalFile{Path: string(ch.Path)}
	var texts Texts
	if ch.Before != nil {
		f.BaseExists, f.BaseVersion = true, ch.Before.Version
		f.URI, f.BOM, f.Mode = ch.Before.URI, ch.Before.BOM, uint32(ch.Before.Mode.Perm())
		texts.Before = ch.Before.Text
	}
	if ch.After != nil {
		f.URI, f.BOM, f.Mode = ch.After.URI, ch.After.BOM, uint32(ch.After.Mode.Perm())
		texts.After = ch.After.Text
	}
	switch {
	case ch.From != "":
		f.Kind, f.From = KindRename, string(ch.From)
		move := state.ProposalHunk{ID: HunkID(f.Path, f.From, "", 0), Fate: state.FatePending}
		f.Hunks = append([]state.ProposalHunk{move}, newChange(f.Path, texts.Before, texts.After).hunks...)
	case ch.Before == nil:
		f.Kind, f.Hunks = KindCreate, wholeHunk(f.Path, "", texts.After)
	case ch.After == nil:
		f.Kind, f.Hunks = KindDelete, wholeHunk(f.Path, texts.Before, "")
	default:
		f.Kind, f.Hunks = KindEdit, newChange(f.Path, texts.Before, texts.After).hunks
	}
	return f, texts, checkFile(f, texts)
}

// wholeHunk returns the one hunk of a file that comes or goes. There is one
// even for an empty file, so that it too can be accepted or refused.
func wholeHunk(path, old, new string) []state.ProposalHunk {
	return []state.ProposalHunk{{
		ID: HunkID(path, old, new, 0), Fate: state.FatePending, OldEnd: numLines(old), NewEnd: numLines(new),
	}}
}

// numLines returns how many lines s has, one that has no line end included.
func numLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// checkFile reports why a file's hunks do not do what its texts say.
func checkFile(f state.ProposalFile, texts Texts) error {
	hunks := f.Hunks
	switch {
	case f.Kind == KindEdit:
	case f.Kind != KindCreate && f.Kind != KindDelete && f.Kind != KindRename:
		return fmt.Errorf("%s: unknown kind of change %q", f.Path, f.Kind)
	case len(hunks) == 0:
		return fmt.Errorf("%s: a %s without a hunk", f.Path, f.Kind)
	case f.Kind == KindRename:
		hunks = hunks[1:]
	}
	if err := (change{before: texts.Before, after: texts.After, hunks: hunks}).check(); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	return nil
}
