package agent

import (
	"context"
	"fmt"

	"emend/agent/model"
	"emend/edits"
	"emend/internal/workspace"
	"emend/state"
)

// consent asks before text leaves for another machine.
func consent(ctx context.Context, u *run) (phase, *ending) {
	if !u.Provider.Loopback() {
		if end := u.consentTo(ctx, u.Provider.Host()); end != nil {
			return nil, end
		}
	}
	return choose, nil
}

// consentTo asks, once per workspace, whether text may be sent to a host.
func (u *run) consentTo(ctx context.Context, host string) *ending {
	granted := false
	err := u.Store.View(ctx, func(tx *state.Tx) (err error) {
		granted, err = tx.HasGrant(state.GrantRemoteModel, host)
		return err
	})
	if err != nil {
		return u.broke(ctx, fmt.Errorf("looking up the grant for %s: %w", host, err))
	}
	if granted {
		return nil
	}
	allowed, end := u.permitted(ctx, Question{
		Kind: QuestionRemoteModel,
		Text: fmt.Sprintf("Send text of this workspace to the model server %s?", host),
		Detail: "The server is not on this machine. The request, the files it is about and what the model reads" +
			" are sent to it, now and in later runs in this workspace.",
	})
	if end != nil {
		return end
	}
	if !allowed {
		return refuse("text of this workspace may not be sent to %s; allow it when asked, or set a model server on this machine", host)
	}
	err = u.Store.Update(ctx, func(tx *state.Tx) error {
		return tx.PutGrant(&state.Grant{
			ID: state.NewID("grant"), Root: u.record.Root, Kind: state.GrantRemoteModel, Subject: host, Created: u.now(),
		})
	})
	if err != nil {
		return u.broke(ctx, fmt.Errorf("storing the grant for %s: %w", host, err))
	}
	return nil
}

// permitted asks a question for permission. Whatever is not plainly a yes is a
// no.
func (u *run) permitted(ctx context.Context, q Question) (bool, *ending) {
	q.ID, q.Run, q.Options, q.Default = state.NewID("question"), u.out.Run, []string{Allow, Deny}, Deny
	u.emit(Event{Kind: KindQuestion, Text: q.Text, Data: q})
	answer, err := u.host.Ask(ctx, q)
	if ctx.Err() != nil {
		return false, u.ended(ctx)
	}
	if err != nil {
		u.warn("the question %q could not be asked, which counts as no: %v", q.Text, err)
		answer.Choice = q.Default
	}
	u.emit(Event{Kind: KindQuestion, Text: q.Text, Data: answer})
	return answer.Choice == Allow, nil
}

// choose picks the model and settles the window.
func choose(ctx context.Context, u *run) (phase, *ending) {
	want := u.Settings.Model.Name
	if u.task.Model != "" {
		want = u.task.Model
	}
	info, err := model.Pick(ctx, u.Provider, want)
	if err != nil {
		return nil, u.modelEnding(ctx, err)
	}
	if info.Remote != "" {
		if end := u.consentTo(ctx, info.Remote); end != nil {
			return nil, end
		}
	}
	u.info, u.out.Model = info, info.Name
	u.native = u.Settings.Agent.Tools == "native" || u.Settings.Agent.Tools != "text" && info.Tools
	u.window = newWindow(info.Window, u.Settings.Model)
	return prompt, nil
}

// modelEnding is the ending for an error of the model server.
func (u *run) modelEnding(ctx context.Context, err error) *ending {
	switch {
	case ctx.Err() != nil:
		return u.ended(ctx)
	case model.KindOf(err) == model.TooLong:
		end := refuse("%v", err)
		end.cause = err
		return end
	}
	return failed(err)
}

// readable looks at a document that the request itself brings into the prompt.
// What looks like a secret is asked for; end is the run's end when the answer
// is no.
func (u *run) readable(ctx context.Context, p workspace.Path) (*workspace.File, *ending) {
	f, err := u.draft.Read(ctx, p)
	name := u.Roots.Rel(p)
	switch {
	case ctx.Err() != nil:
		return nil, u.ended(ctx)
	case err != nil:
		return nil, refuse("%s cannot be read: %v", name, err)
	case f.Binary || f.NotUTF8:
		return nil, refuse("%s is not a text file in UTF-8", name)
	case !workspace.Sensitive(p) && !workspace.SensitiveText(f.Text):
		return f, nil
	}
	allowed, end := u.permitted(ctx, Question{
		Kind:   QuestionSecret,
		Text:   fmt.Sprintf("%s looks like it holds secrets. Send it to the model at %s?", name, u.destination()),
		Detail: "The answer holds for this run.",
	})
	if end != nil {
		return nil, end
	}
	if !allowed {
		return nil, refuse("%s looks like it holds secrets and is not sent to the model", name)
	}
	u.env.Allow(p)
	return f, nil
}

// destination is where text goes: the model server, or the machine to which it
// passes the text on.
func (u *run) destination() string {
	if u.info.Remote != "" {
		return u.info.Remote
	}
	return u.Provider.Host()
}

// place carries a byte offset of the snapshot's text over to the draft's.
func (u *run) place(ctx context.Context, f *workspace.File, offset int) int {
	before, err := u.snapshot.Read(ctx, f.Path)
	if err != nil || before.Text == f.Text {
		return clamp(offset, len(f.Text))
	}
	shift := 0
	for _, e := range edits.Diff(before.Text, f.Text) {
		if e.End <= offset {
			shift += len(e.New) - (e.End - e.Start)
		} else if e.Start < offset {
			shift = shift + e.Start - offset // inside what was replaced: its start
		}
	}
	return clamp(offset+shift, len(f.Text))
}

func clamp(n, most int) int { return max(0, min(n, most)) }
