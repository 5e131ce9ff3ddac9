package model_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"emend/agent/model"
	"emend/agent/model/scripted"
)

// A server on this machine forwards models of some names without saying so:
// that they run elsewhere must be known before any text is sent.
func TestCloudNamesAreRemote(t *testing.T) {
	for name, remote := range map[string]bool{
		"qwen3-coder:480b-cloud": true,
		"kimi-k2:cloud":          true,
		"Kimi-K2:Cloud":          true,
		"gpt-oss:20b":            false,
		"cloud-coder:7b":         false,
		"cloud":                  false,
	} {
		s, err := scripted.Start(scripted.Script{}, scripted.Model{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		for provider, url := range map[string]string{"ollama": s.URL(), "openai": s.URL() + "/v1"} {
			p, err := model.New(model.Config{Provider: provider, BaseURL: url})
			if err != nil {
				t.Fatal(err)
			}
			info, err := p.Describe(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			if (info.Remote != "") != remote {
				t.Errorf("%s: %s: remote is %q", provider, name, info.Remote)
			}
			all, err := p.Models(t.Context())
			if err != nil || len(all) != 1 || all[0].Remote != info.Remote {
				t.Errorf("%s: %s is listed as %+v, %v", provider, name, all, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What counts as this machine is reached on this machine: not by a proxy, and
// not where a name server says "localhost" is.
func TestLoopbackStaysHere(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a request for this machine went to the proxy")
	}))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	local := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[]}`)
	}))
	defer local.Close()
	_, port, err := net.SplitHostPort(local.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST", "localhost."} {
		p, err := model.New(model.Config{BaseURL: "http://" + host + ":" + port})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Models(t.Context())
		if err != nil && model.KindOf(err) != model.Unreachable { // not every system resolves every spelling
			t.Errorf("%s: %v", host, err)
		}
	}
}

// A name that comes in pieces without end is refused before it costs much.
func TestEndlessToolName(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 2000 {
			_, err := fmt.Fprintf(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"n%d"}}]}}]}`+"\n\n", i)
			if err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	defer server.Close()
	p, err := model.New(model.Config{Provider: "openai", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Chat(t.Context(), model.Request{Model: "m", Messages: []model.Message{{Role: model.User, Content: "x"}}}, nil)
	if model.KindOf(err) != model.BadReply || !strings.Contains(err.Error(), "name") {
		t.Errorf("error %v", err)
	}
}
