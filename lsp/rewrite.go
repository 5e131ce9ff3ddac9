package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"emend/edits"
	"emend/internal/syntax"
	"emend/internal/workspace"
)

// rewriteActions offers "Rewrite…" on a selection, or on a line with text. It
// needs words: a plug-in asks for them; without one, the action writes a
// directive comment above the lines, which the person completes, and "Do what
// this comment asks" then works on them.
func rewriteActions(r *actionRequest) []action {
	if !r.inside || r.lineIsBlank() || onDirective(r) {
		return nil
	}
	if r.session.editor.caps.input {
		return []action{{title: "Rewrite…", kind: kindRewrite, command: "emend.input",
			args: map[string]any{"command": "emend.run", "prompt": "Rewrite", "arguments": r.at(r.params.Range)}}}
	}
	first, last := r.lines()
	edit, ok := r.session.directiveEdit(r.doc, first)
	if !ok {
		return nil
	}
	args := r.at(r.params.Range)
	args["lines"] = last - first + 1
	return []action{{title: "Rewrite…", kind: kindRewrite, edit: edit, command: "emend.directive", args: args}}
}

func onDirective(r *actionRequest) bool {
	for _, d := range directivesOf(r.doc) {
		if r.touches(d.Start, d.End) {
			return true
		}
	}
	return false
}

// lines is the zero-based lines that the request's range selects; a selection
// that ends at a line's beginning does not take that line in.
func (r *actionRequest) lines() (first, last int) {
	t := r.doc.Text
	first, last = t.LineOf(r.start), t.LineOf(r.end)
	if start, _ := t.Line(last); last > first && start == r.end {
		last--
	}
	return first, last
}

// directiveEdit inserts an empty directive above a line, in the line's indent
// and the document's line end.
func (s *session) directiveEdit(doc *workspace.Document, line int) (*protocol.WorkspaceEdit, bool) {
	open, closing, ok := syntax.CommentLeader(doc.Language, string(doc.Path))
	if !ok {
		return nil, false
	}
	start, end := doc.Text.Line(line)
	content := doc.Text.String()[start:end]
	indent := content[:len(content)-len(strings.TrimLeft(content, " \t"))]
	text := indent + open + " emend: "
	if closing != "" {
		text += " " + closing
	}
	eol := "\n"
	if strings.Contains(doc.Text.String(), "\r\n") {
		eol = "\r\n"
	}
	rng := toProtoRange(doc.Text, start, start, s.mirror.enc)
	edit := s.render([]rendered{{uri: uri.URI(doc.URI), version: &doc.Version, edits: []protocol.TextEdit{{Range: rng, NewText: text + eol}}}}, false, "")
	return &edit, true
}

// commandDirective remembers which lines a directive that "Rewrite…" wrote
// stands for. The edit itself came with the action.
func (s *session) commandDirective(ctx context.Context, args *arguments) (any, error) {
	if args.Range == nil || args.URI == "" || args.Lines < 1 {
		return nil, invalid("emend.directive needs uri, range and lines")
	}
	doc, ok := s.mirror.get(canonical(args.URI))
	if !ok {
		return nil, invalid("%s is not open", args.URI)
	}
	// By now the directive stands where the selection stood, the selection a
	// line below; in an editor that sends the change late it does not yet.
	first := int(args.Range.Start.Line)
	for _, d := range directivesOf(doc) {
		if d.Line == first {
			first++
			break
		}
	}
	if blank := emptyDirective(doc, int(args.Range.Start.Line)); blank && first == int(args.Range.Start.Line) {
		first++
	}
	if last := first + args.Lines - 1; last < doc.Text.NumLines() {
		s.rewrites.remember(doc.Path, doc.Text, first, last)
	}
	s.editor.info(ctx, "write what to do behind “emend:”, then choose “Do what this comment asks”")
	return nil, nil
}

// emptyDirective reports whether a line holds a directive without words yet.
func emptyDirective(doc *workspace.Document, line int) bool {
	if line >= doc.Text.NumLines() {
		return false
	}
	return strings.Contains(lineOf(doc.Text, line), "emend:")
}

// directivesOf finds the directives of a document. Most documents have none,
// which one search of the text tells.
func directivesOf(doc *workspace.Document) []syntax.Directive {
	return syntax.Directives(doc.Language, doc.Text.String())
}

// mustJSON encodes what is known to encode: maps of plain values.
func mustJSON(v any) protocol.LSPAny {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// lineSpan is the bytes of whole lines first..last.
func lineSpan(t edits.Text, first, last int) (start, end int) {
	start, _ = t.Line(first)
	_, end = t.Line(last)
	return start, end
}
