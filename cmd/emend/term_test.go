package main

import (
	"errors"
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain\n\ttext ünïcode 日本\n":               "plain\n\ttext ünïcode 日本\n",
		"a\r\nb\x1b[2J":                            "a\nb<U+001B>[2J",
		"safe\revil":                               "safe<U+000D>evil",
		"\x1b]52;c;ZXZpbA==\a":                     "<U+001B>]52;c;ZXZpbA==<U+0007>",
		"c1 \u009b31m \u0085":                      "c1 <U+009B>31m <U+0085>",
		"raw c1 \x9b31m":                           "raw c1 \ufffd31m",
		"bidi \u202egnp.exe\u2066":                 "bidi <U+202E>gnp.exe<U+2066>",
		"del \x7f nul \x00":                        "del <U+007F> nul <U+0000>",
		"\u200d joins emoji, \u00ad may be hidden": "\u200d joins emoji, \u00ad may be hidden",
	} {
		if got := printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := oneLine("a\n[y/N] y"); strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
}

// What is refused is told on stderr, which is for people.
func TestComplaintsAreHarmless(t *testing.T) {
	sh := newShell(t, map[string]string{"a.go": "package a\n"})
	sh.in = strings.NewReader("\x1b[31mno\x1b[0m.go\n<<<<<<< SEARCH\n\x1b]0;owned\a\n=======\nx\n>>>>>>> REPLACE\n")
	app := sh.app()
	app.complain(errors.New("\x1b[2J"))
	if code := app.main(t.Context(), []string{"apply", "--root", sh.dir}); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	if got := sh.err.String(); strings.ContainsAny(got, "\x1b\a") {
		t.Errorf("escapes on stderr: %q", got)
	}
}
