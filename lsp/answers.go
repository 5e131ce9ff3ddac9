package lsp

import (
	"context"
	"fmt"
	"time"

	"emend/agent"
)

// commandApprove allows what a run waits for.
func (s *session) commandApprove(_ context.Context, args *arguments) (any, error) {
	return s.reply(args, agent.Allow)
}

// commandDeny refuses it.
func (s *session) commandDeny(_ context.Context, args *arguments) (any, error) {
	return s.reply(args, agent.Deny)
}

func (s *session) reply(args *arguments, choice string) (any, error) {
	q, err := s.questions.find(args.Request)
	if err != nil {
		return nil, invalid("%v", err)
	}
	q.reply(choice)
	return map[string]string{"request": q.ID, "choice": choice}, nil
}

// commandCancel stops a run, or the newest job when none is named.
func (s *session) commandCancel(_ context.Context, args *arguments) (any, error) {
	jb := s.jobs.cancel(args.Run)
	if jb == nil {
		if args.Run != "" {
			return nil, invalid("no run %q is under way", args.Run)
		}
		return nil, invalid("nothing is under way")
	}
	return map[string]string{"run": jb.id}, nil
}

// commandReload reads the settings files anew and forgets what the index knows.
func (s *session) commandReload(context.Context, *arguments) (any, error) {
	s.reloadSettings()
	s.projects.refresh()
	return nil, nil
}

// commandStatus says what is under way and what waits.
func (s *session) commandStatus(ctx context.Context, _ *arguments) (any, error) {
	type row struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		For   string `json:"for,omitempty"`
	}
	out := struct {
		Version   string `json:"version"`
		Model     string `json:"model"`
		Jobs      []row  `json:"jobs"`
		Proposals []row  `json:"proposals"`
		Questions []row  `json:"questions"`
	}{Version: s.opts.Version, Jobs: []row{}, Proposals: []row{}, Questions: []row{}}
	settings := s.settings.Load()
	out.Model = settings.Model.Provider + "/" + settings.Model.Name
	for _, jb := range s.jobs.list() {
		out.Jobs = append(out.Jobs, row{jb.id, jb.title, time.Since(jb.started).Round(time.Second).String()})
	}
	for _, p := range s.board.list() {
		out.Proposals = append(out.Proposals, row{ID: p.ID, Title: p.headline()})
	}
	for _, q := range s.questions.waiting() {
		out.Questions = append(out.Questions, row{ID: q.ID, Title: q.Text})
	}
	s.editor.info(ctx, "%s", fmt.Sprintf("%s; %s under way, %s and %s waiting", out.Model,
		counted(len(out.Jobs), "job"), counted(len(out.Proposals), "proposal"), counted(len(out.Questions), "question")))
	return out, nil
}
