// Package syntax reads single texts: for now their comments, and the
// directives that people write in them for emend.
//
// Start at [Directives]. Everything here works on text that may not parse: it
// is read while somebody types it. A text whose language is not known is read
// by the comment signs that languages have in common. The package knows no
// files and nothing of the rest of emend.
package syntax
