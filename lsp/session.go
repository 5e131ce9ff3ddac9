package lsp

import (
	"context"
	"log/slog"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"

	"emend/internal/config"
	"emend/internal/workspace"
)

// session is one editor's connection. It owns its parts and wires them
// together; each part guards itself, so that session has no lock of its own.
type session struct {
	opts  Options
	log   *slog.Logger
	life  lifecycle
	leave context.CancelFunc // ends Serve

	tasks     *tasks
	editor    *editor
	mirror    *mirror
	settings  atomic.Pointer[config.Settings]
	roots     atomic.Pointer[workspace.Roots]
	projects  *projects
	focus     *focus
	jobs      *jobs
	questions *questions
	board     *board
	published *publisher
	rewrites  *rewrites
	refreshes refresher
	findings  findings
	client    clientSettings
}

// newSession returns a session that waits for initialize. Its jobs end with
// ctx.
func newSession(ctx context.Context, opts Options, conn jsonrpc2.Conn, leave context.CancelFunc) *session {
	s := &session{opts: opts, log: opts.Log, leave: leave}
	s.tasks = newTasks(ctx, opts.Log)
	s.editor = &editor{life: ctx, conn: conn, log: opts.Log}
	s.mirror = &mirror{}
	s.projects = newProjects(opts)
	s.focus = &focus{}
	s.jobs = newJobs()
	s.questions = newQuestions()
	s.board = newBoard()
	s.published = newPublisher(s.editor, s.mirror)
	s.rewrites = &rewrites{}
	settings := config.Defaults()
	s.settings.Store(&settings)
	s.roots.Store(&workspace.Roots{})
	return s
}

// snapshot pins the open documents for one request or run.
func (s *session) snapshot() *workspace.Snapshot {
	return workspace.NewSnapshot(*s.roots.Load(), workspace.Disk(&s.mirror.docs))
}

// close ends everything the session started and waits for it, as long as
// Options.Leave allows.
func (s *session) close() {
	s.leave()
	if !s.tasks.wait(s.opts.Leave) {
		s.log.Error("tasks did not end in time", "limit", s.opts.Leave)
	}
	s.projects.close()
}
