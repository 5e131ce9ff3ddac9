package state

import "time"

const checkpointsBucket = "checkpoints"

// PutCheckpoint stores c under its ID, which must not be empty, in place of what was there. The blobs it names must be
// put in the same transaction, lest Collect comes between.
func (tx *Tx) PutCheckpoint(c *Checkpoint) error { return tx.put(checkpointsBucket, c.ID, c) }

// Checkpoint returns the checkpoint id.
func (tx *Tx) Checkpoint(id string) (*Checkpoint, error) {
	return get[Checkpoint](tx, checkpointsBucket, id)
}

// Checkpoints lists all checkpoints, the one created last first.
func (tx *Tx) Checkpoints() ([]*Checkpoint, error) {
	all, err := list[Checkpoint](tx, checkpointsBucket)
	return newestFirst(all, func(c *Checkpoint) (time.Time, string) { return c.Created, c.ID }), err
}

// DeleteCheckpoint removes the checkpoint id. Its blobs stay until Collect. A missing one is fine.
func (tx *Tx) DeleteCheckpoint(id string) error { return tx.remove(checkpointsBucket, id) }
