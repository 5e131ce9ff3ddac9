package state

import "context"

// Store stub.
type Store struct{}
type Tx struct{}
type Option func(*options)
type options struct{}

func Open(dir string, opts ...Option) (*Store, error)                       { panic("todo") }
func Dir(stateHome, root string) string                                      { panic("todo") }
func NewID(prefix string) string                                             { panic("todo") }
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error          { panic("todo") }
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error        { panic("todo") }
func (s *Store) Close() error                                                { panic("todo") }
func (s *Store) Notices() []Notice                                           { panic("todo") }
func (s *Store) CloseInterrupted(ctx context.Context) (int, error)           { panic("todo") }
func (tx *Tx) PutBlob(data []byte) (Hash, error)                             { panic("todo") }
func (tx *Tx) Blob(h Hash) ([]byte, error)                                   { panic("todo") }
func (tx *Tx) PutSession(s *Session) error                                   { panic("todo") }
func (tx *Tx) Session(id string) (*Session, error)                           { panic("todo") }
func (tx *Tx) Sessions() ([]*Session, error)                                 { panic("todo") }
func (tx *Tx) AppendTurn(t *Turn) error                                      { panic("todo") }
func (tx *Tx) Turns(session string) ([]*Turn, error)                         { panic("todo") }
func (tx *Tx) PutRun(r *Run) error                                           { panic("todo") }
func (tx *Tx) Run(id string) (*Run, error)                                   { panic("todo") }
func (tx *Tx) Runs() ([]*Run, error)                                         { panic("todo") }
func (tx *Tx) AppendEvents(run string, events []Event) error                 { panic("todo") }
func (tx *Tx) Events(run string) ([]Event, error)                            { panic("todo") }
func (tx *Tx) PutProposal(p *Proposal) error                                 { panic("todo") }
func (tx *Tx) Proposal(id string) (*Proposal, error)                         { panic("todo") }
func (tx *Tx) Proposals() ([]*Proposal, error)                               { panic("todo") }
func (tx *Tx) PendingProposals(session string) ([]*Proposal, error)          { panic("todo") }
func (tx *Tx) PutCheckpoint(c *Checkpoint) error                             { panic("todo") }
func (tx *Tx) Checkpoint(id string) (*Checkpoint, error)                     { panic("todo") }
func (tx *Tx) Checkpoints() ([]*Checkpoint, error)                           { panic("todo") }
func (tx *Tx) PutGrant(g *Grant) error                                       { panic("todo") }
func (tx *Tx) Grants() ([]*Grant, error)                                     { panic("todo") }
func (tx *Tx) HasGrant(kind, subject string) (bool, error)                   { panic("todo") }
func (tx *Tx) DeleteGrant(id string) error                                   { panic("todo") }
