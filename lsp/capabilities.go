package lsp

import (
	"slices"

	"go.lsp.dev/protocol"
)

// capabilities is what the client said it can do, reduced to what handlers ask.
// It is settled by initialize and never changes.
type capabilities struct {
	progress        bool // window/workDoneProgress/create
	showDocument    bool
	documentChanges bool // versioned edits
	createFiles     bool // resource operations
	deleteFiles     bool
	renameFiles     bool
	annotations     bool // change annotations in edits
	applyEdit       bool
	watchFiles      bool // dynamic registration of file watchers
	configuration   bool // workspace/configuration
	metadata        bool // edit metadata (isRefactoring)
	diagnosticData  bool
	events          bool // initializationOptions.events: emend/event notifications
	input           bool // initializationOptions.input: the client runs emend.input
}

func readCapabilities(c *protocol.ClientCapabilities) capabilities {
	var caps capabilities
	if w := c.Window; w != nil {
		caps.progress = is(w.WorkDoneProgress)
		caps.showDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if w := c.Workspace; w != nil {
		caps.applyEdit = is(w.ApplyEdit)
		caps.configuration = is(w.Configuration)
		if w.DidChangeWatchedFiles != nil {
			caps.watchFiles = is(w.DidChangeWatchedFiles.DynamicRegistration)
		}
		if e := w.WorkspaceEdit; e != nil {
			caps.documentChanges = is(e.DocumentChanges)
			caps.createFiles = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindCreate)
			caps.deleteFiles = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindDelete)
			caps.renameFiles = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindRename)
			caps.annotations = e.ChangeAnnotationSupport != nil
			caps.metadata = is(e.MetadataSupport)
		}
	}
	if t := c.TextDocument; t != nil && t.PublishDiagnostics != nil {
		caps.diagnosticData = is(t.PublishDiagnostics.DataSupport)
	}
	return caps
}

// is reads an optional boolean; absent is false.
func is(b *bool) bool { return b != nil && *b }

// ptr makes the pointer that an optional field of the protocol wants.
func ptr[T any](v T) *T { return &v }
