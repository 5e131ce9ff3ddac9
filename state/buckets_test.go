package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func at(n int) time.Time { return time.Date(2030, 1, 1, 0, 0, n, n, time.UTC) }

// TestRecords puts a full record of each kind, changes it, and reads it back from another store.
func TestRecords(t *testing.T) {
	hash := func(n byte) Hash { return Hash{n, 31: n} }
	session := Session{ID: "s", Root: "/r", Title: "t", Created: at(1), Updated: at(2), Model: "m", Window: 16384}
	run := Run{ID: "r", Session: "s", Root: "/r", Mode: "edit", Instruction: "do", Focus: "a.go", Model: "m", Provider: "ollama",
		Status: RunDone, Reason: "x", PID: 1, Boot: "b", Born: "2", Started: at(1), Ended: at(2), Steps: 3, PromptTokens: 4,
		OutputTokens: 5, Proposal: "p"}
	proposal := Proposal{ID: "p", Session: "s", Run: "r", Root: "/r", Title: "t", Supersedes: "q", Checks: "builds",
		Status: ProposalPartly, Created: at(1), Updated: at(2), Files: []ProposalFile{{Path: "/r/a", URI: "file:///r/a", From: "/r/b",
			Kind: "rename", Base: hash(1), After: hash(2), BaseExists: true, BOM: true, BaseVersion: 7, Mode: 0o755,
			Hunks: []ProposalHunk{{ID: "h", Fate: FateConflict, OldStart: 1, OldEnd: 2, NewStart: 3, NewEnd: 4}}}}}
	checkpoint := Checkpoint{ID: "c", Root: "/r", Label: "l", Run: "r", Proposal: "p", Parent: "b", Created: at(1),
		Files: []CheckpointFile{{Path: "/r/a", URI: "file:///r/a", Existed: true, Open: true, Before: hash(1), After: hash(2),
			AfterExists: true, Mode: 0o644, BOM: true}}}
	grant := Grant{ID: "g", Root: "/r", Kind: GrantCommand, Subject: "go test", Created: at(1)}
	note := Note{ID: "n", Root: "/r", Text: "text", Created: at(1)}

	tests := map[string]struct {
		put    func(*Tx) error
		read   func(*Tx) (any, error)
		want   any
		remove func(*Tx) error
	}{
		"session": {func(tx *Tx) error { return tx.PutSession(&session) }, func(tx *Tx) (any, error) { return tx.Session("s") }, &session,
			func(tx *Tx) error { return tx.DeleteSession("s") }},
		"run": {func(tx *Tx) error { return tx.PutRun(&run) }, func(tx *Tx) (any, error) { return tx.Run("r") }, &run,
			func(tx *Tx) error { return tx.DeleteRun("r") }},
		"proposal": {func(tx *Tx) error { return tx.PutProposal(&proposal) }, func(tx *Tx) (any, error) { return tx.Proposal("p") }, &proposal,
			func(tx *Tx) error { return tx.DeleteProposal("p") }},
		"checkpoint": {func(tx *Tx) error { return tx.PutCheckpoint(&checkpoint) }, func(tx *Tx) (any, error) { return tx.Checkpoint("c") },
			&checkpoint, func(tx *Tx) error { return tx.DeleteCheckpoint("c") }},
		"grant": {func(tx *Tx) error { return tx.PutGrant(&grant) }, func(tx *Tx) (any, error) {
			all, err := tx.Grants()
			return first(all, err)
		}, &grant, func(tx *Tx) error { return tx.DeleteGrant("g") }},
		"note": {func(tx *Tx) error { return tx.PutNote(&note) }, func(tx *Tx) (any, error) {
			all, err := tx.Notes()
			return first(all, err)
		}, &note, func(tx *Tx) error { return tx.DeleteNote("n") }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			for range 2 { // the second put replaces the first
				update(t, s, test.put)
			}
			view(t, open(t, dir), func(tx *Tx) error {
				got, err := test.read(tx)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("stored and read differ (-want +got):\n%s", diff)
				}
				return err
			})
			for range 2 { // deleting what is not there is fine
				update(t, s, test.remove)
			}
			view(t, s, func(tx *Tx) error {
				if _, err := test.read(tx); !errors.Is(err, ErrNotFound) {
					t.Errorf("error %v after delete, want ErrNotFound", err)
				}
				return nil
			})
		})
	}
}

// first returns the only record of a list.
func first[T any](all []*T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%d records: %w", len(all), ErrNotFound)
	}
	return all[0], nil
}

// TestNewestFirst stores in random order and expects the lists in order.
func TestNewestFirst(t *testing.T) {
	s := open(t, t.TempDir())
	const n = 9
	order := rand.Perm(n)
	update(t, s, func(tx *Tx) error {
		for _, i := range order {
			id, when := fmt.Sprint("x", i), at(i/2) // pairs share a time; ids decide
			err := errors.Join(tx.PutSession(&Session{ID: id, Updated: when}), tx.PutRun(&Run{ID: id, Started: when}),
				tx.PutProposal(&Proposal{ID: id, Created: when}), tx.PutCheckpoint(&Checkpoint{ID: id, Created: when}),
				tx.PutGrant(&Grant{ID: id, Created: when}), tx.PutNote(&Note{ID: id, Created: when}))
			if err != nil {
				return err
			}
		}
		return nil
	})
	var want []string
	for i := n - 1; i >= 0; i-- {
		want = append(want, fmt.Sprint("x", i))
	}
	view(t, s, func(tx *Tx) error {
		lists := map[string]func() ([]string, error){
			"sessions": func() ([]string, error) {
				l, err := tx.Sessions()
				return ids(l, func(r *Session) string { return r.ID }), err
			},
			"runs": func() ([]string, error) { l, err := tx.Runs(); return ids(l, func(r *Run) string { return r.ID }), err },
			"proposals": func() ([]string, error) {
				l, err := tx.Proposals()
				return ids(l, func(r *Proposal) string { return r.ID }), err
			},
			"checkpoints": func() ([]string, error) {
				l, err := tx.Checkpoints()
				return ids(l, func(r *Checkpoint) string { return r.ID }), err
			},
			"grants": func() ([]string, error) {
				l, err := tx.Grants()
				return ids(l, func(r *Grant) string { return r.ID }), err
			},
			"notes": func() ([]string, error) {
				l, err := tx.Notes()
				return ids(l, func(r *Note) string { return r.ID }), err
			},
		}
		for name, list := range lists {
			got, err := list()
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		return nil
	})
}

func ids[T any](records []*T, id func(*T) string) []string {
	var out []string
	for _, r := range records {
		out = append(out, id(r))
	}
	return out
}

func TestTurns(t *testing.T) {
	s := open(t, t.TempDir())
	var kept []Turn
	for i := range 5 {
		for _, session := range []string{"a", "b"} {
			turn := Turn{Session: session, Role: "user", Content: fmt.Sprint(session, i), Time: at(i)}
			update(t, s, func(tx *Tx) error { return tx.AppendTurn(&turn) })
			if turn.Seq != uint64(i+1) {
				t.Errorf("turn %d of %s has number %d", i, session, turn.Seq)
			}
			if session == "a" {
				kept = append(kept, turn)
			}
		}
	}
	view(t, s, func(tx *Tx) error {
		got, err := tx.Turns("a")
		if err != nil {
			return err
		}
		for i, turn := range got {
			if diff := cmp.Diff(kept[i], *turn); diff != "" {
				t.Errorf("turn %d (-want +got):\n%s", i, diff)
			}
		}
		none, err := tx.Turns("nobody")
		if len(got) != len(kept) || len(none) != 0 {
			t.Errorf("%d and %d turns, want %d and 0", len(got), len(none), len(kept))
		}
		return err
	})
	update(t, s, func(tx *Tx) error { return tx.DeleteSession("a") })
	view(t, s, func(tx *Tx) error {
		gone, err := tx.Turns("a")
		if len(gone) != 0 {
			t.Errorf("%d turns of a deleted session", len(gone))
		}
		return err
	})
	if err := s.Update(t.Context(), func(tx *Tx) error { return tx.AppendTurn(&Turn{}) }); err == nil {
		t.Error("a turn without session was stored")
	}
}

func TestEvents(t *testing.T) {
	s := open(t, t.TempDir())
	events := []Event{{Kind: "started", Time: at(1), Data: json.RawMessage(`{"a":1}`)}, {Kind: "ended", Time: at(2)}}
	update(t, s, func(tx *Tx) error { return tx.AppendEvents("r", events[:1]) })
	update(t, s, func(tx *Tx) error { return tx.AppendEvents("r", events[1:]) })
	view(t, s, func(tx *Tx) error {
		got, err := tx.Events("r")
		if diff := cmp.Diff(events, got); diff != "" || events[1].Seq != 2 {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		return err
	})
}

func TestPendingProposals(t *testing.T) {
	s := open(t, t.TempDir())
	update(t, s, func(tx *Tx) error {
		for i, p := range []Proposal{{Session: "a", Status: ProposalPending}, {Session: "a", Status: ProposalApplied},
			{Session: "b", Status: ProposalPending}} {
			p.ID, p.Created = fmt.Sprint(i), at(i)
			if err := tx.PutProposal(&p); err != nil {
				return err
			}
		}
		return nil
	})
	for session, want := range map[string][]string{"": {"2", "0"}, "a": {"0"}, "c": nil} {
		view(t, s, func(tx *Tx) error {
			got, err := tx.PendingProposals(session)
			if diff := cmp.Diff(want, ids(got, func(p *Proposal) string { return p.ID })); diff != "" {
				t.Errorf("session %q (-want +got):\n%s", session, diff)
			}
			return err
		})
	}
}

func TestHasGrant(t *testing.T) {
	s := open(t, t.TempDir())
	update(t, s, func(tx *Tx) error { return tx.PutGrant(&Grant{ID: "g", Kind: GrantRemoteModel, Subject: "host"}) })
	for _, test := range []struct {
		kind, subject string
		want          bool
	}{{GrantRemoteModel, "host", true}, {GrantRemoteModel, "hos", false}, {GrantChecks, "host", false}} {
		view(t, s, func(tx *Tx) error {
			got, err := tx.HasGrant(test.kind, test.subject)
			if got != test.want {
				t.Errorf("HasGrant(%q, %q) = %v", test.kind, test.subject, got)
			}
			return err
		})
	}
}

func TestBlobs(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	blobs := [][]byte{{}, []byte("x"), []byte(strings.Repeat("long text ", 10_000)), noise}
	var hashes []Hash
	update(t, s, func(tx *Tx) error {
		hashes = nil
		for _, data := range blobs {
			h, err := tx.PutBlob(data)
			if err != nil {
				return err
			}
			if got, err := tx.Blob(h); err != nil || !bytes.Equal(got, data) {
				t.Errorf("blob of %d bytes in its own transaction: %d bytes, %v", len(data), len(got), err)
			}
			hashes = append(hashes, h)
		}
		return nil
	})
	view(t, open(t, dir), func(tx *Tx) error {
		for i, h := range hashes {
			got, err := tx.Blob(h)
			if err != nil || !bytes.Equal(got, blobs[i]) {
				t.Errorf("blob of %d bytes: %d bytes, %v", len(blobs[i]), len(got), err)
			}
		}
		_, err := tx.Blob(Hash{1})
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("unknown blob: %v", err)
		}
		return nil
	})
	size := func() int64 {
		info, err := filepath.Glob(filepath.Join(dir, "blobs.db"))
		if err != nil || len(info) != 1 {
			t.Fatalf("blobs file: %v %v", info, err)
		}
		return fileSize(t, info[0])
	}
	before := size()
	for range 10 {
		update(t, s, func(tx *Tx) error { _, err := tx.PutBlob(noise); return err })
	}
	if after := size(); after != before {
		t.Errorf("file grew from %d to %d by bytes it held", before, after)
	}
	if err := s.View(t.Context(), func(tx *Tx) error { _, err := tx.PutBlob(nil); return err }); err == nil {
		t.Error("a View could put a blob")
	}
}

func TestHashText(t *testing.T) {
	for _, h := range []Hash{{}, {1, 2, 3}, {31: 0xff}} {
		data, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		var back Hash
		if err := json.Unmarshal(data, &back); err != nil || back != h {
			t.Errorf("%s became %s: %v", data, back, err)
		}
	}
	for _, bad := range []string{`"ab"`, `"` + strings.Repeat("zz", 32) + `"`, `1`} {
		var h Hash
		if err := json.Unmarshal([]byte(bad), &h); err == nil {
			t.Errorf("%s was taken for a hash", bad)
		}
	}
}

func TestNewID(t *testing.T) {
	var all []string
	for range 1000 {
		all = append(all, NewID("run"))
	}
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Error("ids are not in order or not unique")
	}
	if got := len(all[0]); got != len("run-")+20 || !strings.HasPrefix(all[0], "run-") {
		t.Errorf("id %q", all[0])
	}
}

func TestDir(t *testing.T) {
	root := t.TempDir()
	a, b := Dir("/state", root), Dir("/state", root+"/.")
	if a != b || filepath.Dir(a) != "/state" {
		t.Errorf("%q and %q", a, b)
	}
	if c := Dir("/state", filepath.Join(root, "x y/ü")); c == a || strings.ContainsAny(filepath.Base(c), " ü") {
		t.Errorf("%q", c)
	}
	if d := Dir("/state", "/"); !strings.HasPrefix(filepath.Base(d), "root-") {
		t.Errorf("%q", d)
	}
}
