package verify

import (
	"encoding/json"
	"strings"
)

// maxLiveTests bounds the tests whose output is held at a time.
const maxLiveTests = 10_000

// goEvent is one line of go test -json.
type goEvent struct {
	Action      string
	Package     string
	Test        string
	Output      string
	ImportPath  string // of build-output
	FailedBuild string
}

// testKey names a test, or with an empty test a package.
type testKey struct{ pkg, test string }

// goTest reads go test -json. Lines that are not events are read as go build's.
type goTest struct {
	c      *collector
	module string // module path of the check's folder, or ""
	stray  *goBuild
	builds map[string]*build // by import path
	tests  map[testKey]*goTestOutput
	// failed tells which packages had a failing test.
	failed map[string]bool
}

// build is the output of one package's build.
type build struct {
	parser  *goBuild
	partial partial
}

func newGoTestParser(c *collector) parser {
	t := &goTest{
		c: c, stray: &goBuild{c: c, severity: Error},
		builds: map[string]*build{}, tests: map[testKey]*goTestOutput{}, failed: map[string]bool{},
	}
	if mod, ok := c.inCopy(c.ran.Check.Dir, "go.mod"); ok {
		t.module = modulePath(c.source(mod))
	}
	return t
}

func (t *goTest) line(text string) {
	var e goEvent
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &e) != nil || e.Action == "" {
		t.c.text.write(text + "\n")
		t.stray.line(text)
		return
	}
	e.Output = withoutEscapes(e.Output)
	t.c.text.write(e.Output)
	switch e.Action {
	case "build-output":
		t.buildOutput(e)
	case "build-fail":
		t.endBuild(e.ImportPath)
	case "output":
		if out := t.output(testKey{e.Package, e.Test}); out != nil {
			out.partial.feed(e.Output, out.line)
		}
	case "pass", "fail", "skip":
		t.end(e)
	}
}

func (t *goTest) buildOutput(e goEvent) {
	b := t.builds[e.ImportPath]
	if b == nil {
		if len(t.builds) >= maxLiveTests {
			return
		}
		b = &build{parser: &goBuild{c: t.c, severity: Error}}
		t.builds[e.ImportPath] = b
	}
	b.partial.feed(e.Output, b.parser.line)
}

func (t *goTest) endBuild(path string) {
	if b := t.builds[path]; b != nil {
		b.partial.end(b.parser.line)
		b.parser.finish(false)
		delete(t.builds, path)
	}
}

// output returns the output of a test, or nil when there are too many.
func (t *goTest) output(key testKey) *goTestOutput {
	out := t.tests[key]
	if out == nil && len(t.tests) < maxLiveTests {
		out = &goTestOutput{c: t.c, dir: t.folder(key.pkg), test: key.test}
		t.tests[key] = out
	}
	return out
}

// folder returns the folder of a package, slash-separated and relative to the
// root; that of the check when the package is not of its module.
func (t *goTest) folder(pkg string) string {
	dir := t.c.ran.Check.Dir
	rest, ok := strings.CutPrefix(pkg, t.module)
	if t.module == "" || !ok || rest != "" && rest[0] != '/' {
		return dir
	}
	return strings.Trim(dir+rest, "/")
}

// end takes the verdict on a test or a package.
func (t *goTest) end(e goEvent) {
	key := testKey{e.Package, e.Test}
	out := t.tests[key]
	delete(t.tests, key)
	top := e.Test != "" && !strings.Contains(e.Test, "/")
	switch e.Action {
	case "pass":
		if top {
			t.c.pass()
		}
	case "skip":
		if top {
			t.c.skip()
		}
	case "fail":
		t.fail(e, out, top)
	}
}

func (t *goTest) fail(e goEvent, out *goTestOutput, top bool) {
	if out == nil {
		out = &goTestOutput{c: t.c, dir: t.folder(e.Package), test: e.Test}
	}
	if e.Test == "" {
		t.failPackage(e, out)
		return
	}
	if i := strings.LastIndexByte(e.Test, '/'); i > 0 {
		// The parent fails with its subtest, and need not say why.
		if parent := t.output(testKey{e.Package, e.Test[:i]}); parent != nil {
			parent.childFailed = true
		}
	}
	out.fail()
	if len(t.failed) < maxLiveTests {
		t.failed[e.Package] = true
	}
	if top {
		t.c.fail(e.Test)
	}
}

// failPackage reports a package that failed: on its own if none of its tests
// did, which is a panic outside tests, an os.Exit, or a broken build.
func (t *goTest) failPackage(e goEvent, out *goTestOutput) {
	if e.FailedBuild != "" {
		t.endBuild(e.FailedBuild)
		return
	}
	if out.panicked() || !t.failed[e.Package] {
		out.failPackage(e.Package)
	}
	delete(t.failed, e.Package)
}

func (t *goTest) finish(ok bool) {
	for path := range t.builds {
		t.endBuild(path)
	}
	t.stray.finish(ok)
}

// modulePath returns the module path of a go.mod file, or "".
func modulePath(mod []string) string {
	for _, line := range mod {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "module" {
			return strings.Trim(fields[1], "\"`")
		}
	}
	return ""
}

// partial puts lines together that come in pieces.
type partial struct{ text string }

func (p *partial) feed(piece string, line func(string)) {
	p.text += piece
	for {
		first, rest, ok := strings.Cut(p.text, "\n")
		if !ok {
			break
		}
		p.text = rest
		line(plain(first))
	}
	if len(p.text) > maxMessage {
		line(plain(p.text))
		p.text = ""
	}
}

func (p *partial) end(line func(string)) {
	if p.text != "" {
		line(p.text)
		p.text = ""
	}
}
