package edits

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// retab returns lines with another indentation for each tab.
func retab(lines []string, unit string) []string {
	return mapLines(lines, func(l string) string {
		indent := leadingSpace(l)
		return strings.ReplaceAll(indent, "\t", unit) + l[len(indent):]
	})
}

// TestRealFilesWithOtherIndentation edits this package's own files by blocks
// whose indentation is off the way models get it wrong, and wants the edit
// that is meant or none. Where the garbled lines are exactly in the file they
// mean that place, and what they say.
func TestRealFilesWithOtherIndentation(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files to edit: %v", err)
	}
	var sources []*source
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, newSource(string(data)))
	}
	counts := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(sources).Draw(t, "file")
		lo := rapid.IntRange(0, len(s.bodies)-9).Draw(t, "line")
		n := rapid.IntRange(1, 8).Draw(t, "lines")
		search := s.bodies[lo : lo+n]
		k := rapid.IntRange(0, n-1).Draw(t, "changed")
		indent := leadingSpace(search[k])
		if blank(search[k]) || blank(search[0]) || strings.Contains(strings.Join(search, ""), "`") {
			t.Skip() // a raw string's text is indented as it likes
		}
		replace := slices.Concat(search[:k], []string{indent + "if drawn {", indent + "\tnoted(1)", indent + "}", indent + "changed()"}, search[k+1:])
		want := lf(slices.Concat(s.bodies[:lo], replace, s.bodies[lo+n:]))
		noise := rapid.SampledFrom([]string{"    ", "  ", "outdented", "\t\t"}).Draw(t, "noise")
		var garbled, with []string
		switch noise {
		case "outdented":
			garbled, with = outdent(search, replace)
		case "\t\t":
			more := func(l string) string { return strings.TrimRight("\t"+l, "\t") }
			garbled, with = mapLines(search, more), mapLines(replace, more)
		default:
			garbled, with = retab(search, noise), retab(replace, noise)
		}
		res := ApplyBlocks("f", s.text, true, []Block{{Search: lf(garbled), Replace: lf(with)}}, Options{})
		switch {
		case len(res.Refused) > 0:
			counts["refused"]++
		case res.Applied[0].Tier == TierExact || res.Applied[0].Tier == TierSubstring:
			counts["exact"]++
		case res.After == want:
			counts["same"]++
		default:
			t.Fatalf("%q\nwith %q\nwrote %v\nwant %v", garbled, with, Diff(s.text, res.After), Diff(s.text, want))
		}
	})
	t.Log(fmt.Sprint(counts))
}
