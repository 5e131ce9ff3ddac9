package main

import (
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// colours reports whether output may have colours: on a terminal, unless
// somebody said no.
func (a *app) colours(w any) bool {
	if a.noColor || a.getenv("NO_COLOR") != "" || a.getenv("TERM") == "dumb" {
		return false
	}
	return terminalAt(w)
}

// terminalAt reports whether w is a terminal.
func terminalAt(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// shown is text for stdout: as it is for a file or a pipe, and without what a
// terminal would act on otherwise. Paths, diffs and what a model says may come
// from anybody.
func (a *app) shown(text string) string {
	if !terminalAt(a.out) {
		return text
	}
	return printable(text)
}

// printable makes visible what a terminal would act on or hide: control
// characters but for tab and line end, and those that change the direction of
// writing or are not seen.
func printable(text string) string {
	if strings.IndexFunc(text, unprintable) < 0 && utf8.ValidString(text) {
		return text
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n")
	var b strings.Builder
	for _, r := range text {
		if unprintable(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool {
	switch {
	case r == '\t' || r == '\n':
		return false
	case unicode.IsControl(r):
		return true
	}
	return r >= 0x200e && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x061c
}

// oneLine is printable text that stays on its line.
func oneLine(text string) string { return strings.ReplaceAll(printable(text), "\n", "<U+000A>") }

// Escape sequences of the few styles in use.
const (
	styleBold  = "\x1b[1m"
	styleDim   = "\x1b[2m"
	styleRed   = "\x1b[31m"
	styleGreen = "\x1b[32m"
	styleCyan  = "\x1b[36m"
	styleNone  = "\x1b[0m"
)

// paint puts a style around text, when there are colours.
func paint(on bool, style, text string) string {
	if !on || text == "" {
		return text
	}
	return style + text + styleNone
}

// paintDiff colours a unified diff line by line.
func paintDiff(on bool, diff string) string {
	if !on {
		return diff
	}
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "---"):
			text = paint(on, styleBold, text)
		case strings.HasPrefix(text, "@@"):
			text = paint(on, styleCyan, text)
		case strings.HasPrefix(text, "+"):
			text = paint(on, styleGreen, text)
		case strings.HasPrefix(text, "-"):
			text = paint(on, styleRed, text)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}
