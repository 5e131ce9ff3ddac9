package model_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"emend/agent/model"
	"emend/agent/model/scripted"
)

func TestPick(t *testing.T) {
	const gb = 1 << 30
	for name, test := range map[string]struct {
		models []scripted.Model
		want   string // "" means that there is none
	}{
		"code before size": {[]scripted.Model{
			{Name: "llama3:70b", Size: 40 * gb}, {Name: "qwen2.5-coder:7b", Size: 5 * gb}}, "qwen2.5-coder:7b"},
		"code by family": {[]scripted.Model{
			{Name: "mine:latest", Family: "starcoder2", Size: gb}, {Name: "llama3:8b", Size: 5 * gb}}, "mine:latest"},
		"tools before size": {[]scripted.Model{
			{Name: "codellama:34b", Size: 20 * gb, NoTools: true}, {Name: "qwen2.5-coder:7b", Size: 5 * gb}}, "qwen2.5-coder:7b"},
		"size before name": {[]scripted.Model{
			{Name: "a-coder:7b", Size: 5 * gb}, {Name: "b-coder:32b", Size: 20 * gb}}, "b-coder:32b"},
		"name at last": {[]scripted.Model{{Name: "b-coder:7b"}, {Name: "a-coder:7b"}}, "a-coder:7b"},
		"no coder":     {[]scripted.Model{{Name: "a:1b", Size: gb}, {Name: "b:2b", Size: 2 * gb}}, "b:2b"},
		"nothing that only embeds": {[]scripted.Model{
			{Name: "code-embed:latest", Embed: true}, {Name: "a-coder-vectors:latest", Embed: true}, {Name: "llama3:8b"}}, "llama3:8b"},
		"nothing of the cloud": {[]scripted.Model{
			{Name: "qwen3-coder:480b-cloud", Remote: "https://ollama.com:443"}, {Name: "llama3:8b"}}, "llama3:8b"},
		"nothing at all":  {[]scripted.Model{{Name: "nomic-embed-text:latest", Embed: true}}, ""},
		"no decoder":      {[]scripted.Model{{Name: "decoder:latest"}, {Name: "a:latest"}}, "a:latest"},
		"devstral is one": {[]scripted.Model{{Name: "zephyr:70b", Size: 40 * gb}, {Name: "devstral:24b"}}, "devstral:24b"},
	} {
		t.Run(name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, wire string) {
				if wire == "openai" && (strings.HasPrefix(name, "size") || name == "nothing of the cloud" || name == "code by family") {
					t.Skip("that protocol tells neither sizes, nor families, nor hosts")
				}
				models := append([]scripted.Model(nil), test.models...)
				for range 3 {
					rand.Shuffle(len(models), func(i, j int) { models[i], models[j] = models[j], models[i] })
					_, p := start(t, wire, "", models...)
					got, err := model.Pick(t.Context(), p, "auto")
					if test.want == "" {
						if model.KindOf(err) != model.MissingModel || !strings.Contains(err.Error(), "nomic-embed-text") {
							t.Errorf("error %v", err)
						}
						continue
					}
					if err != nil || got.Name != test.want || got.Window != 32768 {
						t.Errorf("picked %+v, %v; want %s", got, err, test.want)
					}
				}
			})
		})
	}
}

func TestPickByName(t *testing.T) {
	_, p := start(t, "ollama", "", scripted.Model{Name: "a:latest", Window: 4096, NoTools: true}, scripted.Model{Name: "b:7b", Remote: "https://ollama.com:443"})
	got, err := model.Pick(t.Context(), p, "a")
	if err != nil || got.Window != 4096 || got.Tools || !got.Chat || got.Remote != "" {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := model.Pick(t.Context(), p, "b:7b"); err != nil || got.Remote == "" {
		t.Errorf("got %+v, %v: a model of another host must say so", got, err)
	}
	_, err = model.Pick(t.Context(), p, "c")
	if model.KindOf(err) != model.MissingModel {
		t.Fatalf("error %v", err)
	}
	for _, part := range []string{"a:latest, b:7b", "ollama pull c"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
	_, p = start(t, "openai", "", scripted.Model{Name: "a", Window: 4096})
	if got, err := model.Pick(t.Context(), p, "unlisted"); err != nil || got.Name != "unlisted" || !got.Tools || got.Window != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestModels(t *testing.T) {
	eachWire(t, func(t *testing.T, wire string) {
		_, p := start(t, wire, "", scripted.Model{Name: "a-7b"}, scripted.Model{Name: "bge-m3:latest", Embed: true})
		got, err := p.Models(t.Context())
		if err != nil || len(got) != 2 {
			t.Fatalf("got %+v, %v", got, err)
		}
		if got[0].Name != "a-7b" || !got[0].Chat || got[1].Chat || got[0].Created.IsZero() {
			t.Errorf("got %+v", got)
		}
	})
	for wire, contentType := range map[string]string{"ollama": "text/html", "openai": "text/html"} {
		if _, err := canned(t, wire, contentType, "<html>").Models(t.Context()); model.KindOf(err) != model.BadReply {
			t.Errorf("%s: %v", wire, err)
		}
		if _, err := canned(t, wire, "application/json", "[").Models(t.Context()); model.KindOf(err) != model.BadReply {
			t.Errorf("%s: %v", wire, err)
		}
	}
}

func TestListsOfServers(t *testing.T) {
	p := canned(t, "openai", "application/json", `{"object":"list","data":[
		{"id":"or/x-8x7b","context_length":131072,"supported_parameters":["tools"]},
		{"id":"or/y","context_length":4096,"supported_parameters":["stop"]},
		{"id":"mistral","max_context_length":32768,"capabilities":{"completion_chat":true,"function_calling":false}},
		{"id":"groq","context_window":8192},
		{"id":"llama.cpp","meta":{"n_ctx_train":2048,"n_params":7000000000,"size":99}}]}`)
	got, err := p.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Info{
		{Name: "or/x-8x7b", Window: 131072, Tools: true, Parameters: 56e9, Chat: true},
		{Name: "or/y", Window: 4096, Chat: true},
		{Name: "mistral", Window: 32768, Chat: true},
		{Name: "groq", Window: 8192, Tools: true, Chat: true},
		{Name: "llama.cpp", Window: 2048, Tools: true, Parameters: 7e9, Size: 99, Chat: true},
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("model %d: got %+v, want %+v", i, got, want[i])
		}
	}
}
