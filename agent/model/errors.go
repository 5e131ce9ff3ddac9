package model

import "errors"

// Kind sorts failures by what can be done about them.
type Kind string

// The kinds of failure.
const (
	// Unreachable: nothing answers at the host.
	Unreachable Kind = "unreachable"
	// MissingModel: the server does not have the model.
	MissingModel Kind = "missing-model"
	// BrokenStream: the answer broke off, or stalled beyond [Config.IdleTimeout].
	BrokenStream Kind = "broken-stream"
	// BadReply: what answers does not speak the protocol, or says too much.
	BadReply Kind = "bad-reply"
	// Refused: the server turned the request down: key, rights, parameters.
	Refused Kind = "refused"
	// Overloaded: the server is busy, or a limit of use is reached.
	Overloaded Kind = "overloaded"
	// TooLong: the prompt does not fit the model's window.
	TooLong Kind = "too-long"
	// Failed: the server reports a fault of its own, before or amid the answer.
	Failed Kind = "failed"
	// Cancelled: the caller's context ended.
	Cancelled Kind = "cancelled"
)

// Error is a failure at a model server. No field holds a key.
type Error struct {
	Kind     Kind
	Provider string // "ollama", "openai"
	Host     string
	Model    string // "" when no model was in play
	Message  string // what happened
	Remedy   string // what the person can do; "" when nothing is known
	Err      error  // the cause; may be nil
}

// Error tells what was tried on which host, what happened, and the remedy.
func (e *Error) Error() string {
	s := e.Provider + " at " + e.Host + ": "
	if e.Model != "" {
		s += "model " + e.Model + ": "
	}
	s += e.Message
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of a provider's error, and "" for any other.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// Retryable reports whether the same request may well succeed when sent again:
// the stream broke off, or the server was busy. Whatever was emitted before must
// be thrown away first.
func Retryable(err error) bool {
	k := KindOf(err)
	return k == BrokenStream || k == Overloaded
}
