// Package lsptest is a fake editor: the other end of a language server's wire,
// behaving as a real editor was seen to behave.
//
// Start here with [Start], or in a test with [New]. What one editor does that
// another does not is data, in a [Profile]: the parameters of its initialize
// request as they were recorded, and a [Behaviour] that says how it takes
// edits, which questions it can ask a person, what it leaves out. The package
// itself knows no editor by name.
//
// The editor keeps its own buffers, its own idea of positions and its own wire
// code, and shares nothing with the server's: it is an oracle, so that a fault
// in a library both used would not cancel out. It notes in [Editor.Violations]
// whatever the server sends that the editor played could not take, or that the
// protocol forbids, and otherwise does what that editor would do, lies
// included.
//
// Everything waited for is an event ([Editor.Await]); nothing polls.
//
// lsptest may not import the server, nor any package of this module, nor
// package testing: the demonstration command uses it too.
package lsptest
