package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"emend/internal/workspace"
)

// maxActions bounds what is offered at one place: one client shows ten rows in
// all.
const maxActions = 8

// The kinds of emend's actions.
const (
	kindFix      = protocol.CodeActionKindQuickFix
	kindRewrite  = protocol.CodeActionKind("refactor.rewrite.emend.rewrite")
	kindVerify   = protocol.CodeActionKind("source.emend.verify")
	kindUndo     = protocol.CodeActionKind("source.emend.undo")
	kindCancel   = protocol.CodeActionKind("source.emend.cancel")
	kindRefactor = protocol.CodeActionKind("refactor.rewrite.emend")
	kindSource   = protocol.CodeActionKind("source.emend")
)

// actionKinds is what the server announces.
var actionKinds = []protocol.CodeActionKind{kindFix, kindRefactor, kindSource}

// actionRequest is what a producer looks at: memory only.
type actionRequest struct {
	session  *session
	doc      *workspace.Document
	params   *protocol.CodeActionParams
	start    int // the range as bytes
	end      int
	inside   bool // the document is in a workspace folder, or no folder is open
	asked    bool // the person asked, it is not the editor's own look
	existing []protocol.Diagnostic
}

// action is one offer; args becomes the command's only argument.
type action struct {
	title       string
	kind        protocol.CodeActionKind
	command     string
	args        map[string]any
	edit        *protocol.WorkspaceEdit
	diagnostics []protocol.Diagnostic
	preferred   bool
}

// producers make the offers of a place, likeliest first.
var producers = []func(*actionRequest) []action{
	answerActions,
	hunkActions,
	directiveActions,
	fixActions,
	rewriteActions,
	fixLineActions,
	unseenActions,
	sourceActions,
}

// codeAction answers from memory: no file is read, no lock is waited for that
// anything slow holds.
func (s *session) codeAction(_ context.Context, params *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	doc, ok := s.mirror.get(params.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	s.focus.acted(doc, params.Range)
	start, end, err := offsets(doc.Text, params.Range, s.mirror.enc)
	if err != nil {
		return nil, nil // a range of another version; the next request will fit
	}
	roots := s.roots.Load()
	_, within := roots.Of(doc.Path)
	req := &actionRequest{session: s, doc: doc, params: params, start: start, end: end,
		inside:   doc.Path.IsFile() && (within || roots.Empty()),
		asked:    params.Context.TriggerKind != protocol.CodeActionTriggerKindAutomatic,
		existing: params.Context.Diagnostics,
	}
	var out []protocol.CommandOrCodeAction
	for _, produce := range producers {
		for _, a := range produce(req) {
			if wanted(a.kind, params.Context.Only) && len(out) < maxActions {
				out = append(out, a.toProto())
			}
		}
	}
	return out, nil
}

// wanted applies the request's kind filter; a kind is wanted by itself and by
// each of its parents.
func wanted(kind protocol.CodeActionKind, only []protocol.CodeActionKind) bool {
	if len(only) == 0 {
		return true
	}
	return slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return o == "" || kind == o || strings.HasPrefix(string(kind), string(o)+".")
	})
}

func (a action) toProto() *protocol.CodeAction {
	title := "emend: " + a.title
	out := &protocol.CodeAction{Title: title, Kind: ptr(a.kind), Diagnostics: a.diagnostics, Edit: a.edit}
	if a.preferred {
		out.IsPreferred = ptr(true)
	}
	if a.command != "" {
		out.Command = protocol.Command{Title: title, Command: a.command}
		if a.args != nil {
			out.Command.Arguments = []protocol.LSPAny{mustJSON(a.args)}
		}
	}
	return out
}

// at is the arguments that name the request's place in this version.
func (r *actionRequest) at(rng protocol.Range) map[string]any {
	return map[string]any{"uri": r.doc.URI, "range": rng, "version": r.doc.Version}
}

// answerActions offers the answers to what a run waits for.
func answerActions(r *actionRequest) []action {
	var out []action
	for _, q := range r.session.questions.waiting() {
		if q.path != "" && q.path != r.doc.Path {
			continue
		}
		arg := map[string]any{"request": q.ID}
		out = append(out,
			action{title: "Approve: " + short(q.Text), kind: kindFix, command: "emend.approve", args: arg},
			action{title: "Deny: " + short(q.Text), kind: kindFix, command: "emend.deny", args: arg})
	}
	return out
}

// hunkActions offers what can be done with the proposals whose hunks touch the
// range, and, away from any hunk, with those that have hunks in the document.
func hunkActions(r *actionRequest) []action {
	if !r.session.board.touches(r.doc.Path) {
		return nil
	}
	hunks := r.session.board.hunks(r.doc.Path, r.doc.Text)
	if len(hunks) == 0 {
		return nil
	}
	i := slices.IndexFunc(hunks, func(h spotted) bool { return r.touches(h.Start, h.End) })
	p := hunks[max(i, 0)].pending
	here := slices.DeleteFunc(slices.Clone(hunks), func(h spotted) bool { return h.pending.ID != p.ID })
	var one, file []action
	if i >= 0 && p.Open() > 1 {
		arg := map[string]any{"proposal": p.ID, "file": r.doc.URI, "hunk": hunks[i].LocatedHunk.ID}
		one = []action{
			{title: "Apply this change", kind: kindFix, command: "emend.apply", args: arg, preferred: true},
			{title: "Discard this change", kind: kindFix, command: "emend.discard", args: arg},
		}
	}
	if n := len(here); n > 1 && n < p.Open() {
		arg := map[string]any{"proposal": p.ID, "file": r.doc.URI}
		file = []action{{title: fmt.Sprintf("Apply the %d changes in this file", n), kind: kindFix, command: "emend.apply", args: arg}}
	}
	all := proposalActions(p)
	all[0].preferred = len(one) == 0
	if len(one) == 0 {
		return slices.Concat(file, all)
	}
	return slices.Concat(one[:1], file, all[:2], one[1:], all[2:])
}

// proposalActions offers what can be done with a proposal as a whole: apply,
// show, discard, in this order.
func proposalActions(p pending) []action {
	arg := map[string]any{"proposal": p.ID}
	changes := counted(p.Open(), "change")
	return []action{
		{title: fmt.Sprintf("Apply %s: %s", changes, short(p.Title)), kind: kindFix, command: "emend.apply", args: arg},
		{title: fmt.Sprintf("Show diff (%s)", changes), kind: kindFix, command: "emend.show", args: arg},
		{title: "Discard " + changes, kind: kindFix, command: "emend.discard", args: arg},
	}
}

// unseenActions offers, in any document, the newest proposal that has nothing
// to show in a document that is open: one of new files, or of closed ones.
func unseenActions(r *actionRequest) []action {
	all := r.session.board.list()
	for i := len(all) - 1; i >= 0; i-- {
		open := slices.ContainsFunc(all[i].Paths(), func(p workspace.Path) bool {
			_, ok := r.session.mirror.docs.Get(p)
			return ok
		})
		if !open {
			return proposalActions(all[i])
		}
	}
	return nil
}

// directiveActions offers to do what a comment on the range's lines asks.
func directiveActions(r *actionRequest) []action {
	if !r.inside {
		return nil
	}
	var out []action
	for _, d := range directivesOf(r.doc) {
		if !r.touches(d.Start, d.End) {
			continue
		}
		args := r.at(toProtoRange(r.doc.Text, d.Start, d.End, r.session.mirror.enc))
		args["directive"] = true
		out = append(out, action{title: "Do what this comment asks", kind: kindFix, command: "emend.run", args: args, preferred: true})
	}
	return out
}

// fixActions offers to fix the diagnostics the client passed, whoever's they
// are; emend's own hints on hunks are no problems.
func fixActions(r *actionRequest) []action {
	if !r.inside {
		return nil
	}
	var problems []protocol.Diagnostic
	for _, d := range r.existing {
		if !isHunkHint(d) {
			problems = append(problems, d)
		}
	}
	const most = 3
	var out []action
	for i, d := range problems {
		if i == most {
			break
		}
		args := r.at(d.Range)
		args["diagnostics"] = rawDiagnostics(d)
		out = append(out, action{title: "Fix: " + short(messageText(d)), kind: kindFix, command: "emend.fix", args: args, diagnostics: []protocol.Diagnostic{d}})
	}
	if len(problems) > 1 {
		args := r.at(r.params.Range)
		args["diagnostics"] = rawDiagnostics(problems...)
		out = append(out, action{title: fmt.Sprintf("Fix all %d problems here", len(problems)), kind: kindFix, command: "emend.fix", args: args, diagnostics: problems})
	}
	return out
}

// fixLineActions offers "Fix this line" where the client does not pass the
// messages of other servers, so that emend cannot know of any.
func fixLineActions(r *actionRequest) []action {
	if !r.inside || r.session.editor.quirks.foreignDiagnostics || r.lineIsBlank() {
		return nil
	}
	title := "Fix this line"
	if first, last := r.doc.Text.LineOf(r.start), r.doc.Text.LineOf(r.end); last > first {
		title = "Fix these lines"
	}
	return []action{{title: title, kind: kindFix, command: "emend.fix", args: r.at(r.params.Range)}}
}

// sourceActions offers what has to do with the workspace as a whole.
func sourceActions(r *actionRequest) []action {
	var out []action
	if all := r.session.jobs.list(); len(all) > 0 {
		jb := all[len(all)-1]
		out = append(out, action{title: "Cancel: " + jb.title, kind: kindCancel, command: "emend.cancel", args: map[string]any{"run": jb.id}})
	}
	if r.inside {
		out = append(out, action{title: "Verify workspace", kind: kindVerify, command: "emend.verify"})
	}
	if r.session.board.canUndo() {
		out = append(out, action{title: "Undo last change", kind: kindUndo, command: "emend.undo"})
	}
	return out
}

// touches reports whether bytes start..end of the document and the request's
// range have a line in common.
func (r *actionRequest) touches(start, end int) bool {
	t := r.doc.Text
	first, last := t.LineOf(start), t.LineOf(max(start, end-1))
	return t.LineOf(r.start) <= last && first <= t.LineOf(r.end)
}

func (r *actionRequest) lineIsBlank() bool {
	first, last := r.doc.Text.LineOf(r.start), r.doc.Text.LineOf(r.end)
	start, _ := r.doc.Text.Line(first)
	_, end := r.doc.Text.Line(last)
	return strings.TrimSpace(r.doc.Text.String()[start:end]) == ""
}

// short is the first line of s, cut for a menu.
func short(s string) string {
	const most = 60
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(s); len(r) > most {
		return strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return s
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
