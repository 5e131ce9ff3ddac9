// Package agent does one run: it takes what a person asked ([Task]), lets a
// model look at the workspace and edit a private draft, and hands back a
// proposal or an answer.
//
// Start at [Runner.Run]. A run is a phase machine (run.go): open, consent,
// choose a model, prompt, then model and tools in turn until the model is done,
// then checks, the proposal, and the record. Every run ends in exactly one of
// done, refused, cancelled and failed, is closed in the store, and is announced
// by exactly one "ended" event, whatever happened in between, a panic included.
//
// The package meets the outside through three small interfaces: a
// [workspace.Source] of documents, a [Host] that shows proposals, asks
// questions and receives events, and a [model.Provider]. It knows nothing of
// the protocol an editor speaks, never writes a file of the workspace, and
// starts no process.
package agent
