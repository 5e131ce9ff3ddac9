// Command emend is a language server that does a coding agent's work in any
// editor, and the same work on the command line.
//
// Start at serve.go for the server, run.go for a headless run and demo.go for
// the whole main job in one go. This package holds flags, wiring and exit
// codes; what has logic worth a test of its own lives in the packages below it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set by the linker for releases.
var version = "devel"

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1 // the thing itself failed: a refused edit, findings
	exitUsage       = 2
	exitNoModel     = 3
	exitInterrupted = 130
)

// exitError is an error with the exit code it asks for. err may be nil when all
// has been said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// app is the program's surroundings, so that a test can give it others.
type app struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string

	root, configFile, logLevel string
	model                      string // --model of run and demo
	noColor                    bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends what does not heed the first
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}
	code := a.main(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// main runs one command line and returns the exit code.
func (a *app) main(ctx context.Context, args []string) int {
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var exit *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		if exit.err != nil {
			a.complain(exit.err)
		}
		return exit.code
	case errors.Is(err, context.Canceled):
		a.complain(errors.New("interrupted"))
		return exitInterrupted
	default:
		a.complain(err)
		return exitFailed
	}
}

func (a *app) complain(err error) {
	if _, err := fmt.Fprintf(a.err, "emend: %s\n", printable(err.Error())); err != nil {
		return // nobody listens
	}
}

// printf writes to stdout; that nobody reads it is not worth a word.
func (a *app) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(a.out, format, args...)
}

// command builds the command tree.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "emend",
		Short:         "a language server that does a coding agent's work in any editor",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version,
		Args:          knownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },

		SuggestionsMinimumDistance: 2,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exitError{exitUsage, err} })
	flags := root.PersistentFlags()
	flags.StringVar(&a.root, "root", "", "workspace folder (default: the enclosing repository or folder)")
	flags.StringVar(&a.configFile, "config", "", "settings file in place of the user's own")
	flags.StringVar(&a.logLevel, "log-level", "", "debug, info, warn or error")
	flags.BoolVar(&a.noColor, "no-color", false, "no colours on a terminal")
	root.AddCommand(a.serveCommand(), a.demoCommand(), a.runCommand(), a.applyCommand(), a.versionCommand())
	usageErrors(root)
	return root
}

// knownCommand refuses the name of a command that there is not.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("there is no command %q", args[0])
	if like := c.SuggestionsFor(args[0]); len(like) > 0 {
		err = fmt.Errorf("%w; is it %s", err, strings.Join(like, " or "))
	}
	return err
}

// usageErrors makes wrong arguments exit with the code for usage.
func usageErrors(c *cobra.Command) {
	for _, sub := range c.Commands() {
		usageErrors(sub)
	}
	check := c.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &exitError{exitUsage, fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
		}
		return nil
	}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { a.printf("emend %s\n", version) },
	}
}
