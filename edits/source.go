package edits

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// byteOrderMark is what some editors put in front of UTF-8; it is no part of
// the first line.
const byteOrderMark = "\ufeff"

// Tier names how a block was matched, from strict to loose.
type Tier string

// The tiers. The first tier with a hit decides; looser ones are not tried.
const (
	TierCreate     Tier = "create"     // a new or empty file, a whole text, a deletion
	TierExact      Tier = "exact"      // whole lines as they are
	TierSubstring  Tier = "substring"  // part of a line, between words
	TierTrailing   Tier = "trailing"   // but for white space at line ends
	TierIndent     Tier = "indent"     // but for indentation
	TierSpaces     Tier = "spaces"     // but for white space within lines
	TierUnicode    Tier = "unicode"    // but for quotes, dashes and the like
	TierEllipsis   Tier = "ellipsis"   // "..." lines on both sides stand for lines that stay
	TierSimilar    Tier = "similar"    // nearly; only with Options.Fuzzy
	TierRepeat     Tier = "repeat"     // the same as an earlier block
	TierReplaceAll Tier = "replaceall" // every occurrence
)

// lineTiers are the tiers that compare whole lines, strict first.
var lineTiers = []Tier{TierExact, TierTrailing, TierIndent, TierSpaces, TierUnicode}

// lineKey returns what a line looks like to a tier: lines with equal keys
// match.
func lineKey(t Tier, body string) string {
	switch t {
	case TierTrailing:
		return strings.TrimRightFunc(body, unicode.IsSpace)
	case TierIndent:
		return strings.TrimSpace(body)
	case TierSpaces:
		return collapse(strings.TrimSpace(body))
	case TierUnicode:
		return collapse(strings.TrimSpace(plain(body)))
	}
	return body
}

// collapse makes every run of white space one space.
func collapse(s string) string {
	space := false
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		c := s[i]
		clean = c < utf8.RuneSelf && c != '\t' && c != '\r' && c != '\v' && c != '\f' && (c != ' ' || !space)
		space = c == ' '
	}
	if clean {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// plainer spells typographic characters the way a keyboard does.
var plainer = strings.NewReplacer(
	"\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'", "\u2032", "'",
	"\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u201f", `"`, "\u2033", `"`, "\u00ab", `"`, "\u00bb", `"`,
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-", "\u2212", "-",
	"\u2026", "...",
	"\u00a0", " ", "\u2000", " ", "\u2001", " ", "\u2002", " ", "\u2003", " ", "\u2004", " ", "\u2005", " ", "\u2006", " ",
	"\u2007", " ", "\u2008", " ", "\u2009", " ", "\u200a", " ", "\u202f", " ", "\u205f", " ", "\u3000", " ",
	"\u200b", "", "\u2060", "", "\ufeff", "",
)

// plain returns s composed (NFC) and without typographic characters.
func plain(s string) string {
	if isASCII(s) {
		return s
	}
	return plainer.Replace(norm.NFC.String(s))
}

// source is a text that blocks are matched against.
type source struct {
	text   string
	bodies []string // lines without endings, the byte-order mark not included
	starts []int    // where each line starts, and the end of the text
	valid  bool     // the text is UTF-8: only then may a tier be tolerant
	eol    string   // the ending most lines have
	keys   map[Tier][]string
	held   map[string][]int // lines with a key in the loosest tier
}

func newSource(text string) *source {
	s := &source{text: text, valid: utf8.ValidString(text), eol: "\n", keys: map[Tier][]string{}, held: map[string][]int{}}
	at, crlf := 0, 0
	if strings.HasPrefix(text, byteOrderMark) {
		at = len(byteOrderMark)
	}
	n := strings.Count(text, "\n")
	s.bodies, s.starts = make([]string, 0, n+1), make([]int, 0, n+2)
	for at < len(text) {
		line := text[at:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		body, ending := cutEnding(line)
		if len(ending) == 2 {
			crlf++
		}
		s.bodies, s.starts = append(s.bodies, body), append(s.starts, at)
		at += len(line)
	}
	s.starts = append(s.starts, at)
	if lines := len(s.bodies); 2*crlf > lines || crlf > 0 && lines == 1 {
		s.eol = "\r\n"
	}
	return s
}

// ending returns how line i ends: "" for a last line without a line break.
func (s *source) ending(i int) string {
	return s.text[s.starts[i]+len(s.bodies[i]) : s.starts[i+1]]
}

// open reports whether the text ends without a line break.
func (s *source) open() bool {
	n := len(s.bodies)
	return n > 0 && s.ending(n-1) == ""
}

// empty reports whether the text holds nothing but white space.
func (s *source) empty() bool { return blank(strings.TrimPrefix(s.text, byteOrderMark)) }

// keysFor returns every line's key in a tier.
func (s *source) keysFor(t Tier) []string {
	if t == TierExact {
		return s.bodies
	}
	if k, ok := s.keys[t]; ok {
		return k
	}
	k := make([]string, len(s.bodies))
	switch t { // each from the one before, which has most of the work done
	case TierSpaces:
		for i, key := range s.keysFor(TierIndent) {
			k[i] = collapse(key)
		}
	case TierUnicode:
		for i, key := range s.keysFor(TierSpaces) {
			if k[i] = key; !isASCII(key) {
				k[i] = lineKey(t, s.bodies[i])
			}
		}
	default:
		for i, b := range s.bodies {
			k[i] = lineKey(t, b)
		}
	}
	s.keys[t] = k
	return k
}

// isASCII reports whether s holds nothing but ASCII.
func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// findLines returns the first lines of all places where the lines match in a
// tier, places that overlap included (Knuth, Morris, Pratt).
func (s *source) findLines(t Tier, search []string) []int {
	if len(search) == 0 || len(search) > len(s.bodies) {
		return nil
	}
	if t == TierExact {
		return occurrences(s.bodies, search)
	}
	longest := 0
	for i, l := range search {
		if len(l) > len(search[longest]) {
			longest = i
		}
	}
	lines := s.alike(search[longest])
	if len(lines) == 0 {
		return nil
	}
	want := make([]string, len(search))
	for i, l := range search {
		want[i] = lineKey(t, l)
	}
	if len(lines)*len(search) > len(s.bodies) {
		return occurrences(s.keysFor(t), want)
	}
	var out []int
	for _, i := range lines {
		if first := i - longest; first >= 0 && s.reads(t, first, want) {
			out = append(out, first)
		}
	}
	return out
}

// reads reports whether the lines from first on have these keys in a tier.
func (s *source) reads(t Tier, first int, keys []string) bool {
	if first+len(keys) > len(s.bodies) {
		return false
	}
	for i, key := range keys {
		if lineKey(t, s.bodies[first+i]) != key {
			return false
		}
	}
	return true
}

// alike returns the lines that are like a line in the loosest tier. Only there
// can lines with this one among them match in any tier.
func (s *source) alike(line string) []int {
	key := lineKey(TierUnicode, line)
	out, ok := s.held[key]
	if !ok {
		for i, b := range s.bodies {
			if mayEqual(b, key) && lineKey(TierUnicode, b) == key {
				out = append(out, i)
			}
		}
		s.held[key] = out
	}
	return out
}

// mayEqual is a quick look at whether a line can have a key, by its first
// character.
func mayEqual(body, key string) bool {
	at := 0
	for at < len(body) && (body[at] == ' ' || body[at] == '\t') {
		at++
	}
	switch {
	case at == len(body):
		return key == ""
	case key == "":
		return body[at] < ' ' || body[at] >= utf8.RuneSelf
	case key[0] >= utf8.RuneSelf:
		return !isASCII(body)
	}
	return body[at] == key[0] || body[at] < ' ' || body[at] >= utf8.RuneSelf
}

// occurrences returns every index of list where want starts.
func occurrences(list, want []string) []int {
	if len(want) == 1 {
		var out []int
		for i, l := range list {
			if l == want[0] {
				out = append(out, i)
			}
		}
		return out
	}
	back := make([]int, len(want))
	for i, k := 1, 0; i < len(want); i++ {
		for k > 0 && want[i] != want[k] {
			k = back[k-1]
		}
		if want[i] == want[k] {
			k++
		}
		back[i] = k
	}
	var out []int
	k := 0
	for i, l := range list {
		for k > 0 && l != want[k] {
			k = back[k-1]
		}
		if l == want[k] {
			k++
		}
		if k == len(want) {
			out = append(out, i+1-k)
			k = back[k-1]
		}
	}
	return out
}

// atWordBreak reports whether a cut at offset goes through no word and no
// character with its marks.
func atWordBreak(s string, offset int) bool {
	if offset == 0 || offset == len(s) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:offset])
	after, _ := utf8.DecodeRuneInString(s[offset:])
	if unicode.In(after, unicode.Mn, unicode.Me, unicode.Mc) || after == '\u200d' || before == '\u200d' || unicode.Is(unicode.Variation_Selector, after) {
		return false
	}
	return !isNameRune(before) || !isNameRune(after)
}

// lineAt returns the line that holds the byte at offset.
func (s *source) lineAt(offset int) int {
	i, ok := slices.BinarySearch(s.starts, offset)
	if ok {
		return i
	}
	return max(0, i-1)
}
