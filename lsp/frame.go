package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxFrame bounds the body of one message. A larger one is read past and
// refused; nothing of it is kept.
const maxFrame = 256 << 20

// maxHeaderLine bounds what is kept of one header line, so that a stream that
// is not LSP at all cannot make the reader grow.
const maxHeaderLine = 8 << 10

const readBuffer = 64 << 10

// frameReader finds the messages in a stream of the base protocol, also behind
// a frame that is not what its header says.
//
// What makes that possible: in JSON a line break is never inside a string, and
// "Content-Length" never outside of one, so that a header is known wherever it
// stands. A body that ends before its length is cut off there, one that goes on
// behind it is passed over, and reading takes up again at the next header.
//
// The zero value is not ready; see newFrameReader. It is for one goroutine.
type frameReader struct {
	in   *bufio.Reader
	from pushback
	lost bool // the bytes read last belong to no frame, which has been reported
}

func newFrameReader(r io.Reader) *frameReader {
	f := &frameReader{from: pushback{r: r}}
	f.in = bufio.NewReaderSize(&f.from, readBuffer)
	return f
}

// badFrameError is a frame that was read past and cannot be used. Reading can
// go on.
type badFrameError struct{ what string }

func (e *badFrameError) Error() string { return e.what }

// next returns the body of the next frame in a buffer of its own. io.EOF means
// that the peer has closed the stream, in the middle of a frame or between two.
func (f *frameReader) next() ([]byte, error) {
	length, err := f.header()
	if err != nil {
		return nil, err
	}
	if length > maxFrame {
		// Whether that many bytes follow or not, the next header is found.
		f.lost = true
		return nil, &badFrameError{fmt.Sprintf("message of %d bytes is over the limit of %d; it was skipped", length, maxFrame)}
	}
	return f.body(length)
}

// header reads up to the end of the next header block that has a length.
func (f *frameReader) header() (length int, err error) {
	length = -1
	junk := false
	for {
		line, err := f.line()
		if err != nil {
			return 0, err
		}
		switch {
		case line != "":
			n, ok := contentLength(line)
			switch {
			case ok && n > 0:
				length = n
			case ok:
				length, junk = -1, true
			default:
				junk = true // an unknown field is fine when a length is there too
			}
		case length > 0:
			f.lost = false
			return length, nil
		case junk && !f.lost:
			f.lost = true
			return 0, &badFrameError{"frame has no usable Content-Length header; it was skipped"}
		}
	}
}

const lengthName = "Content-Length:"

// contentLength reads a Content-Length header, which may follow the rest of a
// body on the same line. ok is false for any other line; a length that is no
// number is 0.
func contentLength(line string) (n int, ok bool) {
	for i := len(line) - len(lengthName); i >= 0; i-- {
		if !strings.EqualFold(line[i:i+len(lengthName)], lengthName) || i > 0 && line[i-1] == '-' {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(line[i+len(lengthName):]))
		if err != nil {
			return 0, i == 0
		}
		return n, true
	}
	return 0, false
}

// line returns the next line without its end; of an overlong one the end only,
// as that is where a header would be.
func (f *frameReader) line() (string, error) {
	var line []byte
	for {
		part, err := f.in.ReadSlice('\n')
		line = append(line, part...)
		if over := len(line) - maxHeaderLine; over > 0 {
			line = append(line[:0], line[over:]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return "", endOfStream(err)
		}
		return strings.TrimRight(string(line), "\r\n"), nil
	}
}

// body reads n bytes, growing as they come: a length that lies does not cost
// memory that never arrives. It ends early where another frame's header begins.
func (f *frameReader) body(n int) ([]byte, error) {
	const step = 1 << 20
	body := make([]byte, 0, min(n, step))
	for len(body) < n {
		if len(body) == cap(body) {
			body = append(make([]byte, 0, min(n, 2*cap(body))), body...)
		}
		had := len(body)
		m, err := f.in.Read(body[had:min(n, cap(body))])
		body = body[:had+m]
		if i := headerIn(body, had); i >= 0 {
			f.unread(body[i:])
			return body[:i], nil
		}
		if err != nil && len(body) < n {
			return nil, endOfStream(err)
		}
	}
	// A message ends with a brace. What is behind the last one begins the next
	// header, or is the middle of a body that is longer than was said.
	if end := bytes.LastIndexByte(body, '}') + 1; end > 0 && len(bytes.TrimSpace(body[end:])) > 0 {
		f.unread(body[end:])
		body = body[:end]
	}
	return body, nil
}

// headerIn finds a whole Content-Length header in body, of which the bytes
// before had have been looked at; -1 when there is none.
func headerIn(body []byte, had int) int {
	const longest = len(lengthName) + 24 // with digits and line end
	for at := max(0, had-longest); ; {
		i := bytes.Index(body[at:], []byte(lengthName))
		if i < 0 {
			return -1
		}
		at += i
		rest := bytes.TrimLeft(body[at+len(lengthName):], " ")
		digits := len(rest) - len(bytes.TrimLeft(rest, "0123456789"))
		if digits > 0 && bytes.HasPrefix(rest[digits:], []byte("\r\n")) {
			return at
		}
		at += len(lengthName)
	}
}

// unread makes data the next that is read.
func (f *frameReader) unread(data []byte) {
	buffered, _ := f.in.Peek(f.in.Buffered()) // what is buffered is there
	f.from.ahead = append(append(bytes.Clone(data), buffered...), f.from.ahead...)
	f.in.Reset(&f.from)
}

// pushback is a reader that gives what was read too much again.
type pushback struct {
	ahead []byte
	r     io.Reader
}

func (p *pushback) Read(b []byte) (int, error) {
	if len(p.ahead) == 0 {
		return p.r.Read(b)
	}
	n := copy(b, p.ahead)
	if p.ahead = p.ahead[n:]; len(p.ahead) == 0 {
		p.ahead = nil
	}
	return n, nil
}

// endOfStream folds the ways a peer's end shows into io.EOF.
func endOfStream(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) {
		return io.EOF
	}
	return err
}
