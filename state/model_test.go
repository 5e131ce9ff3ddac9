package state

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plain is what the store must behave like.
type plain struct {
	sessions map[string]string
	turns    map[string][]string
	running  map[string]bool
	blobs    map[Hash][]byte
}

func (p *plain) clone() *plain {
	c := &plain{maps.Clone(p.sessions), make(map[string][]string), maps.Clone(p.running), maps.Clone(p.blobs)}
	for k, v := range p.turns {
		c.turns[k] = slices.Clone(v)
	}
	return c
}

// TestModel does random things, in random transactions of which some fail, to a store and to plain maps.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		stores := []*Store{open(t, dir), open(t, dir)}
		model := &plain{map[string]string{}, map[string][]string{}, map[string]bool{}, map[Hash][]byte{}}
		id := rapid.SampledFrom([]string{"a", "b", "c"})
		for range rapid.IntRange(1, 12).Draw(rt, "transactions") {
			s := rapid.SampledFrom(stores).Draw(rt, "store")
			fails := rapid.IntRange(0, 4).Draw(rt, "fails") == 0
			var next *plain
			err := s.Update(t.Context(), func(tx *Tx) error {
				next = model.clone()
				for range rapid.IntRange(1, 6).Draw(rt, "operations") {
					if err := operate(rt, tx, next, id.Draw(rt, "id")); err != nil {
						return err
					}
				}
				if err := next.compare(tx); err != nil {
					rt.Fatalf("inside the transaction: %v", err)
				}
				if fails {
					return errReadOnly
				}
				return nil
			})
			switch {
			case fails && err == nil, !fails && err != nil:
				rt.Fatalf("error %v", err)
			case !fails:
				model = next
			}
			s = rapid.SampledFrom(stores).Draw(rt, "store")
			if err := s.View(t.Context(), model.compare); err != nil {
				rt.Fatal(err)
			}
		}
		checkFiles(rt, dir)
	})
}

// operate does one random thing to both.
func operate(rt *rapid.T, tx *Tx, model *plain, id string) error {
	text := rapid.StringN(0, 300, -1).Draw(rt, "text")
	switch rapid.SampledFrom([]string{"put", "delete", "turn", "run", "end", "blob"}).Draw(rt, "operation") {
	case "put":
		model.sessions[id] = text
		return tx.PutSession(&Session{ID: id, Title: text})
	case "delete":
		delete(model.sessions, id)
		delete(model.turns, id)
		return tx.DeleteSession(id)
	case "turn":
		model.turns[id] = append(model.turns[id], text)
		turn := Turn{Session: id, Content: text}
		err := tx.AppendTurn(&turn)
		if want := len(model.turns[id]); err == nil && turn.Seq != uint64(want) {
			return fmt.Errorf("turn has number %d, want %d", turn.Seq, want)
		}
		return err
	case "run":
		model.running[id] = true
		return tx.PutRun(&Run{ID: id, Status: RunRunning})
	case "end":
		model.running[id] = false
		return tx.PutRun(&Run{ID: id, Status: RunDone})
	default:
		h, err := tx.PutBlob([]byte(text))
		model.blobs[h] = []byte(text)
		return err
	}
}

// compare looks for a difference between the store and the model.
func (p *plain) compare(tx *Tx) error {
	sessions, err := tx.Sessions()
	if err != nil {
		return err
	}
	titles := make(map[string]string)
	for _, s := range sessions {
		titles[s.ID] = s.Title
	}
	if !maps.Equal(titles, p.sessions) {
		return fmt.Errorf("sessions %v, want %v", titles, p.sessions)
	}
	for _, id := range []string{"a", "b", "c"} {
		turns, err := tx.Turns(id)
		if err != nil {
			return err
		}
		var texts []string
		for _, turn := range turns {
			texts = append(texts, turn.Content)
		}
		if !slices.Equal(texts, p.turns[id]) {
			return fmt.Errorf("turns of %s: %q, want %q", id, texts, p.turns[id])
		}
	}
	running, err := tx.running()
	if err != nil {
		return err
	}
	for id, want := range p.running {
		if slices.Contains(running, id) != want {
			return fmt.Errorf("running %v, want %v", running, p.running)
		}
	}
	for h, want := range p.blobs {
		if got, err := tx.Blob(h); err != nil || !bytes.Equal(got, want) {
			return fmt.Errorf("blob %s: %q, want %q: %w", h, got, want, err)
		}
	}
	return nil
}
