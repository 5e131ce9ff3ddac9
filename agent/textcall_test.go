package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"emend/agent/model"
)

func testSignature(name string) ([]string, bool) {
	params, ok := map[string][]string{
		"read_file":      {"path", "start_line", "end_line"},
		"search_replace": {"path", "search", "replace"},
		"multi_edit":     {"path", "edits"},
		"finish":         {"summary"},
	}[name]
	return params, ok
}

var textCallCases = []struct {
	name, reply string
	want        []string // "name {arguments}"
}{
	{"plain prose", "I read the file. It is fine.", nil},
	{"whole json", `{"name": "read_file", "arguments": {"path": "a.go"}}`, []string{`read_file {"path":"a.go"}`}},
	{"fenced json", "Let me look.\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.go\"}}\n```\n", []string{`read_file {"path":"a.go"}`}},
	{"hermes tag", "<tool_call>{\"name\":\"finish\",\"arguments\":{\"summary\":\"ok\"}}</tool_call>", []string{`finish {"summary":"ok"}`}},
	{"two objects", "{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"b\"}}", []string{`read_file {"path":"a"}`, `read_file {"path":"b"}`}},
	{"arguments as a string", `{"name":"read_file","arguments":"{\"path\":\"a\"}"}`, []string{`read_file {"path":"a"}`}},
	{"openai wrapper", `{"tool_calls":[{"type":"function","function":{"name":"finish","arguments":{"summary":"x"}}}]}`, []string{`finish {"summary":"x"}`}},
	{"parameters", `{"tool":"finish","parameters":{"summary":"x"}}`, []string{`finish {"summary":"x"}`}},
	{"unknown name", `{"name":"launch","arguments":{}}`, nil},
	{"json that is no call", `{"name":"Alice","age":3}`, nil},
	{"json in prose", `use {"name":"finish"} for that`, nil},
	{"cut json", `{"name":"finish","arguments":{"summary":"x"`, nil},
	{"brace in string", `{"name":"finish","arguments":{"summary":"a } \" b"}}`, []string{`finish {"summary":"a } \" b"}`}},
	{"function", `read_file(path="a.go", start_line=3)`, []string{`read_file {"path":"a.go","start_line":3}`}},
	{"function positional", "First:\n\n```\nread_file('a.go', 1, 20)\n```", []string{`read_file {"end_line":20,"path":"a.go","start_line":1}`}},
	{"function triple quotes", "search_replace(path=\"a\", search=\"\"\"x\n  y\"\"\", replace='''z\n''')", []string{`search_replace {"path":"a","replace":"z\n","search":"x\n  y"}`}},
	{"function with list", `multi_edit(path="a", edits=[{"search":"x","replace":"y"}])`, []string{`multi_edit {"edits":[{"replace":"y","search":"x"}],"path":"a"}`}},
	{"function escapes", `finish("tab\tquote\" \d \u0041")`, []string{`finish {"summary":"tab\tquote\" \\d A"}`}},
	{"function in a sentence", `read_file(path="a.go") is what I would call`, nil},
	{"function in prose", `I call read_file(path="a.go")`, nil},
	{"function unfinished", `read_file(path="a.go"`, nil},
	{"code that looks alike", "read_file(path)\nread_file(a, b, c, d)", nil},
	{"xml", "<read_file>\n<path>a.go</path>\n<start_line>3</start_line>\n</read_file>", []string{`read_file {"path":"a.go","start_line":"3"}`}},
	{"xml function", "<function=search_replace>\n<parameter=path>a</parameter>\n<parameter=search>\n  x\n</parameter>\n<parameter=replace>\n\ty\n\n</parameter>\n</function>", []string{`search_replace {"path":"a","replace":"\ty\n","search":"  x"}`}},
	{"xml invoke", `<invoke name="finish"><parameter name="summary">a < b</parameter></invoke>`, []string{`finish {"summary":"a \u003c b"}`}},
	{"xml unclosed", "<read_file><path>a.go</path>", nil},
	{"xml unknown", "<div><path>a.go</path></div>", nil},
}

func TestTextCalls(t *testing.T) {
	for _, c := range textCallCases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, call := range textCalls(c.reply, testSignature) {
				got = append(got, call.Name+" "+compact(t, call))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("calls of %q (-want +got):\n%s", c.reply, diff)
			}
		})
	}
}

func compact(t *testing.T, call model.Call) string {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(call.Arguments, &object); err != nil {
		t.Fatalf("arguments of %s are no object: %v: %s", call.Name, err, call.Arguments)
	}
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func FuzzTextCalls(f *testing.F) {
	for _, c := range textCallCases {
		f.Add(c.reply)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, call := range textCalls(reply, testSignature) {
			if _, ok := testSignature(call.Name); !ok {
				t.Errorf("call of unknown tool %q", call.Name)
			}
			compact(t, call)
		}
	})
}

// Hostile replies must not cost more than a pass or a few.
func TestTextCallsAreLinear(t *testing.T) {
	for _, unit := range []string{"{\n", "read_file({\n", "read_file(\"\"\"\n", "<read_file>\n", "<read_file><path></read_file>\n", "read_file(path=[\n", "`{}", "[]\n", "read_file(\n"} {
		reply := strings.Repeat(unit, 1<<19/len(unit))
		start := time.Now()
		textCalls(reply, testSignature)
		if took := time.Since(start); took > 5*time.Second { // a pass takes a few milliseconds
			t.Errorf("%q repeated to 512 kB took %v", unit, took)
		}
	}
}
