package verify

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"emend/internal/workspace"
)

// fakePlace is a copy at one folder of a workspace at another.
type fakePlace struct{ root, dir string }

func (p fakePlace) Root() string                { return p.root }
func (p fakePlace) Dir() string                 { return p.dir }
func (p fakePlace) RealText(text string) string { return strings.ReplaceAll(text, p.dir, p.root) }
func (p fakePlace) Real(dir, name string) (workspace.Path, bool) {
	if name == "" || strings.ContainsRune(name, 0) {
		return "", false
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.dir, filepath.FromSlash(dir), name)
	}
	for _, at := range []string{p.dir, p.root} {
		if rel, err := filepath.Rel(at, name); err == nil && filepath.IsLocal(rel) && rel != "." {
			return workspace.Path(filepath.Join(p.root, rel)), true
		}
	}
	return "", false
}

// parse runs a parser over recorded output.
func parse(at place, check Check, output string, ok bool) (*collector, Ran) {
	ran := Ran{Check: check, OK: ok}
	c := &collector{
		at: at, ran: &ran, max: DefaultMaxFindings,
		known:   &known{all: map[Finding]bool{}, errors: map[Finding]bool{}},
		sources: map[string][]string{}, changed: func() {}, text: transcript{max: 1 << 20},
	}
	p := parsers[check.Parser].make(c)
	for line := range strings.Lines(output) {
		p.line(plain(strings.TrimSuffix(line, "\n")))
	}
	p.finish(ok)
	sortFindings(c.findings)
	return c, ran
}

// TestParsers reads testdata/parsers/*.txtar: the comment's first line is
// "parser [folder]", the file "output" is what was printed (COPY stands for the
// copy's folder), "findings", "message" and "summary" are what is to come of
// it, and all others are files of the copy.
func TestParsers(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "parsers", "*.txtar"))
	must(t, err)
	if len(names) == 0 {
		t.Fatal("there are no recorded outputs")
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			must(t, err)
			at := fakePlace{root: t.TempDir(), dir: t.TempDir()}
			parts := map[string]string{}
			for _, f := range ar.Files {
				if slices.Contains([]string{"output", "findings", "message", "summary"}, f.Name) {
					parts[f.Name] = string(f.Data)
					continue
				}
				full := filepath.Join(at.dir, filepath.FromSlash(f.Name))
				must(t, os.MkdirAll(filepath.Dir(full), 0o755))
				must(t, os.WriteFile(full, f.Data, 0o644))
			}
			head := strings.Fields(string(ar.Comment))
			check := Check{Name: head[0], Parser: head[0]}
			if len(head) > 1 {
				check.Dir = head[1]
			}
			c, ran := parse(at, check, strings.ReplaceAll(parts["output"], "COPY", at.dir), false)
			diff(t, "findings", strings.ReplaceAll(list(at.root, c.findings), at.root, "ROOTDIR"), parts["findings"])
			diff(t, "message", strings.ReplaceAll(ran.Message, at.root, "ROOTDIR"), parts["message"])
			diff(t, "summary", Report{Ran: []Ran{ran}, Findings: c.findings}.Summary(), parts["summary"])
		})
	}
}

func FuzzParsers(f *testing.F) {
	names, err := filepath.Glob(filepath.Join("testdata", "parsers", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if file.Name == "output" {
				f.Add(string(file.Data), true)
			}
		}
	}
	f.Add("a.go:1: x\n\t\n    a_test.go:99999999999: x\n", false)
	f.Add("{\"Action\":\"output\",\"Test\":\"T\",\"Output\":\"    a.go:1: x\\n        y\\n\"}\n{\"Action\":\"fail\",\"Test\":\"T\"}\n", false)
	dir := f.TempDir()
	at := fakePlace{root: filepath.Join(dir, "root"), dir: filepath.Join(dir, "copy")}
	f.Fuzz(func(t *testing.T, output string, ok bool) {
		for name := range parsers {
			c, ran := parse(at, Check{Name: "x", Parser: name}, output, ok)
			if len(ran.Message) > maxCheckMessage {
				t.Errorf("%s: a message of %d bytes", name, len(ran.Message))
			}
			for _, found := range c.findings {
				if len(found.Message) > maxMessage || found.Line < 0 || found.Column < 0 || !strings.HasPrefix(string(found.Path), at.root) {
					t.Errorf("%s: finding %+v", name, found)
				}
			}
			_ = Report{Ran: []Ran{ran}, Findings: c.findings}.Summary()
		}
	})
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"text":                                  "text",
		"\x1b[1;31mred\x1b[0m":                  "red",
		"\x1b]0;title\x07x":                     "x",
		"\x1b]8;;http://x\x1b\\l\x1b]8;;\x1b\\": "l",
		"10%\r20%\r30%\r":                       "30%",
		"crlf\r":                                "crlf",
		"\x1b(x":                                "\x1b(x",
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestTranscript(t *testing.T) {
	tr := transcript{max: 10}
	for _, r := range "0123456789abcdefghijklmnopqrstuvwxyz" {
		tr.write(string(r))
	}
	got := tr.String()
	if !strings.HasPrefix(got, "01234\n[... ") || !strings.HasSuffix(got, "vwxyz") {
		t.Errorf("kept %q", got)
	}
	small := transcript{max: 10}
	small.write("0123456")
	small.write("789")
	if got := small.String(); got != "0123456789" {
		t.Errorf("kept %q", got)
	}
}

func TestSummary(t *testing.T) {
	build := Check{Name: "go build", Parser: "go-build"}
	vet := Check{Name: "go vet", Parser: "go-vet"}
	tests := Check{Name: "go test", Parser: "go-test"}
	lint := Check{Name: "ruff"}
	for _, tc := range []struct {
		name string
		rep  Report
		want string
	}{
		{"nothing", Report{}, "not checked: no checks found"},
		{"one", Report{Ran: []Ran{{Check: build, OK: true}, {Check: tests, OK: true, Passed: 1}}}, "builds, 1 test passes"},
		{"many", Report{Ran: []Ran{{Check: build, OK: true}, {Check: vet, OK: true}, {Check: tests, OK: true, Passed: 40}, {Check: lint, OK: true}}}, "builds, 40 tests pass, ruff passes"},
		{"no tests", Report{Ran: []Ran{{Check: build, OK: true}, {Check: tests, OK: true}}}, "builds, no tests"},
		{"two modules", Report{Ran: []Ran{{Check: tests, OK: true, Passed: 2}, {Check: tests, OK: true, Passed: 3}}}, "5 tests pass"},
		{"one fails", Report{Ran: []Ran{{Check: build, OK: true}, {Check: tests, Passed: 2, Failed: 1, Failures: []string{"TestX"}}}}, "1 of 3 tests fails: TestX"},
		{"many fail", Report{Ran: []Ran{{Check: tests, Passed: 1, Failed: 5, Failures: []string{"A", "B", "C", "D"}}}}, "5 of 6 tests fail: A, B, C and 2 more"},
		{
			"broken",
			Report{
				Ran:      []Ran{{Check: build}, {Check: vet}, {Check: tests}},
				Findings: []Finding{{Check: "go build", Severity: Error}, {Check: "go build", Severity: Error}},
			},
			"does not build: 2 errors",
		},
		{"broken without a place", Report{Ran: []Ran{{Check: build, Message: "go: no\nmore"}}}, "does not build: go: no"},
		{"vet", Report{Ran: []Ran{{Check: build, OK: true}, {Check: vet}}, Findings: []Finding{{Check: "go vet", Severity: Warning}}}, "go vet finds 1 problem"},
		{"package fails", Report{Ran: []Ran{{Check: tests, Message: "e: gave up"}}}, "go test fails: e: gave up"},
		{"skipped", Report{Skipped: []Skipped{{build, "go is not installed"}, {tests, "go is not installed"}}}, "not checked: go is not installed"},
		{"partly skipped", Report{Ran: []Ran{{Check: build, OK: true}}, Skipped: []Skipped{{tests, "why"}}}, "builds, not checked: go test: why"},
	} {
		if got := tc.rep.Summary(); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
