package lsptest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const byteOrderMark = "\uFEFF"

// buffer is a document in the editor. The editor's lock guards it.
type buffer struct {
	uri      string // the editor's spelling
	language string
	text     string // as the server is told it
	version  int    // of text; announced once pending is empty
	open     bool   // announced
	hidden   bool
	saved    string // text at load or save
	onDisk   bool   // there was a file at load, or it has been saved
	bom      bool   // the file begins with a byte-order mark that text has not
	lineEnd  string // for what is typed, and for the file where text is told as "\n"
	unended  bool   // Vim's noeol: the last line has no end

	pending []contentChange // made, not yet sent
	timer   *time.Timer     // sends pending; nil when none is under way
	undo    []undoStep      // oldest first
}

// undoStep takes a buffer back by one change.
type undoStep struct {
	before string
	group  int // of the edit that made it; 0 for the person's own
}

// contentChange is one entry of didChange.
type contentChange struct {
	Range *Range `json:"range,omitempty"`
	Text  string `json:"text"`
}

// load fills a buffer from a file's bytes; exists is false for a file that is
// not there yet.
func (b *buffer) load(data string, exists bool, how DocumentBehaviour) {
	b.onDisk = exists
	if how.StripBOM {
		data, b.bom = strings.CutPrefix(data, byteOrderMark)
	}
	b.lineEnd = lineEnd(data)
	crlf := strings.Count(data, "\r\n")
	uniform := crlf == strings.Count(data, "\n")
	switch how.LineEnds {
	case "majority":
		data = withLineEnds(data, b.lineEnd)
	case "uniform", "lf":
		if !uniform {
			b.lineEnd = "\n"
		} else if how.LineEnds == "lf" {
			data = strings.ReplaceAll(data, "\r\n", "\n")
		}
	}
	if how.Lines != "free" {
		if data == "" {
			data = b.lineEnd
		}
		b.unended = !strings.HasSuffix(data, "\n")
	}
	b.text, b.saved = data, data
}

// fileBytes is what saving writes.
func (b *buffer) fileBytes(how DocumentBehaviour) string {
	data := b.text
	if how.LineEnds == "lf" && b.lineEnd != "\n" {
		data = strings.ReplaceAll(data, "\n", b.lineEnd)
	}
	if b.bom {
		data = byteOrderMark + data
	}
	return data
}

func (b *buffer) copy() Buffer {
	return Buffer{
		URI: b.uri, Language: b.language, Text: b.text, Version: b.version,
		Open: b.open, Hidden: b.hidden, Dirty: b.text != b.saved || !b.onDisk,
	}
}

// inserted is what becomes of text the server inserts.
func (b *buffer) inserted(text string, how DocumentBehaviour) string {
	if how.InsertedLineEnds != "document" {
		return text
	}
	if how.LineEnds == "lf" {
		return withLineEnds(text, "\n")
	}
	return withLineEnds(text, b.lineEnd)
}

// inSequence turns replacements against one text, ascending, into ones each
// against the text the one before left.
func inSequence(replacements []splice, order string) []splice {
	sequence := slices.Clone(replacements)
	if order == "descending" {
		slices.Reverse(sequence)
		return sequence
	}
	moved := 0
	for i, s := range sequence {
		sequence[i].start += moved
		sequence[i].end += moved
		moved += len(s.new) - (s.end - s.start)
	}
	return sequence
}

// difference is the one replacement between two texts, whole runes and whole
// line ends. Equal texts give an empty one.
func difference(before, after string) splice {
	prefix := 0
	for prefix < len(before) && prefix < len(after) && before[prefix] == after[prefix] {
		prefix++
	}
	for prefix > 0 && (splits(before, prefix) || splits(after, prefix)) {
		prefix--
	}
	suffix := 0
	for suffix < len(before)-prefix && suffix < len(after)-prefix && before[len(before)-1-suffix] == after[len(after)-1-suffix] {
		suffix++
	}
	for suffix > 0 && (splits(before, len(before)-suffix) || splits(after, len(after)-suffix)) {
		suffix--
	}
	return splice{start: prefix, end: len(before) - suffix, new: after[prefix : len(after)-suffix]}
}

// splits reports whether a place lies within a rune or a CRLF.
func splits(text string, at int) bool {
	if at <= 0 || at >= len(text) {
		return false
	}
	return text[at]&0xC0 == 0x80 || text[at-1] == '\r' && text[at] == '\n'
}

// readFile reads a file for a buffer. A missing one is no error.
func readFile(name string) (data string, exists bool, err error) {
	raw, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("loading a file into the editor: %w", err)
	}
	return string(raw), true, nil
}

// writeFile writes a file, making its folder where the editor does.
func writeFile(name, data string, makeFolders bool) error {
	if makeFolders {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return fmt.Errorf("making the folder of a file to save: %w", err)
		}
	}
	if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
		return fmt.Errorf("saving from the editor: %w", err)
	}
	return nil
}
