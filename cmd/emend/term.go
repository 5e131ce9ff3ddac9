package main

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// colours reports whether output may have colours: on a terminal, unless
// somebody said no.
func (a *app) colours(w any) bool {
	if a.noColor || a.getenv("NO_COLOR") != "" || a.getenv("TERM") == "dumb" {
		return false
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

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
