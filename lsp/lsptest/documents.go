package lsptest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// spell is the URI of a file, which may be given as one.
func (e *Editor) spell(file string) string {
	if strings.Contains(file, "://") || strings.HasPrefix(file, "untitled:") {
		return file
	}
	name := filepath.FromSlash(file)
	if !filepath.IsAbs(name) {
		name = filepath.Join(e.cfg.Root, name)
	}
	return fileURI(name, e.how.Documents.EscapeURI)
}

// URI is how the editor spells the URI of a file.
func (e *Editor) URI(file string) string { return e.spell(file) }

// find is the loaded buffer of a file, or nil. e.mu is held.
func (e *Editor) find(file string) *buffer { return e.buffers[documentKey(e.spell(file))] }

// mustFind is find with an error that says what to do.
func (e *Editor) mustFind(file string) (*buffer, error) {
	if b := e.find(file); b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("%s is not open in the editor: call Open first", file)
}

// Open opens a file from disk in a window. A missing file is opened empty.
// One that an edit has loaded already keeps its text.
func (e *Editor) Open(file string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.broadcast()
	uri := e.spell(file)
	b, err := e.loadFile(uri)
	if err != nil {
		return err
	}
	b.hidden = false
	return e.announce(b)
}

// OpenText opens a document that has no file: "untitled:Untitled-1", "file://".
func (e *Editor) OpenText(uri, language, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.broadcast()
	b := &buffer{uri: uri, language: language, version: e.how.Documents.FirstVersion}
	b.load(text, false, e.how.Documents)
	e.buffers[documentKey(uri)] = b
	return e.announce(b)
}

// loadFile returns the buffer of a document, from disk when it is not loaded.
// A document without a file is refused when it is not loaded.
func (e *Editor) loadFile(uri string) (*buffer, error) {
	key := documentKey(uri)
	if b := e.buffers[key]; b != nil {
		return b, nil
	}
	name := filePath(uri)
	if name == "" {
		return nil, fmt.Errorf("%s is not a file and not open", uri)
	}
	data, exists, err := readFile(name)
	if err != nil {
		return nil, err
	}
	b := &buffer{
		uri: fileURI(name, e.how.Documents.EscapeURI), language: languageOf(name),
		version: e.how.Documents.FirstVersion, hidden: true,
	}
	b.load(data, exists, e.how.Documents)
	e.buffers[key] = b
	return b, nil
}

// announce sends didOpen unless that has been done.
func (e *Editor) announce(b *buffer) error {
	if b.open {
		return nil
	}
	b.open = true
	b.version = e.how.Documents.FirstVersion
	return e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": b.uri, "languageId": b.language, "version": b.version, "text": b.text,
	}})
}

// Close closes a document. What is not saved is lost, and so is what was
// published for it unless the server says otherwise.
func (e *Editor) Close(file string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.broadcast()
	b, err := e.mustFind(file)
	if err != nil {
		return err
	}
	return e.forget(b)
}

// forget drops a buffer, announcing it.
func (e *Editor) forget(b *buffer) error {
	e.flush(b)
	delete(e.buffers, documentKey(b.uri))
	if !b.open {
		return nil
	}
	b.open = false
	return e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": b.uri}})
}

// Buffer returns a copy of a loaded document.
func (e *Editor) Buffer(file string) (Buffer, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state.Buffer(file)
}

// Text is the text of a loaded document, "" when there is none.
func (e *Editor) Text(file string) string {
	b, _ := e.Buffer(file)
	return b.Text
}

// Find is the range of the first place a text is found in a loaded document.
func (e *Editor) Find(file, needle string) (Range, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.mustFind(file)
	if err != nil {
		return Range{}, err
	}
	at := strings.Index(b.text, needle)
	if at < 0 {
		return Range{}, fmt.Errorf("%q is not in %s, which is:\n%s", needle, file, b.text)
	}
	return e.rangeOf(b.text, at, at+len(needle)), nil
}

// PositionAt is the position of a byte of a loaded document.
func (e *Editor) PositionAt(file string, offset int) (Position, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.mustFind(file)
	if err != nil {
		return Position{}, err
	}
	return positionOf(b.text, offset, e.encoding), nil
}

func (e *Editor) rangeOf(text string, start, end int) Range {
	return Range{Start: positionOf(text, start, e.encoding), End: positionOf(text, end, e.encoding)}
}

// Type is the person typing text at a place.
func (e *Editor) Type(file string, at Position, text string) error {
	return e.Replace(file, Range{Start: at, End: at}, text)
}

// Replace is the person replacing a range.
func (e *Editor) Replace(file string, r Range, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.broadcast()
	b, err := e.mustFind(file)
	if err != nil {
		return err
	}
	start, complaint := offsetOf(b.text, r.Start, e.encoding)
	if complaint != "" {
		return fmt.Errorf("replacing in %s: %s", file, complaint)
	}
	end, complaint := offsetOf(b.text, r.End, e.encoding)
	if complaint != "" || end < start {
		return fmt.Errorf("replacing in %s: end %d:%d is no place after the start: %s", file, r.End.Line, r.End.Character, complaint)
	}
	e.person(b, splice{start: start, end: end, new: text})
	return nil
}

// SetText is the person, or a formatter of theirs, making a document's text
// another; only what differs is told.
func (e *Editor) SetText(file, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.broadcast()
	b, err := e.mustFind(file)
	if err != nil {
		return err
	}
	e.person(b, difference(b.text, text))
	return nil
}

// person does an edit of the person's own.
func (e *Editor) person(b *buffer, s splice) {
	steps := []splice{s}
	if after := s.apply(b.text); e.how.Documents.Lines != "free" && !b.unended && !strings.HasSuffix(after, b.lineEnd) {
		steps = append(steps, splice{start: len(after), end: len(after), new: b.lineEnd})
	}
	e.change(b, steps, 0)
}

// change does replacements, each against the text the one before left, and
// has them told to the server. group is the edit they belong to, 0 for the
// person's own. e.mu is held.
func (e *Editor) change(b *buffer, steps []splice, group int) {
	if len(steps) == 0 {
		return
	}
	b.undo = append(b.undo, undoStep{before: b.text, group: group})
	e.transform(b, steps)
}

// transform is change without a step to undo.
func (e *Editor) transform(b *buffer, steps []splice) {
	for _, s := range steps {
		r := e.rangeOf(b.text, s.start, s.end)
		b.text = s.apply(b.text)
		if b.open {
			b.pending = append(b.pending, contentChange{Range: &r, Text: s.new})
		}
	}
	if tick := e.how.Documents.ChangeTick; tick > 0 {
		b.version = max(b.version, tick) + len(steps)
	} else {
		b.version++
	}
	if !b.open {
		return
	}
	delay := time.Duration(e.how.Documents.ChangeDelay) * time.Millisecond
	if delay == 0 && !e.applying {
		e.flush(b)
		return
	}
	if delay > 0 && b.timer == nil {
		b.timer = time.AfterFunc(delay, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.flush(b)
			e.broadcast()
		})
	}
}

// flush sends what has changed in a buffer. e.mu is held.
func (e *Editor) flush(b *buffer) {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	if len(b.pending) == 0 || !b.open {
		return
	}
	changes := b.pending
	b.pending = nil
	if e.fullSync || e.how.Documents.Changes == "full" {
		changes = []contentChange{{Text: b.text}}
	}
	if e.noSync || e.state.Closed {
		return
	}
	err := e.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": b.uri, "version": b.version},
		"contentChanges": changes,
	})
	if err != nil {
		e.note("(didChange of %s was not sent: %v)", b.uri, err)
	}
}

// flushAll sends what has changed anywhere. e.mu is held.
func (e *Editor) flushAll() {
	for _, key := range sortedKeys(e.buffers) {
		e.flush(e.buffers[key])
	}
}

// Flush sends changes an editor would hold back until it is idle.
func (e *Editor) Flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.flushAll()
}

// Save writes a document to its file.
func (e *Editor) Save(file string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.broadcast()
	b, err := e.mustFind(file)
	if err != nil {
		return err
	}
	return e.save(b)
}

func (e *Editor) save(b *buffer) error {
	name := filePath(b.uri)
	if name == "" {
		return fmt.Errorf("%s has no file to save to", b.uri)
	}
	e.flush(b)
	kind := fileChanged
	if _, err := os.Lstat(name); err != nil {
		kind = fileCreated
	}
	if err := writeFile(name, b.fileBytes(e.how.Documents), e.how.Documents.SaveMakesFolders); err != nil {
		return err
	}
	b.saved, b.onDisk = b.text, true
	if b.open {
		params := map[string]any{"textDocument": map[string]any{"uri": b.uri}}
		if e.includeText {
			params["text"] = b.text
		}
		if err := e.notify("textDocument/didSave", params); err != nil {
			return err
		}
	}
	e.watched(b.uri, kind)
	return nil
}

// Undo is the person's undo in a document. Where the editor undoes an edit of
// several files as one, it does so in all of them.
func (e *Editor) Undo(file string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.broadcast()
	b, err := e.mustFind(file)
	if err != nil {
		return err
	}
	if len(b.undo) == 0 {
		return fmt.Errorf("nothing to undo in %s", file)
	}
	group := b.undo[len(b.undo)-1].group
	if group == 0 || e.how.Edits.Undo != "all" {
		e.undo(b)
		return nil
	}
	for _, key := range sortedKeys(e.buffers) {
		other := e.buffers[key]
		if n := len(other.undo); n > 0 && other.undo[n-1].group == group {
			e.undo(other)
		}
	}
	return nil
}

func (e *Editor) undo(b *buffer) {
	last := len(b.undo) - 1
	step := b.undo[last]
	b.undo = b.undo[:last]
	if step.before != b.text {
		e.transform(b, []splice{difference(b.text, step.before)})
	}
}

// Kinds of a watched file's change.
const (
	fileCreated = 1
	fileChanged = 2
	fileDeleted = 3
)

// watched tells of a change of a file, when the server has asked for that.
// The patterns it gave are not looked at. e.mu is held.
func (e *Editor) watched(uri string, kind int) {
	const method = "workspace/didChangeWatchedFiles"
	if !slices.ContainsFunc(e.state.Registrations, func(r Registration) bool { return r.Method == method }) {
		return
	}
	params := map[string]any{"changes": []any{map[string]any{"uri": uri, "type": kind}}}
	if err := e.notify(method, params); err != nil {
		e.note("(%s was not sent: %v)", method, err)
	}
}

// DiskChanged tells that something other than the editor created, changed or
// deleted a file; buffers stay as they are.
func (e *Editor) DiskChanged(file string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	uri := e.spell(file)
	kind := fileChanged
	if _, err := os.Lstat(filePath(uri)); err != nil {
		kind = fileDeleted
	}
	e.watched(uri, kind)
}
