package proposal

import "strings"

// bom is the byte-order mark as it appears in a text.
const bom = "\ufeff"

// ends is how a text ends its lines.
type ends uint8

const (
	endsNone  ends = iota // no line end at all
	endsLF                // '\n' only
	endsCRLF              // '\r\n' only
	endsMixed             // both
)

// endsOf returns how s ends its lines, and which kind most of its lines have.
func endsOf(s string) (kind, most ends) {
	all := strings.Count(s, "\n")
	if all == 0 {
		return endsNone, endsNone
	}
	crlf := strings.Count(s, "\r\n")
	most = endsLF
	if crlf > all-crlf {
		most = endsCRLF
	}
	switch crlf {
	case 0:
		return endsLF, most
	case all:
		return endsCRLF, most
	}
	return endsMixed, most
}

// respell returns s with every line end of the given kind; kinds other than LF
// and CRLF leave it alone. The number of lines stays.
func respell(s string, to ends) string {
	switch to {
	case endsLF:
		return strings.ReplaceAll(s, "\r\n", "\n")
	case endsCRLF:
		if strings.Count(s, "\r\n") == strings.Count(s, "\n") {
			return s
		}
		return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
	}
	return s
}

// spelling returns the line ends that a change from before to after must be
// written with to be compared with now, or endsNone to leave it as it is. A
// text that is of one kind throughout is followed. In a mixed one the lines of
// the other kind may have been pasted, or be what is left of a conversion: then
// second is what to try where first gives conflicts.
func (c change) spelling(now string) (first, second ends) {
	own, _ := endsOf(c.before)
	if own == endsNone {
		own, _ = endsOf(c.after)
	}
	kind, most := endsOf(now)
	switch {
	case kind == own || kind == endsNone || own == endsNone:
		return endsNone, endsNone
	case kind != endsMixed:
		return kind, kind
	case own != endsMixed && own != most:
		return endsNone, most
	}
	return endsNone, endsNone
}

// cutBOM splits a leading byte-order mark off s.
func cutBOM(s string) (mark, rest string) {
	if strings.HasPrefix(s, bom) {
		return bom, s[len(bom):]
	}
	return "", s
}

// plain returns s without byte-order mark and with LF line ends, the form in
// which texts are compared.
func plain(s string) string {
	_, s = cutBOM(s)
	return strings.ReplaceAll(s, "\r\n", "\n")
}

// sameText reports whether two texts differ in byte-order mark and line ends
// at most.
func sameText(a, b string) bool {
	return a == b || plain(a) == plain(b)
}
