package state

import "time"

const notesBucket = "notes"

// PutNote stores n under its ID, which must not be empty, in place of what was there.
func (tx *Tx) PutNote(n *Note) error { return tx.put(notesBucket, n.ID, n) }

// Notes lists all notes, the newest first.
func (tx *Tx) Notes() ([]*Note, error) {
	all, err := list[Note](tx, notesBucket)
	return newestFirst(all, func(n *Note) (time.Time, string) { return n.Created, n.ID }), err
}

// DeleteNote removes the note id. A missing one is fine.
func (tx *Tx) DeleteNote(id string) error { return tx.remove(notesBucket, id) }
