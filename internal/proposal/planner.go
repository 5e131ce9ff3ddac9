package proposal

import (
	"fmt"
	"slices"
	"strings"

	"emend/edits"
	"emend/internal/workspace"
	"emend/state"
)

// planner makes one plan.
type planner struct {
	c    *Content
	sel  Selection
	now  Now
	plan *Plan
}

func newPlanner(c *Content, sel Selection, now Now) *planner {
	return &planner{c: c, sel: sel, now: now, plan: &Plan{Proposal: c.ID, Root: c.Root, Run: c.Run}}
}

// run plans every selected file, in the order of [Plan].Files: what makes room
// comes before what may need it.
func (p *planner) run() error {
	for _, kinds := range [][]string{{KindDelete}, {KindRename}, {KindEdit, KindCreate}} {
		for i, f := range p.c.Files {
			if !p.sel.inFile(f) || !slices.Contains(kinds, f.Kind) {
				continue
			}
			if err := p.file(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// file plans one file.
func (p *planner) file(i int) error {
	switch f := p.c.Files[i]; f.Kind {
	case KindDelete:
		p.delete(i)
	case KindCreate:
		p.create(i)
	case KindRename:
		return p.rename(i)
	default:
		return p.edit(i, f.Path)
	}
	return nil
}

// wanted reports whether to plan a hunk.
func (p *planner) wanted(f state.ProposalFile, h state.ProposalHunk) bool {
	return p.sel.takes(f, h) && isOpen(h.Fate)
}

func (p *planner) already(id string) { p.plan.Already = append(p.plan.Already, id) }

func (p *planner) conflict(path, hunk string, line int, format string, args ...any) {
	p.plan.Conflicts = append(p.plan.Conflicts, Conflict{
		Path: workspace.Path(path), Hunk: hunk, Line: line, Reason: fmt.Sprintf(format, args...),
	})
}

// refuse puts every wanted hunk of a file in conflict.
func (p *planner) refuse(f state.ProposalFile, format string, args ...any) {
	for _, h := range f.Hunks {
		if p.wanted(f, h) {
			p.conflict(f.Path, h.ID, 0, format, args...)
		}
	}
}

// read returns a document as it is.
func (p *planner) read(path string) (Current, error) { return p.now(workspace.Path(path)) }

// delete plans a file's end: only if it is still the file the run saw.
func (p *planner) delete(i int) {
	f := p.c.Files[i]
	h := f.Hunks[0]
	if !p.wanted(f, h) {
		return
	}
	cur, err := p.read(f.Path)
	was := p.c.Texts[i].Before
	switch {
	case err != nil:
		p.conflict(f.Path, h.ID, 0, "it cannot be read, so it is not deleted: %v", err)
	case !cur.exists():
		p.already(h.ID)
	case !sameText(cur.Text, was):
		line, now, then := firstDifference(cur.Text, was)
		p.conflict(f.Path, h.ID, line, "it has changed since its deletion was proposed: it now has %s where it had %s", now, then)
	default:
		fp := planFor(f, f.Path, cur)
		fp.Delete, fp.Hunks = true, []string{h.ID}
		p.plan.Files = append(p.plan.Files, fp)
	}
}

// create plans a new file: where nothing is, or in an empty file.
func (p *planner) create(i int) {
	f := p.c.Files[i]
	h := f.Hunks[0]
	if !p.wanted(f, h) {
		return
	}
	cur, err := p.read(f.Path)
	text := p.c.Texts[i].After
	mark, body := cutBOM(cur.Text)
	switch {
	case err != nil:
		p.conflict(f.Path, h.ID, 0, "it cannot be read, so it is not created: %v", err)
		return
	case cur.exists() && (sameText(body, text) || text == "" && isEmpty(body)):
		p.already(h.ID)
		return
	case !isEmpty(body):
		line, now, then := firstDifference(body, text)
		p.conflict(f.Path, h.ID, line, "the file to create exists by now with other content: it has %s where the new one has %s", now, then)
		return
	}
	fp := planFor(f, f.Path, cur)
	fp.Create = !cur.exists()
	if fp.Create {
		fp.Mode, fp.BOM = f.Mode, f.BOM
	}
	if text != "" {
		fp.Edits = edits.Set{{Start: len(mark), End: len(cur.Text), New: text}}
	}
	fp.Expect = mark + text
	fp.Hunks = []string{h.ID}
	p.plan.Files = append(p.plan.Files, fp)
}

// isEmpty reports whether a document holds nothing. One line end is nothing:
// it is how some editors send an empty buffer.
func isEmpty(body string) bool { return body == "" || body == "\n" || body == "\r\n" }

// rename plans a move with the edits that go with it. Edits that are wanted
// without the move, or whose move is done or refused, go where the text is.
func (p *planner) rename(i int) error {
	f := p.c.Files[i]
	move := f.Hunks[0]
	from, err := p.read(f.From)
	if err != nil {
		p.refuse(f, "%s cannot be read, so it is not moved: %v", f.From, err)
		return nil
	}
	to, err := p.read(f.Path)
	if err != nil {
		p.refuse(f, "it cannot be read, so nothing is moved there: %v", err)
		return nil
	}
	wanted := p.wanted(f, move)
	switch {
	case !from.exists() && !to.exists():
		p.refuse(f, "%s, which was to be moved here, is gone", f.From)
		return nil
	case !from.exists():
		if wanted {
			p.already(move.ID)
		}
		return p.edit(i, f.Path)
	case move.Fate == state.FateApplied && to.exists():
		return p.edit(i, f.Path)
	case !wanted:
		return p.edit(i, f.From)
	case to.exists():
		p.conflict(f.Path, move.ID, 0, "%s cannot be moved here: a file of this name exists by now", f.From)
		return p.edit(i, f.From)
	}
	fp := planFor(f, f.Path, from)
	fp.From, fp.FromURI = workspace.Path(f.From), uriOf(workspace.Path(f.From), from.URI)
	fp.URI = uriOf(fp.Path, f.URI)
	fp.Hunks = []string{move.ID}
	if err := p.text(i, f.From, &fp); err != nil {
		return err
	}
	p.plan.Files = append(p.plan.Files, fp)
	return nil
}

// edit plans the wanted hunks of a file whose text is at path.
func (p *planner) edit(i int, path string) error {
	f := p.c.Files[i]
	if !slices.ContainsFunc(p.c.textHunks(i), func(h state.ProposalHunk) bool { return p.wanted(f, h) }) {
		return nil
	}
	cur, err := p.read(path)
	switch {
	case err != nil:
		p.refuseText(i, path, "the file cannot be read: %v", err)
		return nil
	case !cur.exists():
		p.refuseText(i, path, "the file is gone")
		return nil
	}
	fp := planFor(f, path, cur)
	if err := p.text(i, path, &fp); err != nil {
		return err
	}
	if len(fp.Edits) > 0 {
		p.plan.Files = append(p.plan.Files, fp)
	}
	return nil
}

// refuseText puts every wanted hunk that changes text in conflict.
func (p *planner) refuseText(i int, path, format string, args ...any) {
	f := p.c.Files[i]
	for _, h := range p.c.textHunks(i) {
		if p.wanted(f, h) {
			p.conflict(path, h.ID, 0, format, args...)
		}
	}
}

// text fills in a file plan's Edits, Expect and Hunks from the hunks that can
// be placed in its Before, and notes the others.
func (p *planner) text(i int, path string, fp *FilePlan) error {
	f, hunks := p.c.Files[i], p.c.textHunks(i)
	spots := p.c.place(i, fp.Before)
	chosen := func(s spot) bool { return p.sel.takes(f, hunks[s.index]) }
	for _, s := range spots {
		if !chosen(s) {
			continue
		}
		id := hunks[s.index].ID
		switch s.State {
		case edits.Clean:
			fp.Hunks = append(fp.Hunks, id)
		case edits.Already:
			p.already(id)
		default:
			line, reason := s.conflict(fp.Before)
			p.conflict(path, id, line, "%s", reason)
		}
	}
	return fp.fill(joined(spots, chosen))
}

// fill sets the plan's edits and what they lead to.
func (fp *FilePlan) fill(set edits.Set) error {
	expect, err := set.Apply(fp.Before)
	if err != nil {
		return fmt.Errorf("placing hunks in %s: %w", fp.Path, err)
	}
	fp.Edits, fp.Expect = set, expect
	return nil
}

// planFor returns a plan for the document at path that changes nothing yet.
func planFor(f state.ProposalFile, path string, cur Current) FilePlan {
	own := ""
	if path == f.Path {
		own = f.URI
	}
	return FilePlan{
		Path: workspace.Path(path), URI: uriOf(workspace.Path(path), cur.URI, own), Open: cur.Open, Version: cur.Version,
		Before: cur.Text, BOM: cur.BOM, Mode: cur.Mode,
	}
}

// uriOf returns the first spelling of a path that is known, the editor's first.
func uriOf(path workspace.Path, spellings ...string) string {
	for _, uri := range spellings {
		if uri != "" {
			return uri
		}
	}
	return path.URI()
}

// exists reports whether there is a text to edit: a file, or a document the
// editor has open for a file it has not written yet.
func (c Current) exists() bool { return c.Exists || c.Open }

// conflict returns the one-based line of now where a conflicted spot is, and
// the reason in words.
func (s spot) conflict(now string) (line int, reason string) {
	start := max(0, min(s.Start, len(now)))
	end := max(start, min(s.End, len(now)))
	line = strings.Count(now[:start], "\n") + 1
	return line, fmt.Sprintf("%s: it now has %s, where %s was to become %s",
		s.Reason, firstLine(now[start:end]), firstLine(s.hunk.Old), firstLine(s.hunk.New))
}

// firstLine returns the first line of s that is not blank, quoted and cut to a
// length for messages, or "nothing".
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return quoted(line)
		}
	}
	if s == "" {
		return "nothing"
	}
	return "a blank line"
}

// quoted returns a line in quotes, cut to 60 characters.
func quoted(line string) string {
	n := 0
	for i := range line {
		if n++; n > 60 {
			return "“" + line[:i] + "…”"
		}
	}
	return "“" + line + "”"
}

// firstDifference returns the one-based line at which two texts part, without
// regard to line ends, and both their lines there for a message.
func firstDifference(now, then string) (line int, nowLine, thenLine string) {
	a, b := strings.Split(plain(now), "\n"), strings.Split(plain(then), "\n")
	for i := range a {
		if i >= len(b) {
			return i + 1, quoted(strings.TrimSpace(a[i])), "no more lines"
		}
		if a[i] != b[i] {
			return i + 1, quoted(strings.TrimSpace(a[i])), quoted(strings.TrimSpace(b[i]))
		}
	}
	if len(b) > len(a) {
		return len(a), "no more lines", quoted(strings.TrimSpace(b[len(a)]))
	}
	return 0, "the same", "the same"
}
