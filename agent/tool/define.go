package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"emend/agent/model"
)

// definition is a Tool whose arguments are an A. The schema the model sees and
// the check of what it sends both come from A's fields.
type definition[A any] struct {
	spec   model.Tool
	schema *jsonschema.Schema
	run    func(ctx context.Context, env *Env, args A) (Result, error)
}

// define makes a tool of a description and a function. It panics when A has no
// schema, which a test would have shown.
func define[A any](name, description string, run func(context.Context, *Env, A) (Result, error)) Tool {
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	plainTypes(schema)
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	spec := model.Tool{Name: name, Description: strings.TrimSpace(description), Schema: raw}
	return &definition[A]{spec: spec, schema: schema, run: run}
}

func (d *definition[A]) Spec() model.Tool { return d.spec }

func (d *definition[A]) Params() []string { return d.schema.PropertyOrder }

func (d *definition[A]) Call(ctx context.Context, env *Env, arguments json.RawMessage) (Result, error) {
	checked, problem := checkArguments(d.schema, arguments)
	if problem != "" {
		return refusef("%s was not called: %s", d.spec.Name, problem), nil
	}
	var args A
	if err := json.Unmarshal(checked, &args); err != nil {
		return refusef("%s was not called: %v", d.spec.Name, err), nil
	}
	return d.run(ctx, env, args)
}

// plainTypes turns "null or array" into "array", all the way down: servers turn
// schemas into grammars, and many know one type a value only.
func plainTypes(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	for _, t := range s.Types {
		if t != "null" {
			s.Type, s.Types = t, nil
			break
		}
	}
	for _, p := range s.Properties {
		plainTypes(p)
	}
	plainTypes(s.Items)
}
