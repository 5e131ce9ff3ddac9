package state

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"
)

// blobsBucket of the blobs file holds the encoded bytes of each blob under its hash.
var blobsBucket = []byte("blobs")

// maxBlob is the largest blob in bytes.
const maxBlob = 256 << 20

// How a blob is encoded: the first byte of its value.
const (
	codedPlain byte = iota
	codedZstd
)

// coder compresses and decompresses. Both halves are safe for concurrent use in the EncodeAll and DecodeAll way.
type coder struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

var zstdCoder = sync.OnceValues(func() (coder, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	if err != nil {
		return coder{}, fmt.Errorf("setting compression up: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlob))
	if err != nil {
		return coder{}, fmt.Errorf("setting compression up: %w", err)
	}
	return coder{enc, dec}, nil
})

// encodeBlob compresses data where that makes it shorter.
func encodeBlob(data []byte) ([]byte, error) {
	c, err := zstdCoder()
	if err != nil {
		return nil, err
	}
	coded := c.enc.EncodeAll(data, []byte{codedZstd})
	if len(coded) > len(data) {
		return append([]byte{codedPlain}, data...), nil
	}
	return coded, nil
}

// decodeBlob undoes encodeBlob and checks the bytes against their hash.
func decodeBlob(h Hash, coded []byte) ([]byte, error) {
	var data []byte
	switch {
	case len(coded) > 0 && coded[0] == codedPlain:
		data = append([]byte{}, coded[1:]...)
	case len(coded) > 0 && coded[0] == codedZstd:
		c, err := zstdCoder()
		if err != nil {
			return nil, err
		}
		if data, err = c.dec.DecodeAll(coded[1:], []byte{}); err != nil {
			return nil, fmt.Errorf("reading blob %s: %w: %w", h, ErrDamaged, err)
		}
	}
	if sha256.Sum256(data) != h || data == nil {
		return nil, fmt.Errorf("reading blob %s: %w: its bytes have another hash", h, ErrDamaged)
	}
	return data, nil
}

// PutBlob stores data, which the caller may change afterwards, and returns its hash. The same bytes are stored once.
// They are durable before the commit that may refer to them, and Collect deletes those that no proposal or checkpoint
// names. The largest blob is 256 MiB.
func (tx *Tx) PutBlob(data []byte) (Hash, error) {
	if tx.mode == shared {
		return Hash{}, errReadOnly
	}
	if len(data) > maxBlob {
		return Hash{}, fmt.Errorf("storing a blob: %d bytes are more than %d", len(data), maxBlob)
	}
	h := Hash(sha256.Sum256(data))
	if _, ok := tx.fresh[h]; ok {
		return h, nil
	}
	coded, err := encodeBlob(data)
	if err != nil {
		return Hash{}, err
	}
	if tx.fresh == nil {
		tx.fresh = make(map[Hash][]byte)
	}
	tx.fresh[h] = coded
	return h, nil
}

// Blob returns the bytes with the hash h, those put in this transaction included. The error wraps ErrNotFound when there
// are none, and ErrDamaged when they are not what was stored.
func (tx *Tx) Blob(h Hash) ([]byte, error) {
	if coded, ok := tx.fresh[h]; ok {
		return decodeBlob(h, coded)
	}
	file, err := tx.blobsFile()
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("blob %s: %w", h, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("reading blob %s: %w", h, err)
	}
	var coded []byte
	err = file.guard(func() error {
		if b := file.tx.Bucket(blobsBucket); b != nil {
			coded = append(coded, b.Get(h[:])...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading blob %s: %w", h, err)
	}
	if len(coded) == 0 {
		return nil, fmt.Errorf("blob %s: %w", h, ErrNotFound)
	}
	return decodeBlob(h, coded)
}

// blobsFile opens the file of the blobs.
func (tx *Tx) blobsFile() (*handle, error) {
	if tx.blobs != nil {
		return tx.blobs, nil
	}
	h, err := openBolt(tx.blobsPath, tx.mode)
	if err != nil {
		errors.As(err, &tx.fault)
		return nil, err
	}
	tx.blobs = h
	return h, nil
}

// commitBlobs makes the blobs put in this transaction durable.
func (tx *Tx) commitBlobs() error {
	if len(tx.fresh) == 0 {
		return nil
	}
	if err := tx.store.ensure(tx.blobsPath); err != nil {
		return err
	}
	h, err := tx.blobsFile()
	if err != nil {
		return err
	}
	added := 0
	err = h.guard(func() error {
		var b *bbolt.Bucket
		if b, err = h.tx.CreateBucketIfNotExists(blobsBucket); err != nil {
			return err
		}
		for hash, coded := range tx.fresh {
			if old := b.Get(hash[:]); old != nil {
				if bytes.Equal(old, coded) {
					continue
				}
				if _, err := decodeBlob(hash, old); err == nil {
					continue
				}
			}
			added++
			if err := b.Put(hash[:], coded); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing blobs: %w", err)
	}
	if added == 0 {
		return nil
	}
	return h.commit()
}
