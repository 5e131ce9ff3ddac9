package proposal

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"emend/edits"
	"emend/internal/workspace"
	"emend/state"
)

// world is an editor over a disk, in memory: the texts by path.
type world map[workspace.Path]string

func (w world) Documents() []*workspace.Document { return nil }

func (w world) ReadFile(_ context.Context, p workspace.Path) ([]byte, fs.FileMode, error) {
	text, ok := w[p]
	if !ok {
		return nil, 0, fs.ErrNotExist
	}
	return []byte(text), 0o644, nil
}

func (w world) now(p workspace.Path) (Current, error) {
	text, ok := w[p]
	return Current{Text: text, Exists: ok, Version: 7, URI: p.URI()}, nil
}

// fataler is what both testing.TB and rapid.T offer.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// apply carries a plan out and checks what every plan promises.
func (w world) apply(t fataler, plan *Plan) {
	t.Helper()
	for _, fp := range plan.Files {
		w.applyFile(t, fp)
	}
}

func (w world) applyFile(t fataler, fp FilePlan) {
	t.Helper()
	path := fp.Path
	if fp.URI == "" || fp.From != "" && fp.FromURI == "" {
		t.Fatalf("a file plan without its URI: %+v", fp)
	}
	if fp.From != "" {
		if _, ok := w[path]; ok {
			t.Fatalf("rename to %s, which exists", path)
		}
		w[path] = w[fp.From]
		delete(w, fp.From)
	}
	_, there := w[path]
	if fp.Create == there {
		t.Fatalf("create=%v of %s, which exists=%v", fp.Create, path, there)
	}
	if fp.Before != w[path] {
		t.Fatalf("%s: plan is for %q, text is %q", path, fp.Before, w[path])
	}
	if fp.Delete {
		delete(w, path)
		return
	}
	after, err := fp.Edits.Apply(fp.Before)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if after != fp.Expect {
		t.Fatalf("%s: edits give %q, expected %q", path, after, fp.Expect)
	}
	if len(fp.Hunks) == 0 {
		t.Fatalf("%s: a file plan without hunks", path)
	}
	w[path] = after
}

// applied is every file of a plan applied.
func applied(plan *Plan) map[workspace.Path]Outcome {
	out := map[workspace.Path]Outcome{}
	for _, fp := range plan.Files {
		out[fp.Path] = OutcomeApplied
	}
	return out
}

// rootOf is the folder that test files are in; nothing is ever written there.
var rootOf = string(workspace.Key(mustAbs("testdata-root")))

func mustAbs(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		panic(err)
	}
	return abs
}

func path(name string) workspace.Path { return workspace.Path(filepath.Join(rootOf, name)) }

// draftOf is a fresh draft over a world.
func draftOf(w world) *workspace.Draft {
	return workspace.NewDraft(workspace.NewSnapshot(workspace.NewRoots(rootOf), maps.Clone(w)))
}

// gone marks a file that a change deletes.
const gone = "\x00gone"

// propose builds the proposal that turns the named files of w into others.
func propose(t fataler, ctx context.Context, w world, after map[string]string) *Content {
	t.Helper()
	draft := draftOf(w)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		var err error
		if after[name] == gone {
			err = draft.Delete(ctx, path(name))
		} else {
			err = draft.Write(ctx, path(name), after[name])
		}
		if err != nil {
			t.Fatalf("drafting %s: %v", name, err)
		}
	}
	return build(t, draft)
}

func build(t fataler, draft *workspace.Draft) *Content {
	t.Helper()
	c, err := Build(draft, Meta{ID: "proposal-1", Session: "session-1", Run: "run-1", Root: rootOf, Title: "test"})
	if err != nil {
		t.Fatalf("building: %v", err)
	}
	return c
}

// plan plans and checks that every selected open hunk is accounted for once.
func plan(t fataler, c *Content, sel Selection, w world) *Plan {
	t.Helper()
	p, err := c.Plan(sel, w.now)
	if err != nil {
		t.Fatalf("planning: %v", err)
	}
	seen := map[string]int{}
	for _, fp := range p.Files {
		for _, id := range fp.Hunks {
			seen[id]++
		}
	}
	for _, con := range p.Conflicts {
		seen[con.Hunk]++
		if con.Reason == "" {
			t.Fatalf("a conflict without a reason: %+v", con)
		}
	}
	for _, id := range p.Already {
		seen[id]++
	}
	for _, f := range c.Files {
		for _, h := range f.Hunks {
			if want := sel.takes(f, h) && isOpen(h.Fate); want && seen[h.ID] != 1 || !want && seen[h.ID] > 0 && sel.Hunk != h.ID {
				t.Fatalf("hunk %s (%s) of %s is planned %d times\n%+v", h.ID, h.Fate, f.Path, seen[h.ID], p)
			}
		}
	}
	return p
}

// openStore is an empty store that closes with the test.
func openStore(t testing.TB) *state.Store {
	t.Helper()
	s, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// numbered is a text of n different lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line number %d of the file\n", i)
	}
	return b.String()
}

// fates counts located hunks by fate.
func fates(located []LocatedHunk) map[state.Fate]int {
	n := map[state.Fate]int{}
	for _, l := range located {
		n[l.Fate]++
	}
	return n
}

// mustApply applies a set.
func mustApply(t fataler, s edits.Set, base string) string {
	t.Helper()
	out, err := s.Apply(base)
	if err != nil {
		t.Fatalf("applying: %v", err)
	}
	return out
}
