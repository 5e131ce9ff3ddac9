//go:build cgo

package syntax

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// errNoGrammar is returned for a language that no grammar is built in for.
var errNoGrammar = errors.New("there is no grammar for it")

const (
	// chunk is how many bytes of a text the parser is handed at once.
	chunk = 16 << 10
	// rereads bounds how often a text may be handed out, in its lengths, and
	// spare how many bytes more: what is handed out stays until the parse ends.
	rereads, spare = 32, 8 << 20
)

// machine is a parser with what belongs to it. One goroutine at a time has it.
type machine struct {
	parser *sitter.Parser
	cursor *sitter.QueryCursor
	// stop is read by the parser while it works: not zero ends the parse. It is
	// pinned for as long as the machine lives.
	stop *uintptr
	pin  runtime.Pinner
}

// machines holds the machines that are free, as many as may work at once. A nil
// one is to be made when it is taken.
var machines = func() chan *machine {
	n := max(2, runtime.GOMAXPROCS(0))
	free := make(chan *machine, n)
	for range n {
		free <- nil
	}
	return free
}()

// newMachine returns a machine. The parser's older way to be stopped is used,
// by a flag and a clock: the newer one, by a callback, keeps each callback for
// ever in go-tree-sitter v0.25.0.
func newMachine() *machine {
	m := &machine{parser: sitter.NewParser(), cursor: sitter.NewQueryCursor(), stop: new(uintptr)}
	m.pin.Pin(m.stop)
	m.parser.SetCancellationFlag(m.stop) //nolint:staticcheck // SA1019: see above
	m.cursor.SetMatchLimit(1 << 12)
	return m
}

// close frees what the machine has. It must not be used afterwards.
func (m *machine) close() {
	m.cursor.Close()
	m.parser.Close()
	m.pin.Unpin()
}

// readTree reads a text by the grammar of its language.
func readTree(ctx context.Context, r *row, text string, want ask, limit time.Duration) (found, error) {
	g := grammars[r.lang]
	if g == nil {
		return found{}, errNoGrammar
	}
	if err := g.load(); err != nil {
		return found{}, err
	}
	var m *machine
	select {
	case m = <-machines:
	case <-ctx.Done():
		return found{}, ctx.Err()
	}
	if m == nil {
		m = newMachine()
	}
	defer func() { machines <- m }()
	tree, err := m.parse(ctx, g, text, limit)
	if err != nil {
		// A parser that was stopped while it balanced its tree remembers that
		// through a reset and aborts the process at its next text.
		m.close()
		m = nil
		return found{}, err
	}
	defer tree.Close()
	f := found{precise: true, problems: treeProblems(tree, g, text)}
	m.cursor.SetTimeoutMicros(uint64(limit.Microseconds() / 4))
	if len(f.problems) == 0 && g.mistakes != nil {
		f.problems = m.findMistakes(g, tree, text)
	}
	if want != everything {
		return f, nil
	}
	if err := g.define(); err != nil {
		return found{}, err
	}
	return f, m.collect(ctx, r, g, tree, text, &f)
}

// parse returns the tree of a text, which the caller must close.
func (m *machine) parse(ctx context.Context, g *grammar, text string, limit time.Duration) (*sitter.Tree, error) {
	if err := m.parser.SetLanguage(g.language); err != nil {
		return nil, fmt.Errorf("the grammar does not fit the library: %w", err)
	}
	text = g.safe(text)
	atomic.StoreUintptr(m.stop, 0)
	release := m.stopWith(ctx)
	left := rereads*len(text) + spare
	m.parser.SetTimeoutMicros(uint64(limit.Microseconds())) //nolint:staticcheck // SA1019: see newMachine
	tree := m.parser.ParseWithOptions(func(at int, _ sitter.Point) []byte {
		if at >= len(text) {
			return nil
		}
		n := min(len(text)-at, chunk)
		if left -= n; left < 0 {
			atomic.StoreUintptr(m.stop, 1)
			return nil
		}
		return []byte(text[at : at+n])
	}, nil, nil)
	release()
	if err := ctx.Err(); err != nil || tree == nil || left < 0 {
		if tree != nil {
			tree.Close()
		}
		return nil, errors.Join(err, ErrTooSlow)
	}
	return tree, nil
}

// safe returns a text of the same length that the grammar can take.
func (g *grammar) safe(text string) string {
	if g.narrow && !ascii(text) {
		bytes := []byte(text)
		for i, c := range bytes {
			if c >= utf8.RuneSelf {
				bytes[i] = 'x'
			}
		}
		text = string(bytes)
	}
	// Scanners of grammars take a NUL for the end of the text. To the parsers
	// this other control character is as strange as a NUL would be.
	return strings.ReplaceAll(text, "\x00", "\x01")
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) < 0
}

// stopWith stops the machine when the context ends. The function it returns
// must be called before the machine is used for anything else.
func (m *machine) stopWith(ctx context.Context) (release func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	done := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		atomic.StoreUintptr(m.stop, 1)
		close(done)
	})
	return func() {
		if !cancel() {
			<-done
		}
	}
}

// treeProblems returns the outermost places that the parser could not
// understand. It looks only where there are some.
func treeProblems(tree *sitter.Tree, g *grammar, text string) []Problem {
	root := tree.RootNode()
	if !root.HasError() {
		return nil
	}
	c := root.Walk()
	defer c.Close()
	var problems []Problem
	for len(problems) < maxErrors {
		n := c.Node()
		wrong := n.IsError() || n.IsMissing()
		if wrong {
			problems = append(problems, g.problem(n, text))
		}
		if !wrong && n.HasError() && c.GotoFirstChild() {
			continue
		}
		for !c.GotoNextSibling() {
			if !c.GotoParent() {
				return known(problems, text)
			}
		}
	}
	return problems
}

// known returns problems, or one for the whole text: a tree with an error that
// is nowhere in it is not held to be right.
func known(problems []Problem, text string) []Problem {
	if len(problems) > 0 {
		return problems
	}
	return []Problem{{Span: Span{0, len(text)}, Message: "does not parse"}}
}

// problem describes a node that is an error.
func (g *grammar) problem(n *sitter.Node, text string) Problem {
	p := Problem{Span: Span{int(n.StartByte()), int(n.EndByte())}, Line: int(n.StartPosition().Row)}
	p.Start, p.End = min(p.Start, len(text)), min(p.End, len(text))
	if n.IsMissing() {
		p.Missing = true
		p.Message = "missing " + n.Kind()
		if !n.IsNamed() {
			p.Message = fmt.Sprintf("missing %q", n.Kind())
		}
		return p
	}
	rest := strings.TrimLeft(text[p.Start:p.End], " \t\r")
	if p.Message = "unexpected " + snippet(rest, 0, len(rest)); rest == "" || rest[0] == '\n' {
		line := text[strings.LastIndexByte(text[:p.Start], '\n')+1 : p.Start]
		p.Message = "something is missing after " + snippet(line, max(0, len(line)-shown), len(line))
	}
	return p
}

// findMistakes returns what the grammar takes and the language does not.
func (m *machine) findMistakes(g *grammar, tree *sitter.Tree, text string) []Problem {
	var problems []Problem
	l := lineCount{text: text}
	names := g.mistakes.CaptureNames()
	matches := m.cursor.Matches(g.mistakes, tree.RootNode(), []byte(text))
	for match := matches.Next(); match != nil && len(problems) < maxErrors; match = matches.Next() {
		message := "is not allowed here"
		for _, set := range g.mistakes.PropertySettings(match.PatternIndex) {
			if set.Key == "message" && set.Value != nil {
				message = *set.Value
			}
		}
		for i := range match.Captures {
			if n := &match.Captures[i].Node; names[match.Captures[i].Index] == "mistake" {
				at := Span{int(n.StartByte()), int(n.EndByte())}
				problems = append(problems, Problem{Span: at, Line: l.of(at.Start), Message: message})
			}
		}
	}
	sort.SliceStable(problems, func(i, j int) bool { return problems[i].Start < problems[j].Start })
	return problems
}

// collect fills in the symbols and the comments of a tree.
func (m *machine) collect(ctx context.Context, r *row, g *grammar, tree *sitter.Tree, text string, f *found) error {
	c := collector{text: text, exported: make(map[Span]bool), hidden: make(map[Span]bool), names: make(map[string]bool)}
	matches := m.cursor.Matches(g.query, tree.RootNode(), nil)
	for n := 0; ; n++ {
		match := matches.Next()
		if match == nil {
			break
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c.match(g, match)
	}
	for i := range c.drafts {
		d := &c.drafts[i]
		at := Span{d.Start, d.End}
		d.exported = d.exported || c.exported[at] || c.names[d.Name]
		d.hidden = d.hidden || c.hidden[at]
	}
	f.symbols = arrange(r, c.drafts)
	l := lineCount{text: text}
	for i := range f.symbols {
		f.symbols[i].Line = l.of(f.symbols[i].NameStart)
	}
	f.comments = outermost(c.comments)
	return nil
}

// collector takes up what the queries of a language capture.
type collector struct {
	text     string
	drafts   []draft
	comments []Span
	// exported and hidden are the nodes that are for others or are not; names
	// are exported wherever they stand.
	exported, hidden map[Span]bool
	names            map[string]bool
}

func (c *collector) match(g *grammar, match *sitter.QueryMatch) {
	d := draft{rank: int(match.PatternIndex)}
	named := false
	for i := range match.Captures {
		capture := &match.Captures[i]
		at := Span{min(int(capture.Node.StartByte()), len(c.text)), min(int(capture.Node.EndByte()), len(c.text))}
		switch name := g.captures[capture.Index]; name {
		case "comment":
			c.comments = append(c.comments, c.trimmed(at))
		case "exported":
			c.exported[at] = true
		case "exported.name":
			c.names[c.text[at.Start:at.End]] = true
		case "hidden":
			c.hidden[at] = true
		case "name":
			named = at.Start < at.End
			d.NameStart, d.NameEnd, d.Name = at.Start, at.End, c.text[at.Start:at.End]
		case "container":
			d.Container = c.text[at.Start:at.End]
		case "scope":
			d.scope = true
			d.Start, d.End = at.Start, at.End
		default:
			d.Kind = Kind(name)
			d.Start, d.End = at.Start, at.End
		}
	}
	if named && (d.scope || d.Kind != "") && d.Start <= d.NameStart && d.NameEnd <= d.End {
		c.drafts = append(c.drafts, d)
	}
}

// trimmed returns a comment without the line break that some grammars end it
// with.
func (c *collector) trimmed(s Span) Span {
	s.End = s.Start + len(strings.TrimRight(c.text[s.Start:s.End], "\r\n"))
	return s
}

// sortSpans puts spans in order, outer ones first.
func sortSpans(spans []Span) {
	sort.Slice(spans, func(i, j int) bool {
		a, b := spans[i], spans[j]
		return a.Start < b.Start || a.Start == b.Start && a.End > b.End
	})
}

// outermost puts spans in order and drops those inside others.
func outermost(spans []Span) []Span {
	sortSpans(spans)
	kept := spans[:0]
	for _, s := range spans {
		if n := len(kept); n > 0 && s.Start < kept[n-1].End {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// grammar is a language of tree-sitter with its queries. What load and define
// fill in is read only afterwards, and is never freed.
type grammar struct {
	dir  string
	open func() *sitter.Language
	// narrow tells that the grammar must not see characters outside of ASCII.
	// It is given letters in their place, which make words as they do.
	narrow bool

	load     func() error // opens the language, once
	language *sitter.Language
	mistakes *sitter.Query // nil where the language has none

	define   func() error // reads what says what it defines, once
	query    *sitter.Query
	captures []string
}

// newGrammar returns a grammar that costs nothing until it is loaded: then some
// milliseconds, and up to a few hundred to define.
func newGrammar(lang Lang, language func() unsafe.Pointer) *grammar {
	g := &grammar{dir: string(lang), open: func() *sitter.Language { return sitter.NewLanguage(language()) }}
	g.load = sync.OnceValue(func() (err error) {
		g.language = g.open()
		g.mistakes, err = g.compile("mistakes.scm")
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
	g.define = sync.OnceValue(func() (err error) {
		if g.query, err = g.compile("symbols.scm", "comments.scm"); err == nil {
			g.captures = g.query.CaptureNames()
		}
		return err
	})
	return g
}

// compile makes one query of files of a language.
func (g *grammar) compile(files ...string) (*sitter.Query, error) {
	var source strings.Builder
	for _, name := range files {
		text, err := gather(g.dir, name)
		if err != nil {
			return nil, err
		}
		source.WriteString(text)
	}
	query, bad := sitter.NewQuery(g.language, source.String())
	if bad != nil { // a nil *QueryError would not be a nil error
		return nil, fmt.Errorf("the queries of %s: line %d: %w", g.dir, bad.Row+1, bad)
	}
	return query, nil
}
