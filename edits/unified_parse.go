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
	var file Block
	var git *gitHeader
	fail := func(at int, format string, args ...any) {
		problems = append(problems, Refusal{Path: file.Path, Line: at, Code: Malformed, Message: fmt.Sprintf(format, args...)})
	}
	endGit := func() {
		b, why := git.end()
		if b != nil {
			blocks = append(blocks, *b)
		}
		if why != "" {
			file.Path = git.path
			fail(git.line, "%s", why)
		}
		git = nil
	}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			endGit()
			git, file = newGitHeader(line, i), Block{}
		case git != nil && !git.told && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "@@"):
			git.read(line)
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			from, to := diffPaths(line[4:], strings.TrimRight(lines[i+1][4:], "\r\n"))
			file = Block{Path: from, Line: i, patch: true, Create: from == "" && to != "", Delete: to == ""}
			if file.Path == "" {
				file.Path = to
			}
			if git != nil && git.to != "" && from != to && to != "" {
				file.MoveTo = to
			} else if to != "" {
				file.Path = to
			}
			if git != nil {
				git.told = true
			}
			i++
			if file.Path == "" {
				fail(i, "the diff names no file: write \"--- a/path\" and \"+++ b/path\"")
			}
			if file.Delete {
				blocks = append(blocks, file)
			}
		case strings.HasPrefix(line, "@@"):
			end := i + 1
			for end < len(lines) && !strings.HasPrefix(lines[end], "@@") && !startsFile(lines[end:]) {
				end++
			}
			h, err := readHunk(lines[i:end])
			switch {
			case file.Path == "":
				fail(i, "a hunk came before the lines that name its file (\"--- a/path\" and \"+++ b/path\")")
			case err != nil:
				fail(i, "the hunk cannot be read: %v", err)
			case file.Delete: // what goes is to be what the diff says
				blocks[len(blocks)-1].Search += h.block(file).Search
			case len(h.lines) > 0:
				h.line = i
				blocks = append(blocks, h.block(file))
			}
			i = end - 1
		}
	}
	endGit()
	return blocks, problems
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
