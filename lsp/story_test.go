package lsp

import (
	"strings"
	"testing"
)

const greet = `package greet

// emend: greet in French
func Hello(name string) string {
	return "Hello, " + name
}
`

const greetFrench = `package greet

func Hello(name string) string {
	return "Bonjour, " + name
}
`

// TestDirective is the main job: a comment asks, the change comes, is applied
// and undone.
func TestDirective(t *testing.T) {
	for _, profile := range []string{"vscode", "neovim-0.7.2", "neovim", "helix"} {
		t.Run(profile, func(t *testing.T) {
			w := newWorld(t, setup{
				profile: profile,
				files:   map[string]string{"greet.go": greet},
				script:  "> contains \"greet in French\"\n" + say("Here:\n\n"+block("greet.go", `	return "Hello, " + name`, `	return "Bonjour, " + name`)),
			})
			w.Open("greet.go")
			w.Pick("greet.go", w.at("greet.go", "emend:"), "emend: Do what this comment asks")
			w.AwaitDiagnostics("greet.go", hasHint)
			w.has("greet.go", greet)
			w.Execute("emend.apply")
			w.AwaitMessage("1 file changed")
			w.has("greet.go", greetFrench)
			w.Execute("emend.undo")
			w.AwaitBuffer("greet.go", func(text string) bool { return text == greet })
			w.AwaitMessage("1 file changed")
		})
	}
}

func hasHint(ds []lsptestDiagnostic) bool {
	for _, d := range ds {
		if strings.HasPrefix(d.Message, "proposed: ") {
			return true
		}
	}
	return false
}
