package lsp

import "emend/edits"

// maxHistory bounds how many changes of one document are remembered for
// carrying ranges forward. At a change a keystroke it is half a minute of fast
// typing, longer than any editor holds on to a range.
const maxHistory = 256

// step is one change in position space: what was between start and end in the
// text before it ends at after in the text behind it.
type step struct {
	start, end, after edits.Position
	whole             bool // the document was replaced: nothing can be carried
}

// move is the steps of one didChange.
type move struct {
	from, to int32
	steps    []step
}

// history is how one document's positions moved, oldest first.
type history struct{ moves []move }

func (h *history) add(from, to int32, steps []step) {
	if len(h.moves) == maxHistory {
		h.moves = append(h.moves[:0:0], h.moves[maxHistory/2:]...)
	}
	h.moves = append(h.moves, move{from: from, to: to, steps: steps})
}

// carry takes the range start..end of version from to version to. ok is false
// when the way between is not known in full or a change touched the range.
func (h *history) carry(from, to int32, start, end edits.Position) (_, _ edits.Position, ok bool) {
	i := len(h.moves)
	for i > 0 && h.moves[i-1].to > from {
		i--
	}
	for ; i < len(h.moves) && from != to; i++ {
		m := h.moves[i]
		if m.from != from {
			return start, end, false
		}
		for _, st := range m.steps {
			if start, end, ok = st.carry(start, end); !ok {
				return start, end, false
			}
		}
		from = m.to
	}
	return start, end, from == to
}

// carry moves one range across one step: a change before it shifts it, one
// behind it leaves it, one inside it breaks it.
func (st step) carry(start, end edits.Position) (_, _ edits.Position, ok bool) {
	switch {
	case st.whole:
		return start, end, false
	case !before(st.start, end): // wholly behind, or inserted right at the end
		return start, end, true
	case !before(start, st.end):
		return st.shift(start), st.shift(end), true
	default:
		return start, end, false
	}
}

// shift moves a position at or behind the step's end.
func (st step) shift(p edits.Position) edits.Position {
	if p.Line == st.end.Line {
		return edits.Position{Line: st.after.Line, Column: st.after.Column + p.Column - st.end.Column}
	}
	return edits.Position{Line: p.Line + st.after.Line - st.end.Line, Column: p.Column}
}

func before(a, b edits.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}
