package lsp

import (
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"emend/edits"
	"emend/internal/proposal"
)

// rendered is one document of a workspace edit, in the protocol's terms.
type rendered struct {
	uri     uri.URI
	version *int32 // nil for a document that is not open: the disk is the truth
	create  bool
	delete  bool
	rename  uri.URI // where the document moves from; "" when it stays
	edits   []protocol.TextEdit
}

// renderPlan converts a file plan. The edits' bytes are of fp.Before, which is
// the text the positions are counted in.
func (s *session) renderPlan(fp proposal.FilePlan) rendered {
	r := rendered{uri: s.mirror.spelling(fp.Path, fp.URI), create: fp.Create, delete: fp.Delete}
	if s.unsaved(fp) {
		r.delete = false
		fp.Edits = edits.Set{{Start: 0, End: len(fp.Before)}}
	}
	if fp.From != "" {
		r.rename = s.mirror.spelling(fp.From, fp.FromURI)
	}
	if fp.Open {
		version := fp.Version
		r.version = &version
	}
	if fp.Create && s.editor.quirks.emptyIsLine && strings.HasSuffix(fp.Expect, "\n") {
		r.edits = []protocol.TextEdit{{Range: protocol.Range{End: protocol.Position{Line: 1}}, NewText: fp.Expect}}
		return r
	}
	text := edits.NewText(fp.Before)
	for _, e := range fp.Edits {
		e = beforeLastLineEnd(fp.Before, e)
		r.edits = append(r.edits, protocol.TextEdit{Range: toProtoRange(text, e.Start, e.End, s.mirror.enc), NewText: e.New})
	}
	return r
}

// beforeLastLineEnd turns lines appended behind the text's last line end into
// the same lines inserted before it. The result is the same; one client leaves
// an empty line behind when it is told the former.
func beforeLastLineEnd(text string, e edits.Edit) edits.Edit {
	if e.Start != len(text) || !strings.HasSuffix(text, "\n") {
		return e
	}
	eol := "\n"
	if strings.HasSuffix(text, "\r\n") {
		eol = "\r\n"
	}
	if !strings.HasSuffix(e.New, eol) {
		return e
	}
	at := len(text) - len(eol)
	return edits.Edit{Start: at, End: at, New: eol + strings.TrimSuffix(e.New, eol)}
}

// Annotations of a previewed edit.
const (
	annotationChange  protocol.ChangeAnnotationIdentifier = "emend"
	annotationPreview protocol.ChangeAnnotationIdentifier = "emend.preview"
)

// render makes one workspace edit: file operations first, then each document's
// edits with its version. preview asks the client to show it before it is
// applied; the client must be one that can.
func (s *session) render(docs []rendered, preview bool, title string) protocol.WorkspaceEdit {
	caps, quirks := s.editor.caps, s.editor.quirks
	var edit protocol.WorkspaceEdit
	if !caps.documentChanges && !quirks.documentChanges {
		edit.Changes = map[uri.URI][]protocol.TextEdit{}
		for _, d := range docs {
			edit.Changes[d.uri] = d.edits
		}
		return edit
	}
	for _, d := range docs {
		if op := d.operation(); op != nil {
			edit.DocumentChanges = append(edit.DocumentChanges, op)
		}
	}
	if preview {
		// Ticked by default where one edit that changes nothing opens the
		// preview; elsewhere every edit has to ask.
		edit.ChangeAnnotations = map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{
			annotationChange: {Label: title, NeedsConfirmation: ptr(!quirks.previewNoOp)},
		}
		if quirks.previewNoOp {
			edit.ChangeAnnotations[annotationPreview] = protocol.ChangeAnnotation{Label: "Review", NeedsConfirmation: ptr(true)}
		}
	}
	opener := preview && quirks.previewNoOp
	for _, d := range docs {
		if len(d.edits) == 0 {
			continue
		}
		de := &protocol.TextDocumentEdit{}
		de.TextDocument.URI, de.TextDocument.Version = d.uri, d.version
		for _, e := range d.edits {
			de.Edits = append(de.Edits, element(e, preview, annotationChange))
		}
		if opener {
			de.Edits = append(de.Edits, element(protocol.TextEdit{}, true, annotationPreview))
			opener = false
		}
		edit.DocumentChanges = append(edit.DocumentChanges, de)
	}
	return edit
}

func element(e protocol.TextEdit, annotated bool, id protocol.ChangeAnnotationIdentifier) protocol.TextDocumentEditElement {
	if annotated {
		return &protocol.AnnotatedTextEdit{TextEdit: e, AnnotationID: id}
	}
	return &e
}

// operation is the file operation that comes before the document's edits, nil
// for none. A create never overwrites: several clients truncate without asking.
func (d rendered) operation() protocol.DocumentChange {
	switch {
	case d.create:
		return &protocol.CreateFile{Kind: "create", URI: d.uri, Options: &protocol.CreateFileOptions{IgnoreIfExists: ptr(true)}}
	case d.delete:
		return &protocol.DeleteFile{Kind: "delete", URI: d.uri, Options: &protocol.DeleteFileOptions{IgnoreIfNotExists: ptr(true)}}
	case d.rename != "":
		return &protocol.RenameFile{Kind: "rename", OldURI: d.rename, NewURI: d.uri}
	default:
		return nil
	}
}
