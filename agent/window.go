package agent

import (
	"emend/agent/model"
	"emend/internal/config"
)

// window is the model's context and what is known of how it counts.
type window struct {
	size    int // tokens, prompt and answer together
	answer  int // tokens kept free for the answer
	fixed   int // tokens of what every prompt of the run begins with
	told    int // tokens the server counted in the request that guess was about
	guessed int
}

// newWindow takes the smaller of what the model takes and what is set.
func newWindow(model int, settings config.Model) window {
	w := window{size: settings.NumCtx}
	if w.size <= 0 {
		w.size = defaultNumCtx
	}
	if model > 0 {
		w.size = min(w.size, model)
	}
	w.answer = settings.MaxTokens
	if w.answer <= 0 || w.answer > w.size/2 {
		w.answer = min(w.size/4, 4096)
	}
	return w
}

const defaultNumCtx = model.DefaultNumCtx

// room is how many tokens a prompt may have.
func (w window) room() int { return w.size - w.answer }

// bytes is about how much text that many hundredths of the room hold, of the
// room that is left for text.
func (w window) bytes(percent int) int { return max(0, w.room()-w.fixed) * percent * 3 / 100 }

// learn compares the server's count with the guess for the same request.
func (w *window) learn(guess, told int) {
	if told > 0 && guess > 0 {
		w.told, w.guessed = told, guess
	}
}

// count guesses the tokens of a request, corrected upwards by what the server
// last counted: a server may leave out of its count what it has cached.
func (w window) count(req model.Request) int {
	n := model.EstimateRequest(req)
	if w.told > w.guessed {
		n = int(int64(n) * int64(w.told) / int64(w.guessed))
	}
	return n
}

// dropped stands for a tool result that had to make room.
const dropped = "[This result was dropped to make room. Call the tool again if you still need it.]"

// fit makes the prompt fit the window. The last message always stays; before
// it, results of tools are dropped from the oldest on until a quarter of the
// room is free again, so that it does not happen at every step. end is the
// run's end when nothing helps.
func (u *run) fit() (req model.Request, end *ending) {
	req = u.modelRequest()
	size := u.window.count(req)
	if size <= u.window.room() {
		return req, nil
	}
	drops := 0
	for _, i := range u.results {
		if i == len(u.messages)-1 {
			break
		}
		if size <= u.window.room()*3/4 {
			break
		}
		m := &u.messages[i]
		if len(m.Content) <= len(dropped) {
			continue
		}
		m.Content = dropped
		drops++
		size = u.window.count(req)
	}
	if drops > 0 {
		u.repeats.forget()
		u.warn("the context window of %d tokens is full: %d older tool results were dropped from the prompt", u.window.size, drops)
	}
	if size > u.window.room() {
		return req, refuse("the prompt is about %d tokens long, and %d of the model's window of %d are free for it; "+
			"select less, or raise model.num_ctx if the model allows it", size, u.window.room(), u.window.size)
	}
	return req, nil
}

// modelRequest is what is sent next. Messages are only ever appended, but for
// what fit drops, so that the server can keep what it has read.
func (u *run) modelRequest() model.Request {
	s := u.Settings.Model
	req := model.Request{
		Model:    u.info.Name,
		Messages: u.messages,
		Options: model.Options{
			NumCtx: u.window.size, MaxTokens: s.MaxTokens, KeepAlive: s.KeepAlive, Seed: s.Seed,
			Temperature: s.Temperature, TopP: s.TopP, TopK: s.TopK, MinP: s.MinP, RepeatPenalty: s.RepeatPenalty,
		},
	}
	if u.native {
		req.Tools = u.tools.Specs()
	}
	return req
}
