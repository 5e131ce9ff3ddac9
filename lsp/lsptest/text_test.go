package lsptest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestOffsetOf: places, and what is wrong with others.
func TestOffsetOf(t *testing.T) {
	const text = "aé𝄞b\r\nx"
	tests := []struct {
		line, character int
		encoding        string
		want            int
		complaint       string
	}{
		{0, 0, utf16Units, 0, ""},
		{0, 2, utf16Units, 3, ""},
		{0, 3, utf16Units, 3, "inside the character"},
		{0, 4, utf16Units, 7, ""},
		{0, 3, utf32Units, 7, ""},
		{0, 7, utf8Units, 7, ""},
		{0, 2, utf8Units, 1, "inside the character"},
		{0, 5, utf16Units, 8, ""},
		{0, 6, utf16Units, 8, "beyond the end of its line"},
		{1, 1, utf16Units, 11, ""},
		{2, 0, utf16Units, 11, ""},
		{2, 1, utf16Units, 11, "beyond the text"},
		{3, 0, utf16Units, 11, "beyond the text"},
		{-1, 0, utf16Units, 0, "negative"},
	}
	for _, tt := range tests {
		got, complaint := offsetOf(text, Position{tt.line, tt.character}, tt.encoding)
		if got != tt.want || (complaint == "") != (tt.complaint == "") || !strings.Contains(complaint, tt.complaint) {
			t.Errorf("%d:%d in %s is %d, %q, want %d, %q", tt.line, tt.character, tt.encoding, got, complaint, tt.want, tt.complaint)
		}
	}
}

// TestPositions: every place of every text has a position that leads back.
func TestPositions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "é", "𝄞", "\n", "\r\n", "\t"})).Draw(rt, "text"), "")
		encoding := rapid.SampledFrom([]string{utf8Units, utf16Units, utf32Units}).Draw(rt, "encoding")
		for at := range len(text) + 1 {
			if splits(text, at) {
				continue
			}
			if got, complaint := offsetOf(text, positionOf(text, at, encoding), encoding); got != at || complaint != "" {
				rt.Fatalf("byte %d of %q comes back as %d, %q", at, text, got, complaint)
			}
		}
	})
}

// TestDifference: the replacement between two texts gives the second, and
// splits nothing.
func TestDifference(t *testing.T) {
	texts := rapid.Custom(func(rt *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "é", "è", "𝄞", "\n", "\r\n"}), 0, 8).Draw(rt, "pieces"), "")
	})
	rapid.Check(t, func(rt *rapid.T) {
		before, after := texts.Draw(rt, "before"), texts.Draw(rt, "after")
		s := difference(before, after)
		if got := s.apply(before); got != after {
			rt.Fatalf("%+v makes %q of %q, want %q", s, got, before, after)
		}
		if splits(before, s.start) || splits(before, s.end) {
			rt.Fatalf("%+v splits %q", s, before)
		}
	})
}
