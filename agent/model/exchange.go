package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"
)

// link is what both protocols share: an address, and how to get there.
type link struct {
	provider string
	endpoint
	key   *string // behind a pointer, so that printing a provider does not print it; nil: none
	next  http.RoundTripper
	idle  time.Duration
	limit int64
}

func (l *link) Name() string   { return l.provider }
func (l *link) Host() string   { return l.host }
func (l *link) Loopback() bool { return l.loopback }

const (
	maxLine      = 4 << 20  // bytes of one line of a stream
	maxErrorBody = 64 << 10 // bytes read of an error reply
)

// errIdle is the cause of a context ended by Config.IdleTimeout.
var errIdle = errors.New("no piece came in time")

// exchange is one request and its reply. It is the http.RoundTripper of that one
// request, and sees every byte that comes back, because the libraries above it do
// not say why a stream ended: the one for Ollama takes a connection that broke off
// for the end of the answer. It is used by one goroutine.
type exchange struct {
	link  *link
	model string

	stop  context.CancelCauseFunc
	timer *time.Timer // runs between pieces; nil without Config.IdleTimeout

	fault    *Error // the first thing wrong with the reply
	sawError bool   // an error object came by
	read     int64
	line     int  // bytes of the line so far
	begun    bool // something other than white space has come
	last     byte
	carry    []byte // the end of what was read, to find an error object across reads
}

// start begins an exchange. The context returned ends with ctx, when the reply
// stalls, and by finish, which must be called exactly once.
func (l *link) start(ctx context.Context, model string) (*exchange, context.Context) {
	ctx, stop := context.WithCancelCause(ctx)
	return &exchange{link: l, model: model, stop: stop}, ctx
}

func (x *exchange) finish() {
	if x.timer != nil {
		x.timer.Stop()
	}
	x.stop(nil)
}

// client is an HTTP client for this one exchange.
func (x *exchange) client() *http.Client {
	return &http.Client{
		Transport:     x,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// beat notes that a piece of the answer has come.
func (x *exchange) beat() {
	switch {
	case x.link.idle <= 0:
	case x.timer == nil:
		x.timer = time.AfterFunc(x.link.idle, func() { x.stop(errIdle) })
	default:
		x.timer.Reset(x.link.idle)
	}
}

// RoundTrip sends the request, and turns every reply that is not an answer into
// an *Error.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	if x.link.key != nil {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+*x.link.key)
	}
	resp, err := x.link.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		body, readErr := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		closeErr := resp.Body.Close()
		if len(body) == 0 && readErr != nil {
			return nil, errors.Join(readErr, closeErr)
		}
		x.fault = x.statusFault(resp, body)
		return nil, x.fault
	}
	if isHTML(resp) {
		err := resp.Body.Close()
		x.fault = x.webPage(err)
		return nil, x.fault
	}
	resp.Body = &tap{x: x, body: resp.Body}
	return resp, nil
}

func isHTML(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && (kind == "text/html" || kind == "application/xhtml+xml")
}

// tap is a reply's body, bounded and looked at.
type tap struct {
	x    *exchange
	body io.ReadCloser
}

func (t *tap) Close() error { return t.body.Close() }

func (t *tap) Read(p []byte) (int, error) {
	x := t.x
	if x.fault != nil {
		return 0, x.fault
	}
	n, err := t.body.Read(p)
	if fault := x.look(p[:n]); fault != nil {
		x.fault = fault
		return 0, fault
	}
	if err != nil && !errors.Is(err, io.EOF) {
		x.fault = x.broken("the answer broke off", err)
		return n, x.fault
	}
	return n, err
}

// look checks bytes as they come in, before anybody acts on them.
func (x *exchange) look(p []byte) *Error {
	if len(p) == 0 {
		return nil
	}
	if !x.begun {
		if text := bytes.TrimLeft(p, " \t\r\n\ufeff"); len(text) > 0 {
			x.begun = true
			if text[0] == '<' {
				return x.webPage(nil)
			}
		}
	}
	if x.read += int64(len(p)); x.read > x.link.limit {
		return x.newFault(BadReply, fmt.Sprintf("the answer is longer than %d bytes", x.link.limit),
			"the model may be repeating itself: lower model.max_tokens or raise model.repeat_penalty", nil)
	}
	for rest := p; ; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			x.line += len(rest)
		} else {
			x.line += i
		}
		if x.line > maxLine {
			return x.newFault(BadReply, fmt.Sprintf("a line of the answer is longer than %d bytes", maxLine), "", nil)
		}
		if i < 0 {
			break
		}
		x.line, rest = 0, rest[i+1:]
	}
	// Only a key of the reply's own can look like this: within a string, the quotes
	// would be escaped.
	const mark = `"error":`
	x.carry = append(x.carry, p...)
	x.sawError = x.sawError || bytes.Contains(x.carry, []byte(mark))
	x.carry = append(x.carry[:0], x.carry[max(0, len(x.carry)-len(mark)):]...)
	x.last = p[len(p)-1]
	return nil
}

// fail makes the *Error for err, which ended the exchange. ctx is the caller's,
// inner the one start returned.
func (x *exchange) fail(ctx, inner context.Context, err error) error {
	var known *Error
	switch {
	case ctx.Err() != nil:
		cause := ctx.Err()
		if own := context.Cause(ctx); !errors.Is(own, cause) {
			cause = errors.Join(cause, own)
		}
		return x.newFault(Cancelled, "stopped: "+ctx.Err().Error(), "", cause)
	case errors.Is(context.Cause(inner), errIdle):
		return x.broken(fmt.Sprintf("the answer stalled for %v", x.link.idle), errIdle)
	case x.fault != nil:
		return x.fault
	case errors.As(err, &known):
		return known
	}
	return x.transportFault(err)
}

// transportFault sorts what the HTTP client says.
func (x *exchange) transportFault(err error) *Error {
	var op *net.OpError
	var dns *net.DNSError
	text := err.Error()
	switch {
	case errors.As(err, &dns), errors.As(err, &op) && op.Op == "dial":
		return x.newFault(Unreachable, "nothing answers", x.reachRemedy(), err)
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return x.newFault(Unreachable, "the proxy does not answer", "check HTTP_PROXY and HTTPS_PROXY", err)
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return x.newFault(Unreachable, "the server does not speak TLS", "write http:// in model.base_url", err)
	case strings.Contains(text, "tls: "), strings.Contains(text, "x509: "):
		return x.newFault(Unreachable, "no secure connection: "+brief(text), "check model.base_url and the server's certificate", err)
	case strings.Contains(text, "malformed HTTP"):
		return x.newFault(BadReply, "what answers is no HTTP server", x.addressRemedy(), err)
	}
	return x.broken("the connection broke", err)
}

func (x *exchange) broken(message string, err error) *Error {
	return x.newFault(BrokenStream, message, "try again; if it happens again, look into the model server's log", err)
}

func (x *exchange) webPage(err error) *Error {
	return x.newFault(BadReply, "a web page came back instead of an answer", x.addressRemedy(), err)
}

func (x *exchange) reachRemedy() string {
	if x.link.provider == ollamaName {
		return "start it with `ollama serve`, or say where it is in model.base_url or OLLAMA_HOST"
	}
	return "start the server, or say where it is in model.base_url"
}

func (x *exchange) addressRemedy() string {
	if x.link.provider == ollamaName {
		return "check that model.base_url or OLLAMA_HOST is the address of an Ollama server"
	}
	return "check model.base_url: it usually ends in /v1"
}

func (x *exchange) newFault(kind Kind, message, remedy string, err error) *Error {
	return &Error{
		Kind: kind, Provider: x.link.provider, Host: x.link.host, Model: x.model,
		Message: x.link.redact(message), Remedy: remedy, Err: x.link.redacted(err),
	}
}
