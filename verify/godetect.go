package verify

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Bounds of the search for modules.
const (
	maxModules     = 16
	maxModuleDepth = 8
	maxVisited     = 100_000
)

// detectGo returns three checks for each module.
func detectGo(p project) []Check {
	dirs := goModules(p.dir)
	byNearness(dirs, p.near)
	var checks []Check
	for i, dir := range dirs {
		env, skip := goWorkspace(p, dir)
		if skip == "" {
			skip = replacedOutside(p.dir, dir, "go.mod")
		}
		if i >= maxModules {
			skip = "there are more than " + itoa(maxModules) + " modules"
		}
		for _, c := range []Check{
			// Without -o, the program of a lone main package would be left.
			{Name: "go build", Args: []string{"go", "build", "-o", os.DevNull, "./..."}, Parser: "go-build"},
			{Name: "go vet", Args: []string{"go", "vet", "./..."}, Parser: "go-vet"},
			{Name: "go test", Args: []string{"go", "test", "-json", "-fullpath", "./..."}, Parser: "go-test"},
		} {
			c.Name, c.Dir, c.Env, c.Skip = named(c.Name, dir), dir, env, skip
			checks = append(checks, c)
		}
	}
	return checks
}

// goModules returns the folders with a go.mod, slash-separated and relative to
// root. It does not look where the go command would not either.
func goModules(root string) []string {
	var dirs []string
	visited := 0
	// The function returns only nil, SkipDir and SkipAll.
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if visited++; visited > maxVisited {
			return fs.SkipAll
		}
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return nil
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && (goIgnores(d.Name()) || strings.Count(rel, "/") >= maxModuleDepth) {
				return fs.SkipDir
			}
			return nil
		}
		if d.Name() == "go.mod" {
			dirs = append(dirs, strings.TrimPrefix(path.Dir(rel), "."))
		}
		return nil
	})
	return dirs
}

func goIgnores(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
		name == "testdata" || name == "vendor" || name == "node_modules"
}

// goWorkspace looks for the go.work that a module belongs to. One above the
// root is not in the copy: if it names the module, the module may not build
// without it. If there is none, the go command is told not to look for one
// above the copy.
func goWorkspace(p project, dir string) (env []string, skip string) {
	for at := dir; ; at = path.Dir(at) {
		if at == "." || at == "/" {
			at = ""
		}
		if _, err := os.Stat(filepath.Join(p.dir, filepath.FromSlash(at), "go.work")); err == nil {
			return nil, replacedOutside(p.dir, at, "go.work")
		}
		if at == "" {
			break
		}
	}
	module := filepath.Join(p.real, filepath.FromSlash(dir))
	for at := filepath.Dir(p.real); ; at = filepath.Dir(at) {
		for _, line := range readLines(filepath.Join(at, "go.work")) {
			if used, ok := usedModule(line); ok && filepath.Join(at, filepath.FromSlash(used)) == module {
				return nil, "it belongs to " + filepath.Join(at, "go.work") + ", which is outside the workspace folder; open that folder"
			}
		}
		if at == filepath.Dir(at) {
			return []string{"GOWORK=off"}, ""
		}
	}
}

// usedModule returns the folder that a line of go.work uses.
func usedModule(line string) (string, bool) {
	line, _, _ = strings.Cut(line, "//")
	fields := strings.Fields(line)
	if len(fields) > 0 && fields[0] == "use" {
		fields = fields[1:]
	}
	if len(fields) != 1 {
		return "", false
	}
	dir := strings.Trim(fields[0], "\"`")
	return dir, dir == "." || strings.HasPrefix(dir, "./") || strings.HasPrefix(dir, "../")
}

// replacedOutside looks for folders outside the root that the go.mod or
// go.work in dir names relative to itself: they are not beside the copy. It
// returns why that is a hindrance, or "".
func replacedOutside(root, dir, file string) string {
	for _, line := range readLines(filepath.Join(root, filepath.FromSlash(dir), file)) {
		line, _, _ = strings.Cut(line, "//")
		target, ok := "", false
		if _, right, replaces := strings.Cut(line, "=>"); replaces {
			target, ok = usedModule(right)
		} else if file == "go.work" {
			target, ok = usedModule(line)
		}
		if !ok {
			continue
		}
		at := path.Join(dir, filepath.ToSlash(target))
		if at == ".." || strings.HasPrefix(at, "../") {
			return file + " names " + target + ", which is outside the workspace folder; open the folder that holds both"
		}
	}
	return ""
}

// readLines returns the lines of a small file, none if it cannot be read.
func readLines(name string) []string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSourceSize {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return strings.Split(string(data), "\n")
}
