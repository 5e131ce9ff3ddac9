package workspace

import (
	"context"
	"io/fs"

	"emend/edits"
)

type Path string

func (p Path) IsFile() bool { panic("todo") }
func (p Path) Base() string { panic("todo") }
func (p Path) URI() string  { panic("todo") }
func Key(name string) Path  { panic("todo") }
func FromURI(u string) Path { panic("todo") }

type Roots struct{}

func NewRoots(dirs ...string) Roots               { panic("todo") }
func (r Roots) Dirs() []string                    { panic("todo") }
func (r Roots) Empty() bool                       { panic("todo") }
func (r Roots) Resolve(name string) (Path, error) { panic("todo") }
func (r Roots) Rel(p Path) string                 { panic("todo") }
func (r Roots) Of(p Path) (dir string, ok bool)   { panic("todo") }

type OutsideError struct{ Name, Reason string }

func (e *OutsideError) Error() string { panic("todo") }

type TooLargeError struct {
	Path        Path
	Size, Limit int64
}

func (e *TooLargeError) Error() string { panic("todo") }

type BinaryError struct{ Path Path }

func (e *BinaryError) Error() string { panic("todo") }

type EncodingError struct{ Path Path }

func (e *EncodingError) Error() string { panic("todo") }

type Document struct {
	Path     Path
	URI      string
	Language string
	Version  int32
	Text     edits.Text
}

type Documents struct{}

func (d *Documents) Open(doc Document) { panic("todo") }
func (d *Documents) Close(p Path)      { panic("todo") }
func (d *Documents) Saved(p Path)      { panic("todo") }
func (d *Documents) Change(p Path, version int32, text edits.Text) (*Document, error) {
	panic("todo")
}
func (d *Documents) Get(p Path) (*Document, bool) { panic("todo") }
func (d *Documents) All() []*Document             { panic("todo") }
func (d *Documents) Unsaved(p Path) bool          { panic("todo") }
func (d *Documents) Changed() <-chan struct{}     { panic("todo") }

type Source interface {
	Documents() []*Document
	ReadFile(ctx context.Context, p Path) (data []byte, mode fs.FileMode, err error)
}

func Disk(docs *Documents) Source { panic("todo") }

type File struct {
	Path         Path
	URI          string
	Exists, Open bool
	Version      int32
	Text         string
	BOM, Binary  bool
	NotUTF8      bool
	Mode         fs.FileMode
	Hash         [32]byte
}

type Snapshot struct{}

func NewSnapshot(roots Roots, src Source) *Snapshot                 { panic("todo") }
func (s *Snapshot) Roots() Roots                                    { panic("todo") }
func (s *Snapshot) Open() []*Document                               { panic("todo") }
func (s *Snapshot) Resolve(name string) (Path, error)               { panic("todo") }
func (s *Snapshot) Read(ctx context.Context, p Path) (*File, error) { panic("todo") }

type Draft struct{}

func NewDraft(s *Snapshot) *Draft                                     { panic("todo") }
func (d *Draft) Snapshot() *Snapshot                                  { panic("todo") }
func (d *Draft) Read(ctx context.Context, p Path) (*File, error)      { panic("todo") }
func (d *Draft) Write(ctx context.Context, p Path, text string) error { panic("todo") }
func (d *Draft) Delete(ctx context.Context, p Path) error             { panic("todo") }
func (d *Draft) Rename(ctx context.Context, from, to Path) error      { panic("todo") }
func (d *Draft) Changes() []Change                                    { panic("todo") }

type Change struct {
	Path          Path
	Before, After *File
	From          Path
}

func Sensitive(p Path) bool { panic("todo") }
