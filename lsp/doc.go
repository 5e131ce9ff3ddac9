// Package lsp is emend's face towards an editor: it speaks the Language Server
// Protocol on one connection, keeps the mirror of the open documents, offers
// code actions and commands, runs agents as jobs, and hands their proposals
// back as versioned workspace edits.
//
// Start at [NewServer] and [Server.Serve]. A message travels
//
//	frameStream → guard → ordered → dispatch → one file a method
//
// Invariant: notifications are handled to their end in the order of the wire,
// so a request always sees the documents as its sender saw them. Requests are
// answered from memory; whatever takes time is a job (jobs.go) that outlives
// the request that asked for it.
//
// Invariant: one bad message, panicking handler or dead model server never ends
// the session, and every request gets exactly one reply.
//
// Positions are bytes everywhere inside; this package alone converts between
// them and the columns of the encoding negotiated with the client. It may not
// know prompts, start processes or write files itself: the editor applies
// changes, and what an editor cannot do internal/proposal writes.
package lsp
