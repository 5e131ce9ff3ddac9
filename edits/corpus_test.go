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
	Stream     *struct{ Final *bool }
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

// findCorpus returns the folder of the corpus, if there is one.
func findCorpus() (dir string, ok bool) {
	dir = os.Getenv("EMEND_EDIT_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data", "edits")
	}
	_, err := os.Stat(dir)
	return dir, err == nil
}

// corpusDir returns the folder of the corpus, or skips.
func corpusDir(t *testing.T) string {
	dir, ok := findCorpus()
	if !ok {
		t.Skip("no corpus of edit cases: set EMEND_EDIT_CORPUS to its folder")
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

// measure is what one set of rows comes to.
type measure struct{ apply, parse tally }

func (m measure) String() string {
	return fmt.Sprintf("apply+multi %s; parse pass %d/%d", m.apply, m.parse.right, m.parse.total)
}

// conflictsFile lists the rows that are answered otherwise on purpose, because
// engines contradict each other there.
const (
	conflictsFile = "testdata/conflicts.txt"
	maxConflicts  = 6
)

// knownConflicts reads the ids of the file of known conflicts.
func knownConflicts(t *testing.T) map[string]bool {
	data, err := os.ReadFile(conflictsFile)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, line := range bodies(string(data)) {
		if id, _, _ := strings.Cut(line, "#"); strings.TrimSpace(id) != "" {
			out[strings.TrimSpace(id)] = true
		}
	}
	if len(out) > maxConflicts {
		t.Errorf("%s lists %d rows; %d are allowed", conflictsFile, len(out), maxConflicts)
	}
	return out
}

// TestCorpus measures the engine against the corpus: once over the rows that
// every engine should agree on, which is the gate, and once over all, where
// rows with a policy pin what one engine alone does.
func TestCorpus(t *testing.T) {
	var core, all measure
	known := knownConflicts(t)
	excused := 0
	for _, c := range readCorpus(t) {
		right, unsafe, note := c.score()
		if note != "" {
			t.Logf("%s%s: %.600s", c.ID, c.policy(), note)
		}
		for _, m := range []*measure{&core, &all} {
			if m == &core && c.Policy != nil {
				continue
			}
			switch c.Kind {
			case "apply", "multi":
				m.apply.count(right, unsafe)
			case "parse":
				m.parse.count(right, false)
			}
		}
		if c.Policy != nil {
			continue
		}
		switch {
		case known[c.ID] && (right || unsafe):
			t.Errorf("%s is in %s, but it is right (%v) or unsafe (%v)", c.ID, conflictsFile, right, unsafe)
		case known[c.ID]:
			excused++
		case !right && c.Kind != "apply" && c.Kind != "multi":
			t.Errorf("%s: %s", c.ID, note)
		}
	}
	t.Logf("corpus: %s", core)
	t.Logf("corpus, all rows: %s", all)
	if pct(core.apply.right+excused, core.apply.total) < 99 || core.apply.unsafe > 0 {
		t.Errorf("the gate is 99%% right, but for %d known conflicts, and none unsafe; the corpus is at %s", excused, core)
	}
}

// policy names a row's policy for a log line.
func (c corpusCase) policy() string {
	if c.Policy == nil {
		return ""
	}
	return fmt.Sprintf(" (%v)", c.Policy)
}

// score judges a row of any kind. Note says what is wrong, if anything.
func (c corpusCase) score() (right, unsafe bool, note string) {
	switch {
	case c.Kind == "apply" || c.Kind == "multi":
		return c.judge()
	case c.Kind == "stream" && c.ExpectDiff != nil:
		note = c.judgeDiff()
	default:
		note = c.judgeParse()
	}
	return note == "", false, note
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
	if c.Stream != nil && c.Stream.Final != nil && !*c.Stream.Final {
		var p Parser // what is complete so far, and no word on the rest
		r = Reply{Blocks: p.Feed(*c.Response)}
	} else if note := c.judgeChunks(r); note != "" {
		return note
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

// judgeChunks reads a row's reply in chunks, which must make no difference.
func (c corpusCase) judgeChunks(want Reply) string {
	for _, size := range []int{1, 7} {
		if got := parseChunked(*c.Response, size); fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Sprintf("chunks of %d give another result", size)
		}
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
