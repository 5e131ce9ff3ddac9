package state

import (
	"cmp"
	"slices"
	"time"
)

const sessionsBucket = "sessions"

// newestFirst sorts records by time and then id, latest first.
func newestFirst[T any](records []*T, key func(*T) (time.Time, string)) []*T {
	slices.SortStableFunc(records, func(a, b *T) int {
		at, aid := key(a)
		bt, bid := key(b)
		return cmp.Or(bt.Compare(at), cmp.Compare(bid, aid))
	})
	return records
}

// PutSession stores s under its ID, which must not be empty, in place of what was there.
func (tx *Tx) PutSession(s *Session) error { return tx.put(sessionsBucket, s.ID, s) }

// Session returns the session id.
func (tx *Tx) Session(id string) (*Session, error) { return get[Session](tx, sessionsBucket, id) }

// Sessions lists all sessions, the one updated last first.
func (tx *Tx) Sessions() ([]*Session, error) {
	all, err := list[Session](tx, sessionsBucket)
	return newestFirst(all, func(s *Session) (time.Time, string) { return s.Updated, s.ID }), err
}

// DeleteSession removes the session id with its turns; its runs and proposals stay. A missing one is fine.
func (tx *Tx) DeleteSession(id string) error {
	if err := tx.remove(turnsBucket, id); err != nil {
		return err
	}
	return tx.remove(sessionsBucket, id)
}
