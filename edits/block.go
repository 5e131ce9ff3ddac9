package edits

import (
	"slices"
	"strings"
)

// Block is one edit as a reply asks for it. A block made by hand needs only
// Search and Replace: a pair of strings as a tool call gives them has Text set.
type Block struct {
	Index   int    // position among the reply's blocks, from 0, unreadable ones counted
	Path    string // as written, without markup; "" when none was given
	Search  string // what to find; "" creates a file or fills an empty one
	Replace string // what to put there
	Line    int    // line of the reply where the block starts, one-based; 0 unknown
	Hint    int    // one-based line of the file where Search should be; 0 none

	// Text says that Search and Replace are strings, whose ends are where the
	// text to replace ends. Otherwise they are whole lines.
	Text   bool
	All    bool   // replace every occurrence
	Create bool   // the file must not exist yet
	Whole  bool   // Replace is the whole new text of the file
	Delete bool   // delete the file; Search and Replace are empty
	MoveTo string // rename the file to this after the edit

	splits  []split  // other readings, when several lines may separate Search from Replace
	patch   bool     // a hunk of a diff: in order, and lines of both sides are kept as they are
	anchors []string // lines above the hunk, outermost first
	atEnd   bool     // the hunk ends where the file ends
	finalNL newline  // what the hunk does to a missing newline at the end
	soft    bool     // Path was found in prose: it counts only if such a file exists
	instead string   // and otherwise this, the file of the block before
}

// blankSearch reports whether SEARCH holds nothing to find. Where several lines
// may separate it from REPLACE it is the first that does in a file that has no
// text to find.
func (b Block) blankSearch(text bool) bool {
	return strings.TrimRight(b.Search, "\r\n") == "" && (len(b.splits) == 0 || !text)
}

// withoutMark returns the block without byte-order marks, which are no part of
// a text that is matched.
func (b Block) withoutMark() Block {
	b.Search, b.Replace = strings.TrimPrefix(b.Search, byteOrderMark), strings.TrimPrefix(b.Replace, byteOrderMark)
	if len(b.splits) > 0 {
		b.splits = slices.Clone(b.splits)
		for i, s := range b.splits {
			b.splits[i].search, b.splits[i].replace = strings.TrimPrefix(s.search, byteOrderMark), strings.TrimPrefix(s.replace, byteOrderMark)
		}
	}
	return b
}

// split is one way to cut a block in two.
type split struct {
	search, replace string
	equal           bool // the separator is as long as the opening marker
}

// newline says what a diff does to the last line's ending.
type newline uint8

const (
	keepNewline newline = iota
	addNewline
	dropNewline
)

// Reply is a parsed reply.
type Reply struct {
	Blocks   []Block   // in the order of the reply
	Problems []Refusal // blocks that could not be read
	Prose    string    // the text outside blocks, without their paths and fences
}
