package verify

import (
	"bufio"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"emend/internal/workspace"
)

// Bounds of what a report holds.
const (
	maxMessage      = 4 << 10 // of one finding, in bytes
	maxCheckMessage = 4 << 10 // of Ran.Message
	maxFailures     = 100     // names in Ran.Failures
	maxSources      = 64      // files of the copy kept in memory
	maxSourceSize   = 1 << 20
)

// place is the part of a sandbox.Box that puts printed names right.
type place interface {
	// Real returns the workspace's path for a name printed by a command that
	// ran in dir.
	Real(dir, name string) (workspace.Path, bool)
	// RealText puts the workspace's folder for the copy's.
	RealText(text string) string
	// Dir is the copy's folder.
	Dir() string
	// Root is the workspace's folder.
	Root() string
}

// raw is a finding as a tool prints it.
type raw struct {
	file         string // as printed, relative to dir or absolute
	dir          string // slash-separated, relative to the root
	line, column int
	severity     Severity
	message      string
	code         string
	test         string
	// echo tells that another check says this better: it is left out if an
	// error is known at the same line.
	echo bool
}

// collector gathers what one check says. It is used from one goroutine at a
// time.
type collector struct {
	at       place
	ran      *Ran
	max      int // findings
	findings []Finding
	full     bool // there were more than max
	known    *known
	sources  map[string][]string
	changed  func() // reports progress
	// text is what the check prints, for parsers whose input is not meant for
	// people. Others leave it empty.
	text transcript
}

// known are the findings of a whole Run.
type known struct {
	// all has them by place, test and message only: build, vet and test say the
	// same of a file that does not compile.
	all map[Finding]bool
	// errors has the lines with an error, by path and line only.
	errors map[Finding]bool
}

// add takes a finding. One that lies outside the workspace goes into the
// check's message.
func (c *collector) add(r raw) {
	r.message = clip(strings.TrimRight(r.message, " \t\n"), maxMessage)
	p, ok := c.at.Real(r.dir, r.file)
	if !ok {
		text := r.file
		if r.line > 0 {
			text += ":" + itoa(r.line)
		}
		c.message(text + ": " + r.message)
		return
	}
	f := Finding{
		Path: p, Line: r.line, Column: r.column, Severity: r.severity,
		Message: c.at.RealText(r.message),
	}
	f.Test = r.test
	key, line := f, Finding{Path: f.Path, Line: f.Line}
	key.Severity = ""
	if c.known.all[key] || r.echo && c.known.errors[line] {
		return
	}
	if len(c.findings) >= c.max {
		c.ran.Truncated, c.full = true, true
		return
	}
	c.known.all[key] = true
	if f.Severity == Error {
		c.known.errors[line] = true
	}
	f.Check, f.Code = c.ran.Check.Name, r.code
	c.findings = append(c.findings, f)
}

// message takes what belongs to no file.
func (c *collector) message(text string) {
	text = c.at.RealText(strings.TrimSpace(text))
	if text == "" || len(c.ran.Message) >= maxCheckMessage {
		return
	}
	if c.ran.Message != "" {
		text = c.ran.Message + "\n" + text
	}
	c.ran.Message = clip(text, maxCheckMessage)
}

// pass, fail and skip count one test each.
func (c *collector) pass() { c.ran.Passed++; c.changed() }
func (c *collector) skip() { c.ran.Skipped++; c.changed() }

func (c *collector) fail(test string) {
	c.ran.Failed++
	if len(c.ran.Failures) < maxFailures {
		c.ran.Failures = append(c.ran.Failures, test)
	}
	c.changed()
}

// source returns the lines of a file of the copy by its absolute name, nil if
// it cannot be had.
func (c *collector) source(name string) []string {
	if lines, ok := c.sources[name]; ok {
		return lines
	}
	var lines []string
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() <= maxSourceSize {
		if data, err := os.ReadFile(name); err == nil {
			s := bufio.NewScanner(strings.NewReader(string(data)))
			s.Buffer(nil, maxSourceSize+1)
			for s.Scan() {
				lines = append(lines, s.Text())
			}
		}
	}
	if len(c.sources) >= maxSources {
		clear(c.sources)
	}
	c.sources[name] = lines
	return lines
}

// inCopy returns the absolute name in the copy for a name printed in dir, if
// there is such a file.
func (c *collector) inCopy(dir, name string) (string, bool) {
	p, ok := c.at.Real(dir, name)
	if !ok {
		return "", false
	}
	rel, err := filepath.Rel(c.at.Root(), string(p))
	if err != nil {
		return "", false
	}
	full := filepath.Join(c.at.Dir(), rel)
	info, err := os.Stat(full)
	return full, err == nil && info.Mode().IsRegular()
}

// sortFindings puts findings in the order a Report has.
func sortFindings(findings []Finding) {
	rank := map[Severity]int{Error: 0, Warning: 1, Information: 2}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(rank[a.Severity], rank[b.Severity]), cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Test, b.Test),
		)
	})
}

// escapes matches terminal escape sequences: CSI, OSC and the short ones.
var escapes = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[@-Z\\\\^_=>])")

func withoutEscapes(text string) string {
	if strings.IndexByte(text, '\x1b') < 0 {
		return text
	}
	return escapes.ReplaceAllString(text, "")
}

// plain takes escape sequences out of a line, and the carriage returns by
// which a progress bar paints over itself.
func plain(text string) string {
	text = strings.TrimRight(withoutEscapes(text), "\r")
	if i := strings.LastIndexByte(text, '\r'); i >= 0 {
		text = text[i+1:]
	}
	return text
}

// clip shortens text to at most max bytes, at a rune, and says so.
func clip(text string, max int) string {
	const more = " …"
	if len(text) <= max {
		return text
	}
	return strings.ToValidUTF8(text[:max-len(more)], "") + more
}

// plainText is plain for a whole output.
func plainText(text string) string {
	if !strings.ContainsAny(text, "\x1b\r") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = plain(line)
	}
	return strings.Join(lines, "\n")
}

// transcript keeps the first and the last half of what is written to it.
type transcript struct {
	max        int // bytes; 0 keeps nothing
	head, tail []byte
	lost       int
}

func (t *transcript) write(text string) {
	if room := t.max/2 - len(t.head); room > 0 {
		n := min(room, len(text))
		t.head = append(t.head, text[:n]...)
		text = text[n:]
	}
	t.tail = append(t.tail, text...)
	if len(t.tail) > t.max { // twice the half, so that it is moved seldom
		cut := len(t.tail) - t.max/2
		t.lost += cut
		t.tail = append(t.tail[:0], t.tail[cut:]...)
	}
}

func (t *transcript) String() string {
	if t.lost == 0 {
		return string(t.head) + string(t.tail)
	}
	return string(t.head) + "\n[... " + itoa(t.lost) + " bytes left out ...]\n" + string(t.tail)
}
