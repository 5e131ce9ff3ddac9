package state

import "time"

const grantsBucket = "grants"

// PutGrant stores g under its ID, which must not be empty, in place of what was there.
func (tx *Tx) PutGrant(g *Grant) error { return tx.put(grantsBucket, g.ID, g) }

// Grants lists all grants, the one given last first.
func (tx *Tx) Grants() ([]*Grant, error) {
	all, err := list[Grant](tx, grantsBucket)
	return newestFirst(all, func(g *Grant) (time.Time, string) { return g.Created, g.ID }), err
}

// HasGrant reports whether there is a grant of that kind for exactly that subject.
func (tx *Tx) HasGrant(kind, subject string) (bool, error) {
	all, err := tx.Grants()
	for _, g := range all {
		if g.Kind == kind && g.Subject == subject {
			return true, err
		}
	}
	return false, err
}

// DeleteGrant revokes the grant id. A missing one is fine.
func (tx *Tx) DeleteGrant(id string) error { return tx.remove(grantsBucket, id) }
