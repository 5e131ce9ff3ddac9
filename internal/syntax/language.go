package syntax

import (
	"path"
	"strings"
)

// Lang is a language that [Parse] reads, named by its language id of LSP. The
// zero value is none.
type Lang string

// The languages.
const (
	Go         Lang = "go"
	Python     Lang = "python"
	JavaScript Lang = "javascript" // with JSX
	TypeScript Lang = "typescript"
	TSX        Lang = "typescriptreact"
	Rust       Lang = "rust"
	Java       Lang = "java"
	C          Lang = "c"
	CPP        Lang = "cpp"
	Ruby       Lang = "ruby"
	Bash       Lang = "shellscript"
)

// row is what the package knows of a language beside its grammar and the files
// in its folder.
type row struct {
	lang Lang
	// ids are other ids that editors send for it, in lower case.
	ids string
	// ends are the extensions of its files, without the point.
	ends string
	// names are whole names of files, in lower case.
	names string
	// also are languages that a text may be in as well: what one of them
	// accepts is not held to be broken.
	also []Lang
	// exported tells by its name alone whether a symbol is for others. Nil
	// where the captures exported and hidden of the queries tell.
	exported func(name string) bool
	// inherits tells that what is inside an exported symbol is exported too
	// unless it is hidden.
	inherits bool
	// macros tells that a preprocessor may turn what the grammar refuses into
	// what a compiler takes. Then [Compare] believes in brackets only.
	macros bool
	// text is how the scanner of lines reads it.
	text lexis
}

// rows are the languages there are. The order does not matter.
var rows = []row{
	{lang: Go, ids: "golang", ends: "go", text: lexis{style: &goLike, brackets: true}},
	{
		lang: Python, ids: "py", ends: "py pyi pyw", names: "sconstruct sconscript",
		exported: public, text: lexis{style: &python, brackets: true, indents: true},
	},
	{
		lang: JavaScript, ids: "javascriptreact js jsx", ends: "js mjs cjs jsx", names: "jakefile",
		also: []Lang{TSX}, inherits: true, text: lexis{style: &script, brackets: true, patterns: true},
	},
	{
		lang: TypeScript, ids: "ts", ends: "ts mts cts",
		inherits: true, text: lexis{style: &script, brackets: true, patterns: true},
	},
	{
		lang: TSX, ids: "tsx", ends: "tsx",
		inherits: true, text: lexis{style: &script, brackets: true, patterns: true},
	},
	{lang: Rust, ids: "rs", ends: "rs", text: lexis{style: &oxide, brackets: true, raw: `r"`}},
	{lang: Java, ends: "java", text: lexis{style: &javaLike, brackets: true}},
	{
		lang: C, ends: "c h", also: []Lang{CPP}, exported: anything, macros: true,
		text: lexis{style: &cLike, brackets: true, directives: true},
	},
	{
		lang: CPP, ids: "c++", ends: "cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl", also: []Lang{C}, exported: anything, macros: true,
		text: lexis{style: &cLike, brackets: true, directives: true, raw: `R"`},
	},
	{
		lang: Ruby, ids: "rb", ends: "rb rake gemspec ru", exported: anything,
		names: "gemfile rakefile vagrantfile guardfile podfile brewfile", text: lexis{style: &hash, ends: true},
	},
	{
		lang: Bash, ids: "bash sh shell", ends: "sh bash", exported: anything,
		names: ".bashrc .bash_profile .bash_aliases .bash_logout .profile", text: lexis{style: &shell},
	},
}

// script and oxide are JavaScript and Rust with strings of several lines.
var (
	script = style{line: slashes[:1], block: [][2]string{stars}, quotes: `"'`, long: []string{"`"}}
	oxide  = style{line: slashes[:1], block: [][2]string{stars}, chars: true, long: []string{`"`}}
)

func anything(string) bool { return true }

// public tells names without a leading underscore, and those with two on both
// sides, which a language gives a meaning.
func public(name string) bool {
	return !strings.HasPrefix(name, "_") || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// byLang finds a row, byID and byFile the language for an id of an editor and
// for an extension or a whole name of a file.
var byLang, byID, byFile = tables()

func tables() (langs map[Lang]*row, ids, files map[string]Lang) {
	langs, ids, files = make(map[Lang]*row), make(map[string]Lang), make(map[string]Lang)
	for i := range rows {
		r := &rows[i]
		langs[r.lang] = r
		ids[string(r.lang)] = r.lang
		for _, id := range strings.Fields(r.ids) {
			ids[id] = r.lang
		}
		for _, end := range strings.Fields(r.ends) {
			files["."+end] = r.lang
		}
		for _, name := range strings.Fields(r.names) {
			files[name] = r.lang
		}
	}
	return langs, ids, files
}

// Language returns the language of a document by the language id that an
// editor gave it and by its file name; either may be empty, and the name may be
// a path with slashes of either kind. The id counts first, but a .tsx file is
// TSX whatever its id. It returns ok false for languages that [Parse] does not
// read.
func Language(id, filename string) (lang Lang, ok bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(filename, `\`, "/")))
	named, known := byFile[base]
	if !known {
		named, known = byFile[path.Ext(base)]
	}
	lang, ok = byID[strings.ToLower(id)]
	switch {
	case !ok:
		return named, known
	case lang == TypeScript && named == TSX:
		return TSX, true
	case lang == Bash && !known && path.Ext(base) == ".zsh", lang == Bash && base == ".zshrc":
		return "", false // another language under the same id
	}
	return lang, true
}

// Languages returns the languages there are, in the order of the table. The
// slice is the caller's.
func Languages() []Lang {
	all := make([]Lang, len(rows))
	for i, r := range rows {
		all[i] = r.lang
	}
	return all
}
