package edits

import (
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// clusterLen returns the length of the first grapheme cluster of s, which is
// not empty and starts at a cluster's start. "\r\n" is one cluster.
func clusterLen(s string) int {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		if s[0] == '\r' && len(s) > 1 && s[1] == '\n' {
			return 2
		}
		return 1
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return len(cluster)
}

// clusters cuts s into grapheme clusters.
func clusters(s string) []string {
	out := make([]string, 0, len(s))
	for s != "" {
		n := clusterLen(s)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// tokenClass says which clusters go together in one token.
type tokenClass uint8

const (
	symbolToken tokenClass = iota // each cluster on its own
	wordToken
	spaceToken
)

// classOf returns the class of a cluster by its first character.
func classOf(cluster string) tokenClass {
	r, _ := utf8.DecodeRuneInString(cluster)
	switch {
	case r == ' ' || r == '\t':
		return spaceToken
	case r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9':
		return wordToken
	case r < utf8.RuneSelf || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return symbolToken
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return wordToken
	}
	return symbolToken
}

// tokens cuts s into words, runs of blanks, and single other clusters. No
// token starts or ends inside a cluster.
func tokens(s string) []string {
	var out []string
	start, class := 0, symbolToken
	for at := 0; at < len(s); {
		n := clusterLen(s[at:])
		c := classOf(s[at : at+n])
		if at > start && (c != class || c == symbolToken) {
			out = append(out, s[start:at])
			start = at
		}
		class = c
		at += n
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// isWordByte reports whether c is part of an ASCII word.
func isWordByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
