package model_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"emend/agent/model"
)

func TestNewUnderstandsAddresses(t *testing.T) {
	for _, test := range []struct {
		provider, url, host string
		loopback            bool
	}{
		{"", "", "127.0.0.1:11434", true},
		{"ollama", "localhost", "localhost:11434", true},
		{"ollama", "0.0.0.0", "127.0.0.1:11434", true},
		{"ollama", "0.0.0.0:8080", "127.0.0.1:8080", true},
		{"ollama", "http://[::]:11434", "[::1]:11434", true},
		{"ollama", ":1234", "127.0.0.1:1234", true},
		{"ollama", "http://127.9.9.9:1/v1/", "127.9.9.9:1", true},
		{"ollama", "http://[::ffff:127.0.0.1]", "[::ffff:127.0.0.1]:80", true},
		{"ollama", "https://LOCALHOST.", "LOCALHOST.:443", true},
		{"ollama", "models.example", "models.example:11434", false},
		{"ollama", "http://10.0.0.5", "10.0.0.5:80", false},
		{"ollama", "http://127.0.0.1.example.com", "127.0.0.1.example.com:80", false},
		{"ollama", "http://localhost.example.com", "localhost.example.com:80", false},
		{"ollama", "http://2130706433", "2130706433:80", false},
		{"openai", "", "api.openai.com:443", false},
		{"openai", "localhost:8000", "localhost:8000", true},
		{"openai", "unix:///run/llama.sock", "unix:/run/llama.sock", true},
	} {
		p, err := model.New(model.Config{Provider: test.provider, BaseURL: test.url})
		if err != nil {
			t.Errorf("%q: %v", test.url, err)
			continue
		}
		if p.Host() != test.host || p.Loopback() != test.loopback {
			t.Errorf("%q: host %q, loopback %v; want %q, %v", test.url, p.Host(), p.Loopback(), test.host, test.loopback)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, test := range []struct{ provider, url, want string }{
		{"claude", "", `model provider "claude" is not known`},
		{"ollama", "http://user:secret@host", "model.key_env"},
		{"ollama", "http://secret@host", "model.key_env"},
		{"openai", "http://user:secret@ho st", "cannot be read"},
		{"openai", "ftp://host", `the scheme "ftp"`},
		{"openai", "http://host?key=secret", "query"},
		{"openai", "unix:relative", "unix:/path"},
	} {
		_, err := model.New(model.Config{Provider: test.provider, BaseURL: test.url})
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error %v, want one with %q and without the secret", test.url, err, test.want)
		}
	}
}

func FuzzNew(f *testing.F) {
	for _, s := range []string{"", "unix:/x", "http://a:b@c", "[::]", "%zz", "http://[::1%25en0]:99999/", "//x", ":"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, url string, isOllama bool) {
		name := "openai"
		if isOllama {
			name = "ollama"
		}
		p, err := model.New(model.Config{Provider: name, BaseURL: url})
		if err != nil {
			return
		}
		if p.Host() == "" {
			t.Errorf("%q has no host", url)
		}
		if strings.Contains(p.Host(), "%") {
			return // a zone of IPv6 is escaped in a URL
		}
		// What we say we talk to, we must understand again as the same.
		again, err := model.New(model.Config{Provider: name, BaseURL: p.Host()})
		if err != nil || again.Loopback() != p.Loopback() || again.Host() != p.Host() {
			t.Errorf("%q becomes %q, which becomes %v, %v", url, p.Host(), again, err)
		}
	})
}

func TestEstimate(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "func main() {}": 4, "0123456789": 10, "日本語": 5, "é": 1,
	} {
		if got := model.Estimate(text); got != want {
			t.Errorf("Estimate(%q) = %d, want %d", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		whole := model.Estimate(a + b)
		if parts := model.Estimate(a) + model.Estimate(b); whole > parts || whole < parts-3 {
			t.Errorf("the whole is %d tokens, its parts %d", whole, parts)
		}
		if whole > len(a+b) {
			t.Errorf("%d tokens in %d bytes", whole, len(a+b))
		}
	})
}
