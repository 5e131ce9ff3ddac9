package lsp

import "context"

// shutdown ends the session's work: runs are cancelled and recorded. The reply
// comes when they have ended, or when Options.Leave is over.
func (s *session) shutdown(ctx context.Context) error {
	s.life.Store(lifeShutdown)
	s.jobs.cancelAll("the editor is shutting down")
	s.questions.denyAll() // behind it: a run must not take it for an answer
	if s.jobs.none() {
		return nil
	}
	release(ctx)
	s.jobs.wait(s.opts.Leave)
	return nil
}
