package tool

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

type everything struct {
	Name  string   `json:"name"`
	Count int      `json:"count,omitempty"`
	Flag  bool     `json:"flag,omitempty"`
	List  []string `json:"list,omitempty"`
	Parts []part   `json:"parts,omitempty"`
}

type part struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func everythingSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.For[everything](nil)
	if err != nil {
		t.Fatal(err)
	}
	plainTypes(schema)
	return schema
}

func TestCheckArguments(t *testing.T) {
	const names = "the arguments are name (required), count, flag, list, parts"
	cases := []struct{ in, want, problem string }{
		{`{"name":"a"}`, `{"name":"a"}`, ""},
		{`{"name":"a","count":3,"flag":true,"list":["x"],"parts":[{"from":"a","to":"b"}]}`,
			`{"count":3,"flag":true,"list":["x"],"name":"a","parts":[{"from":"a","to":"b"}]}`, ""},
		// Harmless slips.
		{`{"name":"a","count":"3","flag":"True"}`, `{"count":3,"flag":true,"name":"a"}`, ""},
		{`{"name":"a","count":3.0}`, `{"count":3,"name":"a"}`, ""},
		{`{"name":7}`, `{"name":"7"}`, ""},
		{`{"name":"a","count":null}`, `{"name":"a"}`, ""},
		{`{"name":"a","parts":"[{\"from\":\"x\",\"to\":\"y\"}]"}`, `{"name":"a","parts":[{"from":"x","to":"y"}]}`, ""},
		{`"{\"name\":\"a\"}"`, `{"name":"a"}`, ""},
		// What cannot be meant.
		{``, "", `argument "name" is missing; ` + names},
		{`{}`, "", `argument "name" is missing; ` + names},
		{`{"titel":"a"}`, "", `argument "titel" is unknown; ` + names},
		{`{"name":null}`, "", `argument "name" must be text, not null`},
		{`{"name":"a","count":"many"}`, "", `argument "count" must be a whole number, not "many"`},
		{`{"name":"a","count":1.5}`, "", `argument "count" must be a whole number, not 1.5`},
		{`{"name":"a","flag":"maybe"}`, "", `argument "flag" must be true or false, not "maybe"`},
		{`{"name":"a","list":"x"}`, "", `argument "list" must be a list, not "x"`},
		{`{"name":"a","list":[{}]}`, "", `argument "list[0]" must be text, not {}`},
		{`{"name":"a","parts":[{"from":"x"}]}`, "", `argument "parts[0].to" is missing; the arguments are from (required), to (required)`},
		{`{"name":"a","parts":[{"from":"x","to":"y","by":1}]}`, "", `argument "parts[0].by" is unknown; the arguments are from (required), to (required)`},
		{`[1]`, "", `the arguments must be an object, not [1]`},
		{`"read it please"`, "", `the arguments must be an object, not "read it please"`},
		{`{"name"`, "", `the arguments are not JSON: unexpected EOF; send one object`},
	}
	for _, c := range cases {
		got, problem := checkArguments(everythingSchema(t), json.RawMessage(c.in))
		if string(got) != c.want || problem != c.problem {
			t.Errorf("%s:\n got %s %q\nwant %s %q", c.in, got, problem, c.want, c.problem)
		}
	}
}

// Whatever a model sends, it becomes arguments or a problem that is said.
func FuzzCheckArguments(f *testing.F) {
	f.Add(`{"name":"a","count":"3","parts":[{"from":"x"}]}`)
	f.Add(`"{}"`)
	f.Add(`{"name":1e400}`)
	schema := everythingSchema(f)
	f.Fuzz(func(t *testing.T, in string) {
		got, problem := checkArguments(schema, json.RawMessage(in))
		if problem != "" {
			return
		}
		var args everything
		if err := json.Unmarshal(got, &args); err != nil {
			t.Errorf("%q was taken as %s, which does not fit: %v", in, got, err)
		}
	})
}
