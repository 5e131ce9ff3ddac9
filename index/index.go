package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"emend/internal/workspace"
)

// LargeSize is the size in bytes above which a file is marked as large.
const LargeSize = 1 << 20

// Options say how files are found. The zero value is what git does.
type Options struct {
	// Ignore holds further patterns, as in a .gitignore in each root. They
	// count like those of an .emendignore and are the weakest of these.
	Ignore []string
	// Getenv is where the names of git's files come from; nil is os.Getenv.
	Getenv func(string) string
	// Log is told of folders that could not be read; nil tells nobody.
	Log *slog.Logger
}

// Entry is one file of the workspace.
type Entry struct {
	Path workspace.Path
	// Rel is the name to show, as [workspace.Roots.Rel] gives it.
	Rel      string
	Size     int64 // in bytes
	Modified time.Time
	// Binary is judged by the name, and by the first bytes where the name
	// tells nothing.
	Binary bool
	// Large tells that there are more than LargeSize bytes.
	Large bool
	// Sensitive tells that the name is one of those that hold secrets.
	Sensitive bool
}

// Index knows the files of the roots. It is safe for concurrent use.
type Index struct {
	roots workspace.Roots
	opt   Options

	current atomic.Pointer[[]Entry] // the last list; nil before the first walk

	// building is held by the one who walks; a channel, so that those who wait
	// can give up.
	building chan struct{}
	trees    []*tree                 // held with building
	folders  map[string]*folderState // held with building; by full name

	staleMu sync.Mutex // guards what is below
	// stale holds the folders to look at again; all tells that it is every one.
	stale map[string]bool
	all   bool
}

// New returns an index of the files in the roots. It reads nothing yet.
func New(roots workspace.Roots, opt Options) *Index {
	if opt.Getenv == nil {
		opt.Getenv = os.Getenv
	}
	return &Index{roots: roots, opt: opt, building: make(chan struct{}, 1), stale: make(map[string]bool), all: true}
}

// Files returns the files that the rules leave in: root by root, the files of
// a folder by name before the folders in it. The slice is shared and must not
// be changed. The first call walks everything; a later one costs nothing but
// looking again at what was invalidated since. What the person's editor alone
// has is not in it. It fails when ctx ends, or a root cannot be opened.
func (ix *Index) Files(ctx context.Context) ([]Entry, error) {
	if list := ix.current.Load(); list != nil && !ix.isStale() {
		return *list, nil
	}
	select {
	case ix.building <- struct{}{}:
		defer func() { <-ix.building }()
	case <-ctx.Done():
		return nil, fmt.Errorf("listing files: %w", ctx.Err())
	}
	list := ix.current.Load()
	if list != nil && !ix.isStale() {
		return *list, nil
	}
	stale, all := ix.takeStale()
	built, err := ix.build(ctx, stale, all || list == nil)
	if err != nil {
		ix.putBack(stale, all || list == nil)
		return nil, err
	}
	ix.current.Store(&built)
	return built, nil
}

// Invalidate tells that the file or folder p came to be, changed or went away.
// A change of an ignore file makes everything be looked at again. It returns
// at once; the next Files looks.
func (ix *Index) Invalidate(p workspace.Path) {
	base := p.Base()
	ix.staleMu.Lock()
	defer ix.staleMu.Unlock()
	if base == gitIgnoreName || base == ownIgnoreName || base == ".git" {
		ix.all = true
		return
	}
	ix.stale[string(p)] = true
	ix.stale[filepath.Dir(string(p))] = true
}

// Refresh makes the next Files walk everything again.
func (ix *Index) Refresh() {
	ix.staleMu.Lock()
	defer ix.staleMu.Unlock()
	ix.all = true
}

func (ix *Index) isStale() bool {
	ix.staleMu.Lock()
	defer ix.staleMu.Unlock()
	return ix.all || len(ix.stale) > 0
}

func (ix *Index) takeStale() (map[string]bool, bool) {
	ix.staleMu.Lock()
	defer ix.staleMu.Unlock()
	stale, all := ix.stale, ix.all
	ix.stale, ix.all = make(map[string]bool), false
	return stale, all
}

func (ix *Index) putBack(stale map[string]bool, all bool) {
	ix.staleMu.Lock()
	defer ix.staleMu.Unlock()
	ix.all = ix.all || all
	for dir := range stale {
		ix.stale[dir] = true
	}
}

// note logs something that makes the list incomplete.
func (ix *Index) note(what, dir string, err error) {
	if ix.opt.Log != nil && !errors.Is(err, fs.ErrNotExist) {
		ix.opt.Log.Warn(what, "dir", dir, "error", err)
	}
}

// build walks what is stale and makes the list.
func (ix *Index) build(ctx context.Context, stale map[string]bool, all bool) ([]Entry, error) {
	if all {
		ix.plant()
		ix.folders = make(map[string]*folderState)
	}
	for _, t := range ix.trees {
		tasks := ix.tasks(t, stale, all)
		if len(tasks) == 0 {
			continue
		}
		found, err := t.walk(ctx, ix, tasks, func(dir string) bool { return ix.folders[dir] != nil && !stale[dir] })
		if err != nil {
			ix.folders = make(map[string]*folderState)
			ix.Refresh() // half of it is old
			return nil, err
		}
		for dir, state := range found {
			ix.folders[dir] = state
		}
	}
	list := make([]Entry, 0, ix.size())
	seen := make(map[string]*folderState, len(ix.folders))
	for _, t := range ix.trees {
		list = ix.gather(list, t.dir, seen)
	}
	ix.folders = seen // without the folders that are gone
	return list, nil
}

// tasks returns the folders of a tree to look at: all of it, or for each that
// is stale the nearest one that is known.
func (ix *Index) tasks(t *tree, stale map[string]bool, all bool) []task {
	if all {
		return []task{{dir: t.dir, scope: t.above}}
	}
	var tasks []task
	taken := make(map[string]bool)
	for dir := range stale {
		for under(t.dir, dir) && ix.folders[dir] == nil {
			dir = filepath.Dir(dir)
		}
		if !under(t.dir, dir) || taken[dir] {
			continue
		}
		taken[dir] = true
		if dir == t.dir {
			tasks = append(tasks, task{dir: dir, scope: t.above})
		} else if parent := ix.folders[filepath.Dir(dir)]; parent != nil {
			tasks = append(tasks, task{dir: dir, scope: parent.inside})
		}
	}
	return tasks
}

// under reports whether name is dir or below it.
func under(dir, name string) bool {
	rest, ok := strings.CutPrefix(name, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || os.IsPathSeparator(dir[len(dir)-1]))
}

// size returns how many files are known.
func (ix *Index) size() int {
	n := 0
	for _, state := range ix.folders {
		n += len(state.files)
	}
	return n
}

// gather appends the files of a folder and those below it to the list.
func (ix *Index) gather(list []Entry, dir string, seen map[string]*folderState) []Entry {
	state := ix.folders[dir]
	if state == nil {
		return list
	}
	seen[dir] = state
	list = append(list, state.files...)
	for _, sub := range state.subs {
		list = ix.gather(list, sub, seen)
	}
	return list
}

// plant reads the rules above the roots.
func (ix *Index) plant() {
	ix.trees = nil
	dirs := ix.roots.Dirs()
	for _, dir := range dirs {
		t := &tree{dir: dir, skip: make(map[string]bool), above: ix.above(dir)}
		if len(dirs) > 1 {
			t.rel = ix.roots.Rel(workspace.Path(dir)) + "/"
		}
		for _, other := range dirs {
			t.skip[other] = other != dir
		}
		ix.trees = append(ix.trees, t)
	}
}

// above returns what is in effect in a root before its own rules: the
// settings, the person's excludes, the repository's, and the .gitignore files
// of the folders between its top and the root. Those that leave the root
// itself out are dropped: it was opened on purpose.
func (ix *Index) above(dir string) *scope {
	repo := findRepository(dir)
	s := repo.scope(ix.opt.Getenv, &scope{})
	s.own = with(nil, dir, strings.Join(ix.opt.Ignore, "\n"), s.fold)
	if repo.top == "" || repo.top == dir {
		return s
	}
	outer := *s
	for _, d := range between(repo.top, dir) {
		if decide(outer.git, toSlash(d), filepath.Base(d), true, outer.fold) == ignored {
			return s
		}
		if d == dir {
			break
		}
		if text, ok := readSmall(filepath.Join(d, gitIgnoreName)); ok {
			outer.git = with(outer.git, d, text, outer.fold)
		}
	}
	return &outer
}

// between returns the folders from top down to dir, both included.
func between(top, dir string) []string {
	var dirs []string
	for d := dir; ; d = filepath.Dir(d) {
		dirs = append(dirs, d)
		if d == top || filepath.Dir(d) == d {
			break
		}
	}
	slices.Reverse(dirs)
	return dirs
}

// scope adds to s what a repository brings along: the person's excludes and
// its own, weakest first.
func (repo repository) scope(getenv func(string) string, s *scope) *scope {
	settings := repo.settings(getenv)
	s.fold = settings.ignoreCase
	if repo.top == "" {
		return s
	}
	if settings.excludesFile != "" {
		if text, ok := readSmall(settings.excludesFile); ok {
			s.git = with(s.git, repo.top, text, s.fold)
		}
	}
	if text, ok := readSmall(filepath.Join(repo.commonDir, "info", "exclude")); ok {
		s.git = with(s.git, repo.top, text, s.fold)
	}
	return s
}
