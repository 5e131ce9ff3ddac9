package edits

import (
	"fmt"
	"path"
	"strings"
)

// Parse reads a whole reply: SEARCH/REPLACE blocks, unified diffs and
// apply_patch envelopes, in any order. It is Feed and Finish in one.
func Parse(reply string) Reply {
	var p Parser
	p.Feed(reply)
	return p.Finish()
}

// Parser reads a reply as it arrives. The zero value is ready. The result does
// not depend on how the reply is cut into chunks, and its cost is linear in
// the reply's length. A Parser is for one goroutine.
type Parser struct {
	// WholeFiles makes a fenced text under a path a block with the file's
	// whole new text. Set it before the first Feed.
	WholeFiles bool

	partial  strings.Builder // the last line, which has not ended yet
	line     int             // number of complete lines
	state    func(*Parser, string)
	blocks   []Block
	problems []Refusal
	count    int // blocks so far, unreadable ones counted
	prose    []string
	recent   int // prose lines from here on are not part of an earlier block

	open      marker   // of the block being read
	openLine  int      // its line
	depth     int      // blocks open inside it
	body      []string // its lines so far
	splits    []int    // where body can be cut
	header    header   // where it says which file it is for
	inFence   int      // width of the fence the prose is in; 0 outside
	dropFence bool     // the next bare fence closes one that led to a block

	patch     []string // lines of the diff or envelope being read
	patchLine int
	fence     int // width of the fence a whole file is being read from
}

// header is what the lines above a block say about its file.
type header struct {
	path string
	soft bool
}

// Feed takes the next piece of the reply and returns the blocks that it
// completed, in order.
func (p *Parser) Feed(chunk string) []Block {
	done := len(p.blocks)
	for {
		n := strings.IndexByte(chunk, '\n') + 1
		if n == 0 {
			p.partial.WriteString(chunk)
			return p.blocks[done:len(p.blocks):len(p.blocks)]
		}
		line := chunk[:n]
		chunk = chunk[n:]
		if p.partial.Len() > 0 {
			p.partial.WriteString(line)
			line = p.partial.String()
			p.partial.Reset()
		}
		p.take(line)
	}
}

// Finish ends the reply and returns all of it. A block that the reply does not
// complete is a problem and never a block.
func (p *Parser) Finish() Reply {
	if p.partial.Len() > 0 {
		line := p.partial.String()
		p.partial.Reset()
		p.take(line)
	}
	p.end()
	return Reply{Blocks: p.blocks, Problems: p.problems, Prose: strings.Trim(strings.Join(p.prose, ""), "\r\n")}
}

// take gives one line to the state the parser is in.
func (p *Parser) take(line string) {
	p.line++
	if p.state == nil {
		p.state = (*Parser).readProse
	}
	p.state(p, line)
}

// end closes whatever the end of the reply leaves open.
func (p *Parser) end() {
	switch {
	case len(p.patch) > 0:
		p.endPatch(true)
	case p.fence > 0:
		p.problem(Incomplete, p.openLine, "the reply ends inside the fence that holds the text of the file; send the whole file again")
	case p.open.kind == openMarker:
		section, marker := "SEARCH", "======="
		if len(p.splits) > 0 {
			section, marker = "REPLACE", closing(p.open)
		}
		p.problem(Incomplete, p.openLine, fmt.Sprintf(
			"the reply ends inside the %s section: there is no %q line. Nothing of this block was used; send the whole block again.", section, marker))
	}
}

// closing returns the marker that ends a block opened by m.
func closing(m marker) string {
	if m.cline {
		return strings.Repeat("+", m.width) + " REPLACE"
	}
	return strings.Repeat(">", m.width) + " REPLACE"
}

// problem records a block that cannot be used and goes on after it.
func (p *Parser) problem(code Code, line int, message string) {
	p.problems = append(p.problems, Refusal{Block: p.count, Path: p.header.path, Line: line, Code: code, Message: message})
	p.count++
	p.reset()
}

// reset leaves the block being read.
func (p *Parser) reset() {
	p.open, p.body, p.splits, p.depth, p.fence = marker{}, nil, nil, 0, 0
	p.recent = len(p.prose)
	p.state = (*Parser).readProse
}

// readProse is the state outside blocks.
func (p *Parser) readProse(line string) {
	if m := readMarker(strings.TrimSuffix(line, "\n")); m.kind == openMarker {
		p.start(m)
		return
	}
	if startsPatch(line) || p.startsDiff(line) {
		p.startPatch(line)
		return
	}
	width, info, ok := fenceOf(line)
	if ok && info == "" && p.dropFence {
		p.dropFence = false
		p.recent = len(p.prose)
		return
	}
	if ok && p.WholeFiles && !p.dropFence && (p.inFence == 0 || info != "") {
		if h := p.findHeader(line); h.path != "" && !h.soft {
			p.header, p.fence, p.openLine = h, width, p.line
			p.prose = append(p.prose, line)
			p.state = (*Parser).readFile
			return
		}
	}
	if ok {
		p.trackFence(width, info)
	}
	p.prose = append(p.prose, line)
}

// start opens a block at its marker.
func (p *Parser) start(m marker) {
	p.open, p.openLine = m, p.line
	p.header = p.findHeader("")
	if m.path != "" {
		p.header = header{path: m.path}
	}
	p.dropHeader()
	p.state = (*Parser).readBlock
}

// The lines above a block that may name its file: so many that say something,
// and so many in all.
const (
	headerLines = 3
	headerReach = 5
)

// findHeader looks for the file's name above the line being read, past fences
// and blank lines; a fence that the line itself opens is looked at first.
func (p *Parser) findHeader(fence string) header {
	if _, info, ok := fenceOf(fence); ok {
		if path, ok := pathOfInfo(info); ok {
			return header{path: path}
		}
	}
	lines := p.prose[p.recent:]
	seen := 0
	for i := len(lines) - 1; i >= 0 && len(lines)-i <= headerReach && seen < headerLines; i-- {
		if blank(lines[i]) {
			continue
		}
		seen++
		if _, info, ok := fenceOf(lines[i]); ok {
			if path, ok := pathOfInfo(info); ok {
				return header{path: path}
			}
			continue
		}
		if path, soft, ok := pathOf(lines[i]); ok {
			return header{path: path, soft: soft}
		}
		break
	}
	return header{}
}

// dropHeader takes the lines that lead to a block out of the prose: its path,
// the fence it stands in, and a fence of the path's own. It remembers to drop
// the fence that closes.
func (p *Parser) dropHeader() {
	end := len(p.prose)
	named, own := p.header.path == "", false
	for ; end > p.recent; end-- {
		line := p.prose[end-1]
		if blank(line) {
			continue
		}
		if _, _, fence := fenceOf(line); fence {
			switch {
			case p.inFence > 0:
				p.inFence, p.dropFence = 0, true
			case !named && !own:
				own = true
			case named && own:
				own = false
			default:
				p.prose = p.prose[:end]
				return
			}
			continue
		}
		path, soft, ok := pathOf(line)
		if named || !ok || soft || path != p.header.path {
			break
		}
		named = true
	}
	p.prose = p.prose[:end]
}

// trackFence keeps count of the fences in the prose.
func (p *Parser) trackFence(width int, info string) {
	if p.inFence > 0 && info == "" && width >= p.inFence {
		p.inFence = 0
		return
	}
	p.inFence = width
}

// readBlock is the state between a block's markers.
func (p *Parser) readBlock(line string) {
	m := readMarker(strings.TrimSuffix(line, "\n"))
	m.text = line
	if m.indent != p.open.indent && (m.kind != openMarker || m.indent != "") {
		m = marker{}
	}
	switch {
	case m.kind == openMarker && m.cline == p.open.cline && m.width < p.open.width:
		p.depth++ // a block quoted inside a longer one
	case m.kind == openMarker:
		p.misplaced(m)
		return
	case m.kind == closeMarker && m.cline && !p.open.cline: // text of a block with the usual markers
	case m.kind == closeMarker && p.depth > 0 && m.width < p.open.width:
		p.depth--
	case m.kind == closeMarker && len(p.splits) == 0:
		p.problem(Malformed, p.line, fmt.Sprintf(
			"%q came before any \"=======\" line (the block starts on line %d): a block is SEARCH, =======, REPLACE in this order. Send the block again.",
			strings.TrimSpace(line), p.openLine))
		return
	case m.kind == closeMarker:
		p.finishBlock()
		return
	case m.kind == splitMarker && (p.depth == 0 || m.width == p.open.width):
		p.splits = append(p.splits, len(p.body))
	}
	p.body = append(p.body, line)
}

// misplaced ends a block at the opening marker of another one, which is read
// as a block of its own.
func (p *Parser) misplaced(m marker) {
	if p.closedBySplit() {
		last := p.splits[len(p.splits)-1]
		rest := p.body[last+1:]
		p.body, p.splits = p.body[:last], p.splits[:len(p.splits)-1]
		p.finishBlock()
		for _, l := range rest {
			p.state(p, l)
		}
		p.state(p, m.text)
		return
	}
	section := "SEARCH"
	if len(p.splits) > 0 {
		section = "REPLACE"
	}
	above, tail := p.header, p.body[max(0, len(p.body)-headerReach):]
	p.problem(Malformed, p.line, fmt.Sprintf(
		"a new SEARCH marker came inside the %s section of the block that starts on line %d, which has no %q line. Send that block again, with all its markers.",
		section, p.openLine, closing(p.open)))
	p.prose = append(p.prose, tail...)
	p.start(m)
	if p.header.path == "" {
		p.header = above
	}
}

// closedBySplit reports whether a block that never ends was meant to end at
// its second separator: it stands in front of the fence that closes, or of an
// empty line, and underlines no heading.
func (p *Parser) closedBySplit() bool {
	if len(p.splits) != 2 || isProseFile(p.header.path) {
		return false
	}
	next := p.splits[1] + 1
	if next == len(p.body) {
		return true
	}
	_, info, fence := fenceOf(p.body[next])
	return blank(p.body[next]) || fence && info == ""
}

// isProseFile reports whether a line of "=" may be a heading's underline in a
// file.
func isProseFile(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return isMarkup(name) || ext == ".txt" || ext == ""
}

// isMarkup reports whether a file's headings are underlined by a line of "=",
// and whether a fence is text in it.
func isMarkup(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx", ".qmd", ".rmd", ".rst", ".adoc", ".asciidoc", ".org":
		return true
	}
	return false
}

// dropStutter takes separators off the end of a block that has one before:
// models write ======= once more in front of the closing marker. It may be a
// heading's underline in prose, where it stays for the matcher to judge.
func (p *Parser) dropStutter() {
	for n := len(p.splits); n > 1 && p.splits[n-1] == len(p.body)-1 && !isProseFile(p.header.path); n = len(p.splits) {
		p.body, p.splits = p.body[:len(p.body)-1], p.splits[:n-1]
	}
}

// finishBlock makes the block that its closing marker has just completed.
func (p *Parser) finishBlock() {
	b := p.newBlock(p.openLine)
	b.Hint = p.open.hint
	stripIndent(p.body, p.open.indent)
	p.dropStutter()
	at := p.candidates()
	if len(at) > maxSplits {
		p.problem(AmbiguousSeparator, p.openLine, fmt.Sprintf(
			"%d lines of the block could be the ======= between SEARCH and REPLACE. Send it with longer markers: <<<<<<<<< SEARCH, =========, >>>>>>>>> REPLACE.", len(at)))
		return
	}
	for _, i := range at {
		search, hint := cutHints(p.body[:i])
		if line := misplacedHint(p.body[i+1:]); hint > 0 && line != "" {
			p.problem(Malformed, p.openLine, fmt.Sprintf("%q came in the REPLACE section, where it would be written into the file. It goes above SEARCH only.", line))
			return
		}
		if hint > 0 {
			b.Hint = hint
		}
		sep := readMarker(strings.TrimSuffix(p.body[i], "\n"))
		b.splits = append(b.splits, split{joinLines(search), joinLines(p.body[i+1:]), sep.width == p.open.width})
	}
	b.Search, b.Replace = b.splits[0].search, b.splits[0].replace
	if len(at) == 1 {
		b.splits = nil
	}
	p.add(b)
	p.reset()
}

// maxSplits is how many lines of a block may be its separator before it is
// refused unread.
const maxSplits = 16

// candidates returns the lines that may separate SEARCH from REPLACE. An
// opening longer or shorter than usual asks for a separator of its length.
func (p *Parser) candidates() []int {
	if p.open.width == 7 || p.open.cline {
		return p.splits
	}
	var same []int
	for _, i := range p.splits {
		if readMarker(strings.TrimSuffix(p.body[i], "\n")).width == p.open.width {
			same = append(same, i)
		}
	}
	if len(same) > 0 {
		return same
	}
	return p.splits
}

// newBlock returns a block with its place in the reply filled in.
func (p *Parser) newBlock(line int) Block {
	return Block{Index: p.count, Path: p.header.path, soft: p.header.soft, Line: line}
}

// add takes a finished block.
func (p *Parser) add(b Block) {
	if n := len(p.blocks); n > 0 {
		before := p.blocks[n-1]
		switch {
		case b.Path == "":
			b.Path, b.soft, b.instead = before.Path, before.soft, before.instead
		case b.soft && !before.soft:
			b.instead = before.Path
		case b.soft:
			b.instead = before.instead
		}
	}
	b.Index = p.count
	p.count++
	p.blocks = append(p.blocks, b)
}

// readFile is the state inside the fence of a whole file.
func (p *Parser) readFile(line string) {
	if m := readMarker(strings.TrimSuffix(line, "\n")); len(p.body) < headerReach && (m.kind == openMarker || startsPatch(line) || strings.HasPrefix(line, "--- ")) {
		body := p.body
		p.inFence, p.body, p.fence = p.fence, nil, 0
		p.state = (*Parser).readProse
		p.prose = append(p.prose, body...)
		p.readProse(line)
		return
	}
	if width, info, ok := fenceOf(line); ok && info == "" && width >= p.fence {
		b := p.newBlock(p.openLine)
		b.Whole, b.Replace = true, strings.Join(p.body, "")
		p.inFence = p.fence
		p.dropHeader()
		p.dropFence = false
		p.add(b)
		p.reset()
		return
	}
	p.body = append(p.body, line)
}

// stripIndent removes the indentation of an indented block's markers from its
// lines, when every line has it.
func stripIndent(lines []string, indent string) {
	if indent == "" {
		return
	}
	for _, l := range lines {
		if !strings.HasPrefix(l, indent) && !blank(l) {
			return
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, indent)
	}
}

// joinLines puts lines together, each of which ends in "\n".
func joinLines(lines []string) string { return strings.Join(lines, "") }
