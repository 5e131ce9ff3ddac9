// Package syntax reads single texts: whether they parse, what they define,
// their comments, and the directives that people write in them for emend.
//
// Start at [Parse], which returns a [Tree]; at [Compare], the gate that tells
// whether an edit broke what parsed before; or at [Directives]. Go is read by
// go/parser in every build. The other languages of the table in language.go
// are read by tree-sitter where the program is built with cgo, and by a scanner
// of lines that knows comments, strings and brackets where it is not; see
// [Tree.Precise]. What a language defines is said by the files in its folder
// under languages: a language is added by a row and a folder.
//
// Everything here works on text that may not parse: it is read while somebody
// types it. Trees are values of Go memory that nobody has to close; what C
// allocates for a parse is freed before it returns. Offsets are bytes and lines
// count from zero. The package knows no files and nothing of the rest of emend.
package syntax
