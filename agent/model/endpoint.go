package model

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// endpoint is a server's address, understood.
type endpoint struct {
	base     *url.URL // http or https; for a socket, the host is only a name
	socket   string   // path of a unix socket, "" for TCP
	host     string   // for people and for consent: host:port or unix:PATH
	loopback bool
}

// The addresses of servers nobody has configured.
const (
	defaultOllama = "http://127.0.0.1:11434"
	defaultOpenAI = "https://api.openai.com/v1"
)

// parseEndpoint understands what people write as a base URL: a URL, host:port, a
// bare host, unix:/path, the 0.0.0.0 that OLLAMA_HOST holds for the server's sake,
// and addresses with or without the path of the other protocol.
func parseEndpoint(provider, raw string) (endpoint, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		raw = defaultOllama
		if provider == openaiName {
			raw = defaultOpenAI
		}
	}
	if strings.HasPrefix(raw, "unix:/") {
		return socketEndpoint(provider, strings.TrimPrefix(raw, "unix:")), nil
	}
	scheme := strings.Contains(raw, "://")
	if !scheme {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The text is left out on purpose: it may hold a password.
		return endpoint{}, errors.New("base URL cannot be read; write it as http://host:port or unix:/path")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return endpoint{}, fmt.Errorf("base URL has the scheme %q; use http, https or unix:/path", u.Scheme)
	case u.User != nil:
		return endpoint{}, errors.New("base URL holds a user name or password; put the key into an environment variable and name that in model.key_env")
	case u.RawQuery != "" || u.Fragment != "":
		return endpoint{}, errors.New("base URL must not have a query or fragment")
	}
	name, port := u.Hostname(), u.Port()
	if !scheme && port == "" && provider == ollamaName {
		port = "11434"
	}
	if name == "" {
		name = "127.0.0.1"
	}
	// 0.0.0.0 and :: are where a server listens; a client means this machine.
	if ip, err := netip.ParseAddr(name); err == nil && ip.IsUnspecified() {
		name = "127.0.0.1"
		if ip.Is6() && !ip.Is4In6() {
			name = "::1"
		}
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	u.Host = net.JoinHostPort(name, port)
	u.Path = wirePath(provider, u.Path)
	u.RawPath = ""
	return endpoint{base: u, host: u.Host, loopback: isLoopback(name)}, nil
}

func socketEndpoint(provider, path string) endpoint {
	path = "/" + strings.TrimLeft(path, "/")
	u := &url.URL{Scheme: "http", Host: "localhost", Path: wirePath(provider, "")}
	return endpoint{base: u, socket: path, host: "unix:" + path, loopback: true}
}

// wirePath puts the path of a base URL right for the protocol spoken there: an
// openai address without a path gets /v1, an ollama address loses it.
func wirePath(provider, path string) string {
	path = strings.TrimRight(path, "/")
	if provider == ollamaName {
		path = strings.TrimSuffix(path, "/v1")
		return strings.TrimSuffix(path, "/api")
	}
	if path == "" {
		return "/v1"
	}
	return path
}

// isLoopback errs on the side of no: a name that only resolves to this machine
// is not taken for it.
func isLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
