package scripted

import (
	"context"
	"fmt"
	"net/http"
	"unicode/utf8"

	"emend/agent/model"
)

// wire is one protocol.
type wire interface {
	// decode reads a chat request; on a failure it has answered.
	decode(w http.ResponseWriter, r *http.Request) (Request, bool)
	// contentType is that of a stream.
	contentType() string
	// piece is a part of an answer as it goes out; exactly one argument is set.
	piece(p progress, text, thinking string, call *model.Call) []byte
	// fault is an error object amid the stream.
	fault(message string) []byte
	// end is what closes a whole answer.
	end(p progress, stop string, prompt, output int) []byte
	// refuse answers with an error instead.
	refuse(w http.ResponseWriter, status int, message string)
}

// progress is how far an answer has come.
type progress struct {
	request Request
	number  int // of the request, for ids
	pieces  int // sent so far
	calls   int // sent so far
	output  int // tokens so far, estimated
}

const webPage = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head>\n<body><h1>It works!</h1></body></html>\n"

// chat serves the chat requests of one protocol.
func (s *Server) chat(proto wire) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			panic(http.ErrAbortHandler)
		}
		defer s.serving.Done()
		req, ok := proto.decode(w, r)
		if !ok {
			return
		}
		req.Authorization = r.Header.Get("Authorization")
		if _, ok := s.has(req.Model); !ok {
			proto.refuse(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
			return
		}
		turn, number, misfit := s.begin(req)
		if misfit != "" {
			proto.refuse(w, http.StatusInternalServerError, "scripted model: "+misfit)
			return
		}
		p := &player{server: s, proto: proto, turn: turn, at: progress{request: req, number: number}}
		if !p.play(r.Context(), w) {
			s.leave(number)
			// Whoever still listens must not take the rest for a whole answer.
			panic(http.ErrAbortHandler)
		}
	}
}

// player plays one turn to one client.
type player struct {
	server *Server
	proto  wire
	turn   Turn
	at     progress
	out    *cutter
}

// play returns false when the client left before the end, or the server closes.
func (p *player) play(ctx context.Context, w http.ResponseWriter) bool {
	if p.turn.Gate != "" && !p.server.pass(ctx, p.turn.Gate) {
		return false
	}
	switch {
	case p.turn.HTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, err := w.Write([]byte(webPage))
		return err == nil
	case p.turn.Status != 0:
		p.proto.refuse(w, p.turn.Status, p.turn.Message)
		return true
	}
	w.Header().Set("Content-Type", p.proto.contentType())
	p.out = &cutter{w: w, flush: http.NewResponseController(w).Flush, left: p.turn.Break}
	if p.turn.Break < 0 {
		panic(http.ErrAbortHandler)
	}
	for _, step := range p.turn.steps() {
		if step.Error != "" {
			return p.out.send(p.proto.fault(step.Error))
		}
		if !p.step(ctx, step) {
			return false
		}
	}
	prompt, output := p.turn.Prompt, p.turn.Output
	if prompt == 0 {
		prompt = model.EstimateRequest(model.Request{Messages: p.at.request.Messages, Tools: p.at.request.Tools})
	}
	if output == 0 {
		output = p.at.output
	}
	return p.out.send(p.proto.end(p.at, p.turn.Stop, prompt, output))
}

func (p *player) step(ctx context.Context, step Step) bool {
	switch {
	case step.Stall:
		if !p.out.send(nil) {
			return false
		}
		<-ctx.Done()
		return false
	case step.Gate != "":
		return p.out.send(nil) && p.server.pass(ctx, step.Gate)
	case step.Garbage != "":
		return p.out.send([]byte(step.Garbage + "\n"))
	case step.Call != nil:
		ok := p.out.send(p.proto.piece(p.at, "", "", step.Call))
		p.at.calls++
		p.at.pieces++
		p.at.output += model.Estimate(step.Call.Name) + model.Estimate(string(step.Call.Arguments))
		return ok
	}
	for _, s := range chunks(step.Thinking, p.turn.Chunk) {
		if !p.say(ctx, "", s) {
			return false
		}
	}
	for _, s := range chunks(step.Text, p.turn.Chunk) {
		if !p.say(ctx, s, "") {
			return false
		}
	}
	return true
}

func (p *player) say(ctx context.Context, text, thinking string) bool {
	ok := p.out.send(p.proto.piece(p.at, text, thinking, nil))
	p.at.pieces++
	p.at.output += model.Estimate(text) + model.Estimate(thinking)
	return ok && ctx.Err() == nil
}

// chunks cuts a text after every size bytes or more, between runes.
func chunks(s string, size int) []string {
	if s == "" {
		return nil
	}
	if size <= 0 {
		return []string{s}
	}
	var out []string
	for len(s) > 0 {
		n := min(size, len(s))
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// cutter writes a stream piece by piece, and cuts the connection where it is told.
type cutter struct {
	w     http.ResponseWriter
	flush func() error
	left  int // bytes until the cut; 0 means no cut
}

// send writes and flushes data, which may be empty; false means that nobody reads.
func (c *cutter) send(data []byte) bool {
	cut := c.left > 0 && len(data) >= c.left
	if cut {
		data = data[:c.left]
	}
	_, err := c.w.Write(data)
	if err == nil {
		err = c.flush()
	}
	if cut {
		panic(http.ErrAbortHandler)
	}
	if c.left > 0 {
		c.left -= len(data)
	}
	return err == nil
}
