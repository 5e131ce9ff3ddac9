package edits

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/sourcegraph/go-diff/diff"
)

// ParseUnified reads a unified diff of any number of files into blocks, one a
// hunk. Wrong line numbers and counts do no harm: they are hints. It fails
// where the text is no diff, or has no file names.
func ParseUnified(s string) ([]Block, error) {
	blocks, problems := readUnified(splitLines(s))
	if len(problems) > 0 {
		return nil, fmt.Errorf("read unified diff: %w", problems[0])
	}
	for i := range blocks {
		blocks[i].Index = i
		blocks[i].Line++
	}
	return blocks, nil
}

// hunkText is a hunk's lines as they are collected.
type hunkText struct {
	line    int
	hint    int
	anchors []string
	atEnd   bool
	lines   []string // with their marks
	oldOpen bool     // the old side's last line has no line break
	newOpen bool
}

// take adds a line with its mark, and reports whether it has one. A file being
// added may leave the mark out of blank lines.
func (h *hunkText) take(line string, adding bool) bool {
	if !strings.HasSuffix(line, "\n") {
		line += "\n"
	}
	if blank(line) && (line[0] == '\n' || line[0] == '\r') {
		mark := " "
		if adding {
			mark = "+"
		}
		line = mark + line
	}
	switch line[0] {
	case ' ', '+', '-':
		h.lines = append(h.lines, line)
		return true
	}
	return false
}

// block makes the hunk a block of a file.
func (h *hunkText) block(file Block) Block {
	b := file
	b.Line, b.Hint, b.anchors, b.atEnd = h.line, h.hint, h.anchors, h.atEnd
	var old, now strings.Builder
	lines := h.lines
	for len(lines) > 0 && lines[len(lines)-1] == " \n" && !h.oldOpen { // blank lines after a diff
		lines = lines[:len(lines)-1]
	}
	for _, l := range lines {
		if l[0] != '+' {
			old.WriteString(l[1:])
		}
		if l[0] != '-' {
			now.WriteString(l[1:])
		}
	}
	b.Search, b.Replace = old.String(), now.String()
	switch {
	case h.oldOpen && !h.newOpen:
		b.finalNL, b.atEnd = addNewline, true
	case h.newOpen:
		b.finalNL, b.atEnd = dropNewline, true
	}
	return b
}

var numbersPattern = regexp.MustCompile(`^@@+ *-(\d+)(?:,(\d+))? +\+(\d+)(?:,(\d+))? *@@`)

// hunkNumbers reads a hunk's header. A header without numbers is none.
func hunkNumbers(line string) (start, count int, ok bool) {
	g := numbersPattern.FindStringSubmatch(line)
	if g == nil {
		return 0, 0, false
	}
	start, err := strconv.Atoi(g[1])
	if err != nil || start > 1<<30 {
		return 0, 0, false
	}
	count = 1
	if g[2] != "" {
		if count, err = strconv.Atoi(g[2]); err != nil {
			return 0, 0, false
		}
	}
	return start, count, true
}

// readUnified reads the lines of a diff. Lines of blocks are counted from the
// first, 0. The files are cut apart here, since models leave out what a strict
// reader needs; their hunks are read by the diff library.
func readUnified(lines []string) (blocks []Block, problems []Refusal) {
	r := unifiedReader{lines: lines}
	for r.at < len(lines) {
		line := strings.TrimRight(lines[r.at], "\r\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			r.endGit()
			r.git, r.file = newGitHeader(line, r.at), Block{}
		case r.git != nil && !r.git.told && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "@@"):
			r.git.read(line)
		case strings.HasPrefix(line, "--- ") && r.at+1 < len(lines) && strings.HasPrefix(lines[r.at+1], "+++ "):
			r.fileLines(line, strings.TrimRight(lines[r.at+1], "\r\n"))
			r.at++
		case strings.HasPrefix(line, "@@"):
			r.hunk()
		}
		r.at++
	}
	r.endGit()
	return r.blocks, r.problems
}

// unifiedReader reads a diff line by line.
type unifiedReader struct {
	lines    []string
	at       int
	file     Block      // what the hunks of the file at hand have in common
	git      *gitHeader // nil where git says nothing of it
	blocks   []Block
	problems []Refusal
}

func (r *unifiedReader) fail(at int, format string, args ...any) {
	r.problems = append(r.problems, Refusal{Path: r.file.Path, Line: at, Code: Malformed, Message: fmt.Sprintf(format, args...)})
}

// endGit ends the file that a "diff --git" line began.
func (r *unifiedReader) endGit() {
	b, why := r.git.end()
	if b != nil {
		r.blocks = append(r.blocks, *b)
	}
	if why != "" {
		r.file.Path = r.git.path
		r.fail(r.git.line, "%s", why)
	}
	r.git = nil
}

// fileLines takes a file's "---" and "+++" lines.
func (r *unifiedReader) fileLines(old, now string) {
	from, to := diffPaths(old[4:], now[4:])
	r.file = Block{Path: from, Line: r.at, patch: true, Create: from == "" && to != "", Delete: to == ""}
	switch {
	case from == "":
		r.file.Path = to
	case r.git != nil && r.git.to != "" && from != to && to != "":
		r.file.MoveTo = to
	case to != "":
		r.file.Path = to
	}
	if r.git != nil {
		r.git.told = true
	}
	if r.file.Path == "" {
		r.fail(r.at+1, "the diff names no file: write \"--- a/path\" and \"+++ b/path\"")
	}
	if r.file.Delete {
		r.blocks = append(r.blocks, r.file)
	}
}

// hunk takes the hunk that begins here, and stays at its last line.
func (r *unifiedReader) hunk() {
	end := r.at + 1
	for end < len(r.lines) && !strings.HasPrefix(r.lines[end], "@@") && !startsFile(r.lines[end:]) {
		end++
	}
	h, err := readHunk(r.lines[r.at:end])
	switch {
	case r.file.Path == "":
		r.fail(r.at, "a hunk came before the lines that name its file (\"--- a/path\" and \"+++ b/path\")")
	case err != nil:
		r.fail(r.at, "the hunk cannot be read: %v", err)
	case r.file.Delete: // what goes is to be what the diff says
		r.blocks[len(r.blocks)-1].Search += h.block(r.file).Search
	case len(h.lines) > 0:
		h.line = r.at
		r.blocks = append(r.blocks, h.block(r.file))
	}
	r.at = end - 1
}

// startsFile reports whether the lines begin another file of the diff.
func startsFile(lines []string) bool {
	if strings.HasPrefix(lines[0], "diff --git ") || isGitLine(lines[0]) {
		return true
	}
	return len(lines) > 2 && strings.HasPrefix(lines[0], "--- ") && strings.HasPrefix(lines[1], "+++ ") && strings.HasPrefix(lines[2], "@@")
}

// readHunk reads one hunk with the diff library, after repairing a header
// without numbers, which carries a line to look below instead.
func readHunk(lines []string) (*hunkText, error) {
	h := &hunkText{}
	header := strings.TrimRight(lines[0], "\r\n")
	start, count, ok := hunkNumbers(header)
	if ok {
		if h.hint = start; count == 0 {
			h.hint = 0
		}
	} else if anchor := strings.TrimSpace(strings.Trim(header, "@. ")); anchor != "" {
		h.anchors = []string{anchor}
	}
	var text strings.Builder
	text.WriteString("@@ -1,1 +1,1 @@\n")
	for _, l := range lines[1:] {
		if l[0] == '\t' { // a context line without its mark
			l = " " + l
		}
		text.WriteString(l)
	}
	hunks, err := diff.ParseHunksOptions([]byte(text.String()), diff.ParseOptions{KeepCR: true})
	if err != nil {
		return nil, err
	}
	if len(hunks) == 0 {
		return h, nil
	}
	body := string(hunks[0].Body)
	h.oldOpen = hunks[0].OrigNoNewlineAt > 0
	lastOfBoth := false
	if body != "" && !strings.HasSuffix(body, "\n") {
		h.newOpen = true
		last := body[strings.LastIndexByte(body, '\n')+1:]
		lastOfBoth = last[0] == ' '
		if last[0] == '-' {
			h.newOpen, h.oldOpen = false, true
		}
	}
	for _, l := range splitLines(body) {
		if !h.take(l, false) {
			return nil, fmt.Errorf("the line %q has no mark", strings.TrimRight(l, "\r\n"))
		}
	}
	if lastOfBoth {
		h.newOpen, h.oldOpen, h.atEnd = false, false, true
	}
	return h, nil
}

// diffPaths returns the paths of a diff's two file lines without their time
// stamps. The "a/" and "b/" that git adds go where both sides have them, or
// one side is /dev/null, which is returned as "".
func diffPaths(old, now string) (from, to string) {
	from, to = diffPath(old), diffPath(now)
	a, okA := strings.CutPrefix(from, "a/")
	b, okB := strings.CutPrefix(to, "b/")
	if okA && (okB || to == "") {
		from = a
	}
	if okB && (okA || from == "") {
		to = b
	}
	return from, to
}

// diffPath returns the path of a file line, or "" for /dev/null.
func diffPath(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	s = strings.TrimSpace(s)
	if unquoted, err := strconv.Unquote(s); err == nil {
		s = unquoted
	}
	if s == "/dev/null" {
		return ""
	}
	return s
}
