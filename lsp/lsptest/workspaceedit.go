package lsptest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// textEdit is one replacement of a WorkspaceEdit.
type textEdit struct {
	Range        Range           `json:"range"`
	NewText      string          `json:"newText"`
	AnnotationID string          `json:"annotationId"`
	Snippet      json.RawMessage `json:"snippet"`
}

// change is one entry of documentChanges, or of changes.
type change struct {
	kind           string // "edit", or that of a file operation
	uri            string // of a rename the old one
	newURI         string
	version        *int // nil: any
	versionMissing bool // not even null
	edits          []textEdit
	annotationID   string // of a file operation
	options        struct {
		Overwrite         bool `json:"overwrite"`
		IgnoreIfExists    bool `json:"ignoreIfExists"`
		IgnoreIfNotExists bool `json:"ignoreIfNotExists"`
		Recursive         bool `json:"recursive"`
	}
	hasOptions bool
}

// annotation says of edits what they are, and whether to ask.
type annotation struct {
	Label             string `json:"label"`
	NeedsConfirmation bool   `json:"needsConfirmation"`
	Description       string `json:"description"`
}

// workspaceEdit is a WorkspaceEdit, read.
type workspaceEdit struct {
	changes     []change
	annotations map[string]annotation
	refactoring bool
	label       string
}

// parseEdit reads a WorkspaceEdit, and records in it what the editor did not
// announce. e.mu is held.
func (e *Editor) parseEdit(raw json.RawMessage) (*workspaceEdit, error) {
	var wire struct {
		Changes           map[string][]textEdit `json:"changes"`
		DocumentChanges   []json.RawMessage     `json:"documentChanges"`
		ChangeAnnotations map[string]annotation `json:"changeAnnotations"`
		Metadata          struct {
			IsRefactoring bool `json:"isRefactoring"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, fmt.Errorf("decoding a workspace edit: %w", err)
	}
	edit := &workspaceEdit{annotations: wire.ChangeAnnotations, refactoring: wire.Metadata.IsRefactoring}
	if len(wire.ChangeAnnotations) > 0 && !e.announces("workspace", "workspaceEdit", "changeAnnotationSupport") {
		e.violate("a workspace edit with changeAnnotations, and workspace.workspaceEdit.changeAnnotationSupport was not announced")
	}
	if wire.DocumentChanges == nil {
		for _, uri := range sortedKeys(wire.Changes) {
			edit.changes = append(edit.changes, change{kind: "edit", uri: uri, edits: wire.Changes[uri]})
		}
	} else {
		if len(wire.Changes) > 0 {
			e.violate("a workspace edit with both changes and documentChanges")
		}
		if !e.announces("workspace", "workspaceEdit", "documentChanges") && !e.announces("workspace", "workspaceEdit", "resourceOperations") {
			e.violate("a workspace edit with documentChanges, which were not announced")
		}
	}
	for _, entry := range wire.DocumentChanges {
		c, err := parseChange(entry)
		if err != nil {
			return nil, err
		}
		edit.changes = append(edit.changes, c)
	}
	e.checkEdit(edit)
	return edit, nil
}

func parseChange(raw json.RawMessage) (change, error) {
	var wire struct {
		Kind         string `json:"kind"`
		URI          string `json:"uri"`
		OldURI       string `json:"oldUri"`
		NewURI       string `json:"newUri"`
		AnnotationID string `json:"annotationId"`
		TextDocument *struct {
			URI     string          `json:"uri"`
			Version json.RawMessage `json:"version"`
		} `json:"textDocument"`
		Edits   []textEdit      `json:"edits"`
		Options json.RawMessage `json:"options"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return change{}, fmt.Errorf("decoding an entry of documentChanges: %w", err)
	}
	c := change{kind: wire.Kind, uri: wire.URI, newURI: wire.NewURI, edits: wire.Edits, annotationID: wire.AnnotationID}
	if wire.Kind == "rename" {
		c.uri = wire.OldURI
	}
	if wire.Options != nil {
		c.hasOptions = true
		if err := json.Unmarshal(wire.Options, &c.options); err != nil {
			return change{}, fmt.Errorf("decoding the options of a %s: %w", wire.Kind, err)
		}
	}
	if wire.Kind != "" {
		return c, nil
	}
	if wire.TextDocument == nil {
		return change{}, fmt.Errorf("an entry of documentChanges with neither kind nor textDocument: %s", shorten(string(raw), traceWidth))
	}
	c.kind, c.uri = "edit", wire.TextDocument.URI
	c.versionMissing = wire.TextDocument.Version == nil
	if !c.versionMissing {
		if err := json.Unmarshal(wire.TextDocument.Version, &c.version); err != nil {
			return change{}, fmt.Errorf("the version of %s: %w", c.uri, err)
		}
	}
	return c, nil
}

// checkEdit records what no editor, or not this one, should be sent, as far as
// it can be seen without the texts.
func (e *Editor) checkEdit(edit *workspaceEdit) {
	seen := map[string]bool{}
	supported := stringsAt(e.clientCaps, "workspace", "workspaceEdit", "resourceOperations")
	for _, c := range edit.changes {
		e.checkURI("a workspace edit", c.uri)
		e.checkAnnotation(edit, c.annotationID)
		if c.kind != "edit" {
			if !slices.Contains(supported, c.kind) {
				e.violate("a workspace edit with a %q, which was not announced", c.kind)
			}
			continue
		}
		if seen[documentKey(c.uri)] {
			e.violate("a workspace edit with several entries for %s", c.uri)
		}
		seen[documentKey(c.uri)] = true
		if c.versionMissing {
			e.violate("a workspace edit without the version of %s, not even null", c.uri)
		}
		for _, t := range c.edits {
			e.checkAnnotation(edit, t.AnnotationID)
			if t.Snippet != nil && !e.announces("workspace", "workspaceEdit", "snippetEditSupport") {
				e.violate("a workspace edit with a snippet for %s, and snippetEditSupport was not announced", c.uri)
			}
		}
	}
}

func (e *Editor) checkAnnotation(edit *workspaceEdit, id string) {
	if id == "" {
		return
	}
	if !e.announces("workspace", "workspaceEdit", "changeAnnotationSupport") {
		e.violate("an annotationId, and workspace.workspaceEdit.changeAnnotationSupport was not announced")
	}
	if _, ok := edit.annotations[id]; !ok {
		e.violate("annotationId %q is not in changeAnnotations", id)
	}
}

// checkPositions holds the edits of one document against its text, when they
// are meant for it.
func (e *Editor) checkPositions(c *change, b *buffer) {
	if c.version != nil && *c.version != b.version {
		if !b.open {
			e.violate("an edit for version %d of %s, which is not open", *c.version, c.uri)
		}
		return
	}
	for _, t := range c.edits {
		start, complaint := offsetOf(b.text, t.Range.Start, e.encoding)
		if complaint != "" {
			e.violate("an edit of %s starts wrongly: %s", c.uri, complaint)
		}
		end, complaint := offsetOf(b.text, t.Range.End, e.encoding)
		if complaint != "" {
			e.violate("an edit of %s ends wrongly: %s", c.uri, complaint)
		}
		if end < start {
			e.violate("an edit of %s ends before it starts", c.uri)
		}
	}
	sorted := sortedEdits(c.edits)
	for i := 1; i < len(sorted); i++ {
		if overlap(sorted[i-1].Range, sorted[i].Range) {
			e.violate("edits of %s overlap at %d:%d", c.uri, sorted[i].Range.Start.Line, sorted[i].Range.Start.Character)
		}
	}
}

// sortedEdits is by start, those at the same place in the order given.
func sortedEdits(edits []textEdit) []textEdit {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b textEdit) int {
		switch {
		case before(a.Range.Start, b.Range.Start):
			return -1
		case before(b.Range.Start, a.Range.Start):
			return 1
		}
		return 0
	})
	return sorted
}

// overlap reports whether the second range, which does not start earlier,
// begins inside the first.
func overlap(a, b Range) bool { return before(b.Start, a.End) }
