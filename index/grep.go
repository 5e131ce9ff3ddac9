package index

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"emend/internal/workspace"
)

// Grep returns the lines that match the query, in the order of Files and
// within a file from the top, and whether there are more than the limit.
// Binary files, files over workspace.MaxFileSize, and those with names of
// secrets are left out.
//
// read overrides the disk: where it answers true for a path, its text is
// searched, and an empty text stands for a file that is deleted. It may be nil,
// and is called by several goroutines at once.
//
// When ctx ends first, Grep returns what it has, true, and the error of ctx.
func (ix *Index) Grep(ctx context.Context, read func(workspace.Path) (string, bool), q Query) ([]Match, bool, error) {
	q = q.normal()
	find, err := compile(q)
	if err != nil {
		return nil, false, err
	}
	choose, err := newChooser(q.Globs, len(ix.roots.Dirs()) > 1)
	if err != nil {
		return nil, false, err
	}
	files, err := ix.Files(ctx)
	if err != nil {
		return nil, true, err
	}
	if read == nil {
		read = func(workspace.Path) (string, bool) { return "", false }
	}
	s := &search{q: q, find: find, read: read, roots: ix.roots}
	s.plan(files, choose)
	if err := s.run(ctx); err != nil {
		list, _ := s.matches()
		return list, true, fmt.Errorf("searching for %q: %w", q.Pattern, err)
	}
	list, more := s.matches()
	return list, more, nil
}

// search is one run of Grep.
type search struct {
	q     Query
	find  lineFinder
	read  func(workspace.Path) (string, bool)
	roots workspace.Roots
	batch []batch

	mu    sync.Mutex // guards what is below
	next  int        // the next batch to search
	front int        // all batches before this one are done
	sure  int        // how many matches those have
	found [][]Match  // by batch
	done  []bool
}

// batch is some files of one folder.
type batch struct {
	root, dir string // native; dir is relative to root
	files     []*Entry
}

// maxBatch is how many files one batch has at most.
const maxBatch = 32

// plan decides which files are searched, and in what order.
func (s *search) plan(files []Entry, choose chooser) {
	indexed := make(map[workspace.Path]bool, len(s.q.Also))
	for _, p := range s.q.Also {
		indexed[p] = false
	}
	last := ""
	for i := range files {
		f := &files[i]
		if _, also := indexed[f.Path]; also {
			indexed[f.Path] = true
		}
		if f.Binary || f.Size > workspace.MaxFileSize || f.Sensitive && !s.q.Sensitive || !choose.takes(f.Rel) {
			continue
		}
		dir := filepath.Dir(string(f.Path))
		n := len(s.batch)
		if n == 0 || dir != last || len(s.batch[n-1].files) == maxBatch {
			s.batch = append(s.batch, s.newBatch(dir))
			last, n = dir, n+1
		}
		s.batch[n-1].files = append(s.batch[n-1].files, f)
	}
	for _, p := range s.q.Also {
		rel := s.roots.Rel(p)
		if indexed[p] || !choose.takes(rel) || workspace.Sensitive(p) && !s.q.Sensitive {
			continue
		}
		indexed[p] = true
		s.batch = append(s.batch, batch{files: []*Entry{{Path: p, Rel: rel}}})
	}
	s.found = make([][]Match, len(s.batch))
	s.done = make([]bool, len(s.batch))
}

// newBatch returns an empty batch for a folder.
func (s *search) newBatch(dir string) batch {
	root, ok := s.roots.Of(workspace.Path(dir))
	if !ok {
		return batch{}
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return batch{}
	}
	return batch{root: root, dir: rel}
}

// run searches the batches, several at once, until all are done or those from
// the front have more matches than asked for.
func (s *search) run(ctx context.Context) error {
	var wg sync.WaitGroup
	for range min(max(2, runtime.GOMAXPROCS(0)), max(1, len(s.batch))) {
		wg.Go(func() {
			w := worker{search: s, jails: make(map[string]*os.Root)}
			defer w.close()
			for ctx.Err() == nil {
				n, ok := s.take()
				if !ok {
					return
				}
				matches := w.batch(ctx, &s.batch[n])
				if ctx.Err() == nil {
					s.put(n, matches)
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// take returns the next batch to search.
func (s *search) take() (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == len(s.batch) || s.sure > s.q.Limit {
		return 0, false
	}
	s.next++
	return s.next - 1, true
}

// put records what a batch has.
func (s *search) put(n int, matches []Match) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found[n], s.done[n] = matches, true
	for s.front < len(s.batch) && s.done[s.front] {
		s.sure += len(s.found[s.front])
		s.front++
	}
}

// matches returns the first matches, and whether there are more.
func (s *search) matches() ([]Match, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Match
	for _, m := range s.found {
		list = append(list, m...)
		if len(list) > s.q.Limit {
			return list[:s.q.Limit:s.q.Limit], true
		}
	}
	return list, false
}

// worker searches batches one after the other.
type worker struct {
	search *search
	jails  map[string]*os.Root // by name of the root
	buf    []byte
}

func (w *worker) close() {
	for _, jail := range w.jails {
		_ = jail.Close() // nothing was written through it
	}
}

// batch returns the matches in the files of a batch.
func (w *worker) batch(ctx context.Context, b *batch) []Match {
	var list []Match
	var dir folder
	opened, failed := false, b.root == ""
	for _, f := range b.files {
		if ctx.Err() != nil || len(list) > w.search.q.Limit {
			break
		}
		if text, ok := w.search.read(f.Path); ok {
			list = w.file(list, f, []byte(text))
			continue
		}
		if !opened && !failed {
			var err error
			dir, err = w.open(b)
			opened, failed = err == nil, err != nil
		}
		if failed {
			continue
		}
		data, err := dir.read(filepath.Base(string(f.Path)), w.buf, workspace.MaxFileSize)
		if err != nil {
			continue // it went away, or may not be read
		}
		w.buf = data
		list = w.file(list, f, data)
	}
	if opened {
		dir.close()
	}
	return list
}

// open opens the folder of a batch.
func (w *worker) open(b *batch) (folder, error) {
	jail := w.jails[b.root]
	if jail == nil {
		var err error
		if jail, err = os.OpenRoot(b.root); err != nil {
			return folder{}, err
		}
		w.jails[b.root] = jail
	}
	return openFolder(jail, b.dir)
}

// file appends the matches in one text to the list.
func (w *worker) file(list []Match, f *Entry, text []byte) []Match {
	q := w.search.q
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	start, end := w.search.find.next(text, 0)
	if start < 0 || len(text) == 0 || looksBinary(text) {
		return list
	}
	line, counted := 1, 0
	for n := 0; start >= 0 && n <= q.Limit; n++ {
		lineStart := bytes.LastIndexByte(text[:start], '\n') + 1
		lineEnd := len(text)
		if i := bytes.IndexByte(text[end:], '\n'); i >= 0 {
			lineEnd = end + i
		}
		line += bytes.Count(text[counted:lineStart], []byte("\n"))
		counted = lineStart
		m := Match{Path: f.Path, Rel: f.Rel, Line: line, Column: start - lineStart + 1}
		m.Text = cutLine(text[lineStart:lineEnd], start-lineStart, end-lineStart)
		if q.Context > 0 {
			m.Before, m.After = around(text, lineStart, lineEnd, q.Context)
		}
		list = append(list, m)
		if lineEnd+1 >= len(text) {
			break
		}
		start, end = w.search.find.next(text, lineEnd+1)
	}
	return list
}

// around returns up to n lines before and after a line.
func around(text []byte, start, end, n int) (before, after []string) {
	for at := start; at > 0 && len(before) < n; {
		prev := bytes.LastIndexByte(text[:at-1], '\n') + 1
		before = append(before, cutLine(text[prev:at-1], 0, 0))
		at = prev
	}
	for i, j := 0, len(before)-1; i < j; i, j = i+1, j-1 {
		before[i], before[j] = before[j], before[i]
	}
	for at := end + 1; at < len(text) && len(after) < n; {
		stop := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			stop = at + i
		}
		after = append(after, cutLine(text[at:stop], 0, 0))
		at = stop + 1
	}
	return before, after
}

// cutLine returns a line as text, of a long one what is around the span.
func cutLine(line []byte, start, end int) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) <= maxLine {
		return strings.ToValidUTF8(string(line), "\ufffd")
	}
	end = min(end, start+maxLine)
	from := max(0, start-(maxLine-(end-start))/3)
	to := min(len(line), from+maxLine)
	from = max(0, to-maxLine)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	s := strings.ToValidUTF8(string(line[from:to]), "\ufffd")
	if from > 0 {
		s = "…" + s
	}
	if to < len(line) {
		s += "…"
	}
	return s
}
