package state

import "time"

const proposalsBucket = "proposals"

// PutProposal stores p under its ID, which must not be empty, in place of what was there. The blobs it names must be put
// in the same transaction, lest Collect comes between.
func (tx *Tx) PutProposal(p *Proposal) error { return tx.put(proposalsBucket, p.ID, p) }

// Proposal returns the proposal id.
func (tx *Tx) Proposal(id string) (*Proposal, error) { return get[Proposal](tx, proposalsBucket, id) }

// Proposals lists all proposals, the one created last first.
func (tx *Tx) Proposals() ([]*Proposal, error) {
	all, err := list[Proposal](tx, proposalsBucket)
	return newestFirst(all, func(p *Proposal) (time.Time, string) { return p.Created, p.ID }), err
}

// PendingProposals lists the proposals of session whose status is pending, the one created last first; those of all
// sessions when session is "".
func (tx *Tx) PendingProposals(session string) ([]*Proposal, error) {
	all, err := tx.Proposals()
	var pending []*Proposal
	for _, p := range all {
		if p.Status == ProposalPending && (session == "" || p.Session == session) {
			pending = append(pending, p)
		}
	}
	return pending, err
}

// DeleteProposal removes the proposal id. Its blobs stay until Collect. A missing one is fine.
func (tx *Tx) DeleteProposal(id string) error { return tx.remove(proposalsBucket, id) }
