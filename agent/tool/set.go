package tool

import (
	"context"
	"encoding/json"
	"strings"

	"emend/agent/model"
)

// Set is the tools one role may use: a jail. It is immutable.
type Set struct {
	list   []Tool
	byName map[string]Tool
}

// NewSet returns a set of tools, in the order in which the model sees them.
func NewSet(tools ...Tool) Set {
	s := Set{list: tools, byName: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		s.byName[t.Spec().Name] = t
	}
	return s
}

// ForMode returns the tools of a run: those that read when readOnly is set,
// else also those that edit. Without an index those that search are left out.
func ForMode(readOnly, index bool) Set {
	tools := []Tool{readFile}
	if index {
		tools = append(tools, listFiles, findFile, grep)
	}
	if !readOnly {
		tools = append(tools, searchReplace, multiEdit, writeFile, createFile)
	}
	return NewSet(append(tools, finish)...)
}

// Specs is what the model is told, always in the same order.
func (s Set) Specs() []model.Tool {
	specs := make([]model.Tool, len(s.list))
	for i, t := range s.list {
		specs[i] = t.Spec()
	}
	return specs
}

// Params returns the argument names of a tool in order; ok is false when the
// set does not have it.
func (s Set) Params(name string) (params []string, ok bool) {
	t, ok := s.byName[name]
	if !ok {
		return nil, false
	}
	return t.Params(), true
}

// Call calls a tool by name. A name that is not in the set is a refusal that
// lists the names.
func (s Set) Call(ctx context.Context, env *Env, name string, arguments json.RawMessage) (Result, error) {
	t, ok := s.byName[name]
	if !ok {
		names := make([]string, len(s.list))
		for i, t := range s.list {
			names[i] = t.Spec().Name
		}
		return refusef("there is no tool %q; the tools are %s", name, strings.Join(names, ", ")), nil
	}
	return t.Call(ctx, env, arguments)
}
