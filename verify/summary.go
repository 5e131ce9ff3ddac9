package verify

import (
	"fmt"
	"strings"
	"time"
)

// maxNamed is how many failed tests a summary names.
const maxNamed = 3

// OK reports whether checks ran and all of them succeeded. A report without
// any check that ran is not OK: nothing is known.
func (r Report) OK() bool {
	for _, ran := range r.Ran {
		if !ran.OK {
			return false
		}
	}
	return len(r.Ran) > 0
}

// Summary says in a few words how the checks went: "builds, 3 tests pass",
// "1 of 3 tests fails: TestX", "does not build: 2 errors", "not checked: go is
// not installed". Where something fails, only that is said.
func (r Report) Summary() string {
	byKind := map[kind][]Ran{}
	for _, ran := range r.Ran {
		k := parsers[ran.Check.Parser].kind
		byKind[k] = append(byKind[k], ran)
	}
	var good, bad []string
	for _, say := range []func() (string, bool){
		func() (string, bool) { return r.sayBuild(byKind[kindBuild]) },
		func() (string, bool) { return r.sayLint(byKind[kindLint], failed(byKind[kindBuild])) },
		func() (string, bool) { return r.sayTests(byKind[kindTest], failed(byKind[kindBuild])) },
	} {
		if text, ok := say(); text != "" && ok {
			good = append(good, text)
		} else if text != "" {
			bad = append(bad, text)
		}
	}
	for _, ran := range byKind[kindOther] {
		if ran.OK {
			good = append(good, ran.Check.Name+" passes")
		} else {
			bad = append(bad, saidFailure(ran))
		}
	}
	parts := good
	if len(bad) > 0 {
		parts = bad
	}
	return strings.Join(append(parts, r.saySkipped()...), ", ")
}

func failed(rans []Ran) bool {
	for _, ran := range rans {
		if !ran.OK {
			return true
		}
	}
	return false
}

// count returns the findings of a check that are at least warnings.
func (r Report) count(check string, worst Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Check == check && (f.Severity == Error || worst == Warning && f.Severity == Warning) {
			n++
		}
	}
	return n
}

func (r Report) sayBuild(rans []Ran) (text string, ok bool) {
	if len(rans) == 0 {
		return "", true
	}
	errors, reason := 0, ""
	for _, ran := range rans {
		if ran.OK {
			continue
		}
		errors += r.count(ran.Check.Name, Error)
		if reason == "" {
			reason = reasonOf(ran)
		}
	}
	switch {
	case !failed(rans):
		return "builds", true
	case errors > 0:
		return "does not build: " + plural(errors, "error"), false
	case reason != "":
		return "does not build: " + reason, false
	default:
		return "does not build", false
	}
}

// sayLint says nothing of a linter that failed with the build: it could not
// look.
func (r Report) sayLint(rans []Ran, broken bool) (text string, ok bool) {
	n, reason, name := 0, "", ""
	for _, ran := range rans {
		if ran.OK {
			continue
		}
		n += r.count(ran.Check.Name, Warning)
		name, reason = ran.Check.Name, reasonOf(ran)
	}
	switch {
	case n > 0:
		return name + " finds " + plural(n, "problem"), false
	case name == "" || broken:
		return "", true
	case reason != "":
		return name + " fails: " + reason, false
	default:
		return name + " fails", false
	}
}

func (r Report) sayTests(rans []Ran, broken bool) (text string, ok bool) {
	if len(rans) == 0 {
		return "", true
	}
	passed, failures := 0, 0
	var names []string
	var other string
	for _, ran := range rans {
		passed += ran.Passed
		failures += ran.Failed
		names = append(names, ran.Failures...)
		if !ran.OK && ran.Failed == 0 && other == "" {
			other = saidFailure(ran)
		}
		if ran.TimedOut {
			other = saidFailure(ran)
		}
	}
	total := passed + failures
	switch {
	case failures > 0:
		verb := "fail"
		if failures == 1 {
			verb = "fails"
		}
		text := fmt.Sprintf("%d of %s %s: %s", failures, plural(total, "test"), verb, listed(names, failures))
		if other != "" && !broken {
			text += ", " + other
		}
		return text, false
	case other != "" && broken:
		return "", true // said by the build
	case other != "":
		return other, false
	case total == 0:
		return "no tests", true
	case total == 1:
		return "1 test passes", true
	default:
		return plural(total, "test") + " pass", true
	}
}

// listed names the first few of total tests.
func listed(names []string, total int) string {
	if len(names) > maxNamed {
		names = names[:maxNamed]
	}
	text := strings.Join(names, ", ")
	if more := total - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// saidFailure says of a check that it failed, and why if that is short.
func saidFailure(ran Ran) string {
	if ran.TimedOut {
		return ran.Check.Name + " timed out after " + ran.Took.Round(time.Second/10).String()
	}
	if reason := reasonOf(ran); reason != "" {
		return ran.Check.Name + " fails: " + reason
	}
	return ran.Check.Name + " fails"
}

// reasonOf is the first line of a check's message, or what its exit tells.
func reasonOf(ran Ran) string {
	line, _, _ := strings.Cut(ran.Message, "\n")
	return clip(line, 120)
}

func (r Report) saySkipped() []string {
	if len(r.Ran) == 0 && len(r.Skipped) == 0 {
		return []string{"not checked: no checks found"}
	}
	var said []string
	seen := map[string]bool{}
	for _, s := range r.Skipped {
		if seen[s.Why] {
			continue // the checks of one project share their reasons
		}
		seen[s.Why] = true
		text := s.Why
		if len(r.Ran) > 0 {
			text = s.Check.Name + ": " + text
		}
		said = append(said, "not checked: "+text)
	}
	return said
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}
