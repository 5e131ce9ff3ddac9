package proposal

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"emend/internal/workspace"
	"emend/state"
)

// summary is a plan in one line a file, for tables.
func summary(p *Plan) string {
	var out []string
	for _, fp := range p.Files {
		verb := "edit"
		switch {
		case fp.Create:
			verb = "create"
		case fp.Delete:
			verb = "delete"
		case fp.From != "":
			verb = "move " + fp.From.Base() + " to"
		}
		out = append(out, fmt.Sprintf("%s %s %q", verb, fp.Path.Base(), fp.Expect))
	}
	for _, c := range p.Conflicts {
		out = append(out, fmt.Sprintf("conflict %s:%d", c.Path.Base(), c.Line))
	}
	if n := len(p.Already); n > 0 {
		out = append(out, fmt.Sprintf("already %d", n))
	}
	return strings.Join(out, "; ")
}

// worldOf makes a world of name, text pairs.
func worldOf(pairs ...string) world {
	w := world{}
	for i := 0; i < len(pairs); i += 2 {
		w[path(pairs[i])] = pairs[i+1]
	}
	return w
}

func TestPlanFiles(t *testing.T) {
	for name, test := range map[string]struct {
		before world
		after  map[string]string
		now    world
		want   string
	}{
		"create":                          {worldOf(), map[string]string{"n": "new\n"}, worldOf(), `create n "new\n"`},
		"create empty":                    {worldOf(), map[string]string{"n": ""}, worldOf(), `create n ""`},
		"create, exists empty":            {worldOf(), map[string]string{"n": "new\n"}, worldOf("n", ""), `edit n "new\n"`},
		"create, empty with a line end":   {worldOf(), map[string]string{"n": "new\n"}, worldOf("n", "\n"), `edit n "new\n"`},
		"create, empty with mark":         {worldOf(), map[string]string{"n": "new\n"}, worldOf("n", bom), `edit n "` + `\ufeff` + `new\n"`},
		"create, exists same":             {worldOf(), map[string]string{"n": "new\n"}, worldOf("n", "new\r\n"), `already 1`},
		"create, exists other":            {worldOf(), map[string]string{"n": "a\nnew\n"}, worldOf("n", "a\nold\n"), `conflict n:2`},
		"create empty, exists empty":      {worldOf(), map[string]string{"n": ""}, worldOf("n", "\n"), `already 1`},
		"delete":                          {worldOf("o", "old\n"), map[string]string{"o": gone}, worldOf("o", "old\r\n"), `delete o ""`},
		"delete, changed":                 {worldOf("o", "old\n"), map[string]string{"o": gone}, worldOf("o", "old\nmore\n"), `conflict o:2`},
		"delete, gone":                    {worldOf("o", "old\n"), map[string]string{"o": gone}, worldOf(), `already 1`},
		"edit, gone":                      {worldOf("o", "old\n"), map[string]string{"o": "new\n"}, worldOf(), `conflict o:0`},
		"edit, emptied":                   {worldOf("o", "old\n"), map[string]string{"o": "new\n"}, worldOf("o", ""), `conflict o:1`},
		"edit, done by hand":              {worldOf("o", "old\n"), map[string]string{"o": "new\n"}, worldOf("o", "new\n"), `already 1`},
		"edit, done in CRLF":              {worldOf("o", "a\nold\n"), map[string]string{"o": "a\nnew\n"}, worldOf("o", "a\r\nnew\r\n"), `already 1`},
		"mixed line ends, editor made LF": {worldOf("o", "a\r\nb\nc\r\n"), map[string]string{"o": "a\r\nb\nd\r\n"}, worldOf("o", "a\nb\nc\n"), `edit o "a\nb\nd\n"`},
		"only line ends, editor made LF":  {worldOf("o", "a\r\nb\nc\r\n"), map[string]string{"o": "a\nb\nc\nd\n"}, worldOf("o", "a\nb\nc\n"), `edit o "a\nb\nc\nd\n"; already 1`},
		"CRLF, one pasted LF line":        {worldOf("o", "a\r\nb\r\nc\r\nd\r\n"), map[string]string{"o": "a\r\nb\r\nc\r\ne\r\n"}, worldOf("o", "a\r\np\nb\r\nc\r\nd\r\n"), `edit o "a\r\np\nb\r\nc\r\ne\r\n"`},
		"editor made CRLF, one LF line":   {worldOf("o", "a\nb\nc\nd\n"), map[string]string{"o": "a\nb\nc\ne\n"}, worldOf("o", "a\r\np\nb\r\nc\r\nd\r\n"), `edit o "a\r\np\nb\r\nc\r\ne\r\n"`},
		"LF, a block of CRLF pasted":      {worldOf("o", "a\nb\nc\n"), map[string]string{"o": "a\nB\nc\n"}, worldOf("o", "a\nb\nc\n1\r\n2\r\n3\r\n4\r\n"), `edit o "a\nB\nc\n1\r\n2\r\n3\r\n4\r\n"`},
		"pasted, and one in conflict":     {worldOf("o", "a\nb\nc\n"), map[string]string{"o": "A\nb\nC\n"}, worldOf("o", "x\nb\nc\n1\r\n2\r\n3\r\n4\r\n"), `edit o "x\nb\nC\n1\r\n2\r\n3\r\n4\r\n"; conflict o:1`},
		"one line file":                   {worldOf("o", "old"), map[string]string{"o": "new\nand\n"}, worldOf("o", "old"), `edit o "new\nand\n"`},
		"several, in order":               {worldOf("a", "1\n", "z", "2\n"), map[string]string{"a": "3\n", "b": "4\n", "z": gone}, worldOf("a", "1\n", "z", "2\n"), `delete z ""; edit a "3\n"; create b "4\n"`},
	} {
		t.Run(name, func(t *testing.T) {
			c := propose(t, t.Context(), test.before, test.after)
			p := plan(t, c, Selection{}, test.now)
			if got := summary(p); got != test.want {
				t.Fatalf("got  %s\nwant %s", got, test.want)
			}
			w := maps.Clone(test.now)
			w.apply(t, p)
			for _, fp := range p.Files {
				cur, _ := w.now(fp.Path)
				if got := Judge(fp, cur); got != OutcomeApplied {
					t.Errorf("%s judged %s after applying", fp.Path, got)
				}
			}
			c.Record(p, applied(p))
			if got, want := c.Open(), len(p.Conflicts); got != want {
				t.Errorf("%d hunks open, want %d", got, want)
			}
		})
	}
}

// renamed is a proposal that moves o to n and changes one of its lines.
func renamed(t *testing.T) (*Content, string) {
	t.Helper()
	ctx := t.Context()
	draft := draftOf(worldOf("o", "one\ntwo\nthree\n"))
	if err := draft.Rename(ctx, path("o"), path("n")); err != nil {
		t.Fatal(err)
	}
	if err := draft.Write(ctx, path("n"), "one\n2\nthree\n"); err != nil {
		t.Fatal(err)
	}
	c := build(t, draft)
	return c, c.Files[0].Hunks[1].ID
}

func TestPlanRename(t *testing.T) {
	const was, is = "one\ntwo\nthree\n", "one\n2\nthree\n"
	for name, test := range map[string]struct {
		now  world
		hunk bool // select only the edit
		want string
	}{
		"move and edit":          {worldOf("o", was), false, `move o to n "one\n2\nthree\n"`},
		"person's edit moves":    {worldOf("o", was+"four\n"), false, `move o to n "one\n2\nthree\nfour\n"`},
		"edit in conflict":       {worldOf("o", "one\nzwei\nthree\n"), false, `move o to n "one\nzwei\nthree\n"; conflict o:2`},
		"the edit alone":         {worldOf("o", was), true, `edit o "one\n2\nthree\n"`},
		"moved by hand":          {worldOf("n", was), false, `edit n "one\n2\nthree\n"; already 1`},
		"all done by hand":       {worldOf("n", is), false, `already 2`},
		"taken":                  {worldOf("o", was, "n", "other\n"), false, `edit o "one\n2\nthree\n"; conflict n:0`},
		"gone":                   {worldOf(), false, `conflict n:0; conflict n:0`},
		"gone, the edit alone":   {worldOf(), true, `conflict n:0`},
		"moved, the edit alone":  {worldOf("n", was), true, `edit n "one\n2\nthree\n"`},
		"taken, the edit alone":  {worldOf("o", was, "n", "x"), true, `edit o "one\n2\nthree\n"`},
		"edited already, unmove": {worldOf("o", is), false, `move o to n "one\n2\nthree\n"; already 1`},
	} {
		t.Run(name, func(t *testing.T) {
			c, edit := renamed(t)
			sel := Selection{}
			if test.hunk {
				sel.Hunk = edit
			}
			p := plan(t, c, sel, test.now)
			if got := summary(p); got != test.want {
				t.Fatalf("got  %s\nwant %s", got, test.want)
			}
			test.now.apply(t, p)
		})
	}

	t.Run("hunk by hunk", func(t *testing.T) {
		c, edit := renamed(t)
		w := worldOf("o", was)
		for _, id := range []string{edit, c.Files[0].Hunks[0].ID} {
			if got := len(c.Located(string(path("o")), w[path("o")])); got == 0 {
				t.Errorf("nothing is located before %s", id)
			}
			p := plan(t, c, Selection{Hunk: id}, w)
			w.apply(t, p)
			c.Record(p, applied(p))
		}
		if w[path("n")] != is || len(w) != 1 || c.Status != state.ProposalApplied {
			t.Errorf("ended with %v, status %s", w, c.Status)
		}
	})

	t.Run("the old name is used again", func(t *testing.T) {
		c, edit := renamed(t)
		p := plan(t, c, Selection{Hunk: c.Files[0].Hunks[0].ID}, worldOf("o", was))
		c.Record(p, applied(p))
		if len(c.Located(string(path("o")), was)) > 0 || len(c.Located(string(path("n")), was)) != 1 {
			t.Error("the edit is not located at the new name")
		}
		for _, sel := range []Selection{{}, {Hunk: edit}} {
			if got, want := summary(plan(t, c, sel, worldOf("n", was, "o", was))), `edit n "one\n2\nthree\n"`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	})
}

// TestUnreadable: what cannot be read is a conflict that says why.
func TestUnreadable(t *testing.T) {
	c := propose(t, t.Context(), worldOf("e", "1\n", "d", "1\n"), map[string]string{"e": "2\n", "d": gone, "c": "3\n"})
	moved, _ := renamed(t)
	broken := errors.New("disk on fire")
	for name, test := range map[string]struct {
		c    *Content
		hunk string
		away workspace.Path // "" for all
		want int
	}{
		"all": {c, "", "", 3}, "rename, old place": {moved, "", path("o"), 2}, "rename, new place": {moved, "", path("n"), 2},
		"one hunk of a rename": {moved, moved.Files[0].Hunks[1].ID, path("n"), 1},
	} {
		p, err := test.c.Plan(Selection{Hunk: test.hunk}, func(p workspace.Path) (Current, error) {
			if test.away == "" || p == test.away {
				return Current{}, broken
			}
			return Current{Exists: true}, nil
		})
		if err != nil || len(p.Conflicts) != test.want || !p.Empty() {
			t.Fatalf("%s: plan %+v, error %v", name, p, err)
		}
		for _, con := range p.Conflicts {
			if !strings.Contains(con.String(), broken.Error()) {
				t.Errorf("%s: %s does not say why", name, con)
			}
		}
	}
}

// TestApplyAgain: a hunk that is applied can be asked for again by name, which
// does something only if the person took it back by hand.
func TestApplyAgain(t *testing.T) {
	const was, is = "1\n2\n3\n", "x\n2\ny\n"
	c := propose(t, t.Context(), worldOf("a", was), map[string]string{"a": is, "n": "new\n"})
	w := worldOf("a", was)
	p := plan(t, c, Selection{}, w)
	w.apply(t, p)
	c.Record(p, applied(p))
	if p := plan(t, c, Selection{}, worldOf("a", was)); !p.Empty() {
		t.Errorf("nothing is open, yet planned %s", summary(p))
	}
	first, created := c.Files[0].Hunks[0].ID, c.Files[1].Hunks[0].ID
	for name, test := range map[string]struct {
		hunk string
		now  world
		want string
	}{
		"there":        {first, w, `already 1`},
		"undone":       {first, worldOf("a", was), `edit a "x\n2\n3\n"`},
		"one undone":   {first, worldOf("a", "1\n2\ny\n"), `edit a "x\n2\ny\n"`},
		"created":      {created, w, `already 1`},
		"created gone": {created, worldOf("a", is), `create n "new\n"`},
	} {
		if got := summary(plan(t, c, Selection{Hunk: test.hunk}, test.now)); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

// TestConflictNames: a refusal says where, and what both texts have there.
func TestConflictNames(t *testing.T) {
	c := propose(t, t.Context(), worldOf("a", "one\ntwo\nthree\n"), map[string]string{"a": "one\nzwei\nthree\n"})
	p := plan(t, c, Selection{}, worldOf("a", "zero\none\ndeux\nthree\n"))
	if len(p.Conflicts) != 1 {
		t.Fatalf("conflicts %v", p.Conflicts)
	}
	got := p.Conflicts[0]
	if got.Path != path("a") || got.Line != 3 || got.Hunk != c.Files[0].Hunks[0].ID {
		t.Errorf("conflict %+v", got)
	}
	for _, part := range []string{"“deux”", "“two”", "“zwei”"} {
		if !strings.Contains(got.Reason, part) {
			t.Errorf("%q does not show %s", got.Reason, part)
		}
	}
}

func TestSelections(t *testing.T) {
	c := propose(t, t.Context(), worldOf("a", "1\n2\n3\n", "b", "1\n"), map[string]string{"a": "x\n2\ny\n", "b": "2\n"})
	w := worldOf("a", "1\n2\n3\n", "b", "1\n")
	first := c.Files[0].Hunks[0].ID
	for name, test := range map[string]struct {
		sel  Selection
		want string
	}{
		"all":         {Selection{}, `edit a "x\n2\ny\n"; edit b "2\n"`},
		"file":        {Selection{File: string(path("b"))}, `edit b "2\n"`},
		"file by URI": {Selection{File: c.Files[1].URI}, `edit b "2\n"`},
		"hunk":        {Selection{Hunk: first}, `edit a "x\n2\n3\n"`},
		"both":        {Selection{File: string(path("a")), Hunk: first}, `edit a "x\n2\n3\n"`},
	} {
		if got := summary(plan(t, c, test.sel, w)); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
	for name, sel := range map[string]Selection{
		"no such file": {File: "nowhere"}, "no such hunk": {Hunk: "nothing"},
		"hunk of another file": {File: string(path("b")), Hunk: first},
	} {
		if _, err := c.Plan(sel, w.now); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	c.Discard(Selection{Hunk: first})
	if _, err := c.Plan(Selection{Hunk: first}, w.now); !errors.Is(err, ErrDiscarded) {
		t.Errorf("discarded hunk: error %v", err)
	}
	c.Supersede()
	if _, err := c.Plan(Selection{}, w.now); !errors.Is(err, ErrSuperseded) {
		t.Errorf("superseded: error %v", err)
	}
}

func TestStatus(t *testing.T) {
	const applied, discarded, conflict, pending = state.FateApplied, state.FateDiscarded, state.FateConflict, state.FatePending
	for _, test := range []struct {
		fates []state.Fate
		want  state.ProposalStatus
	}{
		{[]state.Fate{pending, pending}, state.ProposalPending},
		{[]state.Fate{applied, pending}, state.ProposalPending},
		{[]state.Fate{conflict, pending}, state.ProposalPending},
		{[]state.Fate{applied, conflict}, state.ProposalConflicted},
		{[]state.Fate{applied, applied}, state.ProposalApplied},
		{[]state.Fate{applied, discarded}, state.ProposalPartly},
		{[]state.Fate{discarded, discarded}, state.ProposalDiscarded},
	} {
		c := &Content{Proposal: state.Proposal{Files: []state.ProposalFile{{}}}}
		for _, f := range test.fates {
			c.Files[0].Hunks = append(c.Files[0].Hunks, state.ProposalHunk{Fate: f})
		}
		if got := c.statusOfFates(); got != test.want {
			t.Errorf("%v: %s, want %s", test.fates, got, test.want)
		}
	}
}

// TestHunkIDs: ids follow the content, not the place.
func TestHunkIDs(t *testing.T) {
	ids := func(before, after string) []string {
		c := propose(t, t.Context(), worldOf("a", before), map[string]string{"a": after})
		var out []string
		for _, h := range c.Files[0].Hunks {
			out = append(out, h.ID)
		}
		return out
	}
	plain := ids("a\nb\nc\nb\nd\n", "a\nB\nc\nB\nd\n")
	shifted := ids("0\n0\na\nb\nc\nb\nd\n", "0\n0\na\nB\nc\nB\nd\n")
	crlf := ids("a\r\nb\r\nc\r\nb\r\nd\r\n", "a\r\nB\r\nc\r\nB\r\nd\r\n")
	if !slices.Equal(plain, shifted) || !slices.Equal(plain, crlf) {
		t.Errorf("ids differ: %v, %v, %v", plain, shifted, crlf)
	}
	if len(plain) != 2 || plain[0] == plain[1] || len(plain[0]) != 10 {
		t.Errorf("ids %v", plain)
	}
	if HunkID("a", "bc", "", 0) == HunkID("ab", "c", "", 0) || HunkID("a", "b", "c", 0) == HunkID("a", "b", "c", 1) {
		t.Error("different hunks have one id")
	}
}

func TestBuildNothing(t *testing.T) {
	if _, err := Build(draftOf(worldOf("a", "1\n")), Meta{}); !errors.Is(err, ErrNoChanges) {
		t.Errorf("error %v", err)
	}
}

func TestLocatedWholeFiles(t *testing.T) {
	c := propose(t, t.Context(), worldOf("d", "old\n"), map[string]string{"c": "new\n", "d": gone})
	for _, test := range []struct {
		name, text string
		want       state.Fate
	}{
		{"c", "", state.FatePending}, {"c", "new\r\n", state.FateApplied}, {"c", "x", state.FateConflict},
		{"d", "old\n", state.FatePending}, {"d", "older\n", state.FateConflict},
	} {
		got := c.Located(string(path(test.name)), test.text)
		if len(got) != 1 || got[0].Fate != test.want || got[0].End != len(test.text) {
			t.Errorf("%s %q: %+v, want %s", test.name, test.text, got, test.want)
		}
	}
	c.Discard(Selection{})
	if got := c.Located(string(path("c")), ""); len(got) != 0 {
		t.Errorf("discarded hunks are located: %+v", got)
	}
	if got := c.Located("elsewhere", ""); got != nil {
		t.Errorf("hunks elsewhere: %+v", got)
	}
}

// TestReaders: everything that reads may run at once.
func TestReaders(t *testing.T) {
	w := worldOf("a", numbered(50))
	c := propose(t, t.Context(), w, map[string]string{"a": strings.ReplaceAll(numbered(50), "7 of", "seven of")})
	want, diff := summary(plan(t, c, Selection{}, w)), c.Diff()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				text := numbered(i*j%7) + w[path("a")]
				if n := len(c.Located(string(path("a")), text)); n != 5 {
					t.Errorf("%d hunks located", n)
				}
				if p, err := c.Plan(Selection{}, w.now); err != nil || summary(p) != want || c.Diff() != diff {
					t.Errorf("plan %v, %v", p, err)
				}
				if c.Clone().Open() != 5 || len(c.Hunks()) != 5 {
					t.Error("the clone differs")
				}
			}
		})
	}
	wg.Wait()
}

func TestFirstDifference(t *testing.T) {
	long := strings.Repeat("ü", 80)
	for _, test := range []struct {
		now, then string
		line      int
		is, was   string
	}{
		{"a\nb\n", "a\r\nc\r\n", 2, "“b”", "“c”"},
		{"a\nb", "a", 2, "“b”", "no more lines"},
		{"a", "a\nb", 1, "no more lines", "“b”"},
		{long, "x", 1, "“" + strings.Repeat("ü", 60) + "…”", "“x”"},
		{"a\n", "a\r\n", 0, "the same", "the same"},
	} {
		line, is, was := firstDifference(test.now, test.then)
		if line != test.line || is != test.is || was != test.was {
			t.Errorf("%q, %q: %d %s %s", test.now, test.then, line, is, was)
		}
	}
}

// TestUndoneInTheEditor: when the editor's undo takes everything back, what was
// applied once does not stand in the way of the rest, though lines repeat.
func TestUndoneInTheEditor(t *testing.T) {
	w := worldOf("a", "\n\n}\nz\r\nz\r\n\n")
	c := propose(t, t.Context(), w, map[string]string{"a": "}\n}\nz\r\n\n}\n"})
	hunks := c.Files[0].Hunks
	if len(hunks) != 4 {
		t.Fatalf("%d hunks", len(hunks))
	}
	hunks[0].Fate, hunks[2].Fate = state.FateApplied, state.FateApplied
	if got, want := summary(plan(t, c, Selection{}, w)), `edit a "\n\n}\n}\nz\r\nz\r\n\n}\n"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestWriteDisk: a plan can be carried out without an editor.
func TestWriteDisk(t *testing.T) {
	dir := string(workspace.Key(t.TempDir()))
	at := func(name string) workspace.Path { return workspace.Path(filepath.Join(dir, name)) }
	for name, text := range map[string]string{"e": bom + "1\r\n2\r\n", "d": "old\n", "o": "1\n"} {
		if err := os.WriteFile(string(at(name)), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	ctx, roots := t.Context(), workspace.NewRoots(dir)
	disk := workspace.Disk(nil)
	draft := workspace.NewDraft(workspace.NewSnapshot(roots, disk))
	steps := []error{
		draft.Write(ctx, at("e"), "1\n3\n"), draft.Delete(ctx, at("d")), draft.Rename(ctx, at("o"), at("n")),
		draft.Write(ctx, at("n"), "2\n"), draft.Write(ctx, at("sub/c"), "new\n"),
	}
	if err := errors.Join(steps...); err != nil {
		t.Fatal(err)
	}
	c := build(t, draft)
	now := func(p workspace.Path) (Current, error) {
		f, err := workspace.NewSnapshot(roots, disk).Read(ctx, p)
		if err != nil {
			return Current{}, err
		}
		return CurrentOf(f)
	}
	p, err := c.Plan(Selection{}, now)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WriteDisk(t.Context(), roots); err != nil {
		t.Fatal(err)
	}
	for path, outcome := range c.Settle(p, now) {
		if outcome != OutcomeApplied {
			t.Errorf("%s: %s", path, outcome)
		}
	}
	if got, err := os.ReadFile(string(at("e"))); err != nil || string(got) != bom+"1\r\n3\r\n" || c.Status != state.ProposalApplied {
		t.Errorf("e is %q, %v; status %s", got, err, c.Status)
	}
	if err := p.WriteDisk(t.Context(), roots); err == nil {
		t.Error("a plan is written over other texts than it was made from")
	}
}
