package proposal

import (
	"context"
	"fmt"
	"io/fs"

	"emend/internal/workspace"
)

// WriteDisk carries a plan out on disk, for a face without an editor and for
// files that an editor cannot change. It is all or nothing, as
// [workspace.Roots.WriteAll] says: every file is checked against what the plan
// was made from before the first is replaced. The checkpoint must have been
// kept before.
func (p *Plan) WriteDisk(ctx context.Context, roots workspace.Roots) error {
	var changes []workspace.Change
	for _, fp := range p.Files {
		changes = append(changes, fp.change())
	}
	if err := roots.WriteAll(ctx, changes); err != nil {
		return fmt.Errorf("writing proposal %s: %w", p.Proposal, err)
	}
	return nil
}

// change is a file plan as a change of files on disk.
func (fp FilePlan) change() workspace.Change {
	mode := fs.FileMode(fp.Mode)
	before := &workspace.File{Path: fp.Path, Exists: true, Text: fp.Before, BOM: fp.BOM, Mode: mode}
	after := &workspace.File{Path: fp.Path, Exists: true, Text: fp.Expect, BOM: fp.BOM, Mode: mode}
	switch {
	case fp.Create:
		before = nil
	case fp.Delete:
		after = nil
	case fp.From != "":
		before.Path = fp.From
	}
	return workspace.Change{Path: fp.Path, From: fp.From, Before: before, After: after}
}
