package lsp

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestProtocolDocument holds docs/protocol.md and the command table together:
// every command with every argument it takes.
func TestProtocolDocument(t *testing.T) {
	data, err := os.ReadFile("../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	rows := map[string]string{}
	for line := range strings.Lines(doc) {
		if !strings.HasPrefix(line, "| `emend.") {
			continue
		}
		names, _, _ := strings.Cut(line[2:], " | ")
		for _, name := range strings.Split(names, ", ") {
			rows[strings.Trim(name, "`")] = line
		}
	}
	for _, c := range commands {
		row, ok := rows[c.name]
		if !ok {
			t.Errorf("docs/protocol.md does not have %s", c.name)
			continue
		}
		delete(rows, c.name)
		for _, arg := range c.accepts {
			if slices.Contains(place, arg) {
				if !strings.Contains(row, "place") {
					t.Errorf("docs/protocol.md: %s takes a place", c.name)
				}
				continue
			}
			if !strings.Contains(row, "`"+arg+"`") && !strings.Contains(row, "`"+arg+"[]`") {
				t.Errorf("docs/protocol.md: %s takes %s", c.name, arg)
			}
		}
	}
	for name := range rows {
		t.Errorf("docs/protocol.md has %s, which is no command", name)
	}
	for _, kind := range []string{string(kindRewrite), string(kindVerify), string(kindUndo)} {
		if !strings.Contains(doc, "`"+kind+"`") {
			t.Errorf("docs/protocol.md does not have the kind %s", kind)
		}
	}
}
