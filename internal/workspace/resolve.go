package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxLinks is how many symbolic links one name may pass through.
const maxLinks = 100

// errLinkLoop is returned when a name passes through too many symbolic links.
var errLinkLoop = errors.New("too many symbolic links")

// disk resolves names. Its functions are those of package os except in tests,
// which put a disk that folds case behind them.
type disk struct {
	lstat    func(string) (fs.FileInfo, error)
	readlink func(string) (string, error)
	readDir  func(string) ([]fs.DirEntry, error)

	mu sync.Mutex // guards the two caches
	// exact holds folders seen to tell upper from lower case.
	exact map[string]bool
	// spelled holds, by the name as given, how a folding disk spells it.
	spelled map[string]spelling
}

// spelling is the true name of one entry, valid while info is that file's.
type spelling struct {
	info fs.FileInfo
	name string
}

// cacheLimit bounds each cache of a disk; a full one is dropped.
const cacheLimit = 4096

var osDisk = &disk{lstat: os.Lstat, readlink: os.Readlink, readDir: os.ReadDir}

// resolve returns the real name behind a cleaned absolute name. What does not
// exist stays as written, so that a dangling link gives the name a write
// through it would create. It fails only for a loop of links.
func (d *disk) resolve(name string) (string, error) {
	cur, todo := split(name)
	links := 0
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		if part == ".." {
			cur = filepath.Dir(cur)
			continue
		}
		next := filepath.Join(cur, part)
		info, err := d.lstat(next)
		if err != nil {
			return filepath.Join(append([]string{next}, todo...)...), nil
		}
		if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
			target, err := d.readlink(next)
			if err == nil {
				if links++; links > maxLinks {
					return "", &fs.PathError{Op: "resolve", Path: name, Err: errLinkLoop}
				}
				var more []string
				if filepath.IsAbs(target) {
					cur, more = split(filepath.Clean(target))
				} else {
					more = parts(target)
				}
				todo = append(more, todo...)
				continue
			}
		}
		cur = filepath.Join(cur, d.spell(cur, part, info))
	}
	return cur, nil
}

// split takes an absolute name apart: its volume and root, and the parts below.
func split(name string) (root string, below []string) {
	root = filepath.VolumeName(name) + string(filepath.Separator)
	if len(name) <= len(root) {
		return root, nil
	}
	return root, parts(name[len(root):])
}

// parts returns the parts of a relative name without empty ones and ".".
func parts(name string) []string {
	fields := strings.FieldsFunc(name, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	kept := fields[:0]
	for _, f := range fields {
		if f != "." {
			kept = append(kept, f)
		}
	}
	return kept
}

// spell returns how the disk itself spells an existing entry of dir. Where the
// disk tells upper from lower case that is the name as given, which is found
// out once a folder by asking for the same name with its case swapped. It is a
// best effort: a name without letters is not looked up, and a name that is to
// be created keeps the spelling it was first given.
func (d *disk) spell(dir, name string, info fs.FileInfo) string {
	full := filepath.Join(dir, name)
	d.mu.Lock()
	exact := d.exact[dir]
	known, ok := d.spelled[full]
	d.mu.Unlock()
	if exact {
		return name
	}
	if ok && os.SameFile(known.info, info) {
		return known.name
	}
	swapped := swapCase(name)
	if swapped == name {
		return name
	}
	other, err := d.lstat(filepath.Join(dir, swapped))
	if err != nil || !os.SameFile(info, other) {
		d.mu.Lock()
		if d.exact == nil || len(d.exact) >= cacheLimit {
			d.exact = make(map[string]bool)
		}
		d.exact[dir] = true
		d.mu.Unlock()
		return name
	}
	actual := d.listed(dir, name)
	d.mu.Lock()
	if d.spelled == nil || len(d.spelled) >= cacheLimit {
		d.spelled = make(map[string]spelling)
	}
	d.spelled[full] = spelling{info, actual}
	d.mu.Unlock()
	return actual
}

// listed returns the entry of dir that a folding disk takes name for.
func (d *disk) listed(dir, name string) string {
	entries, err := d.readDir(dir)
	if err != nil {
		return name
	}
	want, found := foldName(name), name
	for _, e := range entries {
		if e.Name() == name {
			return name
		}
		if foldName(e.Name()) == want {
			found = e.Name()
		}
	}
	return found
}

// foldName maps names that a folding disk takes for one to one string.
func foldName(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// swapCase makes lower case letters upper and the other way round.
func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}
