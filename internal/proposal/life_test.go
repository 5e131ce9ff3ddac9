package proposal

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"emend/edits"
	"emend/internal/workspace"
	"emend/state"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSaveLoad(t *testing.T) {
	update(t, func(tx *state.Tx) {
		w := worldOf("e", bom+"one\r\ntwo\r\n", "d", "old", "z", "z\n")
		c := propose(t, t.Context(), w, map[string]string{"e": "one\n2\n", "d": gone, "c": "new\n", "empty": ""})
		for range 2 { // a second time, as after a change of fates
			if err := Save(tx, c); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Load(tx, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, got, cmpopts.IgnoreUnexported(Content{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("loaded differs (-saved +loaded)\n%s", diff)
		}
		if got.Files[1].BOM || !got.Files[2].BOM && !got.Files[3].BOM {
			t.Errorf("marks %+v", got.Files)
		}
		if got.Diff() != c.Diff() {
			t.Errorf("diff\n%s\nwas\n%s", got.Diff(), c.Diff())
		}
		if _, err := Load(tx, "nothing"); !errors.Is(err, state.ErrNotFound) {
			t.Errorf("missing: %v", err)
		}
		for name, damage := range map[string]func(p *state.Proposal){
			"range":   func(p *state.Proposal) { p.Files[2].Hunks[0].OldEnd = 99 },
			"shift":   func(p *state.Proposal) { p.Files[2].Hunks[0].NewStart++; p.Files[2].Hunks[0].NewEnd++ },
			"missing": func(p *state.Proposal) { p.Files[2].Hunks = nil },
			"kind":    func(p *state.Proposal) { p.Files[0].Kind = "odd" },
			"empty":   func(p *state.Proposal) { p.Files[0].Hunks = nil },
		} {
			bad := got.Clone().Proposal
			bad.ID = "broken"
			damage(&bad)
			if err := tx.PutProposal(&bad); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(tx, "broken"); !errors.Is(err, state.ErrDamaged) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestJudge(t *testing.T) {
	edit := FilePlan{Path: "a", Before: "1\r\n2\r\n3\r\n", Expect: "x\r\n2\r\ny\r\n", Edits: edits.Set{{Start: 0, End: 1, New: "x"}, {Start: 6, End: 7, New: "y"}}}
	create := FilePlan{Path: "a", Expect: "new\n", Create: true}
	remove := FilePlan{Path: "a", Before: "old\n", Delete: true}
	move := FilePlan{Path: "b", From: "a", Before: "1\n", Expect: "2\n", Edits: edits.Set{{Start: 0, End: 1, New: "2"}}}
	newline := FilePlan{Path: "a", Before: "1", Expect: "1\n", Edits: edits.Set{{Start: 1, End: 1, New: "\n"}}}
	is := func(text string) Current { return Current{Exists: true, Text: text} }
	for _, test := range []struct {
		name string
		plan FilePlan
		now  Current
		want Outcome
	}{
		{"edit", edit, is(edit.Expect), OutcomeApplied},
		{"edit, spelled otherwise", edit, is(bom + "x\n2\ny\n"), OutcomeApplied},
		{"edit, no final line end", edit, is("x\n2\ny"), OutcomeApplied},
		{"edit, untouched", edit, is("1\n2\n3\n"), OutcomeNot},
		{"edit, first only", edit, is("x\n2\n3\n"), OutcomePartly},
		{"edit, second only", edit, is(bom + "1\r\n2\r\ny\r\n"), OutcomePartly},
		{"edit, typed over", edit, is("x\n2\ny\nz\n"), OutcomeDiverged},
		{"edit, gone", edit, Current{}, OutcomeDiverged},
		{"create", create, is("new\n"), OutcomeApplied},
		{"create, editor ends the file", FilePlan{Create: true, Expect: "new"}, is("new\n"), OutcomeApplied},
		{"create, only the file", create, is(""), OutcomePartly},
		{"create, not", create, Current{}, OutcomeNot},
		{"create, other", create, is("other\n"), OutcomeDiverged},
		{"create, in a buffer", create, Current{Open: true, Text: "new\n"}, OutcomeApplied},
		{"delete", remove, Current{}, OutcomeApplied},
		{"delete, not", remove, is("old\r\n"), OutcomeNot},
		{"delete, changed", remove, is("x"), OutcomeDiverged},
		{"move", move, is("2\n"), OutcomeApplied},
		{"move, not edited", move, is("1\n"), OutcomePartly},
		{"move, not", move, Current{}, OutcomeNot},
		{"a line end is the change", newline, is("1\n"), OutcomeApplied},
		{"a line end is the change, not", newline, is("1"), OutcomeNot},
	} {
		if got := Judge(test.plan, test.now); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestSettle: outcomes are recorded per hunk where a file is neither done nor
// untouched, and unreadable files stay open.
func TestSettle(t *testing.T) {
	w := worldOf("a", "1\n2\n3\n", "b", "1\n", "c", "1\n")
	c := propose(t, t.Context(), w, map[string]string{"a": "x\n2\ny\n", "b": "2\n", "c": "2\n"})
	p := plan(t, c, Selection{}, w)
	after := worldOf("a", "1\n2\ny\nmore\n", "b", "2\n")
	got := c.Settle(p, func(p workspace.Path) (Current, error) {
		if p == path("c") {
			return Current{}, errors.New("away")
		}
		return after.now(p)
	})
	want := map[workspace.Path]Outcome{path("a"): OutcomeDiverged, path("b"): OutcomeApplied, path("c"): OutcomeUnknown}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var fates []state.Fate
	for _, h := range c.Hunks() {
		fates = append(fates, h.Fate)
	}
	if diff := cmp.Diff([]state.Fate{state.FatePending, state.FateApplied, state.FateApplied, state.FatePending}, fates); diff != "" {
		t.Error(diff)
	}
}

// TestRecordConflict: a hunk in conflict stays open and is tried again.
func TestRecordConflict(t *testing.T) {
	w := worldOf("a", "1\n2\n")
	c := propose(t, t.Context(), w, map[string]string{"a": "1\nx\n"})
	p := plan(t, c, Selection{}, worldOf("a", "1\ny\n"))
	c.Record(p, nil)
	if c.Status != state.ProposalConflicted || c.Open() != 1 {
		t.Fatalf("status %s, %d open", c.Status, c.Open())
	}
	p = plan(t, c, Selection{}, w)
	c.Record(p, map[workspace.Path]Outcome{path("a"): OutcomeNot})
	if c.Status != state.ProposalPending {
		t.Fatalf("status %s", c.Status)
	}
	c.Record(p, applied(p))
	if c.Status != state.ProposalApplied || c.Open() != 0 {
		t.Fatalf("status %s, %d open", c.Status, c.Open())
	}
}

func TestContinue(t *testing.T) {
	ctx := t.Context()
	w := worldOf("a", "1\n2\n3\n", "d", "old\n", "b", "1\n2\n3\n")
	first := propose(t, ctx, w, map[string]string{"a": "x\n2\ny\n", "d": gone, "c": "new\n", "b": "1\nzwei\n3\n"})
	first.Discard(Selection{Hunk: first.Files[0].Hunks[0].ID})
	w[path("b")] = "1\ndeux\n3\n"
	w[path("a")] = "0\n1\n2\n3\n"

	draft := draftOf(w)
	conflicts, err := Continue(ctx, first, draft)
	if err != nil {
		t.Fatal(err)
	}
	if len(conflicts) != 1 || conflicts[0].Path != path("b") || conflicts[0].Line != 2 {
		t.Errorf("conflicts %v", conflicts)
	}
	second := build(t, draft)
	if got, want := summary(plan(t, second, Selection{}, w)), `delete d ""; edit a "0\n1\n2\ny\n"; create c "new\n"`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if first.Files[0].Hunks[1].ID != second.Files[0].Hunks[0].ID {
		t.Error("a hunk that was carried on has another id")
	}

	first.Supersede()
	if _, err := Continue(ctx, first, draftOf(w)); !errors.Is(err, ErrSuperseded) {
		t.Errorf("superseded: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Continue(cancelled, second, draftOf(w)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestContinueRename(t *testing.T) {
	for name, test := range map[string]struct{ now, want string }{
		"as found": {"one\ntwo\nthree\n", `move o to n "one\n2\nthree\n"`},
		"edited":   {"one\ntwo\nthree\nfour\n", `move o to n "one\n2\nthree\nfour\n"`},
		"done":     {"one\n2\nthree\n", `move o to n "one\n2\nthree\n"`},
	} {
		c, _ := renamed(t)
		w := worldOf("o", test.now)
		draft := draftOf(w)
		if _, err := Continue(t.Context(), c, draft); err != nil {
			t.Fatal(err)
		}
		if got := summary(plan(t, build(t, draft), Selection{}, w)); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

// TestContinueKeepsCRLF: what is carried on into a CRLF file stays CRLF.
func TestContinueKeepsCRLF(t *testing.T) {
	w := worldOf("a", bom+"1\r\n2\r\n")
	c := propose(t, t.Context(), w, map[string]string{"a": "1\n2\n3\n"})
	draft := draftOf(w)
	if _, err := Continue(t.Context(), c, draft); err != nil {
		t.Fatal(err)
	}
	f, err := draft.Read(t.Context(), path("a"))
	if err != nil || f.Text != "1\r\n2\r\n3\r\n" || !f.BOM {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestDiffGit: git applies what Diff prints.
func TestDiffGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	ctx := t.Context()
	w := worldOf("sub/e.txt", "one\ntwo\nthree\n", "d", "old", "o", "a\nb\nc\nd\n", "m", "same\n")
	draft := draftOf(w)
	steps := []error{
		draft.Write(ctx, path("sub/e.txt"), "one\n2\nthree"), draft.Delete(ctx, path("d")),
		draft.Rename(ctx, path("o"), path("n")), draft.Write(ctx, path("n"), "a\nB\nc\nd\n"),
		draft.Rename(ctx, path("m"), path("sub/m")), draft.Write(ctx, path("c"), "new\n"), draft.Write(ctx, path("empty"), ""),
	}
	if err := errors.Join(steps...); err != nil {
		t.Fatal(err)
	}
	c := build(t, draft)
	dir := t.TempDir()
	for p, text := range w {
		file := filepath.Join(dir, c.relative(string(p)))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(ctx, git, "apply", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(c.Diff())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, c.Diff())
	}
	w.apply(t, plan(t, c, Selection{}, w))
	for p, text := range w {
		if got, err := os.ReadFile(filepath.Join(dir, c.relative(string(p)))); err != nil || string(got) != text {
			t.Errorf("%s: git made %q, %v; the plan %q", p.Base(), got, err, text)
		}
	}
	c.Discard(Selection{})
	if got := c.Diff(); got != "" {
		t.Errorf("diff of nothing: %s", got)
	}
}

// TestDiffAfterApply: the diff is of what is left.
func TestDiffAfterApply(t *testing.T) {
	w := worldOf("a", "1\n2\n3\n")
	c := propose(t, t.Context(), w, map[string]string{"a": "x\n2\ny\n"})
	p := plan(t, c, Selection{Hunk: c.Files[0].Hunks[0].ID}, w)
	c.Record(p, applied(p))
	want := "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n x\n 2\n-3\n+y\n"
	if got := c.Diff(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestClone(t *testing.T) {
	c := propose(t, t.Context(), worldOf("a", "1\n"), map[string]string{"a": "2\n"})
	d := c.Clone()
	d.Discard(Selection{})
	if c.Status != state.ProposalPending || c.Files[0].Hunks[0].Fate != state.FatePending {
		t.Error("changing a clone changed the original")
	}
	moved, _ := renamed(t)
	if got, want := moved.Paths(), []workspace.Path{path("o"), path("n")}; !slices.Equal(got, want) {
		t.Errorf("paths %v, want %v", got, want)
	}
	views := moved.Hunks()
	want := HunkView{ID: views[1].ID, Path: path("n"), Kind: KindRename, Fate: state.FatePending, Line: 2, Old: "two\n", New: "2\n"}
	if len(views) != 2 || views[1] != want || views[0].Old+views[0].New != "" {
		t.Errorf("hunks %+v", views)
	}
}

// TestContinueOverBinary: a file whose text is not known is never taken for an
// empty one.
func TestContinueOverBinary(t *testing.T) {
	for name, data := range map[string]string{"binary": "\x00\x01", "another encoding": "caf\xe9\n"} {
		c := propose(t, t.Context(), worldOf(), map[string]string{"n": "new\n"})
		draft := draftOf(worldOf("n", data))
		conflicts, err := Continue(t.Context(), c, draft)
		if err != nil || len(conflicts) != 1 || len(draft.Changes()) > 0 {
			t.Errorf("%s: conflicts %v, error %v, changes %v", name, conflicts, err, draft.Changes())
		}
	}
}
