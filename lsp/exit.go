package lsp

import (
	"context"
	"time"
)

// exit ends Serve, whether or not shutdown came before.
func (s *session) exit(context.Context) error {
	s.leave()
	return nil
}

// watchEditor ends the session when the editor's process is gone, which some
// editors' crashes show in no other way: a child may hold the pipe's other end
// open. An editor in another process namespace cannot be seen at all; then the
// end of the stream is the only sign.
func (s *session) watchEditor(pid *int32) {
	if pid == nil || *pid <= 1 || !s.opts.Alive(int(*pid)) {
		return
	}
	editor := int(*pid)
	s.tasks.spawn("watch the editor", func(ctx context.Context) {
		tick := time.NewTicker(watchPeriod)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if !s.opts.Alive(editor) {
					s.log.Info("the editor's process is gone", "pid", editor)
					s.leave()
					return
				}
			}
		}
	})
}
