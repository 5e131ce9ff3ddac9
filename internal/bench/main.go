// Command bench measures emend and holds what it finds against the bounds that
// docs/architecture.md and the README promise, and runs the fuzz targets.
//
//	go run ./internal/bench                  # make bench
//	go run ./internal/bench fuzz -time 20s   # make fuzz FUZZTIME=20s
//
// Start at measures in measures.go: the table of what is measured, where, its
// bound and its yardstick, which is something well known that is measured in
// turn with it, so that a slow machine shows as one. Each number is the median of
// several rounds. The exit code is 1 when something takes more than twice its
// bound, could not be measured, or when a fuzz target fails.
//
// The program knows emend as its users do, by its benchmarks and its binary; it
// imports nothing of this module and has to run in its root folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "fuzz" {
		flags := flag.NewFlagSet("fuzz", flag.ExitOnError)
		per := flags.Duration("time", 20*time.Second, "how long each target runs")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return fuzz(ctx, *per)
	}
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	rounds := flags.Int("rounds", 3, "how often each benchmark runs")
	per := flags.Duration("time", 300*time.Millisecond, "how long a benchmark runs in a round")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("there is no command %q; it is fuzz or nothing", flags.Arg(0))
	}
	if *rounds < 1 {
		return errors.New("-rounds has to be at least 1")
	}
	return bench(ctx, *rounds, *per)
}
