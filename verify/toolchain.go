package verify

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// toolchain finds the checks of one kind of project.
type toolchain struct {
	name string
	// detect returns the checks of the project in p.
	detect func(p project) []Check
}

// toolchains is the table, in the order their checks run. Another tool chain
// is another file with its detector and its parsers, a row here and rows in
// parsers.
var toolchains = []toolchain{
	{"go", detectGo},
}

// kind is what a check is about, for the summary.
type kind int

const (
	kindOther kind = iota
	kindBuild
	kindLint
	kindTest
)

// parserRow is one way to read a check's output.
type parserRow struct {
	kind kind
	make func(*collector) parser
}

// parsers are the ways to read output, by Check.Parser.
var parsers = map[string]parserRow{
	"":         {kindOther, newLineParser},
	"go-build": {kindBuild, newGoBuildParser},
	"go-vet":   {kindLint, newGoVetParser},
	"go-test":  {kindTest, newGoTestParser},
}

// parser reads one check's output.
type parser interface {
	// line gets each line of both streams as it comes, without its ending
	// and without escape sequences.
	line(text string)
	// finish comes after the last line, with whether the command succeeded.
	finish(ok bool)
}

// project is what a detector looks at.
type project struct {
	// dir is where the files are: the root itself or a copy of it.
	dir string
	// real is the root as the person has it, around which there may be more.
	real string
	// near are slash-separated names relative to the root of what matters
	// now, such as the changed files.
	near []string
}

// Detect returns the checks of the project at root: for each Go module its
// build, its vet and its tests. Modules that hold one of the near files (slash-
// separated names relative to root) come first, the others by depth and name.
// A check that cannot run says why in Skip. Detect reads file names and module
// files only; what cannot be read is as if it were not there. It returns nil
// when there is nothing to check.
func Detect(root string, near ...string) []Check {
	real, err := filepath.Abs(root)
	if err != nil {
		real = root
	}
	return detect(project{dir: root, real: real, near: near})
}

func detect(p project) []Check {
	var checks []Check
	for _, t := range toolchains {
		checks = append(checks, t.detect(p)...)
	}
	return checks
}

// byNearness orders folders (slash-separated, relative to the root, "" for the
// root): those that hold a near file, more exactly than any other of the
// folders does, come first; then by depth and name.
func byNearness(dirs, near []string) {
	holds := map[string]bool{}
	for _, file := range near {
		best, found := "", false
		for _, dir := range dirs {
			if within(dir, file) && (!found || len(dir) > len(best)) {
				best, found = dir, true
			}
		}
		if found {
			holds[best] = true
		}
	}
	depth := func(dir string) int {
		if dir == "" {
			return 0
		}
		return strings.Count(dir, "/") + 1
	}
	slices.SortFunc(dirs, func(a, b string) int {
		switch {
		case holds[a] != holds[b]:
			if holds[a] {
				return -1
			}
			return 1
		case depth(a) != depth(b):
			return depth(a) - depth(b)
		default:
			return strings.Compare(a, b)
		}
	})
}

// within reports whether the slash-separated name lies in dir.
func within(dir, name string) bool {
	return dir == "" || name == dir || strings.HasPrefix(name, dir+"/")
}

// named returns a check's name with its folder.
func named(name, dir string) string {
	if dir == "" {
		return name
	}
	return name + " (" + path.Clean(dir) + ")"
}
