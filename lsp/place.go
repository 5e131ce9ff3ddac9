package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"emend/edits"
	"emend/internal/workspace"
)

// spotIn is a place a command works at: a document's text and bytes of it.
type spotIn struct {
	path       workspace.Path
	doc        *workspace.Document // nil when the file is not open
	text       edits.Text
	start, end int
}

// errNoPlace is returned when nothing says where a command is to work.
var errNoPlace = errors.New("no document is open here yet; name one with uri=")

// line is the zero-based line that the place begins on.
func (p spotIn) line() int { return p.text.LineOf(p.start) }

// where finds the place that a command's arguments mean: the one they name,
// else the last one the person was seen at.
func (s *session) where(ctx context.Context, args *arguments) (spotIn, error) {
	place, version := spotIn{}, args.Version
	rng := args.Range
	if args.URI != "" {
		place.path = s.named(args.URI)
	} else {
		last, ok := s.focus.get()
		if !ok {
			return place, errNoPlace
		}
		place.path = last.path
		if rng == nil && args.Line == nil && last.signal != signalOpen {
			rng, version = &last.rng, &last.version
		}
	}
	if err := s.load(ctx, &place); err != nil {
		return place, err
	}
	return place, s.narrow(&place, args.Line, rng, version)
}

// named is the document that a command's uri means: a URI, or a file name, which
// is taken from the workspace's folders when it is not absolute.
func (s *session) named(name string) workspace.Path {
	if !strings.Contains(name, ":") && !filepath.IsAbs(name) {
		if p, err := s.roots.Load().Resolve(name); err == nil {
			return p
		}
	}
	if filepath.IsAbs(name) {
		return workspace.Key(strings.Clone(name))
	}
	return s.mirror.path(canonical(name))
}

// load reads the place's document: the editor's text when it is open.
func (s *session) load(ctx context.Context, place *spotIn) error {
	if doc, ok := s.mirror.docs.Get(place.path); ok {
		place.doc, place.text = doc, doc.Text
		return nil
	}
	if !place.path.IsFile() {
		return invalid("%s is not open and is no file", place.path)
	}
	if _, err := s.roots.Load().Resolve(string(place.path)); err != nil {
		return invalid("%v", err)
	}
	file, err := s.snapshot().Read(ctx, place.path)
	switch {
	case err != nil:
		return invalid("%v", err)
	case !file.Exists:
		return invalid("%s does not exist", place.path)
	case file.Binary:
		return invalid("%s is a binary file", place.path)
	}
	place.text = edits.NewText(file.Text)
	return nil
}

// narrow sets the place's bytes from lines or a range; without either it is the
// document's beginning.
func (s *session) narrow(place *spotIn, lines *lineRange, rng *protocol.Range, version *int32) error {
	switch {
	case lines != nil:
		if lines.first >= place.text.NumLines() {
			return invalid("line %d is beyond the end of %s, which has %d lines", lines.first+1, place.path.Base(), place.text.NumLines())
		}
		place.start, _ = place.text.Line(lines.first)
		_, place.end = place.text.Line(min(lines.last, place.text.NumLines()-1))
	case rng != nil:
		r := *rng
		if version != nil && place.doc != nil {
			var err error
			if r, err = s.mirror.carry(place.doc, r, *version); err != nil {
				return err
			}
		}
		start, end, err := offsets(place.text, r, s.mirror.enc)
		if err != nil {
			return invalid("range in %s: %v", place.path.Base(), err)
		}
		place.start, place.end = start, end
	}
	return nil
}

// rootFor is the folder a run over a document belongs to, and the folders it
// may read and change.
func (s *session) rootFor(p workspace.Path) (string, workspace.Roots, error) {
	roots := *s.roots.Load()
	if dir, ok := roots.Of(p); ok {
		return dir, roots, nil
	}
	if !p.IsFile() {
		return "", roots, invalid("%s has no file yet; save it inside a folder that is open in the editor", p)
	}
	if !roots.Empty() {
		return "", roots, invalid("%s is outside the folders that are open in the editor; emend works inside them only", p)
	}
	dir, err := enclosing(p)
	if err != nil {
		return "", roots, err
	}
	return dir, workspace.NewRoots(dir), nil
}

// rootHere is the folder of the document the person was seen in last, else the
// first that is open, for what is not about a document.
func (s *session) rootHere() (string, workspace.Roots, error) {
	if last, ok := s.focus.get(); ok {
		if root, roots, err := s.rootFor(last.path); err == nil {
			return root, roots, nil
		}
	}
	roots := *s.roots.Load()
	if roots.Empty() {
		return "", roots, invalid("no folder is open: open the folder that emend may work in")
	}
	return roots.Dirs()[0], roots, nil
}

func invalid(format string, args ...any) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, format, args...)
}

// noRoot explains why a lone file is not worked on.
func noRoot(p workspace.Path) error {
	return fmt.Errorf("%s is not inside a project: open the folder that emend may work in", p)
}
