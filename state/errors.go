package state

import "errors"

var (
	// ErrNotFound is returned when no record has the id asked for.
	ErrNotFound = errors.New("not found")
	// ErrNotKept is returned when the store's folder cannot be written or read: no such place, no permission, disk
	// full, or a store of a newer emend. Nothing is changed then; a later call may succeed.
	ErrNotKept = errors.New("the store cannot keep anything")
	// ErrDamaged is returned when a record or blob is not what was stored.
	ErrDamaged = errors.New("damaged")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("store is closed")
)
