package edits

import (
	"fmt"
	"strings"
)

const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
)

// startsPatch reports whether a line opens an apply_patch envelope.
func startsPatch(line string) bool { return strings.TrimSpace(line) == beginPatch }

// startsDiff reports whether a line opens a unified diff: its first file line
// has been read as prose and this is the second. The git lines above go too. A
// move has git lines alone.
func (p *Parser) startsDiff(line string) bool {
	n := len(p.prose)
	switch {
	case n <= p.recent:
		return false
	case strings.HasPrefix(line, "+++ ") && strings.HasPrefix(p.prose[n-1], "--- "):
		n--
	case strings.HasPrefix(line, "rename to ") && strings.HasPrefix(p.prose[n-1], "rename from "):
	default:
		return false
	}
	for n > p.recent && isGitLine(p.prose[n-1]) {
		n--
	}
	p.patchLine = p.line - (len(p.prose) - n)
	p.patch = append(p.patch[:0], p.prose[n:]...)
	p.prose = p.prose[:n]
	return true
}

// isGitLine reports whether a line is one that git puts above a diff's file
// lines.
func isGitLine(line string) bool {
	for _, prefix := range []string{"diff --git ", "index ", "new file mode ", "deleted file mode ", "old mode ", "new mode ",
		"similarity index ", "dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to "} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// startPatch begins to collect a diff or an envelope.
func (p *Parser) startPatch(line string) {
	if startsPatch(line) {
		p.patch, p.patchLine = nil, p.line
	}
	p.patch = append(p.patch, line)
	p.header = header{}
	p.dropHeader()
	p.state = (*Parser).readPatch
}

// readPatch is the state inside a diff or an envelope.
func (p *Parser) readPatch(line string) {
	if startsPatch(p.patch[0]) {
		p.patch = append(p.patch, line)
		if strings.TrimSpace(line) == endPatch {
			p.endPatch(false)
		}
		return
	}
	if isDiffLine(line, p.patch) {
		p.patch = append(p.patch, line)
		return
	}
	p.endPatch(false)
	p.readProse(line)
}

// isDiffLine reports whether a line can go on the diff that has been read. A
// file line where no hunk has begun, and a blank line that more of the diff
// may follow, belong to it; a fence ends it.
func isDiffLine(line string, read []string) bool {
	body := strings.TrimRight(line, "\r\n")
	if body == "" {
		return true
	}
	switch body[0] {
	case ' ', '+', '-', '\\', '@', '\t':
		return true
	}
	return isGitLine(body) && len(read) > 2
}

// endPatch turns what has been collected into blocks.
func (p *Parser) endPatch(atEnd bool) {
	lines, first := p.patch, p.patchLine
	p.patch = nil
	envelope := startsPatch(lines[0])
	if envelope && atEnd && strings.TrimSpace(lines[len(lines)-1]) != endPatch {
		p.problem(Incomplete, first, fmt.Sprintf("the reply ends inside the patch: there is no %q line. Nothing of it was used; send the whole patch again.", endPatch))
		return
	}
	var blocks []Block
	var problems []Refusal
	if envelope {
		blocks, problems = readEnvelope(lines)
	} else {
		blocks, problems = readUnified(lines)
	}
	p.reset()
	for _, b := range blocks {
		b.Line += first
		p.add(b)
	}
	for _, r := range problems {
		r.Line += first
		r.Block = p.count
		p.count++
		p.problems = append(p.problems, r)
	}
}

// patchReader reads an apply_patch envelope line by line.
type patchReader struct {
	blocks   []Block
	problems []Refusal
	file     Block // the path and what is done to the file as a whole
	hunk     *hunkText
	adding   bool
}

// readEnvelope reads the lines of an apply_patch envelope. Lines of blocks are
// counted from its first line, 0.
func readEnvelope(lines []string) ([]Block, []Refusal) {
	r := &patchReader{}
	for i, line := range lines[1:] {
		r.take(i+1, line)
	}
	r.endFile()
	return r.blocks, r.problems
}

// take reads one line of an envelope.
func (r *patchReader) take(at int, line string) {
	body := strings.TrimRight(line, " \t\r\n")
	if verb, path, ok := fileLine(body); ok {
		if verb == "Move to" {
			r.file.MoveTo = path
			return
		}
		r.endFile()
		r.file = Block{Path: path, Line: at, patch: true, Create: verb == "Add File", Delete: verb == "Delete File"}
		r.adding = r.file.Create
		return
	}
	switch {
	case body == endPatch || r.file.Path == "":
	case body == "*** End of File":
		if r.hunk != nil {
			r.hunk.atEnd = true
			r.endHunk()
		}
	case strings.HasPrefix(body, "@@"):
		r.startHunk(at, strings.TrimSpace(strings.Trim(body, "@")))
	default:
		if r.hunk == nil {
			r.hunk = &hunkText{line: at}
		}
		if !r.hunk.take(line, r.adding) {
			r.problems = append(r.problems, Refusal{Path: r.file.Path, Line: at, Code: Malformed,
				Message: fmt.Sprintf("the patch line %q starts with none of ' ', '+', '-', '@@' and '***'", body)})
		}
	}
}

// fileLine reads "*** Update File: path" and its like.
func fileLine(body string) (verb, path string, ok bool) {
	rest, ok := strings.CutPrefix(body, "*** ")
	if !ok {
		return "", "", false
	}
	verb, path, ok = strings.Cut(rest, ":")
	switch verb {
	case "Update File", "Add File", "Delete File", "Move to":
		return verb, strings.TrimSpace(path), ok
	}
	return "", "", false
}

// startHunk begins a hunk below the line that its header names, if any. A
// header after a header narrows the place further.
func (r *patchReader) startHunk(at int, anchor string) {
	var anchors []string
	if r.hunk != nil && len(r.hunk.lines) == 0 {
		anchors = r.hunk.anchors
		r.hunk = nil
	}
	r.endHunk()
	if _, _, ok := hunkNumbers("@@ " + anchor + " @@"); ok {
		anchor = ""
	}
	if anchor != "" {
		anchors = append(anchors, anchor)
	}
	r.hunk = &hunkText{line: at, anchors: anchors}
}

// endHunk makes a block of the hunk being read.
func (r *patchReader) endHunk() {
	if r.hunk != nil && len(r.hunk.lines) > 0 {
		r.blocks = append(r.blocks, r.hunk.block(r.file))
	}
	r.hunk = nil
}

// endFile ends the file being read. A file that only moves, goes or is made
// empty has a block too.
func (r *patchReader) endFile() {
	n := len(r.blocks)
	r.endHunk()
	if r.file.Path != "" && len(r.blocks) == n && (r.file.Delete || r.file.Create || r.file.MoveTo != "" && !r.moved()) {
		r.blocks = append(r.blocks, r.file)
	}
	r.file = Block{}
}

// moved reports whether a block of the file being read carries its new name.
func (r *patchReader) moved() bool {
	n := len(r.blocks) - 1
	return n >= 0 && r.blocks[n].Path == r.file.Path && r.blocks[n].MoveTo == r.file.MoveTo
}
