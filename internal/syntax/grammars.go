//go:build cgo

package syntax

import (
	tsbash "github.com/tree-sitter/tree-sitter-bash/bindings/go"
	tsc "github.com/tree-sitter/tree-sitter-c/bindings/go"
	tscpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
	tsgolang "github.com/tree-sitter/tree-sitter-go/bindings/go"
	tsjava "github.com/tree-sitter/tree-sitter-java/bindings/go"
	tsjavascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	tspython "github.com/tree-sitter/tree-sitter-python/bindings/go"
	tsruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
	tsrust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	tstypescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// grammars are the grammars that are built in. That of Go serves texts that
// Go's own parser gives up on.
var grammars = map[Lang]*grammar{
	Go:         newGrammar(Go, tsgolang.Language),
	Python:     newGrammar(Python, tspython.Language),
	JavaScript: newGrammar(JavaScript, tsjavascript.Language),
	TypeScript: newGrammar(TypeScript, tstypescript.LanguageTypescript),
	TSX:        newGrammar(TSX, tstypescript.LanguageTSX),
	Rust:       newGrammar(Rust, tsrust.Language),
	Java:       newGrammar(Java, tsjava.Language),
	C:          newGrammar(C, tsc.Language),
	CPP:        newGrammar(CPP, tscpp.Language),
	Ruby:       newGrammar(Ruby, tsruby.Language),
	Bash:       narrow(newGrammar(Bash, tsbash.Language)),
}

// narrow is for tree-sitter-bash v0.25.0, which asks the C library whether any
// character after a { is a digit. That reads outside of a table for one like an
// emoji, and may end the process.
func narrow(g *grammar) *grammar {
	g.narrow = true
	return g
}
