// Package config is emend's settings: one tree, [Settings], whose doc comments
// are the manual, and [Load], which lays its sources over each other.
//
// Sources are [Layer] values, later ones win: the built-in defaults, the person's
// file ([UserFile]), the workspace's file ([WorkspaceFile], a narrow layer: it can
// only set what cannot widen what emend may do), what the client sends, the
// environment ([Environment]) and the command line ([Assignments]). A key that is
// unknown or a value that is bad is reported as a [Warning] and changes nothing.
//
// The package knows nothing of what the settings do, and imports nothing else of
// this module.
package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Format is how a layer's data is written.
type Format uint8

// The formats of layers.
const (
	TOML    Format = iota // a settings file
	JSON                  // what a client sends: the tree itself or under "emend"; keys may be dotted
	Strings               // what Environment and Assignments make
)

// Layer is one source of settings. The zero Layer sets nothing.
type Layer struct {
	Name   string // a file's path, or what the source is called in warnings
	Data   []byte // empty means that the source sets nothing
	Format Format
	Narrow bool // the layer comes from the workspace: it cannot widen anything
}

// Warning is something in a layer that has no effect.
type Warning struct {
	File    string // the layer's name
	Line    int    // one-based; 0 means unknown
	Message string
}

// String is "file:line: message".
func (w Warning) String() string {
	if w.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Message)
	}
	return w.File + ": " + w.Message
}

// Load lays layers over the defaults, in order. Whatever has no effect is in the
// warnings, in the order of the layers; no warning holds a value that could be a
// secret.
func Load(layers ...Layer) (Settings, []Warning) {
	l := loader{settings: Defaults()}
	for i, layer := range layers {
		l.layer, l.rank = layer, i
		entries, err := layer.entries()
		if err != nil {
			l.warn(err)
			continue
		}
		for _, e := range entries {
			if err := l.set(e); err != nil {
				l.warn(&lineError{e.line, err})
			}
		}
	}
	// Ollama's own variable says where Ollama is, not where any other server is, and
	// gives way to a base URL of its own layer or a later one.
	if l.ollamaHost != "" && l.settings.Model.Provider == "ollama" && l.hostRank > l.baseRank {
		l.settings.Model.BaseURL = l.ollamaHost
	}
	return l.settings, l.warnings
}

// loader is the state of one Load.
type loader struct {
	settings Settings
	warnings []Warning
	layer    Layer
	rank     int // of the layer

	ollamaHost         string
	hostRank, baseRank int // ranks, from 1; 0 means not set
}

// entry is one value of a layer.
type entry struct {
	key   string // dotted
	value any    // as the format's decoder gives it
	text  bool   // value is a string that stands for a value of any kind
	line  int    // one-based; 0 means unknown
}

// lineError is an error at a line of a layer.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return e.err.Error() }
func (e *lineError) Unwrap() error { return e.err }

func (l *loader) warn(err error) {
	w := Warning{File: l.layer.Name, Message: err.Error()}
	var at *lineError
	if errors.As(err, &at) {
		w.Line = at.line
	}
	l.warnings = append(l.warnings, w)
}

// ollamaHostKey is what Environment calls OLLAMA_HOST; no setting has that name.
const ollamaHostKey = "OLLAMA_HOST"

// set gives one entry its effect.
func (l *loader) set(e entry) error {
	if e.key == ollamaHostKey && l.layer.Format == Strings {
		host, _ := e.value.(string)
		if err := checkBaseURL(host); err != nil {
			return fmt.Errorf("%s: %w", ollamaHostKey, err)
		}
		l.ollamaHost, l.hostRank = host, l.rank+1
		return nil
	}
	f := fieldByKey(e.key)
	if f == nil {
		return unknownKey(e.key)
	}
	v, err := f.convert(e.value, e.text)
	if err == nil {
		err = f.check(v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.key, err)
	}
	target := reflect.ValueOf(&l.settings).Elem().FieldByIndex(f.index)
	if l.layer.Narrow {
		if v, err = f.narrowed(target, v); err != nil {
			return fmt.Errorf("%s: %w", e.key, err)
		}
	}
	target.Set(v)
	if e.key == "model.base_url" {
		l.baseRank = l.rank + 1
	}
	return nil
}

// unknownKey names the key, and the one that was probably meant.
func unknownKey(key string) error {
	if isSection(key) {
		return fmt.Errorf("%s is no setting but a group of settings, and needs a table", key)
	}
	best, least := "", 3
	for _, f := range fields() {
		if d := distance(key, f.key, least); d < least {
			best, least = f.key, d
		}
	}
	if best != "" {
		return fmt.Errorf("there is no setting %s; did you mean %s?", brief(key), best)
	}
	return fmt.Errorf("there is no setting %s", brief(key))
}

// brief keeps a message short whatever a file holds.
func brief(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// distance is the number of bytes to insert, delete or change to get from a to b,
// or at least most.
func distance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
