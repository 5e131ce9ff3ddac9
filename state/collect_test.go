package state

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCollect(t *testing.T) {
	s := open(t, t.TempDir())
	text := func(kind string, i int) string { return fmt.Sprint(kind, " ", i) }
	update(t, s, func(tx *Tx) error {
		for i := range 6 {
			id := fmt.Sprint(i)
			status, fate := RunDone, ProposalApplied
			if i == 0 {
				status, fate = RunRunning, ProposalPending
			}
			var hashes []Hash
			for _, kind := range []string{"base", "after", "before", "expect", "orphan"} {
				h, err := tx.PutBlob([]byte(text(kind, i)))
				if err != nil {
					return err
				}
				hashes = append(hashes, h)
			}
			err := errors.Join(tx.PutRun(&Run{ID: id, Status: status, Started: at(i)}), tx.AppendEvents(id, []Event{{Kind: "x"}}),
				tx.PutProposal(&Proposal{ID: id, Status: fate, Created: at(i), Files: []ProposalFile{{Base: hashes[0], After: hashes[1]}}}),
				tx.PutCheckpoint(&Checkpoint{ID: id, Created: at(i), Files: []CheckpointFile{{Before: hashes[2], After: hashes[3]}}}))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if n, err := s.Collect(t.Context(), Limits{}); err != nil || n != 6 {
		t.Errorf("%d blobs went without limits, want the 6 orphans: %v", n, err)
	}
	if n, err := s.Collect(t.Context(), Limits{Runs: 2, Proposals: 3, Checkpoints: 1}); err != nil || n != 2*2+2*5 {
		t.Errorf("%d blobs went, want 14: %v", n, err)
	}
	view(t, s, func(tx *Tx) error {
		runs, err := tx.Runs()
		proposals, perr := tx.Proposals()
		checkpoints, cerr := tx.Checkpoints()
		got := [][]string{ids(runs, func(r *Run) string { return r.ID }), ids(proposals, func(p *Proposal) string { return p.ID }),
			ids(checkpoints, func(c *Checkpoint) string { return c.ID })}
		if diff := cmp.Diff([][]string{{"5", "4", "0"}, {"5", "4", "3", "0"}, {"5"}}, got); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
		for name, want := range map[string]bool{text("base", 0): true, text("after", 5): true, text("base", 1): false,
			text("expect", 5): true, text("before", 4): false, text("orphan", 5): false} {
			_, err := tx.Blob(sum(name))
			if (err == nil) != want || !want && !errors.Is(err, ErrNotFound) {
				t.Errorf("blob %q: %v, want there: %v", name, err, want)
			}
		}
		events, eerr := tx.Events("1")
		if len(events) != 0 {
			t.Errorf("%d events of a deleted run", len(events))
		}
		return errors.Join(err, perr, cerr, eerr)
	})
}
