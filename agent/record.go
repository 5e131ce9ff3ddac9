package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"emend/state"
)

// closeTimeout bounds how long the end of a run waits for the store after its
// own context is over.
const closeTimeout = 10 * time.Second

// emit tells the host, and notes the event for the store. Pieces of an answer
// are not noted: the step's whole answer is, once it is there.
func (u *run) emit(e Event) {
	e.Run, e.Step, e.Time = u.out.Run, u.out.Steps, u.now()
	if e.Kind != KindToken && e.Kind != KindThinking {
		u.note(e)
	}
	u.host.Emit(e)
}

// note keeps an event for the next commit.
func (u *run) note(e Event) {
	e.Run, e.Step, e.Time = u.out.Run, u.out.Steps, u.now()
	data, err := json.Marshal(e)
	if err != nil {
		u.log().Error("event not recorded", "run", u.out.Run, "kind", e.Kind, "error", err)
		return
	}
	u.trace = append(u.trace, state.Event{Time: e.Time, Kind: string(e.Kind), Data: data})
}

func (u *run) warn(format string, args ...any) {
	u.emit(Event{Kind: KindWarning, Text: fmt.Sprintf(format, args...)})
}

// commit puts the record and the events since the last commit into the store;
// also does what the caller wants in the same transaction. On failure the
// events stay, for the next commit.
func (u *run) commit(ctx context.Context, also ...func(*state.Tx) error) error {
	u.record.Steps, u.record.PromptTokens, u.record.OutputTokens = u.out.Steps, u.out.Prompt, u.out.Output
	u.record.Model, u.record.Proposal = u.out.Model, u.out.Proposal
	err := u.Store.Update(ctx, func(tx *state.Tx) error {
		if err := tx.PutRun(&u.record); err != nil {
			return err
		}
		for _, f := range also {
			if err := f(tx); err != nil {
				return err
			}
		}
		return tx.AppendEvents(u.out.Run, append([]state.Event(nil), u.trace...))
	})
	if err != nil {
		return fmt.Errorf("recording run %s: %w", u.out.Run, err)
	}
	u.trace = u.trace[:0]
	return nil
}

// commitStep commits at the end of a step. A store that cannot keep it does not
// end the run: the work goes on, and the next commit tries again.
func (u *run) commitStep(ctx context.Context) {
	if err := u.commit(ctx); err != nil && ctx.Err() == nil {
		u.log().Warn("step not recorded", "run", u.out.Run, "error", err)
	}
}

// close records the ending, announces it, and returns what Run returns.
func (u *run) close(ctx context.Context, end *ending) (Outcome, error) {
	u.out.Status, u.out.Reason, u.out.Cause = end.status, end.reason, end.cause
	u.record.Status, u.record.Reason, u.record.Ended = end.status, end.reason, u.now()
	event := Event{Kind: KindEnded, Text: end.reason, Data: u.out}
	err := end.fault
	if u.opened {
		u.note(event)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if storeErr := u.commit(ctx, u.answerTurn); storeErr != nil {
			u.log().Error("run not closed in the store", "run", u.out.Run, "error", storeErr)
			err = errors.Join(err, storeErr)
		}
	}
	u.log().Info("run ended", "run", u.out.Run, "status", string(end.status), "steps", u.out.Steps)
	event.Run, event.Step, event.Time = u.out.Run, u.out.Steps, u.now()
	u.host.Emit(event)
	return u.out, err
}

// answerTurn appends the model's closing words to the session.
func (u *run) answerTurn(tx *state.Tx) error {
	text := strings.TrimSpace(u.out.Answer)
	if text == "" {
		return nil
	}
	return tx.AppendTurn(&state.Turn{
		Session: u.session.ID, Role: roleAssistant, Content: text, Run: u.out.Run, Time: u.now(),
	})
}

// The roles of a turn.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)
