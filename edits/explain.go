package edits

import (
	"fmt"
	"sort"
	"strings"
)

// The bounds of what a refusal shows of a file.
const (
	maxExcerpt   = 30 // lines
	maxLineShown = 200
	maxPlaces    = 10
)

// ambiguous says at which lines a block could go.
func (m *matcher) ambiguous(s *source, b Block, a attempt) *Refusal {
	var places []string
	for i, span := range a.spans {
		if i == maxPlaces {
			places = append(places, fmt.Sprintf("and %d more", len(a.spans)-i))
			break
		}
		line := span[0]
		if a.tier == TierSubstring {
			line = s.lineAt(span[0])
		}
		places = append(places, fmt.Sprint(line+1))
	}
	line := a.spans[0][0]
	if a.tier == TierSubstring {
		line = s.lineAt(line)
	}
	return m.refuse(b, Ambiguous, fmt.Sprintf(
		"SEARCH is in the file %d times, at lines %s%s. Add the line above or below to SEARCH and REPLACE, so that it is there once. The first place is:\n%s",
		len(a.spans), strings.Join(places, ", "), looseness(a.tier), s.excerpt(line-2, line+len(a.sec.search)+2)))
}

// looseness says what a tier did not regard.
func looseness(t Tier) string {
	switch t {
	case TierTrailing:
		return " (white space at line ends not regarded)"
	case TierIndent:
		return " (indentation not regarded)"
	case TierSpaces:
		return " (white space not regarded)"
	case TierUnicode:
		return " (white space and typographic characters not regarded)"
	}
	return ""
}

// indentConflict says that the lines of SEARCH are indented in a way that does
// not tell how REPLACE should be.
func (m *matcher) indentConflict(s *source, b Block, span [2]int) *Refusal {
	return m.refuse(b, IndentConflict, fmt.Sprintf(
		"SEARCH matches %s but for indentation, and its indentation does not tell how to indent REPLACE. Copy these lines as they are into SEARCH:\n%s",
		lineSpan(span[0], span[1]), s.excerpt(span[0], span[1])))
}

// notFound says the most useful thing that is known about a SEARCH which is
// nowhere in the file.
func (m *matcher) notFound(s *source, b Block, c section) *Refusal {
	if t, ok := c.trimBlank(); ok {
		c = t
	}
	if at := s.holds(c.replace); at >= 0 {
		return m.refuse(b, AlreadyApplied, fmt.Sprintf(
			"SEARCH is not in the file, but the text of REPLACE is already at %s. Nothing is left to do here; leave the block out.",
			lineSpan(at, at+len(c.replace))))
	}
	if !s.valid {
		return m.refuse(b, NotFound, "SEARCH is not in the file, which is not valid UTF-8 and so is searched for exact lines only.")
	}
	for _, hint := range []struct {
		search []string
		same   func(search, file string) bool
		what   string
	}{
		{c.search, strings.EqualFold, "upper and lower case"},
		{unescaped(c.search), func(a, b string) bool { return a == b }, "escaping (the file has the characters themselves)"},
	} {
		if hint.search == nil {
			continue
		}
		if at := s.findBy(hint.search, hint.same); at >= 0 {
			return m.refuse(b, NotFound, fmt.Sprintf("SEARCH differs from %s only in %s. Copy them as they are:\n%s",
				lineSpan(at, at+len(c.search)), hint.what, s.excerpt(at, at+len(c.search))))
		}
	}
	if lo, hi, ok := s.findSqueezed(c.search); ok {
		return m.refuse(b, NotFound, fmt.Sprintf("SEARCH differs from %s only in white space. Copy them as they are (here \u2192 is a tab and \u00b7 a space):\n%s",
			lineSpan(lo, hi), s.excerptSpaces(lo, hi)))
	}
	first, same, n := s.closest(c.search)
	if same == 0 {
		if near := s.nearLine(c.search); near != "" {
			return m.refuse(b, NotFound, "SEARCH is not in the file. "+near)
		}
		return m.refuse(b, NotFound, fmt.Sprintf(
			"SEARCH is not in the file, nor is anything like it (the file has %s). Read the file again and copy the lines to change.", countOf(len(s.bodies), "line")))
	}
	message := fmt.Sprintf("SEARCH is not in the file. The closest is %s (%d of %d the same).", lineSpan(first, first+n), same, len(c.search))
	for i, l := range c.search {
		at := first + i
		if at >= 0 && at < len(s.bodies) && lineKey(TierIndent, l) == lineKey(TierIndent, s.bodies[at]) {
			continue
		}
		if at < 0 || at >= len(s.bodies) {
			message += fmt.Sprintf(" SEARCH line %d %q is beyond the file.", i+1, shorten(l))
		} else {
			message += fmt.Sprintf(" The first different line: SEARCH line %d %q, file line %d %q.", i+1, shorten(l), at+1, shorten(s.bodies[at]))
		}
		break
	}
	return m.refuse(b, NotFound, message+" Copy the lines as they are:\n"+s.excerpt(first-2, first+n+2))
}

// tiny reports lines too short for their being there to mean anything.
func tiny(lines []string) bool {
	return len(strings.Join(strings.Fields(strings.Join(lines, " ")), "")) < 12
}

// holds returns the line where the file has the lines, or -1. Lines too short
// to mean anything are not looked for.
func (s *source) holds(lines []string) int {
	if tiny(lines) {
		return -1
	}
	if at := s.findLines(TierIndent, lines); s.valid && len(at) > 0 {
		return at[0]
	}
	return -1
}

// findBy returns the one line where the lines match by a comparison of their
// own, or -1.
func (s *source) findBy(search []string, same func(search, file string) bool) int {
	want := make([]string, len(search))
	pivot := 0
	for i, l := range search {
		if want[i] = lineKey(TierSpaces, l); len(want[i]) > len(want[pivot]) {
			pivot = i
		}
	}
	place := -1
	budget := 8 * (len(s.bodies) + len(want)) // lines compared: this only words a message
	for first := 0; len(want) > 0 && first+len(want) <= len(s.bodies); first++ {
		if body := s.bodies[first+pivot]; len(body) < len(want[pivot]) || !same(want[pivot], lineKey(TierSpaces, body)) {
			continue
		}
		i := 0
		for i < len(want) && same(want[i], lineKey(TierSpaces, s.bodies[first+i])) {
			i++
		}
		if budget -= i + 1; budget < 0 {
			return -1
		}
		if i < len(want) {
			continue
		}
		if place >= 0 {
			return -1
		}
		place = first
	}
	return place
}

// maxSqueezed bounds the text that is looked through without its white space.
const maxSqueezed = 512 << 10

// findSqueezed returns the lines that read as SEARCH does but for white space,
// line breaks included, where it is plain which.
func (s *source) findSqueezed(search []string) (lo, hi int, ok bool) {
	want := squeeze(strings.Join(search, "\n"))
	if len(want) < 4 || len(s.text) > maxSqueezed {
		return 0, 0, false
	}
	var all strings.Builder
	starts := make([]int, 0, len(s.bodies)+1)
	for _, b := range s.bodies {
		starts = append(starts, all.Len())
		all.WriteString(squeeze(b))
	}
	starts = append(starts, all.Len())
	text := all.String()
	at := strings.Index(text, want)
	if at < 0 || strings.Contains(text[at+1:], want) {
		return 0, 0, false
	}
	lo = sort.SearchInts(starts, at+1) - 1
	hi = sort.SearchInts(starts, at+len(want))
	return lo, hi, true
}

// squeeze takes all white space out of a text.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// spacesShown makes blanks visible.
var spacesShown = strings.NewReplacer("\t", "\u2192", " ", "\u00b7")

// unescaper undoes the escaping that models add to quoted text.
var unescaper = strings.NewReplacer(`\"`, `"`, `\'`, `'`, "\\`", "`", `\\`, `\`, "&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`)

// unescaped returns lines without escaping, or nil when they have none.
func unescaped(lines []string) []string {
	text := strings.Join(lines, "\n")
	if plain := unescaper.Replace(text); plain != text {
		return bodies(plain)
	}
	return nil
}

// maxVotes bounds how many places of one common line are looked at.
const maxVotes = 50

// closest returns the window of the file in which most lines of search stand
// where they should, how many do, and how long the window is.
func (s *source) closest(search []string) (first, same, n int) {
	places := map[string][]int{}
	for _, l := range search {
		if key := lineKey(TierIndent, l); key != "" {
			places[key] = nil
		}
	}
	for i, b := range s.bodies {
		key := lineKey(TierIndent, b)
		if at, ok := places[key]; ok && len(at) <= maxVotes {
			places[key] = append(at, i)
		}
	}
	votes := map[int]int{}
	for i, l := range search {
		at := places[lineKey(TierIndent, l)]
		if len(at) > maxVotes {
			continue
		}
		for _, p := range at {
			votes[p-i]++
		}
	}
	for at, v := range votes {
		if v > same || v == same && at < first {
			first, same = at, v
		}
	}
	return max(0, first), same, max(1, min(len(search), len(s.bodies)-max(0, first)))
}

// nearLine shows the file's line most like a line of search, if one is more
// alike than not.
func (s *source) nearLine(search []string) string {
	if len(s.text) > maxSimilarText/8 {
		return ""
	}
	longest := ""
	for _, l := range search {
		if t := strings.TrimSpace(l); len(t) > len(longest) {
			longest = t
		}
	}
	best, at := 0.6, -1
	budget := similarBudget
	for i, l := range s.bodies {
		if budget -= len(l) * len(longest) / 4; budget < 0 {
			break
		}
		if score := similarity(longest, l, best); score > best {
			best, at = score, i
		}
	}
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("The line most like %q is line %d. Copy the lines as they are:\n%s", shorten(longest), at+1, s.excerpt(at-2, at+3))
}

// countOf counts things for people.
func countOf(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// excerpt shows lines of the file with their numbers.
func (s *source) excerpt(lo, hi int) string {
	lo, hi = max(0, lo), min(hi, len(s.bodies))
	var b strings.Builder
	for i := lo; i < hi; i++ {
		if i-lo == maxExcerpt {
			fmt.Fprintf(&b, "      | (%d more)\n", hi-i)
			break
		}
		fmt.Fprintf(&b, "%5d | %s\n", i+1, shorten(s.bodies[i]))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// excerptSpaces is excerpt with the blanks of the file's lines made visible.
func (s *source) excerptSpaces(lo, hi int) string {
	lines := strings.Split(s.excerpt(lo, hi), "\n")
	for i, l := range lines {
		if number, text, ok := strings.Cut(l, "| "); ok {
			lines[i] = number + "| " + spacesShown.Replace(text)
		}
	}
	return strings.Join(lines, "\n")
}

// shorten cuts a long line for display.
func shorten(l string) string {
	if len(l) <= maxLineShown {
		return strings.ToValidUTF8(l, "\ufffd")
	}
	return strings.ToValidUTF8(l[:maxLineShown], "") + "…"
}
