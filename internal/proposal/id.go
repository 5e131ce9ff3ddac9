package proposal

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash"
	"strings"
)

// idEncoding spells hunk ids: lower case, no padding, easy to type.
var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// HunkID returns the id of a hunk: ten characters that depend on the file's
// path, the hunk's lines before and after without regard to line ends, and
// which of several equal hunks of that file it is, from 0. Where in the file
// it stands does not matter.
func HunkID(path, old, new string, nth int) string {
	h := sha256.New()
	part(h, path)
	part(h, strings.ReplaceAll(old, "\r\n", "\n"))
	part(h, strings.ReplaceAll(new, "\r\n", "\n"))
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(nth))
	h.Write(n[:])
	return idEncoding.EncodeToString(h.Sum(nil))[:10]
}

// part writes s with its length before it, so that no two lists of parts read
// the same. Writing to a hash never fails.
func part(h hash.Hash, s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}

// ids gives the hunks of one file their ids, in order.
type ids struct {
	path string
	seen map[string]int // first id of equal hunks → how many there were
}

func newIDs(path string) *ids { return &ids{path: path, seen: map[string]int{}} }

// next returns the id of the next hunk of the file.
func (s *ids) next(old, new string) string {
	first := HunkID(s.path, old, new, 0)
	nth := s.seen[first]
	s.seen[first]++
	if nth == 0 {
		return first
	}
	return HunkID(s.path, old, new, nth)
}
