package workspace

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Roots are the folders a person has open: the jail that names from models,
// commands and people must stay in. A Roots never changes and may be shared;
// the zero value has no folder and refuses every name.
type Roots struct {
	list []root
	git  []string // real names of folders that are git's although not called so
}

// root is one folder: its real name, and what people and models call it when
// there are several.
type root struct {
	dir, name string
}

// OutsideError is returned for a name that is not, or no longer, inside the
// roots, or that belongs to version control or to emend itself.
type OutsideError struct {
	Name   string // as it was given
	Reason string // what is wrong with it and what to do
}

func (e *OutsideError) Error() string {
	return fmt.Sprintf("refusing %q: %s", e.Name, e.Reason)
}

// NewRoots returns the jail made of these folders, which need not exist.
// Their symbolic links are resolved here, once. Empty and repeated names are
// left out.
func NewRoots(dirs ...string) Roots {
	var r Roots
	seen := make(map[string]bool)
	names := make(map[string]bool)
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		abs, err := filepath.Abs(dir)
		if err != nil {
			continue
		}
		abs = string(Key(abs))
		if seen[abs] {
			continue
		}
		seen[abs] = true
		name := filepath.Base(abs)
		for n := 2; names[name]; n++ {
			name = filepath.Base(abs) + "-" + strconv.Itoa(n)
		}
		names[name] = true
		r.list = append(r.list, root{dir: abs, name: name})
		r.git = append(r.git, gitFolders(abs)...)
	}
	return r
}

// Dirs returns the real names of the folders, in the order given.
func (r Roots) Dirs() []string {
	dirs := make([]string, len(r.list))
	for i, root := range r.list {
		dirs[i] = root.dir
	}
	return dirs
}

// Empty reports whether there is no folder.
func (r Roots) Empty() bool { return len(r.list) == 0 }

// Of returns the innermost root that p lies in.
func (r Roots) Of(p Path) (dir string, ok bool) {
	if i := r.index(string(p)); i >= 0 {
		return r.list[i].dir, true
	}
	return "", false
}

// index returns which root holds a real name, or -1.
func (r Roots) index(name string) int {
	best := -1
	for i, root := range r.list {
		if !within(root.dir, name) {
			continue
		}
		if best < 0 || len(root.dir) > len(r.list[best].dir) {
			best = i
		}
	}
	return best
}

// within reports whether a cleaned absolute name is dir or below it.
func within(dir, name string) bool {
	if !strings.HasPrefix(name, dir) {
		return false
	}
	return len(name) == len(dir) || filepath.IsAbs(name) &&
		(dir[len(dir)-1] == filepath.Separator || name[len(dir)] == filepath.Separator)
}

// Rel returns p as people and models are shown it: with slashes, relative to
// its root, and with the root's name in front when there are several roots.
// [Roots.Resolve] takes it back. A root itself is ".", or its name; what is in
// no root is its base name.
func (r Roots) Rel(p Path) string {
	i := r.index(string(p))
	if i < 0 {
		return p.Base()
	}
	rel := strings.TrimPrefix(string(p)[len(r.list[i].dir):], string(filepath.Separator))
	rel = filepath.ToSlash(rel)
	if len(r.list) == 1 {
		if rel == "" {
			return "."
		}
		return rel
	}
	if rel == "" {
		return r.list[i].name
	}
	return r.list[i].name + "/" + rel
}

// Resolve turns a name into the path of a file, existing or not, inside the
// roots. It takes slash or native names relative to a root (with the root's
// name in front where there are several), absolute names, and file URIs. It
// returns an *[OutsideError] for a NUL, a "..", a name or symbolic link that
// leads out of the roots, dangling links too, and for anything under .git,
// .emend or another version control's folder.
//
// What Resolve allows may change on disk a moment later; [Disk] therefore looks
// again when it reads.
func (r Roots) Resolve(name string) (Path, error) {
	refuse := func(reason string) (Path, error) {
		return "", &OutsideError{Name: name, Reason: reason}
	}
	if r.Empty() {
		return refuse("no folder is open; open one in the editor, or pass --root")
	}
	local := name
	if _, isURI := cutScheme(name); isURI {
		file, ok := fileName(name)
		if !ok {
			return refuse("the URI names no file")
		}
		local = file
	}
	local = filepath.FromSlash(local)
	switch {
	case local == "":
		return refuse("the name is empty; give a path relative to the workspace")
	case strings.ContainsRune(local, 0):
		return refuse("the name contains a NUL character")
	case hasDotDot(local):
		return refuse(`".." is not allowed in a name; give the path relative to the workspace`)
	}
	if !filepath.IsAbs(local) {
		if !filepath.IsLocal(local) {
			return refuse("it is not a name inside the workspace")
		}
		local = r.place(local)
	}
	p, reason := r.admit(filepath.Clean(local))
	if reason != "" {
		return refuse(reason)
	}
	return p, nil
}

// place returns the absolute name a relative one stands for: the first
// existing one of the root called as its first part, then the roots in order.
func (r Roots) place(local string) string {
	if len(r.list) == 1 {
		return filepath.Join(r.list[0].dir, local)
	}
	var tries []string
	first, rest, _ := strings.Cut(filepath.Clean(local), string(filepath.Separator))
	for _, root := range r.list {
		if root.name == first {
			tries = append(tries, filepath.Join(root.dir, rest))
		}
	}
	for _, root := range r.list {
		tries = append(tries, filepath.Join(root.dir, local))
	}
	for _, try := range tries {
		if _, err := osDisk.lstat(try); err == nil {
			return try
		}
	}
	return tries[0]
}

// admit resolves a cleaned absolute name and says why it is refused, if it is.
func (r Roots) admit(name string) (p Path, reason string) {
	real, err := osDisk.resolve(name)
	if err != nil {
		return "", "it passes through a loop of symbolic links"
	}
	i := r.index(real)
	if i < 0 {
		if r.index(name) >= 0 {
			return "", "a symbolic link in it leads out of the workspace"
		}
		return "", "it is outside the workspace (" + strings.Join(r.Dirs(), ", ") + ")"
	}
	for _, dir := range r.git {
		if within(dir, real) {
			return "", internalNames[".git"] + untouchable
		}
	}
	written := name
	if j := r.index(name); j >= 0 {
		written = name[len(r.list[j].dir):]
	}
	for _, s := range []string{written, real[len(r.list[i].dir):]} {
		for _, part := range parts(s) {
			if why, ok := internal(part); ok {
				return "", why
			}
		}
	}
	return Path(real), ""
}

// check says why p may not be touched now although it may have been resolved
// before: it must still be its own real name inside the roots.
func (r Roots) check(p Path) error {
	real, reason := r.admit(string(p))
	if reason == "" && real != p {
		reason = "a symbolic link has taken the place of a part of it"
	}
	if reason != "" {
		return &OutsideError{Name: string(p), Reason: reason}
	}
	return nil
}

// hasDotDot reports whether a part of the name is "..".
func hasDotDot(name string) bool {
	for _, part := range parts(name) {
		if part == ".." {
			return true
		}
	}
	return false
}

// internalNames are folders that hold what runs or decides for the person:
// hooks, remotes, and emend's own settings and documents.
var internalNames = map[string]string{
	".git":   "it belongs to git",
	"git~1":  "it belongs to git", // the short name Windows gives .git
	".hg":    "it belongs to Mercurial",
	".svn":   "it belongs to Subversion",
	".jj":    "it belongs to Jujutsu",
	".bzr":   "it belongs to Bazaar",
	".emend": "it belongs to emend",
}

const untouchable = " and may be neither read nor changed"

// maxInternal is how long an internal name can be in other letters of the same
// meaning, which have at most three bytes each.
const maxInternal = 3 * len(".emend")

// internal says whose a part of a name is. It sees through the spellings that
// some disks take for the same: case, trailing dots and spaces, and the
// characters that HFS+ leaves out of comparisons.
func internal(part string) (why string, ok bool) {
	part = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e,
			r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, part)
	if i := strings.IndexByte(part, ':'); i > 0 { // an NTFS stream, .git::$INDEX_ALLOCATION
		part = part[:i]
	}
	part = strings.TrimRight(part, " .")
	if len(part) > maxInternal {
		return "", false
	}
	for name, whose := range internalNames {
		if strings.EqualFold(part, name) {
			return whose + untouchable, true
		}
	}
	return "", false
}
