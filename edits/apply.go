package edits

import (
	"fmt"
	"slices"
	"strings"
)

// Options are choices for applying blocks. The zero value is the safe one.
type Options struct {
	Partial    bool // keep the good blocks of a file when others are refused
	ReplaceAll bool // a block that is found several times is applied to all of them
	Fuzzy      bool // allow the similarity tier; what it applies has TierSimilar
}

// Applied tells where and how a block was applied.
type Applied struct {
	Block int
	Tier  Tier
	Line  int // one-based first line in the text before; 0 for the whole file
}

// Result is what became of the blocks of one file. Unless Options.Partial is
// set, a file with a refusal is as it was: After is the text before, Edits and
// Applied are nil.
type Result struct {
	After   string
	Edits   Set // what turns the text before into After; all of it inside what the blocks matched
	Applied []Applied
	Refused []Refusal
	Deleted bool   // the file is to be deleted; After is empty
	MovedTo string // the file is to have this name; "" = its own
}

// ApplyBlocks applies the blocks of one file, in the order given, to its text
// before, which is "" when it does not exist. The path is for messages only.
// The byte-order mark and the line ends of the file are kept. Cost: a few
// passes over the text for each block.
func ApplyBlocks(path, before string, exists bool, blocks []Block, opt Options) Result {
	c := &composer{matcher: matcher{path: path, opt: opt}, before: newSource(before)}
	var res Result
	whole := 0
	for _, b := range blocks {
		b = b.withoutMark()
		if b.MoveTo != "" && exists {
			res.MovedTo = b.MoveTo
		}
		if b.Delete || b.Whole {
			whole++
		}
		if c.repeats(b) {
			c.applied = append(c.applied, Applied{Block: b.Index, Tier: TierRepeat})
			continue
		}
		if r := c.admit(b, exists, len(blocks), whole); r != nil {
			c.refused = append(c.refused, *r)
			continue
		}
		switch {
		case b.Delete:
			res.Deleted = true
			c.spans = []span{{0, len(before), "", b.Index}}
			c.applied = append(c.applied, Applied{Block: b.Index, Tier: TierCreate})
		case b.Whole || b.blankSearch(!c.before.empty()):
			c.fill(b, exists)
		default:
			c.add(b)
		}
	}
	res.Refused = c.refused
	if len(c.refused) > 0 && (!opt.Partial || whole > 0) {
		return Result{After: before, Refused: c.refused}
	}
	res.After, res.Applied = before, c.applied
	edits := c.edits()
	after, err := edits.Apply(before)
	if err != nil { // spans are in order and apart
		r := Refusal{Block: -1, Path: path, Code: Overlap, Message: err.Error()}
		return Result{After: before, Refused: append(c.refused, r)}
	}
	res.After, res.Edits = after, edits
	return res
}

// admit refuses a block that its file's state rules out.
func (c *composer) admit(b Block, exists bool, blocks, whole int) *Refusal {
	empty := b.blankSearch(!c.before.empty())
	pure := b.MoveTo != "" && b.Search == "" && b.Replace == ""
	made := len(c.spans) > 0 // by an earlier block
	switch {
	case b.Delete && !exists, pure && !exists:
		return c.refuse(b, UnknownFile, "the file does not exist, so there is nothing to delete or move.")
	case whole > 0 && blocks > 1:
		return c.refuse(b, Overlap, "a block for the whole file goes with other blocks for it. Send only the one that is meant.")
	case b.Delete && b.Search != "" && !slices.Equal(bodies(b.Search), c.before.bodies):
		return c.refuse(b, NotFound, "the file to delete does not read as the diff says. Read it again, and delete it without its text if it is to go all the same.")
	case b.Delete || b.Whole || pure:
		return nil
	case b.Create && (exists || made):
		return c.refuse(b, EmptySearch, "the file exists already. To change it, copy the lines to change into SEARCH.")
	case empty && (exists && !c.before.empty() || made):
		return c.refuse(b, EmptySearch, fmt.Sprintf(
			"SEARCH is empty, but the file has %s. An empty SEARCH creates a file or fills an empty one; to add lines, copy the line they go next to into SEARCH and REPLACE.", countOf(len(c.before.bodies), "line")))
	case empty && exists && strings.TrimSpace(b.Replace) == "":
		return c.refuse(b, NoChange, "SEARCH and REPLACE are both empty.")
	case !empty && !exists && !made:
		return c.refuse(b, UnknownFile, "the file does not exist. To create it, leave SEARCH empty; to change another file, write its path as it is in the workspace.")
	}
	return nil
}

// checkFill refuses a text that is not what the file is to read: one with lines
// left out that the file does not leave out itself, or in a fence.
func (c *composer) checkFill(b Block) *Refusal {
	sec := section{search: c.before.bodies, replace: bodies(b.Replace)}
	if line := newOmission(sec, c.path, c.before.bodies); line != "" {
		return c.omission(b, line)
	}
	if what := sec.dressed(c.path); what != "" {
		return c.undress(b, what)
	}
	return nil
}

// fill gives a file its whole text. A file that exists keeps its byte-order
// mark, its line ends, and, where it is quite empty, its lack of a last one.
func (c *composer) fill(b Block, exists bool) {
	if b.MoveTo != "" && b.Search == "" && b.Replace == "" {
		c.applied = append(c.applied, Applied{Block: b.Index, Tier: TierCreate})
		return
	}
	if r := c.checkFill(b); r != nil {
		c.refused = append(c.refused, *r)
		return
	}
	before := c.before.text
	start := 0
	if strings.HasPrefix(before, byteOrderMark) {
		start = len(byteOrderMark)
	}
	text := strings.TrimPrefix(b.Replace, byteOrderMark)
	if c.before.eol == "\r\n" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	if exists && start == len(before) && !b.Text && !b.Whole {
		text, _ = cutEnding(text)
	}
	if exists && text == before[start:] {
		c.refused = append(c.refused, *c.refuse(b, NoChange, "the file already reads as REPLACE does."))
		return
	}
	if text != "" {
		c.spans = []span{{start, len(before), text, b.Index}}
	}
	c.seen = append(c.seen, b)
	c.applied = append(c.applied, Applied{Block: b.Index, Tier: TierCreate})
}
