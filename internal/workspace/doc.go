// Package workspace knows the folders a person works in and what stands in
// them: on disk, in the editor's buffers, and in a run's private draft.
//
// Start at [Roots], the jail every name from a model or a person passes
// through, and at [Documents], the mirror of what the editor has open. A
// [Snapshot] pins both at one moment; a [Draft] is a snapshot plus the changes
// of one run, and [Draft.Changes] is what a proposal is made of.
//
// The buffer is the truth: an open document is what the editor says it is,
// whether or not it was saved, and whether or not a file of that name exists.
// Nothing in this package writes to the disk. It may not know LSP or models.
package workspace
