package proposal

import (
	"context"
	"fmt"

	"emend/internal/workspace"
)

// Continue puts what is open in a proposal into the draft of a follow-up run,
// carried over to the texts that the draft has. What could not be placed is
// returned, to be told to the model and the person. The proposal itself is not
// changed: call [Content.Supersede] once the run's own proposal is stored.
//
// A draft is not a transaction: after an error (a cancelled context, a file
// outside the roots) it may hold a part.
func Continue(ctx context.Context, c *Content, draft *workspace.Draft) ([]Conflict, error) {
	plan, err := c.Plan(Selection{}, func(path workspace.Path) (Current, error) {
		f, err := draft.Read(ctx, path)
		if err != nil {
			return Current{}, err
		}
		return CurrentOf(f)
	})
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("continuing proposal %s: %w", c.ID, err)
	}
	for _, fp := range plan.Files {
		if err := draw(ctx, draft, fp); err != nil {
			return nil, fmt.Errorf("continuing proposal %s with %s: %w", c.ID, fp.Path, err)
		}
	}
	return plan.Conflicts, nil
}

// draw carries one file of a plan out in a draft.
func draw(ctx context.Context, draft *workspace.Draft, fp FilePlan) error {
	if fp.Delete {
		return draft.Delete(ctx, fp.Path)
	}
	if fp.From != "" {
		if err := draft.Rename(ctx, fp.From, fp.Path); err != nil {
			return err
		}
		if len(fp.Edits) == 0 {
			return nil
		}
	}
	return draft.Write(ctx, fp.Path, fp.Expect)
}
