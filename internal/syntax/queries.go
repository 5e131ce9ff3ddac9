package syntax

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// folders holds a folder for each language, named by its id:
//
//   - symbols.scm: what it defines, as tree-sitter queries. A pattern captures
//     a definition by its kind and its name as name; where two patterns take
//     the same name, the first in the file says the kind. The capture container
//     is the name of what the definition belongs to, scope is a node that has a
//     name for what is in it and is no symbol itself, exported and hidden mark
//     definitions for others and for nobody else, exported.name is a name
//     that is exported wherever it is defined.
//   - comments.scm: its comments, as comment.
//   - mistakes.scm, where there is one: what the grammar takes although the
//     language does not, as mistake, with the property message.
//   - outline.txt: what it defines for builds without grammars, a kind and a
//     regular expression a line; the first group is the name.
//
// A folder whose use.txt names others takes their files as well, after its own.
//
//go:embed languages
var folders embed.FS

// gather returns the file of that name in the folder of a language, before those
// of the folders that it uses.
func gather(lang, name string) (string, error) {
	var all strings.Builder
	dirs := []string{lang}
	if uses, err := folders.ReadFile(path.Join("languages", lang, "use.txt")); err == nil {
		dirs = append(dirs, strings.Fields(string(uses))...)
	}
	found := false
	for _, dir := range dirs {
		data, err := folders.ReadFile(path.Join("languages", dir, name))
		if err != nil {
			continue
		}
		found = true
		all.Write(data)
		all.WriteByte('\n')
	}
	if !found {
		return "", fmt.Errorf("no %s for %s: %w", name, lang, fs.ErrNotExist)
	}
	return all.String(), nil
}
