package verify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"emend/internal/sandbox"
	"emend/internal/workspace"
)

const sound = `
-- go.mod --
module example.com/m

go 1.21
-- a.go --
package m

func Add(a, b int) int { return a + b }
-- a_test.go --
package m

import "testing"

func TestOne(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Error("one")
	}
}

func TestTwo(t *testing.T) {
	t.Run("case", func(t *testing.T) {
		if got := Add(2, 2); got != 4 {
			t.Errorf("got %d\nwant 4", got)
		}
	})
}

func TestThree(t *testing.T) { t.Log("three") }
`

func TestSound(t *testing.T) {
	needGo(t)
	root := tempProject(t, sound)
	req := request(t, root, nil)
	var seen []Progress
	req.Progress = func(p Progress) { seen = append(seen, p) }
	rep, err := Run(t.Context(), req)
	must(t, err)
	diff(t, "findings", list(root, rep.Findings), "")
	diff(t, "summary", rep.Summary(), "builds, 3 tests pass")
	if !rep.OK() || len(rep.Ran) != 3 || rep.Ran[2].Passed != 3 {
		t.Errorf("report %+v", rep)
	}
	last := seen[len(seen)-1]
	if last.Check.Name != "go test" || !last.Done || last.Passed != 3 || last.Total != 3 || last.Index != 2 {
		t.Errorf("the last progress is %+v", last)
	}
	if seen[0].Total != 0 {
		t.Errorf("the first progress is %+v, want one for the copying", seen[0])
	}
}

func TestBufferIsTheTruth(t *testing.T) {
	needGo(t)
	root := tempProject(t, sound)
	good, err := os.ReadFile(filepath.Join(root, "a.go"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(root, "a.go"), []byte("package m\n\nfunc Add(a, b int) int { return a - }\n"), 0o644))
	rep, err := Run(t.Context(), request(t, root, map[string]string{"a.go": string(good)}))
	must(t, err)
	diff(t, "disk stale, buffer good", rep.Summary(), "builds, 3 tests pass")

	must(t, os.WriteFile(filepath.Join(root, "a.go"), good, 0o644))
	rep, err = Run(t.Context(), request(t, root, map[string]string{"a.go": "package m\n\nfunc Add(a, b int) int { return x }\n"}))
	must(t, err)
	diff(t, "disk good, buffer bad", list(root, rep.Findings), "a.go:3:33: error go build: undefined: x")
	diff(t, "disk good, buffer bad", rep.Summary(), "does not build: 1 error")
}

func TestDraft(t *testing.T) {
	needGo(t)
	root := tempProject(t, sound)
	snap := snapshot(root, nil)
	draft := workspace.NewDraft(snap)
	path := func(name string) workspace.Path { return workspace.Key(filepath.Join(root, name)) }
	must(t, draft.Write(t.Context(), path("a.go"), "package m\n\nfunc Add(a, b int) int { return a*b + 0 }\n"))
	must(t, draft.Write(t.Context(), path("sub/new.go"), "package sub\n\nimport \"fmt\"\n\nfunc F() { fmt.Printf(\"%d\\n\", \"x\") }\n"))
	req := request(t, root, nil)
	req.Snapshot, req.Draft = nil, draft
	rep, err := Run(t.Context(), req)
	must(t, err)
	diff(t, "findings", list(root, rep.Findings), `
a_test.go:7:0: error go test TestOne: one
sub/new.go:5:24: warning go vet: fmt.Printf format %d has arg "x" of wrong type string
`)
	diff(t, "summary", rep.Summary(), "go vet finds 1 problem, 1 of 3 tests fails: TestOne")
	if _, err := os.Stat(filepath.Join(root, "sub")); err == nil {
		t.Error("the draft's file was written to the workspace")
	}
}

func TestFailures(t *testing.T) {
	needGo(t)
	root := tempProject(t, `
-- go.mod --
module example.com/m

go 1.21
-- a_test.go --
package m

import "testing"

func TestLogs(t *testing.T) {
	t.Log("context")
	t.Errorf("first line\nsecond line")
	check(t, false)
}

func check(t *testing.T, ok bool) {
	t.Helper()
	if !ok {
		t.Error("checked")
	}
}

func TestSub(t *testing.T) {
	t.Run("deep", func(t *testing.T) {
		t.Run("er", func(t *testing.T) { t.Fatal("sub") })
	})
}

func TestSilent(t *testing.T) { t.FailNow() }

func TestSkips(t *testing.T) { t.Skip("no") }

func Example() {
	print("")
	// Output: x
}
-- p/p.go --
package p

func Boom(m map[string]int) { m["x"] = 1 }
-- p/p_test.go --
package p

import "testing"

func TestBoom(t *testing.T) {
	Boom(nil)
}
-- e/e_test.go --
package e

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	println("giving up")
	os.Exit(3)
}
-- b/b.go --
package b

import "fmt"

func F() int { return "x" }
-- b/b_test.go --
package b

import "testing"

func TestB(t *testing.T) { F(1, 2) }
`)
	req := request(t, root, nil)
	for _, c := range Detect(root) {
		if c.Parser == "go-test" {
			req.Checks = append(req.Checks, c)
		}
	}
	rep, err := Run(t.Context(), req)
	must(t, err)
	diff(t, "findings", list(root, rep.Findings), `
a_test.go:6:0: information go test TestLogs: context
a_test.go:7:0: error go test TestLogs: first line|second line
a_test.go:8:0: error go test TestLogs: checked
a_test.go:20:0: error go test TestSub/deep/er: sub
a_test.go:24:0: error go test TestSilent: test fails
a_test.go:28:0: error go test Example: got:|want:|x
b/b.go:3:8: error go test: "fmt" imported and not used
b/b.go:5:23: error go test: cannot use "x" (untyped string constant) as int value in return statement
b/b_test.go:5:30: error go test: too many arguments in call to F|	have (number, number)|	want ()
e/e_test.go:8:0: error go test: giving up
p/p.go:3:0: error go test TestBoom: panic: assignment to entry in nil map [recovered, repanicked]
`)
	diff(t, "summary", rep.Summary(), "5 of 5 tests fail: TestLogs, TestSub, TestSilent and 2 more")
	ran := rep.Ran[0]
	if ran.Skipped != 1 || ran.Failed != 5 || strings.Contains(ran.Output, "scratch") || strings.Contains(ran.Output, "Action") || !strings.Contains(ran.Output, "--- FAIL: TestSilent") {
		t.Errorf("ran %+v", ran)
	}
}

func TestModuleProblems(t *testing.T) {
	needGo(t)
	for name, tc := range map[string]struct{ files, findings string }{
		"missing module": {`
-- go.mod --
module example.com/m

go 1.21
-- a.go --
package m

import _ "example.com/none/x"
`, "a.go:3:8: error go build: no required module provides package example.com/none/x; to add it:|	go get example.com/none/x"},
		"unfetched": {`
-- go.mod --
module example.com/m

go 1.21

require example.com/none v1.0.0
-- a.go --
package m

import _ "example.com/none/x"
`, "a.go:3:8: error go build: missing go.sum entry for module providing package example.com/none/x"},
		"newer go": {`
-- go.mod --
module example.com/m

go 1.999
-- a.go --
package m
`, "go.mod:3:0: error go build: go.mod requires go >= 1.999"},
		"malformed go.mod": {`
-- go.mod --
module example.com/m

gop 1.21
-- a.go --
package m
`, "go.mod:3:0: error go build: unknown directive: gop"},
		"syntax": {`
-- go.mod --
module example.com/m
-- a.go --
package m

func F( {
`, "a.go:3:9: error go build: syntax error: unexpected {, expected )\n"},
	} {
		t.Run(name, func(t *testing.T) {
			root := tempProject(t, tc.files)
			rep, err := Run(t.Context(), request(t, root, nil))
			must(t, err)
			got := list(root, rep.Findings)
			if !strings.HasPrefix(got, tc.findings) {
				t.Errorf("findings:\n%s\nwant:\n%s\nmessages: %q", got, tc.findings, rep.Ran[0].Message)
			}
			if !strings.HasPrefix(rep.Summary(), "does not build: ") {
				t.Errorf("summary %q", rep.Summary())
			}
		})
	}
}

func TestNestedModules(t *testing.T) {
	needGo(t)
	root := tempProject(t, `
-- go.mod --
module example.com/m
-- a.go --
package m
-- tools/go.mod --
module example.com/tools
-- tools/x/x.go --
package x

func F() { y() }
`)
	req := request(t, root, map[string]string{"tools/x/x.go": "package x\n\nfunc F() { z() }\n"})
	req.Near = []string{"tools/x/x.go"}
	rep, err := Run(t.Context(), req)
	must(t, err)
	diff(t, "findings", list(root, rep.Findings), "tools/x/x.go:3:12: error go build (tools): undefined: z")
	if rep.Ran[0].Check.Dir != "tools" || len(rep.Ran) != 6 {
		t.Errorf("ran %d checks, the first in %q; want 6, tools first", len(rep.Ran), rep.Ran[0].Check.Dir)
	}
}

func TestCannotRun(t *testing.T) {
	root := tempProject(t, sound)
	req := request(t, root, nil)
	req.Checks = []Check{
		{Name: "nothing"},
		{Name: "unknown", Args: []string{"no-such-program-here"}},
		{Name: "script", Args: []string{"./missing"}},
		{Name: "skipped", Args: []string{"x"}, Skip: "because"},
	}
	rep, err := Run(t.Context(), req)
	must(t, err)
	if len(rep.Ran) != 0 || len(rep.Skipped) != 4 || rep.OK() {
		t.Errorf("report %+v", rep)
	}
	if s := rep.Summary(); !strings.Contains(s, "not checked: no-such-program-here is not installed") || !strings.Contains(s, "because") {
		t.Errorf("summary %q", s)
	}
	req = request(t, root, nil)
	req.Sandbox.MaxFiles = 1
	rep, err = Run(t.Context(), req)
	must(t, err)
	if len(rep.Skipped) != 3 || !strings.HasPrefix(rep.Summary(), "not checked: copy ") {
		t.Errorf("too large: %q, %+v", rep.Summary(), rep.Skipped)
	}
	rep, err = Run(t.Context(), request(t, tempProject(t, ""), nil))
	must(t, err)
	diff(t, "nothing to check", rep.Summary(), "not checked: no checks found")
}

// script is a check that runs a shell script.
func script(text string) Check { return Check{Name: "script", Args: []string{"sh", "-c", text}} }

func needShell(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh: ", err)
	}
}

func TestUnknownTool(t *testing.T) {
	needShell(t)
	root := tempProject(t, sound)
	req := request(t, root, nil)
	req.Checks = []Check{script(`
printf '\033[31ma.go:2:3: red\033[0m\n'
echo 'a.go:4: warning: careful'
echo "$PWD/a.go:5:1: note: absolute"
echo '12:30:45: not a place'
echo 'http://localhost:80: nor this'
echo '/etc/passwd:1: outside' >&2
echo 'a.go:2:3: red'
printf 'progress 1\rprogress 2\r\n'
exit 1`)}
	rep, err := Run(t.Context(), req)
	must(t, err)
	diff(t, "findings", list(root, rep.Findings), `
a.go:2:3: error script: red
a.go:4:0: warning script: warning: careful
a.go:5:1: information script: note: absolute
`)
	if out := rep.Ran[0].Output; !strings.Contains(out, root+"/a.go:5:1") || strings.Contains(out, "\x1b") || !strings.Contains(out, "\nprogress 2\n") {
		t.Errorf("output %q", out)
	}
	diff(t, "summary", rep.Summary(), "script fails")
}

func TestBounds(t *testing.T) {
	needShell(t)
	root := tempProject(t, sound)
	req := request(t, root, nil)
	req.MaxFindings, req.MaxOutput, req.Timeout = 5, 200, 300*time.Millisecond
	req.Checks = []Check{
		script(`for i in 1 2 3 4 5 6 7 8 9; do echo "a.go:$i: x"; done; exit 1`),
		script(`echo a.go:10: y; exec sleep 1000`),
	}
	rep, err := Run(t.Context(), req)
	must(t, err)
	if len(rep.Findings) != 5 || !rep.Truncated || !rep.Ran[0].Truncated {
		t.Errorf("%d findings, truncated %v", len(rep.Findings), rep.Truncated)
	}
	if !rep.Ran[1].TimedOut || rep.Ran[1].OK || !strings.Contains(rep.Summary(), "timed out") {
		t.Errorf("summary %q, ran %+v", rep.Summary(), rep.Ran[1])
	}
}

func TestCancel(t *testing.T) {
	needShell(t)
	root := tempProject(t, sound)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req := request(t, root, nil)
	req.Checks = []Check{script(`echo a.go:1: before; sleep 1000 & sleep 1000`), script("echo never")}
	// The finding's arrival is reported with the check's start only; cancel
	// from there.
	req.Progress = func(p Progress) {
		if p.Total > 0 {
			cancel()
		}
	}
	rep, err := Run(ctx, req)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v, want context.Canceled", err)
	}
	if len(rep.Ran) > 1 {
		t.Errorf("ran %+v after the end", rep.Ran)
	}
}

func TestCancelKillsTests(t *testing.T) {
	needGo(t)
	root := tempProject(t, `
-- go.mod --
module example.com/m
-- a_test.go --
package m

import "testing"

func TestFirst(t *testing.T) {}

func TestHangs(t *testing.T) { select {} }
`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req := request(t, root, nil)
	checks := Detect(root)
	req.Checks = []Check{checks[2]}
	req.Checks[0].Args = append(slices.Clone(req.Checks[0].Args), "-args", "x")
	began := time.Now()
	req.Progress = func(p Progress) {
		if p.Passed == 1 {
			cancel()
		}
	}
	req.Timeout = time.Minute
	rep, err := Run(ctx, req)
	if !errors.Is(err, context.Canceled) || time.Since(began) > 50*time.Second {
		t.Errorf("Run = %v after %v, want context.Canceled at once", err, time.Since(began))
	}
	if len(rep.Ran) != 1 || rep.Ran[0].Passed != 1 || rep.Ran[0].OK {
		t.Errorf("report %+v", rep)
	}
}

func TestKeptBox(t *testing.T) {
	needShell(t)
	root := tempProject(t, sound)
	box, err := sandbox.New(t.Context(), sandbox.Config{Root: root, Parent: filepath.Join(t.TempDir(), "s")})
	must(t, err)
	req := request(t, root, map[string]string{"a.go": "new"})
	req.Box = box
	req.Checks = []Check{script(`test "$(cat a.go)" = new && test ! -e left && echo x > left && echo y > a.go`)}
	for range 2 {
		rep, err := Run(t.Context(), req)
		must(t, err)
		diff(t, "summary", rep.Summary(), "script passes")
	}
	must(t, box.Close())
}
