package state

import "fmt"

// Each run has a bucket of its own in eventsBucket, with the sequence number in big-endian order as key.
const eventsBucket = "events"

// AppendEvents stores events, in order, as the newest of run, and sets their Seq, which counts from 1 without gaps.
func (tx *Tx) AppendEvents(run string, events []Event) error {
	if run == "" {
		return fmt.Errorf("storing events: no run")
	}
	for i := range events {
		err := tx.appendSeq(eventsBucket, run, func(seq uint64) any {
			events[i].Seq = seq
			return &events[i]
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Events lists the events of run in the order they happened, oldest first.
func (tx *Tx) Events(run string) ([]Event, error) {
	all, err := list[Event](tx, eventsBucket, run)
	events := make([]Event, len(all))
	for i, e := range all {
		events[i] = *e
	}
	return events, err
}
