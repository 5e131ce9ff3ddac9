package model

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// The names of the protocols.
const (
	ollamaName = "ollama"
	openaiName = "openai"
)

// Config says which server to talk to, and how.
type Config struct {
	// Provider is "ollama" (also meant by "") or "openai".
	Provider string
	// BaseURL is where the server is. "" means http://127.0.0.1:11434 for ollama
	// and https://api.openai.com/v1 for openai. "host:port" and "unix:/path" are
	// understood; a user name or password in it is refused.
	BaseURL string
	// Key is sent as a bearer token, to this server only; "" sends none. No error
	// and no log holds it.
	Key string
	// HTTPClient carries the requests; nil means one of our own. Only its Transport
	// is used: redirects are never followed, for they could take text to another
	// host than the one the person agreed to.
	HTTPClient *http.Client
	// IdleTimeout bounds the silence between two pieces of an answer, from the
	// first piece on; 0 means no bound. Loading a model is never timed.
	IdleTimeout time.Duration
	// MaxReply bounds an answer, in bytes on the wire; 0 means 32 MiB.
	MaxReply int64
}

// String describes the configuration without its key.
func (c Config) String() string {
	key := "none"
	if c.Key != "" {
		key = redactedMark
	}
	return fmt.Sprintf("model config {provider: %q, base URL: %q, key: %s}", c.Provider, keyShape.ReplaceAllString(c.BaseURL, redactedMark), key)
}

// LogValue keeps the key out of logs.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

const defaultMaxReply = 32 << 20

// New makes the provider a Config asks for. It opens no connection, and reads
// nothing from the environment but the proxy settings.
func New(cfg Config) (Provider, error) {
	name := cfg.Provider
	if name == "" {
		name = ollamaName
	}
	if name != ollamaName && name != openaiName {
		return nil, fmt.Errorf("model provider %q is not known; use ollama or openai", cfg.Provider)
	}
	ep, err := parseEndpoint(name, cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("model provider %s: %w", name, err)
	}
	l := link{
		provider: name,
		endpoint: ep,
		next:     roundTripper(cfg.HTTPClient, ep),
		idle:     cfg.IdleTimeout,
		limit:    cfg.MaxReply,
	}
	if cfg.Key != "" {
		l.key = &cfg.Key
	}
	if l.limit <= 0 {
		l.limit = defaultMaxReply
	}
	if name == openaiName {
		return &openAI{link: l}, nil
	}
	return &ollama{link: l}, nil
}

// roundTripper is the caller's transport, or one made for model servers: no limit
// on the wait for headers, because Ollama sends them only once the model is loaded;
// and a fresh connection per request, because a kept one that the server has
// meanwhile closed fails a POST, and the handshake is nothing beside a generation.
func roundTripper(client *http.Client, ep endpoint) http.RoundTripper {
	if client != nil && client.Transport != nil {
		return client.Transport
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		DisableKeepAlives:   true,
	}
	switch {
	case ep.socket != "":
		t.Proxy = nil
		t.DialContext = dialSocket(dialer, ep.socket)
	case ep.loopback:
		// Nobody was asked, so nothing may leave: neither by a proxy, nor to where
		// a name server says that "localhost" is.
		t.Proxy = nil
		dialer.Control = onlyLoopback
	}
	return t
}

// onlyLoopback refuses to connect to another machine; address is resolved.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err == nil && !to.Addr().Unmap().IsLoopback() {
		err = fmt.Errorf("%s is not an address of this machine", address)
	}
	return err
}

// dialSocket connects to a unix socket, whatever address is asked for.
func dialSocket(d *net.Dialer, path string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "unix", path)
	}
}
