package sandbox

import (
	"context"
	"time"

	"emend/internal/workspace"
)

type Level string

const (
	Full  Level = "full"
	Files Level = "files"
	None  Level = "none"
)

type Config struct {
	Root    string
	Open    []*workspace.File
	Changes []workspace.Change
}
type Box struct{}
type Command struct {
	Args           []string
	Dir            string
	Env            []string
	Timeout        time.Duration
	MaxOutput      int64
	Stdout, Stderr func(line []byte)
}
type Result struct {
	Exit                int
	Output              []byte
	Truncated, TimedOut bool
	Took                time.Duration
}

func New(ctx context.Context, cfg Config) (*Box, error)             { panic("todo") }
func (b *Box) Run(ctx context.Context, cmd Command) (Result, error) { panic("todo") }
func (b *Box) Update(ctx context.Context, open []*workspace.File, changes []workspace.Change) error {
	panic("todo")
}
func (b *Box) Close() error { panic("todo") }
