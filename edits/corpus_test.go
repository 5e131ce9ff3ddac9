package edits

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpusCase is one row of the corpus: behaviour that an existing edit engine
// pins in its own tests.
type corpusCase struct {
	ID       string
	Kind     string
	Original *string
	Response *string
	Search   *string
	Replace  *string
	Expect   *string
	Error    bool
	Policy   any
	Edits    []struct {
		Search, Replace string
		ReplaceAll      bool `json:"replace_all"`
	}
	ReplaceAll bool       `json:"replace_all"`
	File       string     `json:"file"`
	Valid      []string   `json:"valid_fnames"`
	ExpectEdit [][]string `json:"expect_edits"`
	ExpectDiff [][]string `json:"expect_diff"`
}

// memory is files in memory.
type memory map[string]string

func (m memory) Known() []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	return out
}

func (m memory) Read(name string) (string, bool, error) {
	text, ok := m[name]
	return text, ok, nil
}

// corpusDir returns the folder of the corpus, or skips.
func corpusDir(t *testing.T) string {
	dir := os.Getenv("EMEND_EDIT_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data", "edits")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpus of edit cases: set EMEND_EDIT_CORPUS to its folder (%v)", err)
	}
	return dir
}

// readCorpus reads every row.
func readCorpus(t *testing.T) []corpusCase {
	names, err := filepath.Glob(filepath.Join(corpusDir(t), "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []corpusCase
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(strings.NewReader(string(data)))
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var c corpusCase
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			out = append(out, c)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// run applies a row, and returns the text after or the refusals.
func (c corpusCase) run() (after string, refused []Refusal) {
	files := memory{}
	name := c.File
	if name == "" {
		name = "file.txt"
	}
	if c.Original != nil {
		files[name] = *c.Original
	}
	var r Reply
	switch {
	case c.Response != nil:
		r = Parse(*c.Response)
	case c.Edits != nil:
		for i, e := range c.Edits {
			r.Blocks = append(r.Blocks, Block{Index: i, Path: name, Search: e.Search, Replace: e.Replace, Text: true, All: e.ReplaceAll})
		}
	default:
		r.Blocks = []Block{{Path: name, Search: *c.Search, Replace: *c.Replace, Text: true, All: c.ReplaceAll}}
	}
	results := ApplyReply(r, files, "", Options{})
	if len(results) == 0 {
		return "", []Refusal{{Code: Malformed, Message: "no blocks"}}
	}
	for _, f := range results {
		refused = append(refused, f.Refused...)
		if f.Path == name {
			after = f.After
		} else if len(f.Refused) == 0 {
			after = "other file written: " + f.Path
		}
	}
	return after, refused
}

// tally counts one measure.
type tally struct{ total, right, unsafe int }

func (t tally) String() string {
	return fmt.Sprintf("pass %d/%d (%.1f%%) unsafe %d/%d (%.1f%%)", t.right, t.total, pct(t.right, t.total), t.unsafe, t.total, pct(t.unsafe, t.total))
}

func pct(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// TestCorpus measures the engine against the corpus. Rows with a policy pin
// what one engine alone does: they are counted apart, and no gate.
func TestCorpus(t *testing.T) {
	var apply, applyAll, parse tally
	for _, c := range readCorpus(t) {
		switch c.Kind {
		case "apply", "multi":
			right, unsafe, note := c.judge()
			if !right {
				t.Logf("%s policy=%v: %.600s", c.ID, c.Policy, note)
			}
			applyAll.count(right, unsafe)
			if c.Policy == nil {
				apply.count(right, unsafe)
			}
		case "parse":
			note := c.judgeParse()
			if note != "" {
				t.Logf("%s: %s", c.ID, note)
			}
			parse.count(note == "", false)
		case "stream":
			if note := c.judgeDiff(); note != "" {
				t.Errorf("%s: %s", c.ID, note)
			}
		}
	}
	t.Logf("corpus: apply+multi %s; parse pass %d/%d", apply, parse.right, parse.total)
	t.Logf("corpus with policy rows: apply+multi %s", applyAll)
	if pct(apply.right, apply.total) < 99 || apply.unsafe > 0 || parse.right < parse.total {
		t.Errorf("the corpus is at %s; parse %d/%d", apply, parse.right, parse.total)
	}
}

func (t *tally) count(right, unsafe bool) {
	t.total++
	if right {
		t.right++
	}
	if unsafe {
		t.unsafe++
	}
}

// judge runs an apply or multi row.
func (c corpusCase) judge() (right, unsafe bool, note string) {
	after, refused := c.run()
	switch {
	case c.Error && len(refused) > 0:
		return true, false, ""
	case c.Error:
		return false, true, fmt.Sprintf("wrote %q, must refuse", after)
	case len(refused) > 0:
		return false, false, fmt.Sprintf("refused: %v", refused[0])
	case after != *c.Expect:
		return false, true, fmt.Sprintf("wrote %q\nwant %q", after, *c.Expect)
	}
	return true, false, ""
}

// judgeParse runs a parse row whole and in chunks, and returns what is wrong.
func (c corpusCase) judgeParse() string {
	r := Parse(*c.Response)
	for _, size := range []int{1, 7} {
		if got := parseChunked(*c.Response, size); fmt.Sprint(got) != fmt.Sprint(r) {
			return fmt.Sprintf("chunks of %d give another result", size)
		}
	}
	files := memory{}
	for _, name := range c.Valid {
		files[name] = ""
	}
	res := newResolver(files, "")
	var got [][]string
	bad := len(r.Problems) > 0
	for _, b := range r.Blocks {
		name := res.find(b.Path, false)
		if name == "" {
			name = b.Path
		}
		bad = bad || name == ""
		got = append(got, []string{name, b.Search, b.Replace})
	}
	switch {
	case c.Error && !bad:
		return fmt.Sprintf("read %q, must refuse", got)
	case !c.Error && bad:
		return fmt.Sprintf("problems %v", r.Problems)
	case !c.Error && fmt.Sprint(got) != fmt.Sprint(c.ExpectEdit):
		return fmt.Sprintf("read %q\nwant %q", got, c.ExpectEdit)
	}
	return ""
}

// parseChunked parses a reply in chunks of a size, and checks that Feed
// returned what Finish did.
func parseChunked(reply string, size int) Reply {
	var p Parser
	var fed []Block
	for at := 0; at < len(reply); at += size {
		fed = append(fed, p.Feed(reply[at:min(at+size, len(reply))])...)
	}
	r := p.Finish()
	if fmt.Sprint(fed) != fmt.Sprint(r.Blocks[:len(fed)]) {
		r.Problems = append(r.Problems, Refusal{Message: "Feed and Finish disagree"})
	}
	return r
}

// trimmed returns a text whose lines have no white space around them, which
// the rows do not count as a change.
func trimmed(s string) string {
	var b strings.Builder
	for _, l := range bodies(s) {
		b.WriteString(strings.TrimSpace(l) + "\n")
	}
	return b.String()
}

// judgeDiff checks that a diff changes no more lines than the row's does.
func (c corpusCase) judgeDiff() string {
	want := 0
	for _, d := range c.ExpectDiff {
		if d[0] != "same" {
			want++
		}
	}
	got := 0
	a, b := trimmed(*c.Original), trimmed(*c.Expect)
	for _, h := range Hunks(a, b) {
		got += h.OldEnd - h.OldStart + h.NewEnd - h.NewStart
	}
	if got > want {
		return fmt.Sprintf("the diff changes %d lines, %d are enough", got, want)
	}
	return ""
}
