package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"emend/internal/workspace"
)

// tree is what is known of one root.
type tree struct {
	dir string // the real name of the root
	// above is what is in effect in the root itself, before its own rules.
	above *scope
	// skip holds the other roots inside this one.
	skip map[string]bool
	// rel is what names of the root begin with when they are shown.
	rel string
}

// folderState is what one look at a folder gave. It never changes.
type folderState struct {
	inside *scope   // what is in effect for what is in the folder
	files  []Entry  // by name
	subs   []string // native full names of the folders in it, by name
}

// walker reads folders, several at once.
type walker struct {
	ix    *Index
	tree  *tree
	jail  *os.Root // open on the root
	known func(dir string) bool

	mu     sync.Mutex // guards what is below
	wake   *sync.Cond // signalled when todo grows or pending reaches zero
	todo   []task
	active int // tasks that are being worked on
	found  map[string]*folderState
	err    error
}

// task is a folder to read.
type task struct {
	dir   string // native full name
	scope *scope // what is in effect in the folder above
}

// walk reads the folders of the tasks and all below them that are not known,
// and returns what it found by full name. A root that is not there has nothing
// in it.
func (t *tree) walk(ctx context.Context, ix *Index, tasks []task, known func(string) bool) (found map[string]*folderState, err error) {
	jail, err := os.OpenRoot(t.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening the workspace folder: %w", err)
	}
	defer func() {
		if cerr := jail.Close(); err == nil && cerr != nil {
			err = cerr
		}
	}()
	w := &walker{ix: ix, tree: t, jail: jail, known: known, todo: tasks, found: make(map[string]*folderState)}
	w.wake = sync.NewCond(&w.mu)
	stop := context.AfterFunc(ctx, func() { w.fail(ctx.Err()) })
	defer stop()
	var wg sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) {
		wg.Go(w.work)
	}
	wg.Wait()
	w.mu.Lock() // against a cancellation that comes just now
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, fmt.Errorf("walking %s: %w", t.dir, w.err)
	}
	return w.found, nil
}

// fail ends the walk.
func (w *walker) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.wake.Broadcast()
}

// work reads folders until there are none left.
func (w *walker) work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.todo) == 0 && w.active > 0 && w.err == nil {
			w.wake.Wait()
		}
		if len(w.todo) == 0 || w.err != nil {
			w.wake.Broadcast()
			return
		}
		next := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.active++
		w.mu.Unlock()
		state := w.look(next)
		w.mu.Lock()
		w.active--
		w.found[next.dir] = state
		for _, sub := range state.subs {
			if !w.known(sub) {
				w.todo = append(w.todo, task{dir: sub, scope: state.inside})
			}
		}
		if len(state.subs) > 0 || w.active == 0 {
			w.wake.Broadcast()
		}
	}
}

// look reads one folder. A folder that is gone or may not be read is empty.
func (w *walker) look(job task) *folderState {
	t := w.tree
	state := &folderState{inside: job.scope}
	rel, err := filepath.Rel(t.dir, job.dir)
	if err != nil {
		return state
	}
	dir, err := openFolder(w.jail, rel)
	if err != nil {
		w.ix.note("folder not read", job.dir, err)
		return state
	}
	defer dir.close()
	entries, err := dir.list()
	if err != nil {
		w.ix.note("folder not read to its end", job.dir, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	has := func(name string) bool {
		_, found := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int {
			return strings.Compare(e.Name(), name)
		})
		return found
	}
	state.inside = w.enter(job, dir, has)
	prefix := job.dir
	if !os.IsPathSeparator(prefix[len(prefix)-1]) {
		prefix += string(filepath.Separator)
	}
	for _, e := range entries {
		name := e.Name()
		full := prefix + name
		isDir := e.IsDir()
		if !isDir && !e.Type().IsRegular() || !isDir && name == ".git" || state.inside.ignores(toSlash(full), name, isDir, has) {
			continue
		}
		if isDir {
			if !t.skip[full] {
				state.subs = append(state.subs, full)
			}
			continue
		}
		if entry, ok := t.entry(dir, e, full); ok {
			state.files = append(state.files, entry)
		}
	}
	return state
}

// enter returns the scope inside a folder: what is in effect above it and its
// own rules. A repository inside another one begins anew, as in git.
func (w *walker) enter(job task, dir folder, has func(string) bool) *scope {
	inside := *job.scope
	if job.dir != w.tree.dir && has(".git") {
		if repo, ok := repositoryAt(job.dir); ok {
			inside = *repo.scope(w.ix.opt.Getenv, &scope{own: inside.own})
		}
	}
	for _, f := range []struct {
		name string
		list *[]ruleset
	}{{gitIgnoreName, &inside.git}, {ownIgnoreName, &inside.own}} {
		if !has(f.name) {
			continue
		}
		if text, err := dir.read(f.name, nil, maxConfig); err == nil {
			*f.list = with(*f.list, job.dir, string(text), inside.fold)
		}
	}
	return &inside
}

// entry describes one file. It returns false for one that went away.
func (t *tree) entry(dir folder, e fs.DirEntry, full string) (Entry, bool) {
	info, err := e.Info()
	if err != nil {
		return Entry{}, false
	}
	below := strings.TrimPrefix(full[len(t.dir):], string(filepath.Separator))
	entry := Entry{
		Path: workspace.Path(full),
		Rel:  t.rel + toSlash(below),
		Size: info.Size(), Large: info.Size() > LargeSize,
		Modified: info.ModTime(),
	}
	switch guessByName(e.Name()) {
	case isBinary:
		entry.Binary = true
	case unsure:
		head, err := dir.read(e.Name(), nil, sniffLen)
		entry.Binary = err != nil && !errors.Is(err, fs.ErrPermission) || looksBinary(head)
	}
	entry.Sensitive = workspace.Sensitive(entry.Path)
	return entry, true
}
