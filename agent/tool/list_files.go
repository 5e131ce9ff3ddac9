package tool

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

//go:embed list_files.md
var listFilesText string

type listFilesArgs struct {
	Path string `json:"path,omitempty" jsonschema:"folder to list, relative to the workspace's root; default the root"`
	Glob string `json:"glob,omitempty" jsonschema:"only files whose path matches, for example **/*_test.go"`
}

// maxListed is the most files listed one by one; beyond it, folders are
// summed up.
const maxListed = 200

var listFiles = define("list_files", listFilesText, func(ctx context.Context, env *Env, args listFilesArgs) (Result, error) {
	if args.Glob != "" && !validGlob(args.Glob) {
		return refusef("the glob %q is not valid or too long; *, ** and ? are known", args.Glob), nil
	}
	dir, refused := env.folder(args.Path)
	if refused != nil {
		return *refused, nil
	}
	all, err := env.files(ctx)
	if err != nil {
		return Result{}, err
	}
	var names []string
	for _, rel := range all {
		inside := dir == "" || strings.HasPrefix(rel, dir+"/")
		if inside && (args.Glob == "" || globbed(args.Glob, rel, dir)) {
			names = append(names, rel)
		}
	}
	if len(names) == 0 {
		return refusef("no file there: folder %q, glob %q.", args.Path, args.Glob), nil
	}
	lines := names
	if len(names) > maxListed && args.Glob == "" {
		lines = summed(names, dir)
	}
	head := count(len(names), "file")
	return Result{Text: head + ":\n" + bounded(lines, env.maxBytes(), "lines"), Path: dir}, nil
})

// folder returns the path of a folder as the listed files have it before them;
// "" is everything.
func (e *Env) folder(name string) (string, *Result) {
	if clean := path.Clean("/" + name); clean == "/" && !strings.Contains(name, "..") {
		return "", nil
	}
	p, rel, refused := e.resolve(name)
	if refused != nil {
		return "", refused
	}
	if dirs := e.Roots.Dirs(); len(dirs) == 1 && string(p) == dirs[0] {
		return "", nil
	}
	return strings.TrimSuffix(rel, "/"), nil
}

// maxAlternatives bounds the ways in which the braces of a glob can be read,
// all of which may be tried on every path.
const maxAlternatives = 100

// maxGlob is the longest glob, in bytes.
const maxGlob = 1000

// validGlob reports whether a glob is well formed and cheap enough to match.
func validGlob(glob string) bool {
	ways, choices := 1, []int{}
	for _, r := range glob {
		switch last := len(choices) - 1; {
		case r == '{':
			choices = append(choices, 1)
		case r == ',' && last >= 0:
			choices[last]++
		case r == '}' && last >= 0:
			if ways *= choices[last]; ways > maxAlternatives {
				return false
			}
			choices = choices[:last]
		}
	}
	return len(glob) <= maxGlob && doublestar.ValidatePattern(glob)
}

// globbed matches a glob against a path, against what is below dir, and, for a
// glob without a slash, against the base name.
func globbed(glob, rel, dir string) bool {
	if doublestar.MatchUnvalidated(glob, rel) || doublestar.MatchUnvalidated(glob, strings.TrimPrefix(rel, dir+"/")) {
		return true
	}
	return !strings.Contains(glob, "/") && doublestar.MatchUnvalidated(glob, path.Base(rel))
}

// summed lists what is directly in dir: its files, and its folders with the
// number of files below each.
func summed(names []string, dir string) []string {
	below := map[string]int{}
	var lines []string
	for _, rel := range names {
		rest := strings.TrimPrefix(rel, dir+"/")
		if dir == "" {
			rest = rel
		}
		if folder, _, deeper := strings.Cut(rest, "/"); deeper {
			below[folder]++
		} else {
			lines = append(lines, rel)
		}
	}
	for folder, n := range below {
		lines = append(lines, fmt.Sprintf("%s/ (%s)", path.Join(dir, folder), count(n, "file")))
	}
	sort.Strings(lines)
	return lines
}
