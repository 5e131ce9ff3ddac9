package scripted_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"emend/agent/model"
	"emend/agent/model/scripted"
)

const everything = `
# the first turn
> contains "undeclared name"
> lacks "panic"
> last "x := 1"
! gate load
! chunk 7
< thinking "hm…\n"
< "I will look.\n"
! gate mid
<<<
<<<<<<< SEARCH
a
=======
b
>>>>>>> REPLACE
>>>
< call read_file {"path": "a  b.go"}
! usage 100 20
---
< thinking <<<
two
lines
>>>
< call write <<<
{
  "n": 1
}
>>>
< call finish
! stop length
---
! break 0
---
! break 20
---
! html
---
! status 404 "no such model"
---
! stall
---
---
! garbage "{{"
! error "out of luck"
! forever
`

func TestParseScript(t *testing.T) {
	got, err := scripted.ParseScript(everything)
	if err != nil {
		t.Fatal(err)
	}
	call := func(name, args string) scripted.Step {
		return scripted.Step{Call: &model.Call{Name: name, Arguments: json.RawMessage(args)}}
	}
	want := scripted.Script{
		{
			Contains: []string{"undeclared name"}, Lacks: []string{"panic"}, Last: []string{"x := 1"},
			Gate: "load", Chunk: 7, Prompt: 100, Output: 20, Line: 3,
			Steps: []scripted.Step{
				{Thinking: "hm…\n"}, {Text: "I will look.\n"}, {Gate: "mid"},
				{Text: "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"},
				call("read_file", `{"path": "a  b.go"}`),
			},
		},
		{Line: 21, Stop: "length", Steps: []scripted.Step{
			{Thinking: "two\nlines\n"}, call("write", "{\n  \"n\": 1\n}"), call("finish", "{}"),
		}},
		{Break: -1, Line: 33},
		{Break: 20, Line: 35},
		{HTML: true, Line: 37},
		{Status: 404, Message: "no such model", Line: 39},
		{Steps: []scripted.Step{{Stall: true}}, Line: 41},
		{Line: 43},
		{Forever: true, Steps: []scripted.Step{{Garbage: "{{"}, {Error: "out of luck"}}, Line: 44},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("script (-want +got):\n%s", diff)
	}
	again, err := scripted.ParseScript(strings.ReplaceAll(everything, "\n", "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(again.String(), got.String()); diff != "" {
		t.Errorf("with CRLF (-crlf +lf):\n%s", diff)
	}
}

func TestParseScriptRefuses(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"bare text":        {"< hello", `line 1: not a quoted string: "hello"`},
		"rune":             {"< 'h'", "line 1: not a quoted string"},
		"unknown demand":   {"\n> has \"x\"", `line 2: unknown demand "has"`},
		"unknown act":      {"! dance", `line 1: unknown act "dance"`},
		"unknown line":     {"hello", "line 1: it begins with none of"},
		"open block":       {"<<<\nx", "line 1: the block is not closed"},
		"bad arguments":    {"< call f {", "line 1: the arguments of f are not JSON"},
		"nameless call":    {"< call", "line 1: a call needs the name"},
		"after forever":    {"! forever\n---\n< \"x\"", "line 3: a turn follows one that repeats"},
		"negative":         {"! chunk -1", "line 1: not a number"},
		"status":           {"! status 20 \"x\"", `line 1: "20" is not a status`},
		"gate of two":      {"! gate a b", "line 1: a gate has a name of one word"},
		"arguments of act": {"! html 3", "line 1: html takes nothing"},
		"all of them":      {"! a\n! b", "line 2: unknown act \"b\""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scripted.ParseScript(test.script)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add(everything)
	f.Add("---")
	f.Add("---\n---\n< \"x\"\n")
	f.Add("<<<\n>>>\n< call a\tb {\"x\":\"  \"}")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := scripted.ParseScript(text)
		if err != nil {
			return
		}
		again, err := scripted.ParseScript(script.String())
		if err != nil {
			t.Fatalf("its own text is refused: %v\n%s", err, script)
		}
		opts := cmp.Options{
			cmpopts.IgnoreFields(scripted.Turn{}, "Line"),
			cmp.Transformer("compact", func(r json.RawMessage) string {
				var v any
				if err := json.Unmarshal(r, &v); err != nil {
					return string(r)
				}
				b, err := json.Marshal(v)
				if err != nil {
					return string(r)
				}
				return string(b)
			}),
		}
		if diff := cmp.Diff(script, again, opts); diff != "" {
			t.Errorf("round trip (-first +second):\n%s", diff)
		}
	})
}
