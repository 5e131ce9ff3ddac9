package state

import (
	"context"
	"errors"
	"os"
	"time"
)

const (
	runsBucket    = "runs"
	runningBucket = "running" // ids of the runs whose status is running, so that a start need not read all
)

// PutRun stores r under its ID, which must not be empty, in place of what was there. For a running run without a PID
// it fills in PID, Boot and Born with this process.
func (tx *Tx) PutRun(r *Run) error {
	if r.Status == RunRunning && (r.PID == 0 || r.PID == os.Getpid() && r.Born == "") {
		me := self()
		r.PID, r.Boot, r.Born = me.PID, me.Boot, me.Born
	}
	if err := tx.put(runsBucket, r.ID, r); err != nil {
		return err
	}
	if r.Status == RunRunning {
		return tx.put(runningBucket, r.ID, identity{PID: r.PID, Boot: r.Boot, Born: r.Born})
	}
	return tx.remove(runningBucket, r.ID)
}

// Run returns the run id.
func (tx *Tx) Run(id string) (*Run, error) { return get[Run](tx, runsBucket, id) }

// Runs lists all runs, the one started last first.
func (tx *Tx) Runs() ([]*Run, error) {
	all, err := list[Run](tx, runsBucket)
	return newestFirst(all, func(r *Run) (time.Time, string) { return r.Started, r.ID }), err
}

// DeleteRun removes the run id with its events. A missing one is fine.
func (tx *Tx) DeleteRun(id string) error {
	for _, name := range []string{eventsBucket, runningBucket, runsBucket} {
		if err := tx.remove(name, id); err != nil {
			return err
		}
	}
	return nil
}

// running lists the runs that are recorded as running.
func (tx *Tx) running() (ids []string, err error) {
	err = tx.main.guard(func() error {
		b := tx.lookup(runningBucket)
		if b == nil {
			return nil
		}
		return b.ForEach(func(k, _ []byte) error {
			ids = append(ids, string(k))
			return nil
		})
	})
	return ids, err
}

// CloseInterrupted records every run that is still "running", but whose process is no longer alive, as interrupted, and
// returns how many there were. Runs of live processes are left alone. It writes only if there is such a run.
func (s *Store) CloseInterrupted(ctx context.Context) (int, error) {
	closed := 0
	orphans := func(tx *Tx, each func(*Run) error) error {
		ids, err := tx.running()
		if err != nil {
			return err
		}
		for _, id := range ids {
			r, err := tx.Run(id)
			if errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) {
				continue // nothing to close, or nothing that could be
			}
			if err != nil {
				return err
			}
			if r.Status != RunRunning || (identity{PID: r.PID, Boot: r.Boot, Born: r.Born}).alive() {
				continue
			}
			if err := each(r); err != nil {
				return err
			}
		}
		return nil
	}
	found := false
	err := s.View(ctx, func(tx *Tx) error {
		return orphans(tx, func(*Run) error { found = true; return nil })
	})
	if err != nil || !found {
		return 0, err
	}
	err = s.Update(ctx, func(tx *Tx) error {
		closed = 0
		return orphans(tx, func(r *Run) error {
			r.Status, r.Reason, r.Ended = RunInterrupted, "its process ended before the run did", time.Now()
			closed++
			return tx.PutRun(r)
		})
	})
	if err != nil {
		return 0, err
	}
	return closed, nil
}
