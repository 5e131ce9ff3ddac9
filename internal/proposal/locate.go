package proposal

import (
	"emend/edits"
	"emend/state"
)

// LocatedHunk is a hunk where it stands in a text. Start and End are bytes of
// that text; they are equal where the hunk only inserts, and around all that
// changed there for one in conflict, which may take in its neighbours.
type LocatedHunk struct {
	ID         string
	Kind       string // of the file; KindRename for the move itself only
	Start, End int
	Fate       state.Fate // pending; conflict; or applied when the text holds it already
	Old, New   string     // its whole lines, with the text's line ends; both "" for a move
	Conflict   string     // why it cannot be placed, for FateConflict
}

// memo is what a [Content] remembers about one file.
type memo struct {
	frames  map[frameKey]*frame
	text    string        // that located is for
	located []LocatedHunk // nil for none yet
}

type frameKey struct {
	to      ends
	asFound bool
}

// memoLocked returns what is remembered of file i. memoMu must be held.
func (c *Content) memoLocked(i int) *memo {
	m := c.memos[i]
	if m == nil {
		m = &memo{frames: map[frameKey]*frame{}}
		if c.memos == nil {
			c.memos = map[int]*memo{}
		}
		c.memos[i] = m
	}
	return m
}

// place carries file i's open hunks over to a text.
func (c *Content) place(i int, now string) []spot {
	ch := c.change(i)
	return ch.place(now, func(to ends, asFound bool) *frame {
		key := frameKey{to, asFound}
		c.memoMu.Lock()
		f := c.memoLocked(i).frames[key]
		c.memoMu.Unlock()
		if f == nil {
			f = ch.frame(to, asFound)
			c.memoMu.Lock()
			c.memoLocked(i).frames[key] = f
			c.memoMu.Unlock()
		}
		return f
	})
}

// Located returns the open hunks of one document where they stand in its text
// now, in order. The path is the file's, or for a rename whose move is not
// done, the path it moves from. Asking again for the same text costs nothing,
// and for one in which something was typed away from all hunks little more
// than comparing the two. Among repeated lines such a text may have several
// equally good places for a hunk, and [Content.Plan] decide for another. The
// slice is shared and must not be changed.
func (c *Content) Located(path, nowText string) []LocatedHunk {
	var out []LocatedHunk
	for i := range c.Files {
		if c.textAt(i) != path {
			continue
		}
		found := c.locatedFile(i, nowText)
		if out == nil {
			out = found[:len(found):len(found)]
		} else {
			out = append(out, found...)
		}
	}
	return out
}

// textAt returns the path where file i's text is expected to be.
func (c *Content) textAt(i int) string {
	f := c.Files[i]
	if f.Kind == KindRename && f.Hunks[0].Fate != state.FateApplied {
		return f.From
	}
	return f.Path
}

// locatedFile returns file i's open hunks, from memory for the text it was
// asked about last.
func (c *Content) locatedFile(i int, now string) []LocatedHunk {
	c.memoMu.Lock()
	m := c.memoLocked(i)
	if m.located != nil && m.text == now {
		defer c.memoMu.Unlock()
		return m.located
	}
	last, text := m.located, m.text
	c.memoMu.Unlock()

	found, ok := []LocatedHunk(nil), false
	if last != nil {
		found, ok = follow(last, text, now)
	}
	if !ok {
		found = c.locate(i, now)
	}
	c.memoMu.Lock()
	defer c.memoMu.Unlock()
	m = c.memoLocked(i)
	m.text, m.located = now, found
	return found
}

// locate works out where file i's open hunks are in a text. It never returns nil.
func (c *Content) locate(i int, now string) []LocatedHunk {
	f := c.Files[i]
	switch f.Kind {
	case KindCreate, KindDelete:
		if !isOpen(f.Hunks[0].Fate) {
			return []LocatedHunk{}
		}
		return []LocatedHunk{locateWhole(f, c.Texts[i], now)}
	}
	out := make([]LocatedHunk, 0, len(f.Hunks))
	if f.Kind == KindRename && isOpen(f.Hunks[0].Fate) {
		out = append(out, LocatedHunk{ID: f.Hunks[0].ID, Kind: KindRename, Fate: state.FatePending})
	}
	hunks := c.textHunks(i)
	for _, s := range c.place(i, now) {
		l := LocatedHunk{
			ID: hunks[s.index].ID, Kind: KindEdit, Start: s.Start, End: s.End,
			Old: s.hunk.Old, New: s.hunk.New, Fate: state.FatePending,
		}
		switch s.State {
		case edits.Already:
			l.Fate = state.FateApplied
		case edits.Conflicted:
			l.Fate = state.FateConflict
			_, l.Conflict = s.conflict(now)
		}
		out = append(out, l)
	}
	return out
}

// locateWhole locates the hunk of a file that comes or goes, in a text that is
// at its path.
func locateWhole(f state.ProposalFile, texts Texts, now string) LocatedHunk {
	mark, body := cutBOM(now)
	l := LocatedHunk{
		ID: f.Hunks[0].ID, Kind: f.Kind, Start: len(mark), End: len(now),
		Fate: state.FatePending, Old: texts.Before, New: texts.After,
	}
	switch {
	case f.Kind == KindDelete && !sameText(body, texts.Before):
		l.Fate, l.Conflict = state.FateConflict, "the file has changed since its deletion was proposed"
	case f.Kind == KindCreate && sameText(body, texts.After):
		l.Fate = state.FateApplied
	case f.Kind == KindCreate && !isEmpty(body):
		l.Fate, l.Conflict = state.FateConflict, "the file to create exists by now with other content"
	}
	return l
}
