package proposal

import (
	"fmt"
	"time"

	"emend/state"
)

// Save stores the proposal and its texts, and fills in the texts' hashes in c.
// Call it again after every change of fates; each time costs a compression of
// the texts, which are stored once.
func Save(tx *state.Tx, c *Content) error {
	for i := range c.Files {
		f, texts := &c.Files[i], c.Texts[i]
		var err error
		if f.BaseExists {
			if f.Base, err = tx.PutBlob([]byte(texts.Before)); err != nil {
				return fmt.Errorf("saving proposal %s: storing %s as it was: %w", c.ID, f.Path, err)
			}
		}
		if f.Kind != KindDelete {
			if f.After, err = tx.PutBlob([]byte(texts.After)); err != nil {
				return fmt.Errorf("saving proposal %s: storing %s as it is to be: %w", c.ID, f.Path, err)
			}
		}
	}
	if c.Updated.IsZero() {
		c.Updated = time.Now().UTC()
	}
	if err := tx.PutProposal(&c.Proposal); err != nil {
		return fmt.Errorf("saving proposal %s: %w", c.ID, err)
	}
	return nil
}

// Load reads a proposal and its texts. It fails with [state.ErrNotFound] when
// there is none, and with [state.ErrDamaged] when its hunks do not lead from
// one text to the other.
func Load(tx *state.Tx, id string) (*Content, error) {
	stored, err := tx.Proposal(id)
	if err != nil {
		return nil, fmt.Errorf("loading proposal %s: %w", id, err)
	}
	c := &Content{Proposal: *stored, Texts: make([]Texts, len(stored.Files))}
	for i, f := range c.Files {
		if c.Texts[i].Before, err = blobText(tx, f.Base); err != nil {
			return nil, fmt.Errorf("loading proposal %s: %s as it was: %w", id, f.Path, err)
		}
		if c.Texts[i].After, err = blobText(tx, f.After); err != nil {
			return nil, fmt.Errorf("loading proposal %s: %s as it is to be: %w", id, f.Path, err)
		}
		if err := checkFile(f, c.Texts[i]); err != nil {
			return nil, fmt.Errorf("loading proposal %s: %w: %w", id, state.ErrDamaged, err)
		}
	}
	return c, nil
}

// blobText returns a stored text, "" for no hash.
func blobText(tx *state.Tx, h state.Hash) (string, error) {
	if h.IsZero() {
		return "", nil
	}
	data, err := tx.Blob(h)
	return string(data), err
}
