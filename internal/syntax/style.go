package syntax

import (
	"path"
	"strings"
)

// style is how the comments and strings of a language look.
type style struct {
	// line holds what begins a comment that ends with its line. The first is
	// the one to write. One that ends in a letter is a word, in any case.
	line []string
	// block holds the pairs around other comments. The first is the one to
	// write where line is empty.
	block [][2]string
	// quotes holds the characters around strings, with backslash escapes.
	quotes string
	// chars tells that ' is around single characters, and is nothing else
	// where it is not (a lifetime, a transposition, a quote).
	chars bool
	// long holds what is on both sides of strings that may span lines. A
	// language that has it is read from the start of the text, others line by
	// line: only there can a string that is not closed mislead.
	long []string
	// raw holds which of quotes and long know no escapes.
	raw string
	// spaced tells that a line comment begins only after white space.
	spaced bool
	// aloneOnly holds line comments that only count on their own line.
	aloneOnly string
	// readOnly tells that comments are understood but must not be written, as
	// in JSON.
	readOnly bool
}

var (
	slashes = []string{"//", "//!", "//-"}
	stars   = [2]string{"/*", "*/"}
	docs    = [][2]string{stars, {"/**", "*/"}, {"/*!", "*/"}}
	angles  = [][2]string{{"<!--", "-->"}}

	cLike    = style{line: slashes, block: docs, quotes: `"`, chars: true}
	goLike   = style{line: slashes, block: docs, quotes: `"`, chars: true, long: []string{"`"}, raw: "`"}
	javaLike = style{line: slashes, block: docs, quotes: `"`, chars: true, long: []string{`"""`}}
	jsLike   = style{line: slashes, block: docs, quotes: "\"'`"}
	python   = style{line: []string{"#"}, quotes: `"'`, long: []string{`"""`, `'''`}}
	hash     = style{line: []string{"#"}, quotes: `"'`}
	shell    = style{line: []string{"#"}, quotes: `"'`, raw: "'", spaced: true}
	semi     = style{line: []string{";"}, quotes: `"`, spaced: true}
	lisp     = style{line: []string{";"}, block: [][2]string{{"#|", "|#"}}, quotes: `"`}
	dashes   = style{line: []string{"--"}, quotes: `"'`}
	sql      = style{line: []string{"--", "#"}, block: docs, quotes: `"'`, spaced: true}
	haskell  = style{line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, quotes: `"`, chars: true}
	lua      = style{line: []string{"--"}, block: [][2]string{{"--[[", "]]"}}, quotes: `"'`}
	percent  = style{line: []string{"%"}, spaced: true}
	erlang   = style{line: []string{"%"}, quotes: `"'`}
	basic    = style{line: []string{"'", "REM"}, quotes: `"`, raw: `"`}
	vim      = style{line: []string{`"`}, quotes: `'`, raw: "'", spaced: true, aloneOnly: `"`}
	batch    = style{line: []string{"REM", "::"}, spaced: true}
	fortran  = style{line: []string{"!"}, quotes: `"'`, raw: `"'`}
	pascal   = style{line: slashes[:1], block: [][2]string{{"{", "}"}, {"(*", "*)"}}, quotes: `'`, raw: `'`}
	ml       = style{block: [][2]string{{"(*", "*)"}}, quotes: `"`, chars: true}
	fsharp   = style{line: slashes[:1], block: ml.block, quotes: `"`, chars: true}
	css      = style{block: docs, quotes: `"'`}
	scss     = style{line: slashes[:1], block: docs, quotes: `"'`}
	html     = style{block: angles}
	page     = style{block: append([][2]string{angles[0]}, docs...), line: slashes, quotes: "\"'`"}
	php      = style{line: []string{"//", "#"}, block: append([][2]string{stars, angles[0]}, docs[1:]...), quotes: `"'`}
	power    = style{line: []string{"#"}, block: [][2]string{{"<#", "#>"}}, quotes: `"'`, raw: `"'`, spaced: true}
	ini      = style{line: []string{";", "#"}, spaced: true}
	props    = style{line: []string{"#", "!"}, spaced: true, aloneOnly: "#!"}
	hcl      = style{line: []string{"#", "//"}, block: docs[:1], quotes: `"`}
	assembly = style{line: []string{";", "#", "//", "@"}, block: docs[:1], quotes: `"`, spaced: true}
	json     = style{line: slashes[:1], block: docs[:1], quotes: `"`, readOnly: true}
	jsonc    = style{line: slashes[:1], block: docs[:1], quotes: `"`}
	matlab   = style{line: []string{"%", "#"}, block: [][2]string{{"%{", "%}"}}, quotes: `"`}
	nix      = style{line: []string{"#"}, block: docs[:1], quotes: `"`}
	curlies  = style{block: [][2]string{{"{{!--", "--}}"}, {"{{!", "}}"}, angles[0]}}
	jinja    = style{block: [][2]string{{"{#", "#}"}, angles[0]}}
	erb      = style{block: [][2]string{{"<%#", "%>"}, angles[0]}}
	jsp      = style{block: [][2]string{{"<%--", "--%>"}, angles[0]}}
	lean     = style{line: []string{"--"}, block: [][2]string{{"/-", "-/"}}, quotes: `"`}

	// unknown is for languages that are not in the table. Its signs of one
	// character that are common in prose and code count on their own line only.
	unknown = style{
		line:   []string{"//", "#", "--", ";", "%", `"`, "!", "'", "REM", "//!"},
		block:  [][2]string{stars, docs[1], docs[2], angles[0], {"(*", "*)"}, {"{-", "-}"}, {"--[[", "]]"}, {"<#", "#>"}, {"{#", "#}"}},
		quotes: "\"'`", spaced: true, aloneOnly: `"'!`, readOnly: true,
	}
)

// languages gives the style for a language id of LSP or of an editor that
// sends its own, and for the extension of a file name; all are lower case.
var languages = table(map[string]*style{
	"go gomod go.mod gowork go.work mod templ":                                                                                &goLike,
	"java kotlin kt kts scala sc swift":                                                                                       &javaLike,
	"c h cpp cc cxx hpp hh hxx c++ cuda cu cuda-cpp objective-c objc m objective-cpp objcpp mm":                               &cLike,
	"csharp cs rust rs zig dart d v vala solidity sol proto proto3 protobuf":                                                  &cLike,
	"glsl hlsl wgsl shaderlab metal opencl verilog systemverilog sv arduino ino":                                              &cLike,
	"thrift capnp odin jai gleam cue bicep kdl move cairo pkl haxe hx as actionscript":                                        &cLike,
	"javascript js mjs cjs javascriptreact jsx typescript ts mts cts typescriptreact tsx":                                     &jsLike,
	"groovy gradle qml prisma coffee-lit typst typ asciidoc adoc slang":                                                       &jsLike,
	"python py pyi pyw starlark bzl bazel star":                                                                               &python,
	"ruby rb perl pl pm perl6 raku r rmd julia jl elixir ex exs crystal cr nim coffeescript coffee":                           &hash,
	"graphql gql awk snakemake gdscript gd meson just mojo robot gn po":                                                       &hash,
	"shellscript sh bash zsh ksh fish shell csh tcsh dockerfile docker containerfile makefile make mk":                        &shell,
	"yaml yml toml cmake tcl conf cfg gitignore ignore gitattributes gitcommit git-commit git-rebase gitrebase gitconfig":     &shell,
	"dockerignore editorconfig env dotenv properties-hash requirements codeowners nginx apache systemd service ninja crontab": &shell,
	"ini desktop dosini reg":                 &ini,
	"properties java-properties jproperties": &props,
	"clojure clj cljs cljc edn scheme scm racket rkt lisp commonlisp cl elisp emacs-lisp el fennel fnl janet hy": &lisp,
	"asm nasm masm s gas assembly":                  &assembly,
	"llvm ll autohotkey ahk autoit":                 &semi,
	"ada adb ads vhdl vhd eiffel dhall":             &dashes,
	"sql mysql postgres plsql pgsql sqlite":         &sql,
	"haskell hs elm purescript purs agda idris idr": &haskell,
	"lean lean4":               &lean,
	"lua luau moonscript teal": &lua,
	"tex latex bibtex plaintex context sty cls bib postscript ps": &percent,
	"erlang erl hrl prolog": &erlang,
	"matlab octave":         &matlab,
	"vb vbnet vba vbs vbscript bas basic freebasic":             &basic,
	"vim vimscript viml":                                        &vim,
	"bat batch cmd dosbatch":                                    &batch,
	"fortran f90 f95 f03 f08 f for fortran90 fortran-modern":    &fortran,
	"pascal pas delphi dpr objectpascal":                        &pascal,
	"ocaml ml mli coq sml reason-ml standard-ml mathematica wl": &ml,
	"fsharp fs fsx fsi":                                         &fsharp,
	"css postcss":                                               &css,
	"scss less sass stylus styl":                                &scss,
	"html htm xhtml xml xsl xslt svg markdown md mdx-md plist wsdl xsd xaml csproj fsproj vcxproj props": &html,
	"vue svelte astro mdx razor cshtml":                                          &page,
	"php phtml blade":                                                            &php,
	"powershell ps1 psm1 psd1 pwsh":                                              &power,
	"terraform tf hcl tfvars terraform-vars nomad packer":                        &hcl,
	"json geojson webmanifest ipynb":                                             &json,
	"jsonc json5 jsonl-c hjson code-workspace":                                   &jsonc,
	"nix jsonnet libsonnet":                                                      &nix,
	"handlebars hbs mustache glimmer":                                            &curlies,
	"jinja jinja2 jinja-html j2 twig njk nunjucks django-html htmldjango liquid": &jinja,
	"erb eruby ejs html.erb embeddedtemplate":                                    &erb,
	"jsp jspf":                 &jsp,
	"plaintext text txt plain": &unknown,
})

// fileNames gives the style for whole file names, in lower case, that have no
// extension to tell.
var fileNames = table(map[string]*style{
	"makefile gnumakefile dockerfile containerfile .gitignore .dockerignore .gitattributes .editorconfig .env codeowners .bashrc .zshrc .profile procfile justfile cmakelists.txt requirements.txt robots.txt .gitconfig": &shell,
	"gemfile rakefile vagrantfile guardfile podfile brewfile": &hash,
	"build workspace sconstruct snakefile tiltfile":           &python,
	"go.mod go.work":    &goLike,
	"jenkinsfile":       &jsLike,
	".vimrc _vimrc":     &vim,
	".emacs":            &lisp,
	"tsconfig.json":     &jsonc,
	"devcontainer.json": &jsonc,
	"package.json":      &json,
})

// table spreads rows of names over a map.
func table(rows map[string]*style) map[string]*style {
	m := make(map[string]*style)
	for names, s := range rows {
		for _, name := range strings.Fields(names) {
			m[name] = s
		}
	}
	return m
}

// styleOf returns the style of a language id, or unknown.
func styleOf(language string) *style {
	if s := languages[strings.ToLower(language)]; s != nil {
		return s
	}
	return &unknown
}

// CommentLeader returns what to write before and after a comment that has its
// line to itself: "//" and "" for Go, "<!--" and "-->" for HTML. The language
// id counts, then the file's name and extension; either may be empty. It
// returns ok false where neither is known, or comments are not allowed.
func CommentLeader(language, filename string) (open, close string, ok bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(filename, `\`, "/")))
	s := fileNames[base]
	if s == nil {
		s = languages[strings.ToLower(language)]
	}
	if s == nil || s == &unknown {
		if byExt := languages[strings.TrimPrefix(path.Ext(base), ".")]; byExt != nil {
			s = byExt
		}
	}
	switch {
	case s == nil || s.readOnly:
		return "", "", false
	case len(s.line) > 0:
		return s.line[0], "", true
	}
	return s.block[0][0], s.block[0][1], true
}
