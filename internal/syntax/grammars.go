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
	Bash:       newGrammar(Bash, tsbash.Language),
}
