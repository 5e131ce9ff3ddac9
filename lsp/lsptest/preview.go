package lsptest

import "slices"

// preview is a Preview and where its rows come from.
type preview struct {
	Preview
	rows []place
}

// place is an edit of a change of a workspace edit; edit is -1 for the change
// itself, a file operation.
type place struct{ change, edit int }

// previews are what the editor shows before it applies an edit; none when it
// asks nothing.
func (e *Editor) previews(edit *workspaceEdit) []preview {
	switch e.how.Edits.Confirm {
	case "preview":
		if all := e.previewOf(edit, -1); all.needed {
			return []preview{all.preview}
		}
	case "document":
		var each []preview
		for i, c := range edit.changes {
			if p := e.previewOf(edit, i); p.needed && c.kind == "edit" {
				each = append(each, p.preview)
			}
		}
		return each
	case "files":
		for _, c := range edit.changes {
			if b := e.buffers[documentKey(c.uri)]; b == nil {
				return []preview{e.previewOf(edit, -1).preview}
			}
		}
	}
	return nil
}

// neededPreview also says whether an annotation asks for it.
type neededPreview struct {
	preview
	needed bool
}

// previewOf shows one change, or all with only -1.
func (e *Editor) previewOf(edit *workspaceEdit, only int) neededPreview {
	var p neededPreview
	p.Label = edit.label
	add := func(at place, row PreviewEdit, id string) {
		a := edit.annotations[id]
		row.Annotation = a.Label
		row.Ticked = !a.NeedsConfirmation || !e.how.Edits.UntickedByAnnotation
		p.needed = p.needed || a.NeedsConfirmation
		p.Edits = append(p.Edits, row)
		p.rows = append(p.rows, at)
	}
	for i, c := range edit.changes {
		if only >= 0 && i != only {
			continue
		}
		if c.kind != "edit" {
			add(place{i, -1}, PreviewEdit{URI: c.uri, Operation: c.kind}, c.annotationID)
		}
		for j, t := range c.edits {
			add(place{i, j}, PreviewEdit{URI: c.uri, Range: t.Range, NewText: t.NewText}, t.AnnotationID)
		}
	}
	return p
}

// struck is the kind of a change that was taken out.
const struck = "struck"

// strike takes out of an edit what was not ticked, and returns how much was.
// Changes keep their places.
func (p *preview) strike(edit *workspaceEdit, decision Decision) (ticked int) {
	for i := len(p.rows) - 1; i >= 0; i-- {
		keep := p.Edits[i].Ticked && !decision.Discard
		if !decision.Discard && decision.Ticks != nil {
			keep = i < len(decision.Ticks) && decision.Ticks[i]
		}
		if keep {
			ticked++
			continue
		}
		at := p.rows[i]
		c := &edit.changes[at.change]
		if at.edit < 0 {
			c.kind = struck
			continue
		}
		c.edits = slices.Delete(c.edits, at.edit, at.edit+1)
		if len(c.edits) == 0 {
			c.kind = struck
		}
	}
	return ticked
}
