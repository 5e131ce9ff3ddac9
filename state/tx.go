package state

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// A Tx is one transaction of a Store. It is valid only inside the function that it was given to, in that goroutine.
// Records it returns are the caller's own. Get methods return an error that wraps ErrNotFound when there is no such
// record; lists leave out a record that cannot be read, and Notices tells.
type Tx struct {
	store     *Store
	main      *handle
	mode      lockMode
	blobsPath string
	blobs     *handle         // opened at the first use
	fault     *damage         // why blobs could not be opened
	fresh     map[Hash][]byte // blobs put in this transaction, encoded
}

// close ends the transaction without a commit of what is not yet committed.
func (tx *Tx) close() error {
	err := tx.main.close()
	if tx.blobs != nil {
		err = errors.Join(err, tx.blobs.close())
	}
	return err
}

// damage is what was found to be wrong with the structure of a file during the transaction, nil if nothing.
func (tx *Tx) damage() *damage {
	if tx.fault != nil {
		return tx.fault
	}
	if tx.blobs != nil && tx.blobs.broken != nil {
		return tx.blobs.broken
	}
	return tx.main.broken
}

// bucket finds the bucket at path, made where missing. In a View it fails.
func (tx *Tx) bucket(path ...string) (b *bbolt.Bucket, err error) {
	type parent interface {
		CreateBucketIfNotExists(name []byte) (*bbolt.Bucket, error)
	}
	if tx.mode == shared {
		return nil, errReadOnly
	}
	var at parent = tx.main.tx
	for _, name := range path {
		if b, err = at.CreateBucketIfNotExists([]byte(name)); err != nil {
			return nil, err
		}
		at = b
	}
	return b, nil
}

// put stores the record under key in the bucket name.
func (tx *Tx) put(name, key string, record any) error {
	if key == "" {
		return fmt.Errorf("storing in %s: empty id", name)
	}
	data, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("storing %s in %s: %w", key, name, err)
	}
	err = tx.main.guard(func() error {
		b, err := tx.bucket(name)
		if err != nil {
			return err
		}
		return b.Put([]byte(key), data)
	})
	if err != nil {
		return fmt.Errorf("storing %s in %s: %w", key, name, err)
	}
	return nil
}

// errReadOnly is returned for a change inside View.
var errReadOnly = errors.New("a View cannot change the store: use Update")

// get reads the record under key in the bucket name.
func get[T any](tx *Tx, name, key string) (*T, error) {
	var data []byte
	err := tx.main.guard(func() error {
		if b := tx.lookup(name); b != nil {
			data = append(data, b.Get([]byte(key))...) // what bbolt returns is gone with the transaction
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading %s in %s: %w", key, name, err)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%s in %s: %w", key, name, ErrNotFound)
	}
	record := new(T)
	if err := json.Unmarshal(data, record); err != nil {
		return nil, fmt.Errorf("reading %s in %s: %w: %w", key, name, ErrDamaged, err)
	}
	return record, nil
}

// list reads all records of the bucket at path in the order of their keys.
func list[T any](tx *Tx, path ...string) ([]*T, error) {
	var records []*T
	bad := 0
	err := tx.main.guard(func() error {
		b := tx.lookup(path...)
		if b == nil {
			return nil
		}
		return b.ForEach(func(k, v []byte) error {
			record := new(T)
			if v == nil || json.Unmarshal(v, record) != nil {
				bad++
				return nil
			}
			records = append(records, record)
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", path[0], err)
	}
	if bad > 0 {
		tx.store.notify(Notice{Message: fmt.Sprintf("%d of the %s in %s cannot be read and are left out.", bad, path[0], tx.main.path)})
	}
	return records, nil
}

// lookup finds the bucket at path without making it; nil when there is none.
func (tx *Tx) lookup(path ...string) *bbolt.Bucket {
	b := tx.main.tx.Bucket([]byte(path[0]))
	for _, name := range path[1:] {
		if b == nil || name == "" {
			return nil
		}
		b = b.Bucket([]byte(name))
	}
	return b
}

// remove deletes the record under key, or the bucket of that name; missing ones are fine.
func (tx *Tx) remove(name, key string) error {
	err := tx.main.guard(func() error {
		if tx.mode == shared {
			return errReadOnly
		}
		b := tx.main.tx.Bucket([]byte(name))
		if b == nil {
			return nil
		}
		if b.Bucket([]byte(key)) != nil {
			return b.DeleteBucket([]byte(key))
		}
		return b.Delete([]byte(key))
	})
	if err != nil {
		return fmt.Errorf("deleting %s in %s: %w", key, name, err)
	}
	return nil
}
