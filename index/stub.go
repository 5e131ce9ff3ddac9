package index

import (
	"context"

	"emend/internal/workspace"
)

type Options struct{}

type Entry struct {
	Path          workspace.Path
	Rel           string
	Size          int64
	Binary, Large bool
}

type Index struct{}

func New(roots workspace.Roots, opt Options) *Index { panic("todo") }

func (ix *Index) Files(ctx context.Context) ([]Entry, error)                         { panic("todo") }
func (ix *Index) Invalidate(p workspace.Path)                                        { panic("todo") }
func (ix *Index) Refresh()                                                           { panic("todo") }
func (ix *Index) Find(ctx context.Context, query string, limit int) ([]Entry, error) { panic("todo") }

type Query struct {
	Pattern            string
	Regexp, IgnoreCase bool
	Globs              []string
	Context, Limit     int
}

type Match struct {
	Path          workspace.Path
	Rel           string
	Line          int
	Column        int
	Text          string
	Before, After []string
}

func (ix *Index) Grep(ctx context.Context, read func(workspace.Path) (string, bool), q Query) ([]Match, bool, error) {
	panic("todo")
}
