// Package edits is the edit engine: texts and positions in them, change sets
// and three-way merges, and the way from a model's reply to a change set.
//
// Start with [Text] for positions, [Diff], [Rebase] and [Merge] for change
// sets, and [Parse] with [ApplyReply] (or [ApplyBlocks] for one file) for
// replies. A reply is never half trusted: what does not match exactly one
// place is a [Refusal], which is a value written for the model to read, and a
// file with a refusal is left as it was.
//
// Everything here is a pure value: the same arguments give the same result.
// The package knows nothing of files on disk, the language server protocol,
// clocks or networks; it never starts a goroutine, and all its functions may
// be called concurrently. Offsets are bytes unless an [Encoding] says
// otherwise.
package edits
