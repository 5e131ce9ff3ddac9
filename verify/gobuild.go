package verify

import (
	"regexp"
	"strings"
)

// goBuild reads what go build and go vet print:
//
//	# example.com/m/pkg
//	pkg/a.go:3:5: undefined: x
//	pkg/a.go:9:2: not enough arguments in call to f
//		have (int)
//		want (int, string)
//	vet: pkg/b.go:3:5: undefined: y
//	go: updates to go.mod needed
type goBuild struct {
	c *collector
	// severity of a place without "vet: " before it.
	severity Severity
	echo     bool // errors give way to those known at the same line
	// open is the finding that further lines may belong to.
	open    raw
	isOpen  bool
	found   bool     // at least one finding
	general []string // lines of the go command itself
	// inGeneral tells that a tab goes on with the last line of general.
	inGeneral bool
}

func newGoBuildParser(c *collector) parser { return &goBuild{c: c, severity: Error} }

// A file that does not compile is no business of vet's: it only gets to say so
// where the build has not.
func newGoVetParser(c *collector) parser { return &goBuild{c: c, severity: Warning, echo: true} }

// goNoise are lines that say nothing about the code.
var goNoise = regexp.MustCompile(`^(go: (downloading|finding|extracting|added|upgraded|found) |exit status \d+$|FAIL$|FAIL\t|ok  \t|\?   \t|go: warning: .* matched no packages)`)

func (p *goBuild) line(text string) {
	switch {
	case strings.TrimSpace(text) == "" || goNoise.MatchString(text):
		return
	case strings.HasPrefix(text, "# "):
		p.flush()
		return
	case strings.HasPrefix(text, "\t") && p.isOpen:
		if len(p.open.message) < maxMessage {
			p.open.message += "\n" + text
		}
		return
	case strings.HasPrefix(text, "\t") && p.inGeneral:
		p.addGeneral(text)
		return
	case text == "too many errors" || strings.HasSuffix(text, ": too many errors"):
		p.flush()
		p.c.ran.Truncated = true
		return
	}
	p.flush()
	bare, vet := strings.CutPrefix(text, "vet: ")
	r, ok := splitPlaced(bare)
	if !ok || !goPlace(r.file) {
		p.addGeneral(text)
		return
	}
	r.dir, r.severity = p.c.ran.Check.Dir, p.severity
	if vet || goProblem.MatchString(r.message) {
		r.severity, r.echo = Error, p.echo
	}
	p.open, p.isOpen, p.inGeneral = r, true, false
}

// goProblem matches messages about the build that vet passes on without its
// prefix.
var goProblem = regexp.MustCompile(`^(no required module provides |package \S+ is not in |cannot find (module|package)|import cycle not allowed|missing go\.sum entry|expected |illegal |no Go files)`)

// goPlace reports whether a place is in a file the go command reads; "go: x"
// and "pattern ./...: y" are not places.
func goPlace(name string) bool {
	if strings.HasPrefix(name, "go: ") {
		return false
	}
	for _, ext := range []string{".go", ".mod", ".work", ".sum", ".s", ".c", ".cc", ".cpp", ".h", ".S", ".m", ".syso"} {
		if strings.HasSuffix(name, ext) {
			return true
		}
	}
	return false
}

func (p *goBuild) addGeneral(text string) {
	p.inGeneral = true
	if len(p.general) < 100 {
		p.general = append(p.general, text)
	}
}

func (p *goBuild) flush() {
	if p.isOpen {
		p.c.add(p.open)
		p.found = true
	}
	p.isOpen, p.inGeneral = false, false
}

// finish reports what the go command said about no file: to the module file if
// that is all there is, as it is mostly the module that is wrong then.
func (p *goBuild) finish(ok bool) {
	p.flush()
	if len(p.general) == 0 {
		return
	}
	text := strings.Join(p.general, "\n")
	if ok || p.found || !strings.HasPrefix(p.general[0], "go: ") {
		p.c.message(text)
		return
	}
	dir := p.c.ran.Check.Dir
	mod, found := p.c.inCopy(dir, "go.mod")
	if !found {
		p.c.message(text)
		return
	}
	p.c.add(raw{
		file: "go.mod", dir: dir, line: requireLine(p.c.source(mod), text), severity: Error,
		message: strings.TrimPrefix(text, "go: "),
	})
}

// moduleVersion matches a module in the go command's messages.
var moduleVersion = regexp.MustCompile(`([\w.\-/~]+)@v\d`)

// requireLine returns the line of go.mod that names the module, or the version
// of Go, that a message is about, or 1.
func requireLine(mod []string, message string) int {
	part := "go " // of "go.mod requires go >= 1.30"
	if m := moduleVersion.FindStringSubmatch(message); m != nil {
		part = m[1] + " "
	} else if !strings.Contains(message, "requires go ") {
		return 1
	}
	for i, line := range mod {
		if strings.Contains(line, part) && !strings.HasPrefix(line, "module ") {
			return i + 1
		}
	}
	return 1
}
