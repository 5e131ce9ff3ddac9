package verify

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// maxPerTest bounds the findings of one test, and the lines of output that
// are held for it.
const (
	maxPerTest      = 20
	maxLinesPerTest = 50
)

// goTestOutput is what one test, or a package outside its tests, has printed.
type goTestOutput struct {
	c       *collector
	dir     string // the package's folder
	test    string // "" for a package
	partial partial

	said        []raw // what t.Error, t.Log and the like printed
	indent      int   // of the last of said
	more        bool  // further lines may belong to the last of said
	other       []string
	panic       raw // message of a panic, and its first place in the workspace
	childFailed bool
}

var (
	// goSaid matches what package testing prints: "    a_test.go:3: message".
	goSaid = regexp.MustCompile(`^( *)(\S.*?\.go):(\d{1,9}): ?(.*)$`)
	// goFrame matches a place in a stack trace.
	goFrame = regexp.MustCompile(`^\t(\S.*\.go):(\d{1,9})( \+0x[0-9a-f]+)?$`)
	// goStatus matches what go test prints about a test's life.
	goStatus = regexp.MustCompile(`^\s*(=== (RUN|PAUSE|CONT|NAME) |--- (PASS|FAIL|SKIP|BENCH): |(PASS|FAIL)$|FAIL\t|ok  \t|exit status \d)`)
)

func (o *goTestOutput) line(text string) {
	switch {
	case goStatus.MatchString(text):
		o.more = false
		return
	case strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: "):
		o.more = false
		if o.panic.message == "" {
			o.panic.message = text
		}
		return
	case o.panicked():
		if m := goFrame.FindStringSubmatch(text); m != nil && o.panic.file == "" {
			if _, ok := o.c.at.Real(o.dir, m[1]); ok {
				o.panic.file, o.panic.line = m[1], atoi(m[2])
			}
		}
		return
	}
	depth := len(text) - len(strings.TrimLeft(text, " "))
	if o.more && strings.TrimSpace(text) != "" && depth >= o.indent+4 {
		last := &o.said[len(o.said)-1]
		if len(last.message) < maxMessage {
			last.message += "\n" + strings.TrimRight(text[o.indent+4:], " ")
		}
		return
	}
	if m := goSaid.FindStringSubmatch(text); m != nil && len(m[2]) <= 1024 {
		o.more = len(o.said) < maxPerTest
		if o.more {
			o.indent = len(m[1])
			o.said = append(o.said, raw{file: m[2], line: atoi(m[3]), message: m[4]})
		}
		return
	}
	o.more = false
	if strings.TrimSpace(text) != "" && len(o.other) < maxLinesPerTest {
		o.other = append(o.other, clip(text, maxMessage))
	}
}

func (o *goTestOutput) panicked() bool { return o.panic.message != "" }

// fail reports the failed test: at each place where it said something, and
// where it panicked; else at its function.
func (o *goTestOutput) fail() {
	o.partial.end(o.line)
	reported := false
	for _, r := range o.said {
		r.dir, r.test, r.severity = o.dir, o.test, Error
		r.message = strings.TrimLeft(r.message, "\n")
		if _, ok := o.c.inCopy(o.dir, r.file); !ok {
			continue // a helper of another package, by its base name only
		}
		if o.isLog(r) {
			r.severity = Information
		}
		reported = reported || r.severity == Error
		o.c.add(r)
	}
	if o.panicked() && o.panic.file != "" {
		r := o.panic
		r.dir, r.test, r.severity = o.dir, o.test, Error
		o.c.add(r)
		return
	}
	if reported || o.childFailed {
		return
	}
	o.failAtFunction()
}

// isLog reports whether a message was only logged: go test prints t.Log like
// t.Error, and the source tells.
func (o *goTestOutput) isLog(r raw) bool {
	full, ok := o.c.inCopy(o.dir, r.file)
	if !ok {
		return false
	}
	lines := o.c.source(full)
	if r.line < 1 || r.line > len(lines) {
		return false
	}
	text := lines[r.line-1]
	logs := strings.Contains(text, ".Log(") || strings.Contains(text, ".Logf(")
	return logs && !goFails.MatchString(text)
}

var goFails = regexp.MustCompile(`\.(Error|Fatal)f?\(`)

// failAtFunction reports the test at the line it is declared at.
func (o *goTestOutput) failAtFunction() {
	name, _, _ := strings.Cut(o.test, "/")
	message := o.summary("test fails")
	file, line, ok := o.function(name)
	if !ok {
		o.c.message(o.test + ": " + message)
		return
	}
	o.c.add(raw{file: file, dir: o.dir, line: line, severity: Error, message: message, test: o.test})
}

// summary is what there is to say without a place.
func (o *goTestOutput) summary(otherwise string) string {
	var parts []string
	if o.panicked() {
		parts = append(parts, o.panic.message)
	}
	for _, r := range o.said {
		parts = append(parts, r.file+":"+itoa(r.line)+": "+r.message)
	}
	parts = append(parts, o.other...)
	if len(parts) == 0 {
		return otherwise
	}
	return strings.Join(parts, "\n")
}

// function finds a function's declaration in the package's test files.
func (o *goTestOutput) function(name string) (file string, line int, ok bool) {
	folder := filepath.Join(o.c.at.Dir(), filepath.FromSlash(o.dir))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", 0, false
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		lines := o.c.source(filepath.Join(folder, e.Name()))
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "func "+name+"(") })
		if i >= 0 {
			return e.Name(), i + 1, true
		}
	}
	return "", 0, false
}

// failPackage reports a package that failed outside its tests.
func (o *goTestOutput) failPackage(pkg string) {
	o.partial.end(o.line)
	message := o.summary("tests fail without saying why")
	if o.panicked() && o.panic.file != "" {
		o.c.add(raw{file: o.panic.file, dir: o.dir, line: o.panic.line, severity: Error, message: o.panic.message})
		return
	}
	if file, line, ok := o.function("TestMain"); ok {
		o.c.add(raw{file: file, dir: o.dir, line: line, severity: Error, message: message})
		return
	}
	o.c.message(path.Base(pkg) + ": " + message)
}
