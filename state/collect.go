package state

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Limits say how much history a store keeps. Zero and negative numbers mean no limit.
type Limits struct {
	Runs        int // newest runs with their events; running ones stay beside them
	Proposals   int // newest proposals; pending ones stay beside them
	Checkpoints int // newest checkpoints
}

// DefaultLimits keep months of ordinary work within some hundred megabytes.
var DefaultLimits = Limits{Runs: 1000, Proposals: 300, Checkpoints: 300}

// Collect deletes the oldest records beyond the limits, and then every blob that no proposal and no checkpoint names. It
// returns the number of blobs deleted. The files do not shrink, but use the room again. Cost: reads all runs, proposals
// and checkpoints and the keys of all blobs; meant for once a start, in the background.
func (s *Store) Collect(ctx context.Context, limits Limits) (blobs int, err error) {
	if err := s.Update(ctx, func(tx *Tx) error { return tx.trim(limits) }); err != nil {
		return 0, err
	}
	// The blobs go in a transaction of their own: only what no committed record names may be deleted, since blobs are
	// committed before records.
	err = s.Update(ctx, func(tx *Tx) (err error) {
		blobs, err = tx.sweep()
		return err
	})
	if err != nil {
		return 0, err
	}
	return blobs, nil
}

// trim deletes records beyond the limits.
func (tx *Tx) trim(limits Limits) error {
	runs, err := tx.Runs()
	if err != nil {
		return err
	}
	for i, r := range runs {
		if limits.Runs > 0 && i >= limits.Runs && r.Status.Final() {
			err = errors.Join(err, tx.DeleteRun(r.ID))
		}
	}
	proposals, perr := tx.Proposals()
	if err = errors.Join(err, perr); err != nil {
		return err
	}
	for i, p := range proposals {
		if limits.Proposals > 0 && i >= limits.Proposals && p.Status != ProposalPending {
			err = errors.Join(err, tx.DeleteProposal(p.ID))
		}
	}
	checkpoints, cerr := tx.Checkpoints()
	if err = errors.Join(err, cerr); err != nil {
		return err
	}
	for i, c := range checkpoints {
		if limits.Checkpoints > 0 && i >= limits.Checkpoints {
			err = errors.Join(err, tx.DeleteCheckpoint(c.ID))
		}
	}
	return err
}

// named collects the hashes that records name.
func (tx *Tx) named() (map[Hash]bool, error) {
	names := make(map[Hash]bool)
	proposals, err := tx.Proposals()
	if err != nil {
		return nil, err
	}
	for _, p := range proposals {
		for _, f := range p.Files {
			names[f.Base], names[f.After] = true, true
		}
	}
	checkpoints, err := tx.Checkpoints()
	if err != nil {
		return nil, err
	}
	for _, c := range checkpoints {
		for _, f := range c.Files {
			names[f.Before], names[f.After] = true, true
		}
	}
	return names, nil
}

// sweep deletes and commits the blobs that nothing names. The transaction must have changed no record.
func (tx *Tx) sweep() (int, error) {
	names, err := tx.named()
	if err != nil {
		return 0, err
	}
	h, err := tx.blobsFile()
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var gone [][]byte
	err = h.guard(func() error {
		b := h.tx.Bucket(blobsBucket)
		if b == nil {
			return nil
		}
		c := b.Cursor()
		for k, _ := c.First(); k != nil; k, _ = c.Next() {
			if len(k) != len(Hash{}) || !names[Hash(k)] {
				gone = append(gone, append([]byte(nil), k...))
			}
		}
		for _, k := range gone {
			if err := b.Delete(k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("deleting blobs: %w", err)
	}
	if len(gone) == 0 {
		return 0, nil
	}
	return len(gone), h.commit()
}
