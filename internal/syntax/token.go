package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token returns the bytes of the token at the offset: the name or number that
// the offset is in or right behind of, else the operator or the bracket that
// begins there. It is empty between blanks, at the end of the text, and for an
// offset outside of it. It looks at the line alone, knows no language, and
// costs the length of the token, of which no more than a kilobyte is told.
func Token(text string, offset int) (start, end int) {
	if offset < 0 || offset > len(text) {
		return offset, offset
	}
	offset = runeStart(text, offset)
	start, end = offset, offset
	for start > 0 && offset-start < maxToken {
		c, n := utf8.DecodeLastRuneInString(text[:start])
		if !inName(c) {
			break
		}
		start -= n
	}
	for end < len(text) && end-offset < maxToken {
		c, n := utf8.DecodeRuneInString(text[end:])
		if !inName(c) {
			break
		}
		end += n
	}
	if start < end || offset == len(text) {
		return start, end
	}
	c, n := utf8.DecodeRuneInString(text[offset:])
	switch {
	case unicode.IsSpace(c):
		return offset, offset
	case strings.ContainsRune(operators, c):
		for start > 0 && offset-start < maxToken && strings.IndexByte(operators, text[start-1]) >= 0 {
			start--
		}
		for end < len(text) && end-offset < maxToken && strings.IndexByte(operators, text[end]) >= 0 {
			end++
		}
		return start, end
	}
	return offset, offset + n
}

// runeStart returns where the character begins that the offset is in.
func runeStart(text string, offset int) int {
	for n := 1; n < utf8.UTFMax && n <= offset; n++ {
		if utf8.RuneStart(text[offset-n]) {
			if _, size := utf8.DecodeRuneInString(text[offset-n:]); size > n {
				return offset - n
			}
			break
		}
	}
	return offset
}

const (
	// maxToken bounds how far a token is followed to either side.
	maxToken = 512
	// operators are the characters that make one token with those beside them.
	operators = "+-*/%=<>!&|^~?:.@"
)

// inName reports whether a character may be in a name or a number.
func inName(c rune) bool {
	return c == '_' || c == '$' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.Mn, c)
}
