package model

import (
	"context"
	"net/http"
	"time"
)

// Config says which server to talk to, and how.
type Config struct {
	// Provider is "ollama" (also meant by "") or "openai".
	Provider string
	// BaseURL is where the server is. "" means http://127.0.0.1:11434 for ollama
	// and https://api.openai.com/v1 for openai. "host:port" and "unix:/path" are
	// understood; a user name or password in it is refused.
	BaseURL string
	// Key is sent as a bearer token, to this server only; "" sends none.
	Key string
	// HTTPClient carries the requests; nil means one of our own. Only its Transport
	// is used: redirects are never followed.
	HTTPClient *http.Client
	// IdleTimeout bounds the silence between two pieces of an answer, from the
	// first piece on; 0 means no bound. Loading a model is never timed.
	IdleTimeout time.Duration
	// MaxReply bounds an answer, in bytes on the wire; 0 means 32 MiB.
	MaxReply int64
}

// New makes the provider a Config asks for. It opens no connection.
func New(cfg Config) (Provider, error) { panic("todo") }

// Pick resolves a model name. "auto", or "", takes the best coder model the server has.
func Pick(ctx context.Context, p Provider, want string) (Info, error) { panic("todo") }

// Estimate guesses how many tokens a text is.
func Estimate(text string) int { panic("todo") }
