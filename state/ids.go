package state

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"
)

// idAlphabet keeps the order of the bytes it encodes, so that ids sort as the times in them.
var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

var (
	idMu   sync.Mutex
	idLast uint64 // microseconds in the newest id of this process
)

// NewID returns prefix, a dash and 20 characters: the time in microseconds and 44 random bits. Ids of one process
// sort strictly in the order they were made, those of several processes as their clocks. Safe for concurrent use.
func NewID(prefix string) string {
	now := uint64(time.Now().UnixMicro())
	idMu.Lock()
	if now <= idLast {
		now = idLast + 1
	}
	idLast = now
	idMu.Unlock()

	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], now<<8) // 56 bits of time last until the year 4253
	if _, err := rand.Read(raw[7:13]); err != nil {
		panic("reading random bytes: " + err.Error()) // never happens: crypto/rand ends the process itself
	}
	return prefix + "-" + idAlphabet.EncodeToString(raw[:13])[:20]
}

// Dir is the folder for the store of a workspace: the base name of root, for people, and a hash of its real path, all
// below stateHome. Two spellings of one folder give one result. It touches the disk only to resolve symbolic links;
// where root does not exist its cleaned absolute name counts.
func Dir(stateHome, root string) string {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	sum := sha256.Sum256([]byte(filepath.Clean(root)))
	return filepath.Join(stateHome, readable(filepath.Base(root))+"-"+hex.EncodeToString(sum[:8]))
}

// readable keeps of name what is harmless in a file name anywhere, at most 40 characters.
func readable(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case b.Len() >= 40:
		case unicode.IsLetter(r) && r < unicode.MaxASCII, unicode.IsDigit(r) && r < unicode.MaxASCII, r == '-', r == '_':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	if strings.Trim(b.String(), "_") == "" {
		return "root"
	}
	return b.String()
}
