package edits

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
)

// Files is what the paths of a reply are resolved against. Names are the
// caller's own, with slashes, usually relative to the root.
type Files interface {
	// Known returns the files there are, in any order; it may leave out some.
	Known() []string
	// Read returns a file's text. It fails for a name that may not be read,
	// such as one outside the root, and for a file that is not text.
	Read(path string) (text string, exists bool, err error)
}

// resolver finds the files that blocks name. It reads each at most once.
type resolver struct {
	files   Files
	current string
	known   []string
	texts   map[string]readResult
}

type readResult struct {
	text   string
	exists bool
	err    error
}

func newResolver(files Files, current string) *resolver {
	return &resolver{files: files, current: current, known: slices.Clone(files.Known()), texts: map[string]readResult{}}
}

// read reads a file once.
func (r *resolver) read(name string) readResult {
	got, ok := r.texts[name]
	if !ok {
		got.text, got.exists, got.err = r.files.Read(name)
		r.texts[name] = got
	}
	return got
}

// resolve returns the name of a block's file, or why there is none. A file is
// meant that has the name as written, or is the only known one that ends in
// it, or differs from it only in punctuation. Only a block that creates may
// name a file that does not exist, and then it gets the name as written.
func (r *resolver) resolve(b Block) (string, *Refusal) {
	refuse := func(code Code, format string, args ...any) (string, *Refusal) {
		return "", &Refusal{Block: b.Index, Path: b.Path, Line: b.Line, Code: code, Message: fmt.Sprintf(format, args...)}
	}
	if b.soft && b.instead != "" && r.find(b.Path, false) == "" {
		b.Path, b.soft = b.instead, false
	}
	creates := b.Create || b.Whole || b.blankSearch(false) && !b.Delete
	if b.Path == "" || b.soft && r.find(b.Path, false) == "" {
		if r.current == "" {
			return refuse(UnknownFile, "the block names no file. Write its path on a line of its own above the block.")
		}
		return r.current, nil
	}
	if slices.Contains(r.known, b.Path) {
		return b.Path, nil
	}
	clean, problem := cleanPath(b.Path)
	if problem != "" {
		return refuse(BadPath, "%s. Write a path inside the workspace, relative to its root.", problem)
	}
	if name := r.find(b.Path, creates); name != "" {
		return name, nil
	}
	got := r.read(clean)
	switch {
	case got.err != nil:
		return refuse(BadPath, "%v", got.err)
	case got.exists:
		return clean, nil
	case creates && !path.IsAbs(clean) && !strings.Contains(clean, `\`) && (len(clean) < 2 || clean[1] != ':'):
		r.known = append(r.known, clean)
		return clean, nil
	case creates:
		return refuse(BadPath, "a new file needs a path relative to the workspace's root, with slashes.")
	}
	return refuse(UnknownFile, "there is no such file.%s To create it, leave SEARCH empty.", r.suggest(clean))
}

// find returns the known file that a written path means, or "". An exact name
// is enough for a block that creates.
func (r *resolver) find(written string, exact bool) string {
	if slices.Contains(r.known, written) {
		return written
	}
	clean := path.Clean(strings.ReplaceAll(written, `\`, "/"))
	if slices.Contains(r.known, clean) {
		return clean
	}
	if exact || strings.HasPrefix(clean, "..") {
		return ""
	}
	for _, same := range []func(known string) bool{
		func(known string) bool { return strings.HasSuffix(known, "/"+clean) },
		func(known string) bool { return strings.HasSuffix(clean, "/"+known) && strings.Contains(known, "/") },
		func(known string) bool { return fold(known) == fold(written) },
	} {
		found := ""
		for _, known := range r.known {
			if !same(known) {
				continue
			}
			if found != "" {
				return ""
			}
			found = known
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// fold makes all punctuation of a name one character: models drop or change
// it, as Markdown does.
func fold(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range name {
		if !isNameRune(r) || r == '_' {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// suggest names up to three known files that may be meant.
func (r *resolver) suggest(written string) string {
	type scored struct {
		name  string
		score float64
	}
	var all []scored
	for _, known := range r.known {
		score := similarity(path.Base(known), path.Base(written), 0.5) + similarity(known, written, 0.5)/2
		if score >= 0.5 {
			all = append(all, scored{known, score})
		}
	}
	if len(all) == 0 {
		return ""
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score > all[j].score })
	var names []string
	for _, s := range all[:min(3, len(all))] {
		names = append(names, s.name)
	}
	return " Did you mean " + strings.Join(names, " or ") + "?"
}
