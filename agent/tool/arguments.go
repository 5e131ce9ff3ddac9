package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// checkArguments checks what a model sent against the schema of an object and
// returns it with harmless slips mended: a number or truth value in quotes, an
// object or array inside a string, null for an argument left out. The problem,
// when there is one, names the argument and what is wrong with it.
func checkArguments(schema *jsonschema.Schema, arguments json.RawMessage) (mended json.RawMessage, problem string) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	value, err := decode(arguments)
	if err != nil {
		return nil, fmt.Sprintf("the arguments are not JSON: %v; send one object", err)
	}
	value, problem = check(schema, value, "")
	if problem != "" {
		return nil, problem
	}
	mended, err = json.Marshal(value)
	if err != nil {
		return nil, fmt.Sprintf("the arguments are not JSON: %v; send one object", err)
	}
	return mended, ""
}

func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return value, nil
}

// check returns value as the schema wants it, or the problem. at is the
// argument's name, "" for the arguments as a whole.
func check(schema *jsonschema.Schema, value any, at string) (any, string) {
	switch schema.Type {
	case "object":
		return checkObject(schema, value, at)
	case "array":
		return checkArray(schema, value, at)
	case "string":
		switch v := value.(type) {
		case string:
			return v, ""
		case json.Number:
			return v.String(), ""
		}
		return nil, wrong(at, "text", value)
	case "boolean":
		switch v := value.(type) {
		case bool:
			return v, ""
		case string:
			if b, err := strconv.ParseBool(strings.ToLower(v)); err == nil {
				return b, ""
			}
		}
		return nil, wrong(at, "true or false", value)
	case "integer":
		if n, ok := whole(value); ok {
			return n, ""
		}
		return nil, wrong(at, "a whole number", value)
	}
	return value, ""
}

// whole reads an integer, also where it came as text or as 3.0.
func whole(value any) (int64, bool) {
	var text string
	switch v := value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	default:
		return 0, false
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

func checkArray(schema *jsonschema.Schema, value any, at string) (any, string) {
	list, ok := opened(value).([]any)
	if !ok {
		return nil, wrong(at, "a list", value)
	}
	for i, item := range list {
		var problem string
		if list[i], problem = check(schema.Items, item, fmt.Sprintf("%s[%d]", at, i)); problem != "" {
			return nil, problem
		}
	}
	return list, ""
}

func checkObject(schema *jsonschema.Schema, value any, at string) (any, string) {
	object, ok := opened(value).(map[string]any)
	if !ok {
		return nil, wrong(at, "an object", value)
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		property, known := schema.Properties[name]
		if !known {
			return nil, fmt.Sprintf("argument %q is unknown; %s", join(at, name), listed(schema))
		}
		if object[name] == nil && !slices.Contains(schema.Required, name) {
			delete(object, name)
			continue
		}
		var problem string
		if object[name], problem = check(property, object[name], join(at, name)); problem != "" {
			return nil, problem
		}
	}
	for _, name := range schema.Required {
		if _, given := object[name]; !given {
			return nil, fmt.Sprintf("argument %q is missing; %s", join(at, name), listed(schema))
		}
	}
	return object, ""
}

// opened reads a list or an object out of a string that holds one.
func opened(value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	inner, err := decode([]byte(text))
	if err != nil {
		return value
	}
	return inner
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// listed names the arguments there are.
func listed(schema *jsonschema.Schema) string {
	if len(schema.PropertyOrder) == 0 {
		return "there are no arguments"
	}
	var names []string
	for _, name := range schema.PropertyOrder {
		if slices.Contains(schema.Required, name) {
			name += " (required)"
		}
		names = append(names, name)
	}
	return "the arguments are " + strings.Join(names, ", ")
}

func wrong(at, want string, got any) string {
	raw, err := json.Marshal(got)
	if err != nil || len(raw) > 60 {
		raw = []byte(fmt.Sprintf("a value of %d bytes", len(raw)))
	}
	if at == "" {
		return fmt.Sprintf("the arguments must be %s, not %s", want, raw)
	}
	return fmt.Sprintf("argument %q must be %s, not %s", at, want, raw)
}
