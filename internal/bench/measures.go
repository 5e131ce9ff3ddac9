package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"
)

// measure is something with a bound.
type measure struct {
	what  string
	pkg   string // folder of the benchmarks; "" for the start of the process
	bench string // the benchmark; of several below it the slowest counts
	unit  string // of the benchmark's output; "ns/op" or one of its own, in ns
	bound time.Duration

	yardstick string        // in words; "" is none
	yard      string        // its benchmark, in the same folder
	quiet     time.Duration // what the yardstick takes on the quiet machine that the bound was set on; 0 unknown
}

// measures is all that is measured, by folder. The names are those of the
// benchmarks in that folder's tests.
var measures = []measure{
	{
		what: "start of the process to initialize answered", bound: 10 * time.Millisecond, yardstick: "git --version",
	},
	{
		what: "initialize answered, in process", pkg: "./lsp", bench: "BenchmarkInitialize", unit: "ns/op", bound: 10 * time.Millisecond,
	},
	{
		what: "didChange, a keystroke in 1 MB", pkg: "./lsp", bench: "BenchmarkDidChange1MB", unit: "ns/op", bound: 200 * time.Microsecond,
		yardstick: "one flat copy of 1 MB", yard: "BenchmarkYardstickCopy1MB", quiet: 80 * time.Microsecond,
	},
	{
		what: "codeAction in 10,000 lines after an edit, p99", pkg: "./lsp", bench: "BenchmarkCodeAction10k", unit: "p99-ns", bound: 2 * time.Millisecond,
		yardstick: "strings.Count over the text", yard: "BenchmarkYardstickCount10k",
	},
	{
		what: "a reply parsed and matched against 50,000 lines", pkg: "./edits", bench: "BenchmarkParseAndMatch50kLines", unit: "ns/op", bound: 10 * time.Millisecond,
		yardstick: "strings.Split of the text", yard: "BenchmarkYardstickSplit50kLines",
	},
}

// excess is how many times its bound a measure may take before it fails: room
// for a busy machine.
const excess = 2

// result is what a measure came to.
type result struct {
	measure
	took time.Duration
	yard time.Duration // 0 where there is no yardstick
	err  error
}

func (r result) failed() bool {
	return r.err != nil || float64(r.took) > excess*float64(r.bound)*r.slowness()
}

// slowness is how much slower than the machine the bound was set on this one
// is at this moment, by the yardstick; at least 1.
func (r result) slowness() float64 {
	if r.quiet == 0 || r.yard <= r.quiet {
		return 1
	}
	return float64(r.yard) / float64(r.quiet)
}

// bench measures everything, prints the table, and fails for what is too slow.
func bench(ctx context.Context, rounds int, per time.Duration) error {
	tmp, err := os.MkdirTemp("", "emend-bench-")
	if err != nil {
		return fmt.Errorf("making a folder for binaries: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }() // a scratch folder
	runs := map[string]benchRun{}
	var results []result
	for _, m := range measures {
		r := result{measure: m}
		if m.pkg == "" {
			r.took, r.yard, r.err = measureStart(ctx, tmp)
			results = append(results, r)
			continue
		}
		if _, ok := runs[m.pkg]; !ok {
			runs[m.pkg] = runBenchmarks(ctx, filepath.Join(tmp, filepath.Base(m.pkg)+".test"), m.pkg, rounds, per)
		}
		r.read(runs[m.pkg])
		results = append(results, r)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := printTable(os.Stdout, results); err != nil {
		return err
	}
	var failed []error
	for _, r := range results {
		switch {
		case r.err != nil:
			failed = append(failed, fmt.Errorf("%s: not measured: %w", r.what, r.err))
		case r.failed():
			failed = append(failed, fmt.Errorf("%s: %v is over %d times its bound, %v", r.what, round(r.took), excess, r.bound))
		}
	}
	return errors.Join(failed...)
}

// read takes the measure and its yardstick out of what the benchmarks printed.
func (r *result) read(run benchRun) {
	if r.err = run.err; r.err != nil {
		return
	}
	if r.took, r.err = slowest(run.lines, r.bench, r.unit); r.err != nil {
		return
	}
	if r.measure.yard != "" {
		r.yard, r.err = slowest(run.lines, r.measure.yard, "ns/op")
	}
}

// printTable prints the results.
func printTable(w io.Writer, results []result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cells ...any) {
		// Errors of the writer below are kept until Flush.
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", cells...)
	}
	row("what", "measured", "bound", "yardstick", "took", "ratio", "")
	for _, r := range results {
		verdict := "ok"
		switch {
		case r.err != nil:
			row(r.what, "-", "≤ "+r.bound.String(), r.yardstick, "-", "-", "NOT MEASURED")
			continue
		case r.failed():
			verdict = "TOO SLOW"
		case r.took > r.bound && r.slowness() > 1:
			verdict = fmt.Sprintf("over its bound, on a machine %.1f times slower than it was set on", r.slowness())
		case r.took > r.bound:
			verdict = "over its bound"
		}
		yardstick, yard, ratio := "-", "-", "-"
		if r.yard > 0 {
			yardstick, yard = r.yardstick, round(r.yard).String()
			ratio = fmt.Sprintf("%.2f", float64(r.took)/float64(r.yard))
		}
		row(r.what, round(r.took).String(), "≤ "+r.bound.String(), yardstick, yard, ratio, verdict)
	}
	return table.Flush()
}

// round leaves three digits or so.
func round(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
