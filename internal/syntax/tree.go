package syntax

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
)

// MaxText is the length in bytes of the longest text that [Parse] reads.
const MaxText = 4 << 20

// maxTime bounds one parse. A text of MaxText takes a third of it.
var maxTime = 3 * time.Second // a variable for the tests, which run on busy machines

// maxErrors bounds how many errors of one text are told.
const maxErrors = 100

var (
	// ErrLanguage is returned for a language that is not in the table.
	ErrLanguage = errors.New("language is not known")
	// ErrTooLarge is returned for a text longer than [MaxText].
	ErrTooLarge = errors.New("text is too large to parse")
	// ErrTooSlow is returned when a parse was given up after its time or
	// memory was spent, which takes a text made for it.
	ErrTooSlow = errors.New("parsing took too long")
)

// Span is a piece of a text, in bytes, End excluded.
type Span struct{ Start, End int }

// Problem is a place where a text does not parse.
type Problem struct {
	// Span is what cannot be understood. It is empty for something that is
	// missing there. A grammar that loses its way may give a span that begins
	// long before the mistake.
	Span
	// Line is where the span begins, from zero.
	Line int
	// Missing tells that the text would parse if what Message names stood
	// there.
	Missing bool
	// Message says what is wrong in a few words, in lower case and without the
	// place: `missing "}"`.
	Message string
}

// Kind is what a symbol is.
type Kind string

// The kinds of symbols. Languages use those that they have words for.
const (
	KindFunction  Kind = "function"
	KindMethod    Kind = "method" // also a constructor, and a signature in an interface
	KindClass     Kind = "class"
	KindStruct    Kind = "struct"
	KindInterface Kind = "interface" // also a trait
	KindEnum      Kind = "enum"
	KindType      Kind = "type" // another type, or a name for one
	KindField     Kind = "field"
	KindConstant  Kind = "constant"
	KindVariable  Kind = "variable"
	KindModule    Kind = "module" // also a namespace
	KindMacro     Kind = "macro"
)

// Symbol is a definition or a declaration. Variables and constants inside
// functions are none.
type Symbol struct {
	// Name is as it is written in the text.
	Name string
	Kind Kind
	// Start and End are the bytes of the whole definition, decorators of Python
	// and Java included, the comment above it and what exports it not.
	Start, End int
	// NameStart and NameEnd are the bytes of the name.
	NameStart, NameEnd int
	// Line is where the name stands, from zero.
	Line int
	// Parent is the index, in the slice the symbol came in, of the innermost
	// symbol around it, or -1. It is less than the symbol's own.
	Parent int
	// Container is the name of what it belongs to: its parent, the receiver of
	// a Go method, the type of a Rust impl, the class in a C++ definition
	// outside of it. Empty at the top.
	Container string
	// Exported tells that other files may use it, by the customs of the
	// language.
	Exported bool
}

// Tree is what was found in one version of one text. It is immutable, safe for
// concurrent use, and nobody has to close it: it holds Go memory only, about a
// tenth of the text. The zero value is the tree of nothing.
type Tree struct {
	lang     Lang
	precise  bool
	problems []Problem
	symbols  []Symbol
	comments []Span
}

// Parse reads a text and returns its tree, also where the text does not parse:
// [Tree.Errors] tells. Any bytes may be given. The error is [ErrLanguage],
// [ErrTooLarge], [ErrTooSlow], or the context's.
//
// It costs about 10 ms for 10,000 lines of Go, five to ten times as much for
// other languages, on the caller's goroutine; ending the context stops it
// within a few milliseconds (Go: at the end of the text). It may be called
// concurrently; as many texts as there are processors are read at a time, and
// the other calls wait.
func Parse(ctx context.Context, lang Lang, text string) (*Tree, error) {
	r, err := readable(ctx, lang, text)
	if err != nil {
		return nil, err
	}
	found, err := read(ctx, r, text, everything, maxTime)
	if err != nil {
		return nil, fmt.Errorf("parsing %d bytes of %s: %w", len(text), lang, err)
	}
	return &Tree{lang: lang, precise: found.precise, problems: found.problems, symbols: found.symbols, comments: found.comments}, nil
}

func readable(ctx context.Context, lang Lang, text string) (*row, error) {
	r := byLang[lang]
	switch {
	case r == nil:
		return nil, fmt.Errorf("parsing %q: %w", lang, ErrLanguage)
	case len(text) > MaxText:
		return nil, fmt.Errorf("parsing %s: %w: %d bytes, of %d at most", lang, ErrTooLarge, len(text), MaxText)
	}
	return r, ctx.Err()
}

// Lang returns the language that the text was read as.
func (t *Tree) Lang() Lang { return t.lang }

// Precise reports whether a parser of the language read the text. If not, only
// brackets, comments and strings were looked at: errors are those that such a
// look finds, and symbols are guessed line by line.
func (t *Tree) Precise() bool { return t.precise }

// Errors returns where the text does not parse, in order, at most a hundred
// places. It is empty for a text that parses. The slice must not be changed.
func (t *Tree) Errors() []Problem { return t.problems }

// Symbols returns what the text defines, by their starts, outer ones first. Of
// a text so deeply nested that looking takes too long some may be missing. The
// slice must not be changed.
func (t *Tree) Symbols() []Symbol { return t.symbols }

// Comments returns the comments of the text in order, with their signs and
// without the line break after them. The slice must not be changed.
func (t *Tree) Comments() []Span { return t.comments }

// Enclosing returns the innermost symbol around the offset that is no field;
// both of its ends belong to it, and where one ends and the next begins it is
// the next. It costs as much as there are symbols in the outermost one.
func (t *Tree) Enclosing(offset int) (Symbol, bool) {
	n := sort.Search(len(t.symbols), func(i int) bool { return t.symbols[i].Start > offset })
	for i := n - 1; i >= 0; i-- {
		s := &t.symbols[i]
		if s.End >= offset && s.Kind != KindField {
			return *s, true
		}
		if s.Parent < 0 {
			break
		}
	}
	return Symbol{}, false
}

// ask is what of a text is wanted.
type ask uint8

const (
	onlyProblems ask = iota
	everything
)

// found is what a reader of texts gives.
type found struct {
	precise  bool
	problems []Problem
	symbols  []Symbol
	comments []Span
}

// read reads a text by the best reader there is for its language.
func read(ctx context.Context, r *row, text string, want ask, limit time.Duration) (found, error) {
	if r.lang != Go {
		f, err := readTree(ctx, r, text, want, limit)
		if !errors.Is(err, errNoGrammar) {
			return f, err
		}
		return readLines(r, text, want), ctx.Err()
	}
	f := readGo(text, want)
	if err := ctx.Err(); err != nil {
		return found{}, err
	}
	if want == everything && len(f.problems) > 0 {
		// The parser of Go drops declarations it cannot finish; a grammar that
		// goes on may know more of them.
		other, err := readTree(ctx, r, text, everything, limit)
		if err == nil && len(other.symbols) > len(f.symbols) {
			f.symbols = other.symbols
		}
	}
	return f, ctx.Err()
}

// lineCount counts the lines of offsets that are asked for in ascending order; for
// others it begins anew.
type lineCount struct {
	text     string
	at, line int
}

func (l *lineCount) of(offset int) int {
	if offset < l.at {
		l.at, l.line = 0, 0
	}
	l.line += strings.Count(l.text[l.at:offset], "\n")
	l.at = offset
	return l.line
}

// draft is a symbol or a scope before it has found its place among the others.
type draft struct {
	Symbol
	rank     int  // of what says its kind: less counts more
	scope    bool // it names what is in it and is no symbol itself
	exported bool
	hidden   bool
}

// arrange makes symbols of drafts: of those with the same name at the same
// place one stays, each finds its parent, and they are put in order.
func arrange(r *row, drafts []draft) []Symbol {
	sort.SliceStable(drafts, func(i, j int) bool {
		a, b := &drafts[i], &drafts[j]
		return a.NameStart < b.NameStart || a.NameStart == b.NameStart && a.rank < b.rank
	})
	kept := drafts[:0]
	for _, d := range drafts {
		if n := len(kept); n > 0 && kept[n-1].NameStart == d.NameStart {
			last := &kept[n-1]
			last.Start, last.End = min(last.Start, d.Start), max(last.End, d.End)
			last.exported = last.exported || d.exported
			last.hidden = last.hidden || d.hidden
			if last.Container == "" {
				last.Container = d.Container
			}
			continue
		}
		kept = append(kept, d)
	}
	sort.SliceStable(kept, func(i, j int) bool {
		a, b := &kept[i], &kept[j]
		return a.Start < b.Start || a.Start == b.Start && a.End > b.End
	})
	return nest(r, kept)
}

// nest gives drafts that are in order their parents.
func nest(r *row, drafts []draft) []Symbol {
	type open struct {
		Span
		index    int
		name     string
		exported bool
	}
	var around []open
	symbols := make([]Symbol, 0, len(drafts))
	for _, d := range drafts {
		for len(around) > 0 && !contains(around[len(around)-1].Span, Span{d.Start, d.End}) {
			around = around[:len(around)-1]
		}
		s := d.Symbol
		s.Parent = -1
		outer := len(around) > 0 && around[len(around)-1].exported
		if len(around) > 0 {
			in := around[len(around)-1]
			s.Parent = in.index
			if s.Container == "" {
				s.Container = in.name
			}
		}
		switch {
		case d.hidden:
		case r.exported != nil:
			s.Exported = r.exported(s.Name)
		default:
			s.Exported = d.exported || r.inherits && outer
		}
		index := len(symbols)
		if d.scope {
			index, s.Exported = s.Parent, s.Exported || outer
		} else {
			symbols = append(symbols, s)
		}
		around = append(around, open{Span: Span{s.Start, s.End}, index: index, name: s.Name, exported: s.Exported})
	}
	return symbols
}

// contains reports whether inner is inside outer and is not all of it, as with
// two names in one declaration.
func contains(outer, inner Span) bool {
	return outer.Start <= inner.Start && inner.End <= outer.End && outer != inner
}
