package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// target is a fuzz target of a package.
type target struct{ pkg, name string }

// fuzz runs every fuzz target of the module for a while, one after the other,
// and fails for those that found something.
func fuzz(ctx context.Context, per time.Duration) error {
	list := exec.CommandContext(ctx, "go", "test", "-list", "^Fuzz", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("listing the fuzz targets: %w\n%s", err, out)
	}
	targets := parseTargets(string(out))
	if len(targets) == 0 {
		return errors.New("there are no fuzz targets in this folder's module")
	}
	var failed []error
	for i, t := range targets {
		begin := time.Now()
		out, err := t.run(ctx, per)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s %s: %w", t.pkg, t.name, err))
			_, err = fmt.Fprintf(os.Stdout, "%s\n", out)
		}
		if err == nil {
			_, err = fmt.Fprintf(os.Stdout, "%d/%d %s %s (%v)\n", i+1, len(targets), t.pkg, t.name, time.Since(begin).Round(time.Second))
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// run fuzzes one target. The go command now and then reports the end of the
// time as a failure of the target; such a run does not count and is done again.
func (t target) run(ctx context.Context, per time.Duration) ([]byte, error) {
	for try := 1; ; try++ {
		var out bytes.Buffer
		c := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", per.String(), t.pkg)
		c.Stdout, c.Stderr = &out, &out
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // its workers end with it
		c.WaitDelay = 10 * time.Second
		err := c.Run()
		if err == nil || try == 2 || ctx.Err() != nil || !endedByTime(out.String()) {
			return out.Bytes(), err
		}
	}
}

// endedByTime reports whether all that failed was that the time was up.
func endedByTime(out string) bool {
	return strings.Contains(out, "context deadline exceeded") && !strings.Contains(out, "Failing input written to")
}

// parseTargets reads the output of go test -list: names, then a line for the
// package that has them.
func parseTargets(out string) []target {
	var all []target
	var names []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 1 && strings.HasPrefix(fields[0], "Fuzz"):
			names = append(names, fields[0])
		case len(fields) >= 2 && fields[0] == "ok":
			for _, name := range names {
				all = append(all, target{fields[1], name})
			}
			names = nil
		}
	}
	return all
}
