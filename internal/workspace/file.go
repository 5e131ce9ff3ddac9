package workspace

import (
	"bytes"
	"crypto/sha256"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// byteOrderMark is U+FEFF, which begins some UTF-8 files.
const byteOrderMark = "\ufeff"

// File is what a document is at one moment. It is shared: do not change it.
type File struct {
	Path Path
	// URI is the editor's spelling for an open document, else Path.URI().
	URI string
	// Exists is true for a file on disk and for an open document, which is
	// the editor's even when there is no file yet.
	Exists bool
	// Open tells that Text is the editor's, and Version the editor's number.
	Open    bool
	Version int32
	// Text has its line ends as they are and no byte-order mark. It is empty
	// when Binary. When NotUTF8 each invalid byte reads as U+FFFD: good enough
	// to look at, and never to be written back.
	Text string
	// BOM tells that the file begins, or will when written, with a byte-order
	// mark. For an open document it is what the disk has, since some editors
	// take the mark out of what they send, unless the text itself has one.
	BOM bool
	// Binary tells that there is a NUL in it. An open document is only what
	// the editor shows, whatever its encoding on disk.
	Binary bool
	// NotUTF8 tells that it is text of some other encoding.
	NotUTF8 bool
	// Mode holds the permission bits; 0 when there is no file on disk.
	Mode fs.FileMode
	// Hash is the SHA-256 of the bytes: of the file on disk, or of the file
	// that saving an open document as UTF-8 would make.
	Hash [32]byte
}

// Bytes returns the bytes a file with this text has on disk. It must not be
// called for a file that is Binary or NotUTF8, whose bytes a File lacks.
func (f *File) Bytes() []byte {
	if f.BOM {
		return []byte(byteOrderMark + f.Text)
	}
	return []byte(f.Text)
}

// hashText returns the hash of a file with this text.
func hashText(bom bool, text string) [32]byte {
	h := sha256.New()
	if bom {
		_, _ = io.WriteString(h, byteOrderMark) // a hash never fails
	}
	_, _ = io.WriteString(h, text)
	var sum [32]byte
	h.Sum(sum[:0])
	return sum
}

// diskFile returns what bytes on disk are as a file.
func diskFile(p Path, data []byte, mode fs.FileMode) *File {
	f := &File{Path: p, URI: p.URI(), Exists: true, Mode: mode, Hash: sha256.Sum256(data)}
	body, bom := bytes.CutPrefix(data, []byte(byteOrderMark))
	switch {
	case bytes.IndexByte(data, 0) >= 0:
		f.Binary = true
	case !utf8.Valid(body):
		f.NotUTF8 = true
		f.Text = strings.ToValidUTF8(string(body), "\ufffd")
	default:
		f.BOM, f.Text = bom, string(body)
	}
	return f
}

// openFile returns what an open document is as a file. onDisk is the file of
// its name, or nil.
func openFile(doc *Document, onDisk *File) *File {
	text, bom := strings.CutPrefix(doc.Text.String(), byteOrderMark)
	f := &File{Path: doc.Path, URI: doc.URI, Exists: true, Open: true, Version: doc.Version, Text: text, BOM: bom}
	if onDisk != nil {
		f.Mode = onDisk.Mode
		f.BOM = bom || onDisk.BOM
	}
	f.Hash = hashText(f.BOM, text)
	if strings.IndexByte(text, 0) >= 0 {
		f.Binary, f.Text = true, ""
	}
	return f
}

// crlf reports whether the text has line ends and all of them are CR LF, and
// whether it has any.
func crlf(text string) (all, any bool) {
	n := strings.Count(text, "\n")
	return n > 0 && strings.Count(text, "\r\n") == n, n > 0
}

// withCRLF makes every bare LF a CR LF.
func withCRLF(text string) string {
	if all, any := crlf(text); all || !any {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}
