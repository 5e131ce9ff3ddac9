package edits

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// span is a stretch of the original text and what a block makes of it.
type span struct {
	start, end int
	text       string
	block      int
}

// composer puts the blocks of one file together. Each is matched against the
// original text; one that is not there may continue an earlier block, and is
// matched against what the earlier ones made of the file.
type composer struct {
	matcher
	before  *source
	spans   []span // ascending, not overlapping
	seen    []Block
	applied []Applied
	refused []Refusal
}

// repeats reports whether a block is word for word one that came before.
func (c *composer) repeats(b Block) bool {
	return !b.patch && slices.ContainsFunc(c.seen, func(old Block) bool {
		return old.Search == b.Search && old.Replace == b.Replace && old.Hint == b.Hint && old.Whole == b.Whole && len(old.anchors) == 0
	})
}

// add places one block, or records why it cannot be.
func (c *composer) add(b Block) {
	f, r := c.match(c.before, b)
	if r == nil {
		r = c.place(b, f)
	} else if (r.Code == NotFound || r.Code == AlreadyApplied) && len(c.spans) > 0 {
		now := newSource(c.text())
		if g, again := c.match(now, b); again == nil {
			r = c.fold(b, g)
			f = g
			f.line = c.originalLine(now, f.line)
		}
	}
	if r != nil {
		c.refused = append(c.refused, *r)
		return
	}
	c.seen = append(c.seen, b)
	c.applied = append(c.applied, Applied{Block: b.Index, Tier: f.tier, Line: f.line})
}

// spansOf cuts pieces into the runs of lines that they change.
func spansOf(text string, pieces []piece, block int) []span {
	var out []span
	for _, p := range pieces {
		old := text[p.start:p.end]
		if old == p.text {
			continue
		}
		if !p.lines {
			out = append(out, span{p.start, p.end, p.text, block})
			continue
		}
		a, b := splitLines(old), splitLines(p.text)
		offA, offB := lineOffsets(a), lineOffsets(b)
		for _, r := range diffLines(a, b) {
			out = append(out, span{p.start + offA[r.i0], p.start + offA[r.i1], p.text[offB[r.j0]:offB[r.j1]], block})
		}
	}
	return out
}

// place adds a match in the original text. Lines that an earlier block changes
// may not be changed again, unless to the same.
func (c *composer) place(b Block, f found) *Refusal {
	spans := spansOf(c.before.text, f.pieces, b.Index)
	if len(spans) == 0 {
		return c.refuse(b, NoChange, fmt.Sprintf("line %d and what follows already read as REPLACE does. Leave the block out.", f.line))
	}
	var fresh []span
	for _, s := range spans {
		known := false
		for i := c.firstTouching(s.start); i < len(c.spans) && c.spans[i].start <= s.end; i++ {
			old := c.spans[i]
			insert := s.start == s.end && old.start == old.end && s.start == old.start
			switch {
			case s.start == old.start && s.end == old.end && s.text == old.text:
				known = true
			case insert || s.start < old.end && old.start < s.end:
				return c.refuse(b, Overlap, fmt.Sprintf(
					"blocks %d and %d both change line %d. Put what they do into one block.", old.block+1, b.Index+1, c.before.lineAt(s.start)+1))
			}
		}
		if !known {
			fresh = append(fresh, s)
		}
	}
	c.spans = append(c.spans, fresh...)
	slices.SortStableFunc(c.spans, bySpan)
	return nil
}

// firstTouching returns the first span that ends at or behind an offset.
func (c *composer) firstTouching(offset int) int {
	return sort.Search(len(c.spans), func(i int) bool { return c.spans[i].end >= offset })
}

// bySpan orders spans; an insertion goes before a change that starts where it
// does.
func bySpan(a, b span) int {
	if a.start != b.start {
		return a.start - b.start
	}
	return a.end - b.end
}

// insert adds one span.
func (c *composer) insert(s span) {
	i, _ := slices.BinarySearchFunc(c.spans, s, bySpan)
	c.spans = slices.Insert(c.spans, i, s)
}

// fold adds a match in the text that the spans make, by widening the spans it
// lies in or touches.
func (c *composer) fold(b Block, f found) *Refusal {
	spans := spansOf(c.text(), f.pieces, b.Index)
	if len(spans) == 0 {
		return c.refuse(b, NoChange, "what the earlier blocks leave already reads as REPLACE does. Leave the block out.")
	}
	for _, s := range slices.Backward(spans) {
		c.foldOne(s)
	}
	return nil
}

// foldOne folds one span, whose offsets are of the text that the spans make.
func (c *composer) foldOne(s span) {
	shift := 0
	first, last := -1, -1
	out := span{block: s.block, text: s.text}
	for i, old := range c.spans {
		start := old.start + shift
		end := start + len(old.text)
		if end < s.start || start > s.end {
			if start > s.end {
				break
			}
			shift += len(old.text) - (old.end - old.start)
			continue
		}
		if first < 0 {
			first = i
			out.start = s.start - shift
			if start <= s.start {
				out.start = old.start
				out.text = old.text[:s.start-start] + out.text
			}
		}
		last = i
		if end >= s.end {
			out.end = old.end
			if s.end > start {
				out.text += old.text[s.end-start:]
			} else {
				out.text += old.text
			}
		} else {
			out.end = old.end + s.end - end
		}
		shift += len(old.text) - (old.end - old.start)
	}
	if first < 0 {
		shift = c.shiftBefore(s.start)
		c.insert(span{s.start - shift, s.end - shift, s.text, s.block})
		return
	}
	c.spans = slices.Replace(c.spans, first, last+1, out)
}

// shiftBefore returns how far the spans before an offset of the text that they
// make move what follows.
func (c *composer) shiftBefore(offset int) int {
	shift := 0
	for _, s := range c.spans {
		if s.start+shift+len(s.text) > offset {
			break
		}
		shift += len(s.text) - (s.end - s.start)
	}
	return shift
}

// originalLine returns the line of the original text for one of the text that
// the spans make.
func (c *composer) originalLine(now *source, line int) int {
	if line < 1 || line > len(now.bodies) {
		return 1
	}
	at := now.starts[line-1]
	return c.before.lineAt(max(0, at-c.shiftBefore(at))) + 1
}

// text returns the original text with the spans done.
func (c *composer) text() string {
	var b strings.Builder
	at := 0
	for _, s := range c.spans {
		b.WriteString(c.before.text[at:s.start])
		b.WriteString(s.text)
		at = s.end
	}
	b.WriteString(c.before.text[at:])
	return b.String()
}

// edits returns the spans as a minimal set: nothing outside them changes.
func (c *composer) edits() Set {
	var out Set
	for _, s := range c.spans {
		for _, e := range Diff(c.before.text[s.start:s.end], s.text) {
			out = out.join(Edit{Start: s.start + e.Start, End: s.start + e.End, New: e.New})
		}
	}
	return out
}
