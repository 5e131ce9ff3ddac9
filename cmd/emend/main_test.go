package main

import (
	"testing"
)

func TestCommandLine(t *testing.T) {
	sh := newShell(t, map[string]string{"a.txt": "one\n", "sub/": ""})
	for _, c := range []struct {
		args []string
		want int
		out  string
		err  string
	}{
		{args: []string{"version"}, out: "emend devel\n"},
		{args: []string{"--version"}, out: "devel"},
		{args: nil, out: "Usage:"},
		{args: []string{"help"}, out: "Usage:"},
		{args: []string{"run", "--help"}, out: "--focus"},
		{args: []string{"frobnicate"}, want: exitUsage, err: `there is no command "frobnicate"; see emend --help`},
		{args: []string{"aply"}, want: exitUsage, err: "is it apply"},
		{args: []string{"--frob"}, want: exitUsage, err: "unknown flag: --frob"},
		{args: []string{"run", "x", "--frob"}, want: exitUsage, err: "unknown flag: --frob"},
		{args: []string{"run"}, want: exitUsage, err: "accepts 1 arg"},
		{args: []string{"version", "x"}, want: exitUsage, err: `unknown command "x"`},
		{args: []string{"demo", "x"}, want: exitUsage, err: `unknown command "x"`},
		{args: []string{"apply", "a", "b"}, want: exitUsage, err: "accepts at most 1 arg"},
		{args: []string{"apply", "no/such/file"}, want: exitUsage, err: "no such file"},
		{args: []string{"run", "x", "--mode", "dance"}, want: exitUsage, err: "none of edit, ask, repair"},
		{args: []string{"run", "x", "--focus", "none.txt"}, want: exitUsage, err: "none.txt does not exist"},
		{args: []string{"run", "x", "--focus", "a.txt:3-9"}, want: exitUsage, err: "3-9 is not lines"},
		{args: []string{"run", "x", "--focus", "a.txt:2-1"}, want: exitUsage, err: "2-1 is not lines"},
		{args: []string{"run", "x", "--focus", "../b"}, want: exitUsage, err: "--focus"},
		{args: []string{"--root", "/no/such/folder", "run", "x"}, want: exitUsage, err: "the workspace folder"},
		{args: []string{"--root", sh.path("a.txt"), "apply"}, want: exitUsage, err: "is not a folder"},
		{args: []string{"serve", "--listen", "tcp:0.0.0.0:0"}, want: exitUsage, err: "only loopback"},
		{args: []string{"serve", "--listen", "tcp::7777"}, want: exitUsage, err: "only loopback"},
		{args: []string{"serve", "--listen", "tcp:example.com:7777"}, want: exitUsage, err: "only loopback"},
		{args: []string{"serve", "--listen", "tcp:[::]:7777"}, want: exitUsage, err: "only loopback"},
		{args: []string{"serve", "--listen", "pipe:x"}, want: exitUsage, err: "neither unix:PATH nor tcp:HOST:PORT"},
		{args: []string{"serve", "--debug", "0.0.0.0:0"}, want: exitUsage, err: "only loopback"},
	} {
		sh.run(c.want, c.args...)
		sh.says("stdout", sh.out.String(), c.out)
		sh.says("stderr", sh.err.String(), c.err)
		if c.want != 0 && sh.out.String() != "" {
			t.Errorf("emend %q prints %q", c.args, &sh.out)
		}
	}
}

// A settings file that is named and is not there is worth a word.
func TestMissingConfig(t *testing.T) {
	sh := newShell(t, map[string]string{"a.txt": "one\n"})
	sh.script(`< "fine"`)
	sh.run(exitDone, "run", "--mode", "ask", "--config", sh.path("none.toml"), "x")
	sh.says("stderr", sh.err.String(), "none.toml", "no such file")
	sh.write("some.toml", "colour = true\n")
	sh.script(`< "fine"`)
	sh.run(exitDone, "run", "--mode", "ask", "--config", sh.path("some.toml"), "x")
	sh.says("stderr", sh.err.String(), "some.toml:1")
}
