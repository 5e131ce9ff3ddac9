package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// benchRun is what the benchmarks of a package printed in all rounds.
type benchRun struct {
	lines []benchLine
	err   error
}

// runBenchmarks builds a package's tests once and runs its measures and their
// yardsticks in turn, several times over: the test binary's own -count would
// run each so often before the next.
func runBenchmarks(ctx context.Context, binary, pkg string, rounds int, per time.Duration) benchRun {
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, pkg)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return benchRun{err: fmt.Errorf("building the tests of %s: %w", pkg, err)}
	}
	var names []string
	for _, m := range measures {
		if m.pkg == pkg {
			names = append(names, m.bench)
			if m.yard != "" {
				names = append(names, m.yard)
			}
		}
	}
	var all []benchLine
	for range rounds {
		for _, name := range names {
			c := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench=^"+name+"$", "-test.benchtime="+per.String(), "-test.timeout=50s")
			c.Dir = pkg
			out, err := c.CombinedOutput()
			if err != nil {
				return benchRun{err: fmt.Errorf("running %s: %w\n%s", name, err, out)}
			}
			all = append(all, parseBenchmarks(string(out), runtime.GOMAXPROCS(0))...)
		}
	}
	return benchRun{lines: all}
}

// benchLine is one line of a benchmark's output.
type benchLine struct {
	name   string             // without the number of processors
	values map[string]float64 // by unit
}

// parseBenchmarks reads the output of benchmarks run on so many processors.
// Lines that are something else are left out.
func parseBenchmarks(out string, procs int) []benchLine {
	var all []benchLine
	lines := bufio.NewScanner(strings.NewReader(out))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		if _, err := strconv.Atoi(fields[1]); err != nil {
			continue
		}
		line := benchLine{strings.TrimSuffix(fields[0], "-"+strconv.Itoa(procs)), map[string]float64{}}
		for i := 2; i < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				line.values = nil
				break
			}
			line.values[fields[i+1]] = value
		}
		if line.values != nil {
			all = append(all, line)
		}
	}
	return all
}

// slowest is the median over the rounds of a benchmark, in a unit of
// nanoseconds; where it has several below it, of the slowest of them.
func slowest(lines []benchLine, name, unit string) (time.Duration, error) {
	values := map[string][]float64{}
	for _, l := range lines {
		if value, ok := l.values[unit]; ok && (l.name == name || strings.HasPrefix(l.name, name+"/")) {
			values[l.name] = append(values[l.name], value)
		}
	}
	if len(values) == 0 {
		return 0, fmt.Errorf("there is no %s of %s", unit, name)
	}
	var worst float64
	for _, v := range values {
		worst = max(worst, median(v))
	}
	return time.Duration(worst), nil
}

// median is the middle value, the lower one of two. There has to be one.
func median[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
