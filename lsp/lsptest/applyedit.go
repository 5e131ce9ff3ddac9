package lsptest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// outcome is what became of a workspace edit.
type outcome struct {
	reply   string // a Reply of EditBehaviour
	reason  string
	index   int // of the change that failed
	changed []string
}

// applyEdit takes workspace/applyEdit. The answer may come later, when there
// is somebody to ask. e.mu is held.
func (e *Editor) applyEdit(m message) {
	var params struct {
		Label string          `json:"label"`
		Edit  json.RawMessage `json:"edit"`
	}
	if !e.params(m, &params) {
		return
	}
	number := len(e.state.Edits)
	e.state.Edits = append(e.state.Edits, AppliedEdit{Label: params.Label, Edit: params.Edit})
	e.perform(params.Edit, params.Label, func(o outcome, stuck bool) {
		record := &e.state.Edits[number]
		record.Changed, record.Stuck = o.changed, stuck
		if stuck {
			return
		}
		if e.how.Edits.ReplyFirst {
			record.Reply = e.answerEdit(m.ID, o)
			e.settle()
			return
		}
		e.flushAll()
		record.Reply = e.answerEdit(m.ID, o)
	})
}

// settle sends didChange where the editor does not wait for idleness.
func (e *Editor) settle() {
	if e.how.Documents.ChangeDelay == 0 {
		e.flushAll()
	}
}

// answerEdit sends the editor's words for an outcome.
func (e *Editor) answerEdit(id json.RawMessage, o outcome) string {
	words := strings.Fields(o.reply)
	verb, argument, _ := strings.Cut(words[0], ":")
	switch verb {
	case "error":
		code, err := strconv.Atoi(argument)
		if err != nil {
			code = codeInternal
		}
		return e.refuse(id, code, o.reason)
	}
	result := map[string]any{"applied": verb == "true"}
	if verb == "null" {
		result["applied"] = nil
	}
	if slices.Contains(words, "reason") {
		result["failureReason"] = o.reason
	}
	if slices.Contains(words, "index") {
		result["failedChange"] = o.index
	}
	return e.reply(id, result)
}

// perform applies a workspace edit as the editor does, asking the person first
// where it would, and calls done with the lock held. stuck means that nothing
// ever comes of it. e.mu is held.
func (e *Editor) perform(raw json.RawMessage, label string, done func(o outcome, stuck bool)) {
	edit, err := e.parseEdit(raw)
	if err != nil {
		e.violate("%v", err)
		done(outcome{reply: e.how.Edits.UnknownOperation, reason: err.Error()}, false)
		return
	}
	edit.label = label
	if o := e.checkUpfront(edit); o != nil {
		done(*o, false)
		return
	}
	previews := e.previews(edit)
	switch {
	case len(previews) == 0:
		done(e.applyAll(edit), false)
	case e.cfg.Preview == nil:
		decisions := make([]Decision, len(previews))
		done(e.applyDecided(edit, previews, decisions), false)
	default:
		e.ask(edit, previews, done)
	}
}

// ask puts previews before the person, one after the other.
func (e *Editor) ask(edit *workspaceEdit, previews []preview, done func(outcome, bool)) {
	if e.previewing > 0 && e.how.Edits.Confirm == "preview" {
		e.violate("a preview is asked for while another is open")
	}
	e.previewing++
	versions := e.versions(edit)
	go func() {
		decisions := make([]Decision, len(previews))
		for i := range previews {
			decisions[i] = e.cfg.Preview(previews[i].Preview)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.previewing--
		moved := e.how.Edits.Confirm == "preview" && !decisions[0].Discard && !slices.Equal(versions, e.versions(edit))
		if moved || e.state.Closed {
			e.note("(a file was changed while its preview was open: the editor complains and never answers)")
			done(outcome{}, true)
		} else {
			done(e.applyDecided(edit, previews, decisions), false)
		}
		e.broadcast()
	}()
}

// versions are those of the documents of an edit, 0 for those not loaded.
func (e *Editor) versions(edit *workspaceEdit) []int {
	versions := make([]int, len(edit.changes))
	for i, c := range edit.changes {
		if b := e.buffers[documentKey(c.uri)]; b != nil {
			versions[i] = b.version
		}
	}
	return versions
}

// checkUpfront looks for what makes the editor refuse the whole edit before it
// begins; nil when there is nothing.
func (e *Editor) checkUpfront(edit *workspaceEdit) *outcome {
	how := e.how.Edits
	for i := range edit.changes {
		c := &edit.changes[i]
		if how.KindsUpfront {
			if o := e.checkKind(c, i); o != nil {
				o.index = i
				return o
			}
		}
		b := e.buffers[documentKey(c.uri)]
		if how.VersionsUpfront && c.kind == "edit" && b != nil && e.stale(c, b, i) {
			return &outcome{reply: how.Stale, reason: "the document has changed", index: i}
		}
	}
	return nil
}

// checkKind looks for what the editor cannot even read; nil when there is
// nothing.
func (e *Editor) checkKind(c *change, index int) *outcome {
	how := e.how.Edits
	if c.kind != "edit" {
		if slices.Contains(how.Operations, c.kind) {
			return nil
		}
		return &outcome{reply: how.UnknownOperation, reason: "unsupported workspace edit change: " + c.kind}
	}
	looked := how.Checked == "all" || index == 0
	if c.versionMissing && looked && how.MissingVersion != "apply" {
		return &outcome{reply: how.MissingVersion, reason: "unknown workspace edit change without a version"}
	}
	snippet := slices.ContainsFunc(c.edits, func(t textEdit) bool { return t.Snippet != nil })
	if snippet && how.Snippet != "apply" && how.Snippet != "drop" {
		return &outcome{reply: how.Snippet, reason: "a snippet is no text edit"}
	}
	return nil
}

// stale reports whether the editor turns an edit away for its version.
func (e *Editor) stale(c *change, b *buffer, index int) bool {
	how := e.how.Edits
	switch {
	case c.version == nil, !b.open, how.Checked == "first" && index > 0, how.ZeroUnchecked && *c.version <= 0:
		return false
	case how.NewerApplied:
		return *c.version < b.version
	}
	return *c.version != b.version
}

// applyDecided applies what the person let through.
func (e *Editor) applyDecided(edit *workspaceEdit, previews []preview, decisions []Decision) outcome {
	how := e.how.Edits
	left := *edit
	left.changes = slices.Clone(edit.changes)
	for i := range left.changes {
		left.changes[i].edits = slices.Clone(left.changes[i].edits)
	}
	ticked := 0
	for i, p := range previews {
		if decisions[i].Discard && how.Confirm != "document" {
			return outcome{reply: how.Declined, reason: "the person declined"}
		}
		ticked += p.strike(&left, decisions[i])
	}
	if ticked == 0 && how.Confirm == "preview" {
		return outcome{reply: how.Declined, reason: "nothing was ticked"}
	}
	return e.applyAll(&left)
}

// applyAll applies change by change.
func (e *Editor) applyAll(edit *workspaceEdit) outcome {
	e.applying = true
	defer func() { e.applying = false }()
	e.nextGroup++
	group := e.nextGroup
	o := outcome{reply: "true"}
	for i := range edit.changes {
		c := &edit.changes[i]
		var changed bool
		failed := e.checkKind(c, i)
		switch {
		case c.kind == struck:
			continue
		case failed != nil:
		case c.kind == "edit":
			changed, failed = e.applyText(c, i, group)
		default:
			changed, failed = e.applyOperation(c)
		}
		if changed {
			o.changed = append(o.changed, c.uri)
		}
		if failed != nil {
			o.reply, o.reason, o.index = failed.reply, failed.reason, i
			return o
		}
	}
	if e.how.Edits.AutoSave && edit.refactoring && len(o.changed) > 1 {
		e.autoSave(o.changed)
	}
	return o
}

// autoSave saves what an edit changed.
func (e *Editor) autoSave(uris []string) {
	for _, uri := range uris {
		if b := e.buffers[documentKey(uri)]; b != nil && b.text != b.saved {
			if err := e.save(b); err != nil {
				e.note("(%v)", err)
			}
		}
	}
}

// applyText does the edits of one document.
func (e *Editor) applyText(c *change, index, group int) (changed bool, failed *outcome) {
	how := e.how.Edits
	loaded := e.buffers[documentKey(c.uri)] != nil
	if !loaded && len(c.edits) == 0 {
		return false, nil
	}
	b, err := e.loadFile(c.uri)
	if err != nil {
		return false, &outcome{reply: how.Failure, reason: err.Error()}
	}
	if !loaded {
		if !b.onDisk && how.MissingFile != "empty" {
			delete(e.buffers, documentKey(c.uri))
			return false, &outcome{reply: how.MissingFile, reason: c.uri + " does not exist"}
		}
		if e.how.Documents.HiddenOpen {
			if err := e.announce(b); err != nil {
				return false, &outcome{reply: how.Failure, reason: err.Error()}
			}
		}
		if c.version != nil {
			e.violate("an edit for version %d of %s, which was not open", *c.version, c.uri)
		}
	}
	e.checkPositions(c, b)
	if loaded && e.stale(c, b, index) {
		if how.Stale == "skip" {
			e.note("(%s is newer than the edits: passed over)", c.uri)
			return false, nil
		}
		return false, &outcome{reply: how.Stale, reason: fmt.Sprintf("%s is at version %d, not %d: the document has changed", c.uri, b.version, *c.version)}
	}
	edits, failed := e.takeOverlaps(e.takeSnippets(c.edits))
	if failed != nil {
		return false, failed
	}
	was := b.text
	e.change(b, e.stepsOf(b, edits), group)
	return b.text != was, nil
}

// takeSnippets turns snippets into plain text or leaves them out; editors that
// do neither have refused them before.
func (e *Editor) takeSnippets(edits []textEdit) []textEdit {
	var taken []textEdit
	for _, t := range edits {
		if t.Snippet != nil {
			var snippet struct {
				Value string `json:"value"`
			}
			if e.how.Edits.Snippet == "drop" || json.Unmarshal(t.Snippet, &snippet) != nil {
				continue
			}
			t.NewText = snippet.Value
		}
		taken = append(taken, t)
	}
	return taken
}

// takeOverlaps sorts edits and does with overlapping ones what the editor
// does.
func (e *Editor) takeOverlaps(edits []textEdit) ([]textEdit, *outcome) {
	var taken []textEdit
	for _, t := range sortedEdits(edits) {
		if n := len(taken); n > 0 && overlap(taken[n-1].Range, t.Range) {
			switch e.how.Edits.Overlap {
			case "garbage":
			case "drop":
				continue
			default:
				return nil, &outcome{reply: e.how.Edits.Overlap, reason: "overlapping ranges are not allowed"}
			}
		}
		taken = append(taken, t)
	}
	return taken, nil
}

// stepsOf turns the edits of a document into replacements, each against the
// text the one before left, in the order the editor does them.
func (e *Editor) stepsOf(b *buffer, sorted []textEdit) []splice {
	how := e.how.Documents
	if how.Lines != "free" {
		reversed := slices.Clone(sorted)
		slices.Reverse(reversed)
		var steps []splice
		text := b.text
		for _, after := range vimEdits(b, reversed, e.encoding, how.Lines) {
			steps = append(steps, difference(text, after))
			text = after
		}
		return steps
	}
	var replacements []splice
	for _, t := range sorted {
		start, _ := offsetOf(b.text, t.Range.Start, e.encoding)
		end, _ := offsetOf(b.text, t.Range.End, e.encoding)
		replacements = append(replacements, splice{start: min(start, end), end: max(start, end), new: b.inserted(t.NewText, how)})
	}
	overlapping := false
	for i := 1; i < len(replacements); i++ {
		overlapping = overlapping || replacements[i].start < replacements[i-1].end
	}
	if !overlapping {
		return inSequence(replacements, how.ChangeOrder)
	}
	// Last to first, each at the place it names, whatever that now holds.
	steps := inSequence(replacements, "descending")
	length := len(b.text)
	for i := range steps {
		steps[i].end = min(steps[i].end, length)
		steps[i].start = min(steps[i].start, steps[i].end)
		length += len(steps[i].new) - (steps[i].end - steps[i].start)
	}
	return steps
}
