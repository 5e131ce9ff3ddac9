package proposal

import (
	"errors"
	"maps"
	"testing"

	"emend/internal/workspace"
	"emend/state"
)

// applied by a checkpoint: makes a plan, checkpoints it, carries it out.
func checkpointed(t *testing.T, tx *state.Tx, p *Plan, c *Content, w world) *state.Checkpoint {
	t.Helper()
	cp, err := Checkpoint(p, c, "before", tx.PutBlob)
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.PutCheckpoint(cp); err != nil {
		t.Fatal(err)
	}
	w.apply(t, p)
	return cp
}

// update runs a test inside one transaction of a fresh store.
func update(t *testing.T, fn func(tx *state.Tx)) {
	t.Helper()
	err := openStore(t).Update(t.Context(), func(tx *state.Tx) error {
		fn(tx)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUndoFiles(t *testing.T) {
	start := worldOf("e", "one\ntwo\nthree\n", "x", "old\n")
	after := map[string]string{"e": "one\n2\nthree\n", "x": gone, "c": "new\n"}
	for name, test := range map[string]struct {
		later func(w world) // what the person does after the apply
		files []string
		want  string // of the undo plan
		end   world  // texts after it; nil for those at the start
	}{
		"at once":            {func(world) {}, nil, `delete c ""; edit e "one\ntwo\nthree\n"; create x "old\n"`, nil},
		"one file":           {func(world) {}, []string{string(path("x"))}, `create x "old\n"`, worldOf("e", after["e"], "x", "old\n", "c", "new\n")},
		"edited elsewhere":   {func(w world) { w[path("e")] += "four\n" }, nil, `delete c ""; edit e "one\ntwo\nthree\nfour\n"; create x "old\n"`, worldOf("e", "one\ntwo\nthree\nfour\n", "x", "old\n")},
		"edited there":       {func(w world) { w[path("e")] = "one\nzwei\nthree\n" }, nil, `delete c ""; create x "old\n"; conflict e:2`, worldOf("e", "one\nzwei\nthree\n", "x", "old\n")},
		"created, edited":    {func(w world) { w[path("c")] = "new\nmore\n" }, nil, `edit e "one\ntwo\nthree\n"; create x "old\n"; conflict c:2`, worldOf("e", "one\ntwo\nthree\n", "x", "old\n", "c", "new\nmore\n")},
		"created, gone":      {func(w world) { delete(w, path("c")) }, nil, `edit e "one\ntwo\nthree\n"; create x "old\n"; already 1`, nil},
		"deleted, there":     {func(w world) { w[path("x")] = "old\r\n" }, nil, `delete c ""; edit e "one\ntwo\nthree\n"; already 1`, worldOf("e", "one\ntwo\nthree\n", "x", "old\r\n")},
		"deleted, other":     {func(w world) { w[path("x")] = "other\n" }, nil, `delete c ""; edit e "one\ntwo\nthree\n"; conflict x:1`, worldOf("e", "one\ntwo\nthree\n", "x", "other\n")},
		"deleted, empty":     {func(w world) { w[path("x")] = "" }, nil, `delete c ""; edit e "one\ntwo\nthree\n"; edit x "old\n"`, nil},
		"edited file gone":   {func(w world) { delete(w, path("e")) }, nil, `delete c ""; create x "old\n"; conflict e:0`, worldOf("x", "old\n")},
		"undone by hand":     {func(w world) { w[path("e")] = "one\ntwo\nthree\n" }, nil, `delete c ""; create x "old\n"; already 1`, nil},
		"editor's spelling":  {func(w world) { w[path("e")] = bom + "one\r\n2\r\nthree\r\n" }, nil, `delete c ""; edit e "` + `\ufeff` + `one\r\ntwo\r\nthree\r\n"; create x "old\n"`, worldOf("e", bom+"one\r\ntwo\r\nthree\r\n", "x", "old\n")},
		"created, line ends": {func(w world) { w[path("c")] = "new\r\n" }, nil, `delete c ""; edit e "one\ntwo\nthree\n"; create x "old\n"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			update(t, func(tx *state.Tx) {
				w := maps.Clone(start)
				c := propose(t, t.Context(), w, after)
				cp := checkpointed(t, tx, plan(t, c, Selection{}, w), c, w)
				test.later(w)
				before := maps.Clone(w)
				back, err := Undo(tx, cp, test.files, w.now)
				if err != nil {
					t.Fatal(err)
				}
				if got := summary(back); got != test.want {
					t.Fatalf("got  %s\nwant %s", got, test.want)
				}
				again := checkpointed(t, tx, back, nil, w)
				want := test.end
				if want == nil {
					want = start
				}
				if !maps.Equal(w, want) {
					t.Fatalf("texts %v, want %v", w, want)
				}
				if again.Parent != cp.ID || again.Proposal != c.ID || again.Root != rootOf {
					t.Errorf("checkpoint of the undo: %+v", again)
				}
				forth, err := Undo(tx, again, nil, w.now)
				if err != nil {
					t.Fatal(err)
				}
				w.apply(t, forth)
				if !maps.Equal(w, before) {
					t.Errorf("undo undone: %v, want %v", w, before)
				}
			})
		})
	}
}

func TestUndoRename(t *testing.T) {
	const was, is = "one\ntwo\nthree\n", "one\n2\nthree\n"
	for name, test := range map[string]struct {
		stored bool // the proposal is in the store
		later  func(w world)
		want   string
	}{
		"at once":               {true, func(world) {}, `move n to o "one\ntwo\nthree\n"`},
		"edited since":          {true, func(w world) { w[path("n")] = is + "four\n" }, `move n to o "one\ntwo\nthree\nfour\n"`},
		"edited there":          {true, func(w world) { w[path("n")] = "one\nzwei\nthree\n" }, `move n to o "one\nzwei\nthree\n"; conflict o:2`},
		"old name taken":        {true, func(w world) { w[path("o")] = "x" }, `conflict n:0`},
		"moved back by hand":    {true, func(w world) { w[path("o")] = w[path("n")]; delete(w, path("n")) }, `edit o "one\ntwo\nthree\n"; already 1`},
		"gone":                  {true, func(w world) { delete(w, path("n")) }, `create o "one\ntwo\nthree\n"`},
		"no record of the move": {false, func(world) {}, `delete n ""; create o "one\ntwo\nthree\n"`},
	} {
		t.Run(name, func(t *testing.T) {
			update(t, func(tx *state.Tx) {
				c, _ := renamed(t)
				if test.stored {
					if err := Save(tx, c); err != nil {
						t.Fatal(err)
					}
				}
				w := worldOf("o", was)
				cp := checkpointed(t, tx, plan(t, c, Selection{}, w), c, w)
				test.later(w)
				before := maps.Clone(w)
				back, err := Undo(tx, cp, []string{string(path("o"))}, w.now)
				if !test.stored {
					back, err = Undo(tx, cp, nil, w.now)
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := summary(back); got != test.want {
					t.Fatalf("got  %s\nwant %s", got, test.want)
				}
				again := checkpointed(t, tx, back, nil, w)
				forth, err := Undo(tx, again, nil, w.now)
				if err != nil {
					t.Fatal(err)
				}
				w.apply(t, forth)
				if !maps.Equal(w, before) {
					t.Errorf("undo undone: %v, want %v", w, before)
				}
			})
		})
	}
}

func TestUndoErrors(t *testing.T) {
	update(t, func(tx *state.Tx) {
		w := worldOf("e", "1\n", "d", "1\n")
		c := propose(t, t.Context(), w, map[string]string{"e": "2\n", "d": gone, "c": "3\n"})
		cp := checkpointed(t, tx, plan(t, c, Selection{}, w), c, w)
		if _, err := Undo(tx, cp, []string{"nowhere"}, w.now); !errors.Is(err, ErrUnknown) {
			t.Errorf("unknown file: %v", err)
		}
		broken := errors.New("disk on fire")
		p, err := Undo(tx, cp, nil, func(workspace.Path) (Current, error) { return Current{}, broken })
		if err != nil || len(p.Conflicts) != 3 || !p.Empty() {
			t.Errorf("unreadable: %+v, %v", p, err)
		}
		cp.Files[0].After = state.Hash{1}
		cp.Files[1].Before = state.Hash{1}
		if _, err := Undo(tx, cp, nil, w.now); err == nil {
			t.Error("a checkpoint without its texts is undone")
		}
		full := errors.New("disk full")
		if _, err := Checkpoint(plan(t, c, Selection{}, w), c, "", func([]byte) (state.Hash, error) { return state.Hash{}, full }); err != nil {
			t.Errorf("checkpoint of nothing: %v", err)
		}
		w = worldOf("e", "1\n", "d", "1\n")
		if _, err := Checkpoint(plan(t, c, Selection{}, w), c, "", func([]byte) (state.Hash, error) { return state.Hash{}, full }); !errors.Is(err, full) {
			t.Errorf("checkpoint without room: %v", err)
		}
	})
}

// TestTakenBack: what was undone counts as refused.
func TestTakenBack(t *testing.T) {
	w := worldOf("a", "1\n", "b", "1\n")
	c := propose(t, t.Context(), w, map[string]string{"a": "2\n", "b": "2\n"})
	p := plan(t, c, Selection{}, w)
	c.Record(p, applied(p))
	c.TakenBack(path("a"))
	if c.Files[0].Hunks[0].Fate != state.FateDiscarded || c.Status != state.ProposalPartly {
		t.Errorf("fate %s, status %s", c.Files[0].Hunks[0].Fate, c.Status)
	}
	c.TakenBack()
	if c.Status != state.ProposalDiscarded {
		t.Errorf("status %s", c.Status)
	}
}
