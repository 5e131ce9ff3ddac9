// Package proposal is the life of a change set: what a run's draft changed,
// from the moment it is built until it is applied, discarded, superseded or
// taken back.
//
// Start with [Build], which makes a [Content] from a draft, and
// [Content.Plan], which says what to send to the editor now. The order of a
// life is
//
//	Build → Save → Plan → Checkpoint → (the editor applies) → Judge → Record → Save
//
// with [Content.Located] beside it for showing hunks while the person types,
// and [Undo], [Continue] and [Content.Supersede] after it.
//
// A proposal is held as texts and line ranges, never as positions in an
// editor: every use compares the text as it is now with the text the run saw
// and carries the hunks over by three-way merge, or refuses them by name.
// Texts are compared without regard to a byte-order mark and to the kind of
// line end, because editors change both on their own.
//
// Everything is a value. No function here starts a goroutine or keeps a
// transaction, and only [Plan.WriteDisk] touches files. A [Content] may be read from many goroutines at once;
// its methods that change it (Record, Settle, Discard, TakenBack, Supersede,
// and [Save]) belong to one goroutine, and no reader may run beside them: use
// [Content.Clone] to change a copy and hand that out.
//
// The package knows nothing of the language server protocol or of models.
package proposal
