package proposal

import (
	"fmt"
	"io/fs"

	"emend/internal/workspace"
)

// WriteDisk carries a plan out on disk, for a face without an editor and for
// files that an editor cannot change. Every file is checked against what the
// plan was made from right before it is replaced, each by an atomic rename;
// the first that cannot be written ends it, and the files before it stay
// written: [Content.Settle] says which. The checkpoint must have been kept
// before.
func (p *Plan) WriteDisk(roots workspace.Roots) error {
	for _, fp := range p.Files {
		if err := fp.writeDisk(roots); err != nil {
			return fmt.Errorf("writing proposal %s: %w", p.Proposal, err)
		}
	}
	return nil
}

func (fp FilePlan) writeDisk(roots workspace.Roots) error {
	mode := fs.FileMode(fp.Mode)
	before := &workspace.File{Path: fp.Path, Exists: true, Text: fp.Before, BOM: fp.BOM, Mode: mode}
	after := &workspace.File{Path: fp.Path, Exists: true, Text: fp.Expect, BOM: fp.BOM, Mode: mode}
	switch {
	case fp.Create:
		return roots.Write(fp.Path, nil, after)
	case fp.Delete:
		return roots.Write(fp.Path, before, nil)
	case fp.From != "":
		if err := roots.Write(fp.Path, nil, after); err != nil {
			return err
		}
		from := *before
		from.Path = fp.From
		return roots.Write(fp.From, &from, nil)
	default:
		return roots.Write(fp.Path, before, after)
	}
}
