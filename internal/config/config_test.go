package config_test

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"emend/internal/config"
)

var update = flag.Bool("update", false, "write docs/settings.md anew")

func toml(s string) config.Layer { return config.Layer{Name: "user.toml", Data: []byte(s)} }

func client(s string) config.Layer {
	return config.Layer{Name: "client", Data: []byte(s), Format: config.JSON}
}

func workspace(s string) config.Layer {
	return config.Layer{Name: ".emend/config.toml", Data: []byte(s), Narrow: true}
}

func env(pairs ...string) config.Layer {
	return config.Environment(func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	})
}

func pointer[T any](v T) *T { return &v }

// TestLoad shows, for some layers, what differs from the defaults and the warnings.
func TestLoad(t *testing.T) {
	for name, test := range map[string]struct {
		layers []config.Layer
		want   func(*config.Settings)
		warn   []string // each is the beginning of a warning
	}{
		"nothing": {layers: []config.Layer{toml(""), client("null"), client("{}"), client("[]"), client(`""`), client(" "), workspace("# x"), env(), {}}},
		"a file": {
			layers: []config.Layer{toml(`
approval = "auto"
ignore = ["*.min.js"]
[model]
name = "qwen2.5-coder:7b"
temperature = 1
top_k = 40
[[checks.commands]]
name = "tests"
args = ["go", "test"]
dir = "sub/dir"
[[checks.commands]]
args = ["make", "lint"]
`)},
			want: func(s *config.Settings) {
				s.Approval, s.Ignore = "auto", []string{"*.min.js"}
				s.Model.Name, s.Model.Temperature, s.Model.TopK = "qwen2.5-coder:7b", pointer(1.0), pointer(40)
				s.Checks.Commands = []config.Command{
					{Name: "tests", Args: []string{"go", "test"}, Dir: "sub/dir"}, {Name: "make lint", Args: []string{"make", "lint"}},
				}
			},
		},
		"later layers win": {
			layers: []config.Layer{
				toml("model.name = \"a\"\nagent.max_steps = 1\nagent.max_minutes = 1\nagent.max_repeats = 1\nlog.level = \"debug\""),
				client(`{"emend":{"agent":{"max_steps":2,"max_minutes":2,"max_repeats":2}},"other":{"x":1}}`),
				env("EMEND_AGENT_MAX_MINUTES", "3", "EMEND_AGENT_MAX_REPEATS", "3"),
				config.Assignments("flags", map[string]string{"agent.max_repeats": "4"}),
			},
			want: func(s *config.Settings) {
				s.Model.Name, s.Log.Level = "a", "debug"
				s.Agent.MaxSteps, s.Agent.MaxMinutes, s.Agent.MaxRepeats = 2, 3, 4
			},
		},
		"bad values keep the default": {
			layers: []config.Layer{toml(`
[model]
temprature = 0.5
temperature = 2.5
top_p = nan
num_ctx = "many"
top_k = 1.5
provider = "claude"
keep_alive = "soon"
name = " "
[agent]
max_steps = 0
tools = true
[nowhere]
to = "go"
`)},
			warn: []string{
				`user.toml:3: there is no setting "model.temprature"; did you mean model.temperature?`,
				"user.toml:4: model.temperature: 2.5 is not between 0 and 2",
				"user.toml:5: model.top_p: NaN is not between 0 and 1",
				`user.toml:6: model.num_ctx: "many" is not a whole number`,
				`user.toml:7: model.top_k: "1.5" is not a whole number`,
				`user.toml:8: model.provider: "claude" is none of ollama, openai`,
				`user.toml:9: model.keep_alive: "soon" is neither`,
				"user.toml:10: model.name: a model needs a name",
				"user.toml:12: agent.max_steps: 0 is not between 1 and 1000",
				`user.toml:13: agent.tools: "true" is not a string`,
				`user.toml:14: there is no setting "nowhere"`,
			},
		},
		"inline and dotted": {
			layers: []config.Layer{toml("agent = { max_steps = 5,\n  max_minuts = 6 }\nmodel.seed = 7\nmodel = 3")},
			warn:   []string{"user.toml:4: column"},
		},
		"lines in inline tables": {
			layers: []config.Layer{toml("\nagent = { max_steps = 5, max_minuts = 6 }\nchat = 3")},
			want:   func(s *config.Settings) { s.Agent.MaxSteps = 5 },
			warn: []string{
				`user.toml:2: there is no setting "agent.max_minuts"; did you mean agent.max_minutes?`,
				"user.toml:3: chat is no setting but a group",
			},
		},
		"broken file": {
			layers: []config.Layer{toml("model.name = \"a\"\n[model")},
			warn:   []string{"user.toml:2: column"},
		},
		"marks and line ends": {
			layers: []config.Layer{toml("\ufeffmodel.name = \"a\"\r\nevents = true\r\nevnts = 1\r\n")},
			want:   func(s *config.Settings) { s.Model.Name, s.Events = "a", true },
			warn:   []string{`user.toml:3: there is no setting "evnts"`},
		},
		"bad checks": {
			layers: []config.Layer{toml(`
[[checks.commands]]
name = "x"
`), client(`{"checks":{"commands":[{"args":["x"],"shell":true}]}}`), client(`{"checks":{"commands":[{"args":["x"],"dir":"../y"}]}}`),
				client(`{"checks":{"commands":["x"]}}`), client(`{"checks":{"commands":{}}}`), client(`{"checks":{"commands":[{"args":"x"}]}}`)},
			warn: []string{
				"user.toml:2: checks.commands: entry 1: args must name a program",
				`client: checks.commands: entry 1: there is no key "shell"`,
				`client: checks.commands: entry 1: dir "../y" must be relative`,
				"client: checks.commands: entry 1 is not a table",
				"client: checks.commands: not a list of tables",
				"client: checks.commands: entry 1: args has the wrong type",
			},
		},
		"a client's shapes": {
			layers: []config.Layer{
				client(`{"model":{"name":"a","seed":null},"emend.agent.max_steps":7,"agent.max_minutes":8}`),
				client(`{"emend":{"model.top_k":9}}`),
			},
			want: func(s *config.Settings) {
				s.Model.Name, s.Agent.MaxSteps, s.Agent.MaxMinutes, s.Model.TopK = "a", 7, 8, pointer(9)
			},
		},
		"a client's nonsense": {
			layers: []config.Layer{client(`{`), client(`[1]`), client(`"x"`), client(`{} {}`), client(`{"model":3,"emend":4}`)},
			warn: []string{
				"client: the settings are not JSON", "client: the settings are not a JSON object", "client: the settings are not a JSON object",
				"client: the settings are not JSON", `client: there is no setting "emend"`, "client: model is no setting but a group",
			},
		},
		"the environment": {
			layers: []config.Layer{env(
				"EMEND_MODEL_NAME", "a", "EMEND_MODEL_TEMPERATURE", "0.5", "EMEND_EVENTS", "true", "EMEND_IGNORE", "a, b,,c",
				"EMEND_CHECKS_COMMANDS", `[{"args":["make"]}]`, "EMEND_MODEL_SEED", "x", "EMEND_CHECKS_ON_RUN", "yes",
			)},
			want: func(s *config.Settings) {
				s.Model.Name, s.Model.Temperature, s.Events = "a", pointer(0.5), true
				s.Ignore = []string{"a", "b", "c"}
				s.Checks.Commands = []config.Command{{Name: "make", Args: []string{"make"}}}
			},
			warn: []string{
				`environment: checks.on_run: "yes" is not a true or false`, `environment: model.seed: "x" is not a whole number`,
			},
		},
		"lists as JSON": {
			layers: []config.Layer{env("EMEND_IGNORE", `["a,b","c"]`)},
			want:   func(s *config.Settings) { s.Ignore = []string{"a,b", "c"} },
		},
		"flags": {
			layers: []config.Layer{config.Assignments("flags", map[string]string{"model.name": "x\ny=\"z\"", "model.nam": "x", "OLLAMA": "y"})},
			want:   func(s *config.Settings) { s.Model.Name = "x\ny=\"z\"" },
			warn:   []string{`flags: there is no setting "OLLAMA"`, `flags: there is no setting "model.nam"; did you mean model.name?`},
		},
		"a workspace narrows": {
			layers: []config.Layer{
				toml("ignore = [\"a\"]\ninstructions = \"mine\""),
				workspace(`
ignore = ["b", "!a"]
instructions = "theirs"
approval = "auto"
events = true
[model]
name = "theirs"
base_url = "http://evil.example"
[checks]
on_run = false
timeout_seconds = 600
commands = [{args = ["make"]}]
`),
				workspace("ignore = [\"c\"]\n[checks]\non_run = true\ntimeout_seconds = 10"),
			},
			want: func(s *config.Settings) {
				s.Ignore, s.Instructions, s.Model.Name = []string{"a", "c"}, "mine\n\ntheirs", "theirs"
				s.Checks.OnRun, s.Checks.TimeoutSeconds = false, 10
				s.Checks.Commands = []config.Command{{Name: "make", Args: []string{"make"}}}
			},
			warn: []string{
				`.emend/config.toml:2: ignore: a workspace file can ignore more, not less: "!a"`,
				".emend/config.toml:4: approval: a workspace file cannot set this",
				".emend/config.toml:5: events: a workspace file cannot set this",
				".emend/config.toml:8: model.base_url: a workspace file cannot set this",
				".emend/config.toml:11: checks.timeout_seconds: a workspace file can lower this",
				".emend/config.toml:3: checks.on_run: a workspace file can turn this off, not on",
			},
		},
		"addresses": {
			layers: []config.Layer{
				toml(`model.base_url = "http://me:geheim@host"`), toml(`model.base_url = "ftp://geheim"`), toml(`model.base_url = "http://geheim host"`),
				toml(`model.base_url = "http://host?key=geheim"`), toml(`model.key_env = "sk-geheim"`), toml(`model.key_env = 3`),
				env("OLLAMA_HOST", "http://me:geheim@host"), toml(`model.base_url = "unix:/run/s"`), toml(`model.key_env = "MY_KEY"`),
			},
			want: func(s *config.Settings) { s.Model.BaseURL, s.Model.KeyEnv = "unix:/run/s", "MY_KEY" },
			warn: []string{
				"user.toml:1: model.base_url: the address must not hold", "user.toml:1: model.base_url: the address must begin",
				"user.toml:1: model.base_url: the value is not an address", "user.toml:1: model.base_url: the address must not have a query",
				"user.toml:1: model.key_env: the value is not the name", "user.toml:1: model.key_env: the value is not a string",
				"environment: OLLAMA_HOST: the address must not hold",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := config.Defaults()
			if test.want != nil {
				test.want(&want)
			}
			got, warnings := config.Load(test.layers...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
			for i := range max(len(warnings), len(test.warn)) {
				switch {
				case i >= len(test.warn):
					t.Errorf("unexpected warning %q", warnings[i])
				case i >= len(warnings):
					t.Errorf("missing warning %q", test.warn[i])
				case !strings.HasPrefix(warnings[i].String(), test.warn[i]):
					t.Errorf("warning %q, want %q", warnings[i], test.warn[i])
				case strings.Contains(warnings[i].String(), "geheim"):
					t.Errorf("a warning tells a secret: %q", warnings[i])
				}
			}
		})
	}
}

func TestOllamaHost(t *testing.T) {
	host := func(more ...string) config.Layer { return env(append(more, "OLLAMA_HOST", "0.0.0.0:1")...) }
	for name, test := range map[string]struct {
		layers []config.Layer
		want   string
	}{
		"alone":                     {[]config.Layer{host()}, "0.0.0.0:1"},
		"over a file":               {[]config.Layer{toml(`model.base_url = "http://file"`), host()}, "0.0.0.0:1"},
		"under its own layer":       {[]config.Layer{host("EMEND_MODEL_BASE_URL", "http://env")}, "http://env"},
		"under a flag":              {[]config.Layer{host(), config.Assignments("flags", map[string]string{"model.base_url": "http://flag"})}, "http://flag"},
		"not for openai":            {[]config.Layer{host(), toml(`model.provider = "openai"`)}, ""},
		"not over openai's address": {[]config.Layer{toml("model.provider = \"openai\"\nmodel.base_url = \"http://file\""), host()}, "http://file"},
	} {
		t.Run(name, func(t *testing.T) {
			got, warnings := config.Load(test.layers...)
			if got.Model.BaseURL != test.want || len(warnings) > 0 {
				t.Errorf("base URL %q, warnings %v; want %q", got.Model.BaseURL, warnings, test.want)
			}
		})
	}
}

// TestWorkspaceNeverWidens gives a workspace file arbitrary values for everything.
func TestWorkspaceNeverWidens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, _ := config.Load()
		tree := map[string]any{
			"approval": rapid.SampledFrom([]string{"auto", "preview", "review"}).Draw(t, "approval"),
			"events":   rapid.Bool().Draw(t, "events"), "ignore": rapid.SliceOf(rapid.SampledFrom([]string{"a", "!b"})).Draw(t, "ignore"),
			"model":  map[string]any{"base_url": "http://x", "key_env": "HOME", "provider": "openai", "num_ctx": rapid.IntRange(1, 99999).Draw(t, "n")},
			"agent":  map[string]any{"max_steps": rapid.IntRange(0, 2000).Draw(t, "steps"), "tools": "text"},
			"apply":  map[string]any{"closed_files": "disk"},
			"checks": map[string]any{"timeout_seconds": rapid.IntRange(0, 1000).Draw(t, "timeout"), "on_run": rapid.Bool().Draw(t, "on")},
			"chat":   map[string]any{"location": "state"}, "log": map[string]any{"level": "debug"},
		}
		data, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		after, _ := config.Load(config.Layer{Name: "w", Data: data, Format: config.JSON, Narrow: true})
		if after.Checks.TimeoutSeconds > before.Checks.TimeoutSeconds || after.Checks.OnRun && !before.Checks.OnRun {
			t.Errorf("checks were widened: %+v", after.Checks)
		}
		for _, p := range after.Ignore {
			if strings.HasPrefix(p, "!") {
				t.Errorf("ignores %q", after.Ignore)
			}
		}
		after.Checks, after.Ignore = before.Checks, before.Ignore
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("changed by a workspace:\n%s", diff)
		}
	})
}

// resolved is the schema, ready to validate.
func resolved(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(config.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// asTree is settings as a client would send them.
func asTree(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return asTree(v.Elem())
	case reflect.Struct:
		m := map[string]any{}
		for i := range v.NumField() {
			f := v.Field(i)
			if (f.Kind() == reflect.Pointer || f.Kind() == reflect.Slice) && f.IsNil() {
				continue
			}
			m[v.Type().Field(i).Tag.Get("toml")] = asTree(f)
		}
		return m
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, asTree(v.Index(i)))
		}
		return list
	case reflect.Int:
		return float64(v.Int())
	}
	return v.Interface()
}

func TestSchema(t *testing.T) {
	r := resolved(t)
	if err := r.Validate(asTree(reflect.ValueOf(config.Defaults()))); err != nil {
		t.Errorf("the defaults do not fit: %v", err)
	}
	for _, bad := range []string{
		`{"models":{}}`, `{"model":{"temperature":3}}`, `{"approval":"yes"}`, `{"agent":{"max_steps":"x"}}`,
		`{"checks":{"commands":[{"name":"x"}]}}`, `{"ignore":"x"}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(bad), &v); err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(v); err == nil {
			t.Errorf("%s fits", bad)
		}
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(config.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	described(t, "", &s)
}

// described checks that every property has a description.
func described(t *testing.T, path string, s *jsonschema.Schema) {
	for name, p := range s.Properties {
		if p.Description == "" {
			t.Errorf("%s.%s has no description", path, name)
		}
		described(t, path+"."+name, p)
		if p.Items != nil {
			described(t, path+"."+name+"[]", p.Items)
		}
	}
}

// FuzzLoad: whatever is in a layer, nothing panics and the result fits the schema.
func FuzzLoad(f *testing.F) {
	f.Add("model.name = \"a\"", uint8(0), false)
	f.Add("[[checks.commands]]\nargs=['x']\n[model]\ntop_p = inf", uint8(0), true)
	f.Add(`{"emend":{"model":{"temperature":1e999,"seed":-0.0}}}`, uint8(1), false)
	f.Add(`{"checks":{"commands":[{"args":[""]}]},"ignore":[1]}`, uint8(1), true)
	f.Add("\"model.name\"=\"x\"\n", uint8(2), false)
	f.Add("[a.b.c]\n[[a.b.c.d]]\nx.y = {z = {}}", uint8(0), false)
	r := resolved(f)
	f.Fuzz(func(t *testing.T, data string, format uint8, narrow bool) {
		got, warnings := config.Load(config.Layer{Name: "x", Data: []byte(data), Format: config.Format(format % 3), Narrow: narrow})
		if err := r.Validate(asTree(reflect.ValueOf(got))); err != nil {
			t.Errorf("%+v does not fit: %v", got, err)
		}
		for _, w := range warnings {
			if w.Line < 0 || w.Line > strings.Count(data, "\n")+1 {
				t.Errorf("line of %q", w)
			}
		}
	})
}

func TestManualIsFresh(t *testing.T) {
	const path = "../../docs/settings.md"
	if *update {
		if err := os.WriteFile(path, []byte(config.Manual()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.Manual(), strings.ReplaceAll(string(got), "\r\n", "\n")); diff != "" {
		t.Errorf("docs/settings.md is stale; run go test ./internal/config -update (-want +got):\n%s", diff)
	}
	for line := range strings.Lines(config.Manual()) {
		if strings.Contains(line, "``") && !strings.HasPrefix(line, "```") {
			t.Errorf("something is empty: %s", line)
		}
	}
}
