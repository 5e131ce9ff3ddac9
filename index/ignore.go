package index

import (
	"strings"
)

// Names of the files with rules in each folder. The second one is for emend
// alone, and its rules win.
const (
	gitIgnoreName = ".gitignore"
	ownIgnoreName = ".emendignore"
)

// ruleset is the rules of one file and the folder they count from.
type ruleset struct {
	base  string // slash name of the folder, with a slash at the end
	rules []rule
}

// scope is the rules that are in effect in one folder. It never changes;
// folders share what they inherit.
type scope struct {
	// own and git hold the rule sets, weakest first: the rules for emend and,
	// where those say nothing, git's.
	own, git []ruleset
	// fold tells that names are matched in any case (core.ignoreCase).
	fold bool
}

// with returns a list with one more rule set at its end. It copies, since
// folders side by side append to the same list.
func with(list []ruleset, base, text string, fold bool) []ruleset {
	rules := parseRules(text, fold)
	if len(rules) == 0 {
		return list
	}
	return append(list[:len(list):len(list)], ruleset{base: slashed(base), rules: rules})
}

// slashed returns a folder's slash name with a slash at the end.
func slashed(dir string) string { return strings.TrimSuffix(toSlash(dir), "/") + "/" }

// verdict is what rules say of a name.
type verdict uint8

const (
	silent  verdict = iota // nothing
	ignored                // leave it out
	wanted                 // a negated rule takes it back
)

// decide returns what the last rule that matches says. slash is the name of
// the file or folder from the root of the disk.
func decide(sets []ruleset, slash, base string, isDir, fold bool) verdict {
	if fold {
		base = strings.ToLower(base)
	}
	for i := len(sets) - 1; i >= 0; i-- {
		set := &sets[i]
		if len(slash) <= len(set.base) {
			continue
		}
		rel := slash[len(set.base):]
		if fold {
			rel = strings.ToLower(rel)
		}
		for j := len(set.rules) - 1; j >= 0; j-- {
			if r := &set.rules[j]; r.matches(rel, base, isDir) {
				if r.negate {
					return wanted
				}
				return ignored
			}
		}
	}
	return silent
}

// ignores reports whether a file or folder is to be left out, its parents not
// being so. siblings answers what else is in its folder.
func (s *scope) ignores(slash, base string, isDir bool, siblings func(string) bool) bool {
	if isDir && neverDirs[strings.ToLower(base)] {
		return true
	}
	if v := decide(s.own, slash, base, isDir, s.fold); v != silent {
		return v == ignored
	}
	if isDir && builtIn(base, siblings) {
		return true
	}
	return decide(s.git, slash, base, isDir, s.fold) == ignored
}

// neverDirs are folders that no rule takes back: version control's and
// emend's own, which may not be read.
var neverDirs = map[string]bool{".git": true, ".hg": true, ".svn": true, ".jj": true, ".bzr": true, ".emend": true}

// builtInDirs are folders of tools that hold nothing a person wrote, with the
// file beside them that says so, if the name alone does not. A rule in an
// .emendignore takes them back.
var builtInDirs = map[string]string{
	"node_modules": "", "bower_components": "", "__pycache__": "", ".mypy_cache": "", ".pytest_cache": "", ".ruff_cache": "",
	".tox": "", ".nox": "", ".venv": "", ".gradle": "", ".terraform": "", ".next": "", ".nuxt": "", ".svelte-kit": "",
	".parcel-cache": "", ".turbo": "", ".dart_tool": "", ".bundle": "",
	"target": "Cargo.toml", "_build": "mix.exs", "dist-newstyle": "", ".stack-work": "", "zig-cache": "", ".zig-cache": "",
}

// builtIn reports whether a folder is one of builtInDirs.
func builtIn(base string, siblings func(string) bool) bool {
	beside, ok := builtInDirs[base]
	return ok && (beside == "" || siblings(beside))
}
