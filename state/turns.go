package state

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// Each session has a bucket of its own in turnsBucket, with the sequence number in big-endian order as key.
const turnsBucket = "turns"

// AppendTurn stores t as the newest turn of its session and sets t.Seq, which counts from 1 without gaps across all
// processes. The session's own record is not touched, nor need it exist.
func (tx *Tx) AppendTurn(t *Turn) error {
	if t.Session == "" {
		return fmt.Errorf("storing a turn: no session")
	}
	return tx.appendSeq(turnsBucket, t.Session, func(seq uint64) any {
		t.Seq = seq
		return t
	})
}

// Turns lists the turns of session in the order they were made, oldest first: as a conversation reads.
func (tx *Tx) Turns(session string) ([]*Turn, error) { return list[Turn](tx, turnsBucket, session) }

// appendSeq stores the record that make returns for the next sequence number of the bucket name/owner.
func (tx *Tx) appendSeq(name, owner string, make func(seq uint64) any) error {
	err := tx.main.guard(func() error {
		b, err := tx.bucket(name, owner)
		if err != nil {
			return err
		}
		seq, err := b.NextSequence()
		if err != nil {
			return err
		}
		data, err := json.Marshal(make(seq))
		if err != nil {
			return err
		}
		return b.Put(binary.BigEndian.AppendUint64(nil, seq), data)
	})
	if err != nil {
		return fmt.Errorf("appending to %s of %s: %w", name, owner, err)
	}
	return nil
}
