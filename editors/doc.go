// Package editors holds emend's set-ups and thin plug-ins for editors, one
// folder each, and their tests in the real ones. It has no code of its own: what
// is here may use nothing of emend but the protocol (docs/protocol.md).
package editors
