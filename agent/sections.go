package agent

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"emend/agent/tool"
	"emend/edits"
	"emend/internal/workspace"
	"emend/state"
)

// instructionNames are the files in which a project tells agents how it works.
var instructionNames = []string{"AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"}

// instructionsSection is the project's instructions: those of the root and of
// the folders down to the focus, the root's first.
func (u *run) instructionsSection(ctx context.Context) (string, *ending) {
	budget := u.window.bytes(instructionsShare)
	seen := map[workspace.Path]bool{}
	var b strings.Builder
	for _, dir := range u.instructionDirs() {
		for _, name := range instructionNames {
			p, err := u.Roots.Resolve(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil || seen[p] {
				continue
			}
			seen[p] = true
			f, err := u.draft.Read(ctx, p)
			if err != nil || !f.Exists || f.Binary || f.NotUTF8 {
				continue
			}
			// The path is where a link leads, which the repository decides.
			if workspace.Sensitive(p) || workspace.SensitiveText(f.Text) {
				u.warn("%s is not used as instructions: it looks like it holds secrets", u.Roots.Rel(p))
				continue
			}
			rel, text := u.Roots.Rel(p), shorten(f.Text, max(budget, 0))
			if len(text) < len(f.Text) {
				u.warn("%s is too long for the model's window; only a part of it is used", rel)
			}
			budget -= len(text)
			fmt.Fprintf(&b, "The project's instructions, %s:\n\n%s\n", rel, fenced(text, "markdown"))
		}
	}
	return b.String(), nil
}

// instructionDirs are the folders from the run's root down to the focus.
func (u *run) instructionDirs() []string {
	root := u.record.Root
	if root == "" {
		return nil
	}
	dirs := []string{root}
	if u.task.Focus == nil || !u.task.Focus.Path.IsFile() {
		return dirs
	}
	var below []string
	dir := filepath.Dir(string(u.task.Focus.Path))
	for len(dir) > len(root) && strings.HasPrefix(dir, root+string(filepath.Separator)) {
		below = append(below, dir)
		dir = filepath.Dir(dir)
	}
	slices.Reverse(below)
	return append(dirs, below...)
}

// maxRegion is the most lines of a selection that are shown a second time,
// numbered.
const maxRegion = 80

// focusSection is the document that the request is about, and the place in it.
func (u *run) focusSection(ctx context.Context) (string, *ending) {
	focus := u.task.Focus
	if focus == nil {
		return "", nil
	}
	f, end := u.readable(ctx, focus.Path)
	if end != nil {
		return "", end
	}
	rel := u.Roots.Rel(focus.Path)
	if f.Text == "" {
		return fmt.Sprintf("The person is in %s, which is empty.", rel), nil
	}
	text := edits.NewText(f.Text)
	start, stop := u.place(ctx, f, focus.Start), u.place(ctx, f, focus.End)
	if stop < start {
		start, stop = stop, start
	}
	first, last := text.LineOf(start), text.LineOf(stop)
	if lineStart, _ := text.Line(last); stop == lineStart && last > first {
		last-- // a selection up to the start of a line does not include it
	}
	from, to := around(text, first, last, u.window.bytes(focusShare))
	var b strings.Builder
	fmt.Fprintf(&b, "The person is in %s%s:\n\n%s\n", rel, part(from, to, text.NumLines()), fenced(linesOf(text, from, to), language(rel)))
	switch {
	case start == stop:
		from, to := max(0, first-3), min(text.NumLines()-1, first+3)
		shown, _ := tool.Numbered(text, from+1, to+1, u.window.bytes(5))
		fmt.Fprintf(&b, "The cursor is on line %d%s. The lines around it, numbered:\n\n%s", first+1, within(focus.Symbol), shown)
	case last-first >= maxRegion:
		fmt.Fprintf(&b, "The person selected %s%s. The request is about that.\n", lineNames(first, last), within(focus.Symbol))
	default:
		shown, _ := tool.Numbered(text, first+1, last+1, u.window.bytes(focusShare))
		fmt.Fprintf(&b, "The person selected %s%s. The request is about that. It is, numbered:\n\n%s", lineNames(first, last), within(focus.Symbol), shown)
	}
	return b.String(), nil
}

func within(symbol string) string {
	if symbol == "" {
		return ""
	}
	return ", in " + symbol
}

// around widens the zero-based lines first to last on both sides as far as
// budget bytes go. The lines themselves are always in.
func around(text edits.Text, first, last, budget int) (from, to int) {
	from, to = first, last
	size := len(linesOf(text, from, to))
	for grown := true; grown; {
		grown = false
		for _, next := range []int{from - 1, to + 1} {
			if next < 0 || next >= text.NumLines() {
				continue
			}
			if n := len(linesOf(text, next, next)); size+n <= budget {
				size, grown = size+n, true
				from, to = min(from, next), max(to, next)
			}
		}
	}
	return from, to
}

// linesOf returns the zero-based lines from to to with their ends.
func linesOf(text edits.Text, from, to int) string {
	start, _ := text.Line(from)
	end := text.Len()
	if to+1 < text.NumLines() {
		end, _ = text.Line(to + 1)
	}
	return text.String()[start:end]
}

// part says which zero-based lines of a file are shown; nothing when all are.
func part(from, to, lines int) string {
	if from == 0 && to == lines-1 {
		return ""
	}
	return fmt.Sprintf(", of which lines %d to %d of %d are shown", from+1, to+1, lines)
}

// language is the mark of a code block for a file.
func language(rel string) string { return strings.TrimPrefix(path.Ext(rel), ".") }

// followSection tells the model that the files already hold a proposal of this
// session, and what of it the person refused.
func (u *run) followSection(_ context.Context) (string, *ending) {
	if u.follows == nil {
		return "", nil
	}
	var b strings.Builder
	if len(u.begun) > 0 {
		fmt.Fprintf(&b, "The files already hold the changes you proposed before (%q), which the person has not applied yet:\n\n%s\n",
			u.follows.Title, fenced(shorten(u.follows.Diff(), u.window.bytes(followShare)), "diff"))
	}
	for _, h := range u.follows.Hunks() {
		if h.Fate != state.FateDiscarded {
			continue
		}
		if b.Len() < u.window.bytes(followShare)*3/2 {
			fmt.Fprintf(&b, "The person refused this change of %s, line %d; do not make it again:\n\n%s\n",
				u.Roots.Rel(h.Path), h.Line, fenced(marked("-", h.Old)+marked("+", h.New), "diff"))
		}
	}
	return b.String(), nil
}

// marked puts a sign before every line.
func marked(sign, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(sign + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// diagnosticsSection is the messages to act on, each with its place and line.
func (u *run) diagnosticsSection(ctx context.Context) (string, *ending) {
	if len(u.task.Diagnostics) == 0 {
		return "", nil
	}
	var b strings.Builder
	b.WriteString("These messages are to go away:\n")
	budget := u.window.bytes(diagnosticsShare)
	for i, d := range u.task.Diagnostics {
		if b.Len() > budget {
			fmt.Fprintf(&b, "and %d more\n", len(u.task.Diagnostics)-i)
			break
		}
		b.WriteString("\n" + u.diagnostic(ctx, d))
	}
	return b.String(), nil
}

func (u *run) diagnostic(ctx context.Context, d Diagnostic) string {
	message := strings.TrimSpace(d.Message)
	if from := strings.TrimSpace(d.Source + " " + d.Code); from != "" {
		message += " (" + from + ")"
	}
	f, err := u.draft.Read(ctx, d.Path)
	rel := u.Roots.Rel(d.Path)
	if err != nil || !f.Exists || f.Binary || f.NotUTF8 {
		return fmt.Sprintf("%s: %s\n", rel, message)
	}
	text := edits.NewText(f.Text)
	place := text.Position(u.place(ctx, f, d.Start), edits.UTF32)
	line := ""
	if !workspace.Sensitive(d.Path) {
		if line, _ = tool.Numbered(text, place.Line+1, place.Line+1, 0); workspace.SensitiveText(line) {
			line = ""
		}
	}
	return fmt.Sprintf("%s:%d:%d: %s\n%s", rel, place.Line+1, place.Column+1, message, line)
}

// lineNames names zero-based lines first to last as people count them.
func lineNames(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first+1)
	}
	return fmt.Sprintf("lines %d to %d", first+1, last+1)
}
