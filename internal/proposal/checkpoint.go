package proposal

import (
	"fmt"
	"time"

	"emend/state"
)

// Checkpoint makes the record of what a plan's documents are before the plan
// is carried out, and of what they should be after it. Texts are stored by
// put, such as [state.Tx.PutBlob]; the record itself is for the caller to
// store, before anything is sent. With c nil, as for the plan of an [Undo],
// what the plan says of its origin is all that is noted.
func Checkpoint(plan *Plan, c *Content, label string, put func([]byte) (state.Hash, error)) (*state.Checkpoint, error) {
	cp := &state.Checkpoint{
		ID: state.NewID("checkpoint"), Root: plan.Root, Label: label, Run: plan.Run,
		Proposal: plan.Proposal, Parent: plan.Undoes, Created: time.Now().UTC(),
	}
	if c != nil {
		cp.Root, cp.Run, cp.Proposal = c.Root, c.Run, c.ID
	}
	for _, fp := range plan.Files {
		files, err := checkpointFiles(fp, put)
		if err != nil {
			return nil, fmt.Errorf("checkpointing %s: %w", fp.Path, err)
		}
		cp.Files = append(cp.Files, files...)
	}
	return cp, nil
}

// checkpointFiles returns the entries of one planned file: two for a rename,
// the path it leaves first.
func checkpointFiles(fp FilePlan, put func([]byte) (state.Hash, error)) ([]state.CheckpointFile, error) {
	file := state.CheckpointFile{Path: string(fp.Path), URI: fp.URI, Open: fp.Open, Mode: fp.Mode, BOM: fp.BOM}
	before, after := file, file
	var err error
	if !fp.Create {
		before.Existed = true
		if before.Before, err = put([]byte(fp.Before)); err != nil {
			return nil, err
		}
	}
	if !fp.Delete {
		after.AfterExists = true
		if after.After, err = put([]byte(fp.Expect)); err != nil {
			return nil, err
		}
	}
	if fp.From != "" {
		before.Path, before.URI = string(fp.From), fp.FromURI
		after.Open = false // nothing is open at the new path yet
		return []state.CheckpointFile{before, after}, nil
	}
	before.After, before.AfterExists = after.After, after.AfterExists
	return []state.CheckpointFile{before}, nil
}
