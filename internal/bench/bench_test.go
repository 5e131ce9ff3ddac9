package main

import (
	"bufio"
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

const output = `goos: linux
goarch: amd64
pkg: emend/lsp
cpu: Some Processor @ 2.00GHz
BenchmarkDidChange1MB-2            	   16532	     72345 ns/op	      24 B/op	       1 allocs/op
2026/01/02 a line of a log
BenchmarkDidChange1MB-2            	   16532	     70000.5 ns/op	      24 B/op	       1 allocs/op
BenchmarkCodeAction10k-2   	    9000	    131000 ns/op	    250000 p99-ns	     512 B/op	       3 allocs/op
BenchmarkMatch/exact-2     	     100	   2000000 ns/op
BenchmarkMatch/size-16-2   	     100	   4000000 ns/op
BenchmarkMatch/exact-2     	     100	   9000000 ns/op
BenchmarkMatch/exact-2     	     100	   3000000 ns/op
BenchmarkMatchOther-2      	     100	  99000000 ns/op
BenchmarkThroughput-2      	     100	        12.5 ns/op	1234.50 MB/s
BenchmarkBroken-2
BenchmarkBroken-2          	some words here instead of numbers
BenchmarkBroken-2          	     100	 x ns/op
PASS
ok  	emend/lsp	12.345s
`

func TestParseBenchmarks(t *testing.T) {
	lines := parseBenchmarks(output, 2)
	want := []benchLine{
		{"BenchmarkDidChange1MB", map[string]float64{"ns/op": 72345, "B/op": 24, "allocs/op": 1}},
		{"BenchmarkDidChange1MB", map[string]float64{"ns/op": 70000.5, "B/op": 24, "allocs/op": 1}},
		{"BenchmarkCodeAction10k", map[string]float64{"ns/op": 131000, "p99-ns": 250000, "B/op": 512, "allocs/op": 3}},
		{"BenchmarkMatch/exact", map[string]float64{"ns/op": 2e6}},
		{"BenchmarkMatch/size-16", map[string]float64{"ns/op": 4e6}},
		{"BenchmarkMatch/exact", map[string]float64{"ns/op": 9e6}},
		{"BenchmarkMatch/exact", map[string]float64{"ns/op": 3e6}},
		{"BenchmarkMatchOther", map[string]float64{"ns/op": 99e6}},
		{"BenchmarkThroughput", map[string]float64{"ns/op": 12.5, "MB/s": 1234.5}},
	}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("got  %v\nwant %v", lines, want)
	}
	for _, c := range []struct {
		name, unit string
		want       time.Duration
	}{
		{"BenchmarkDidChange1MB", "ns/op", 70000},
		{"BenchmarkCodeAction10k", "p99-ns", 250000},
		{"BenchmarkMatch", "ns/op", 4e6}, // the slowest of the medians
	} {
		if got, err := slowest(lines, c.name, c.unit); err != nil || got != c.want {
			t.Errorf("%s of %s is %v (%v), want %v", c.unit, c.name, got, err, c.want)
		}
	}
	for _, name := range []string{"BenchmarkNone", "BenchmarkDidChange1"} {
		if got, err := slowest(lines, name, "ns/op"); err == nil {
			t.Errorf("%s is %v", name, got)
		}
	}
	// On one processor there is no number behind the name.
	if got := parseBenchmarks("BenchmarkMatch/size-16 \t 100 \t 5 ns/op\n", 1); len(got) != 1 || got[0].name != "BenchmarkMatch/size-16" {
		t.Errorf("on one processor: %v", got)
	}
}

func TestTable(t *testing.T) {
	m := func(what, yardstick string) measure {
		return measure{what: what, bound: 2 * time.Millisecond, yardstick: yardstick}
	}
	results := []result{
		{measure: m("fast", "a copy"), took: 1234567, yard: 500 * time.Microsecond},
		{measure: m("plain", ""), took: 100 * time.Microsecond},
		{measure: m("late", "a copy"), took: 3 * time.Millisecond, yard: 1 * time.Millisecond},
		{measure: m("slow", "a copy"), took: 4*time.Millisecond + 1, yard: 1 * time.Millisecond},
		{measure: m("lost", "a copy"), err: errors.New("gone")},
	}
	for i, want := range []bool{false, false, false, true, true} {
		if results[i].failed() != want {
			t.Errorf("%s: failed is %t", results[i].what, !want)
		}
	}
	var out bytes.Buffer
	if err := printTable(&out, results); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"what measured bound yardstick took ratio",
		"fast 1.23ms ≤ 2ms a copy 500µs 2.47 ok",
		"plain 100µs ≤ 2ms - - - ok",
		"late 3ms ≤ 2ms a copy 1ms 3.00 over its bound",
		"slow 4ms ≤ 2ms a copy 1ms 4.00 TOO SLOW",
		"lost - ≤ 2ms a copy - - NOT MEASURED",
	} {
		line := strings.Split(out.String(), "\n")[i]
		if got := strings.Join(strings.Fields(line), " "); got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
}

func TestParseTargets(t *testing.T) {
	got := parseTargets(`FuzzParse
FuzzApply
ok  	emend/edits	0.012s
ok  	emend/agent	0.010s
?   	emend/cmd/none	[no test files]
FuzzKey
ok  	emend/internal/workspace	(cached)
`)
	want := []target{{"emend/edits", "FuzzParse"}, {"emend/edits", "FuzzApply"}, {"emend/internal/workspace", "FuzzKey"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEndedByTime(t *testing.T) {
	for out, want := range map[string]bool{
		"--- FAIL: FuzzX (3.01s)\n    context deadline exceeded\nFAIL\n":                                                   true,
		"--- FAIL: FuzzX (3.01s)\n    context deadline exceeded\n    Failing input written to testdata/fuzz/FuzzX/1\nFAIL": false,
		"--- FAIL: FuzzX (0.01s)\n    bad\nFAIL\n":                                                                         false,
	} {
		if got := endedByTime(out); got != want {
			t.Errorf("%q: %t", out, got)
		}
	}
}

func TestAwaitReply(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		err    string
	}{
		"the reply":    {frame(`{"id":1,"result":{}}`), ""},
		"others first": {frame(`{"method":"window/logMessage"}`) + frame(`{"id":1,"method":"x"}`) + frame(`{"id":7,"result":1}`) + frame(`{"id":1,"result":{}}`), ""},
		"an error":     {frame(`{"id":1,"error":{"code":1}}`), "is an error"},
		"the end":      {"", "EOF"},
		"half":         {frame(`{"id":1,"result":{}}`)[:30], "EOF"},
		"a print":      {"hello\n" + frame(`{"id":1,"result":{}}`), "no header"},
	} {
		err := awaitReply(bufio.NewReader(strings.NewReader(c.stream)), 1)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
