package config

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

//go:embed settings.go
var source string

// comments are the doc comments of the tree's fields, by "Type.Field", each as one
// line; a type's own stand under "Type".
var comments = sync.OnceValue(func() map[string]string {
	docs := map[string]string{}
	file, err := parser.ParseFile(token.NewFileSet(), "settings.go", source, parser.ParseComments)
	if err != nil { // it compiled, so it parses
		return docs
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		body, ok := spec.Type.(*ast.StructType)
		if !ok {
			return false
		}
		for _, f := range body.Fields.List {
			for _, name := range f.Names {
				docs[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
			}
		}
		return false
	})
	return docs
})

const manualIntro = `# Settings

<!-- Made from internal/config/settings.go by "go test ./internal/config -update"; edit that instead. -->

emend works without any settings. They come from these places, and later ones win:

1. what is built in;
2. your own file, ` + "`emend/config.toml`" + ` in ` + "`$XDG_CONFIG_HOME`" + ` (` + "`~/.config`" + ` without it, ` + "`%AppData%`" + ` on Windows);
3. the workspace's file, ` + "`.emend/config.toml`" + `, which can set only what the settings below say, and nothing that would let emend do more;
4. what the editor sends, as initialization options or as changed configuration: the same tree as JSON, by itself or under ` + "`emend`" + `;
5. environment variables, one for each setting, and ` + "`OLLAMA_HOST`" + `, which says where Ollama is;
6. flags on the command line.

A setting that does not exist and a value that is not allowed are reported with file and line, and change nothing.
In an environment variable, a list is written as JSON, or with commas between its strings.

` + "```toml" + `
# ~/.config/emend/config.toml
approval = "review"

[model]
name = "qwen2.5-coder:7b"
temperature = 0.2

[[checks.commands]]
name = "tests"
args = ["go", "test", "./..."]
` + "```" + `
`

// Manual returns the settings' manual in Markdown, which is docs/settings.md.
func Manual() string {
	var b strings.Builder
	b.WriteString(manualIntro)
	typ := reflect.TypeFor[Settings]()
	defaults := reflect.ValueOf(Defaults())
	for i := range typ.NumField() {
		sf := typ.Field(i)
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", sf.Tag.Get("toml"), comments()["Settings."+sf.Name])
		for _, f := range fields() {
			if f.index[0] != i {
				continue
			}
			if len(f.index) > 1 {
				fmt.Fprintf(&b, "\n### %s\n\n%s\n", f.key, comments()[f.section+"."+f.name])
			}
			fmt.Fprintf(&b, "\n%s\n", f.facts(defaults.FieldByIndex(f.index)))
			if f.typ == reflect.TypeFor[[]Command]() {
				b.WriteString("\nThe keys of a table:\n\n")
				for k := range reflect.TypeFor[Command]().NumField() {
					c := reflect.TypeFor[Command]().Field(k)
					fmt.Fprintf(&b, "- `%s`: %s\n", c.Tag.Get("toml"), comments()["Command."+c.Name])
				}
			}
		}
	}
	return b.String()
}

// facts are a setting's type, bounds, default, variable and rule in one line.
func (f *field) facts(v reflect.Value) string {
	parts := []string{strings.ToUpper(f.kind()[:1]) + f.kind()[1:]}
	switch {
	case f.enum != nil:
		parts[0] = "One of `" + strings.Join(f.enum, "`, `") + "`"
	case f.ranged:
		parts[0] += fmt.Sprintf(" from %s to %s", f.bound(f.min), f.bound(f.max))
	}
	if d := defaultJSON(v); d != nil {
		parts = append(parts, "default `"+string(d)+"`")
	} else {
		parts = append(parts, "not set by default")
	}
	parts = append(parts, "`"+f.env()+"`")
	switch f.workspace {
	case "set":
		parts = append(parts, "a workspace file can set it")
	case "add":
		parts = append(parts, "a workspace file can add to it")
	case "narrow":
		parts = append(parts, "a workspace file can restrict it")
	}
	return strings.Join(parts, "; ") + "."
}

// defaultJSON is a default as JSON; nil for what is not set.
func defaultJSON(v reflect.Value) json.RawMessage {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	if v.Kind() == reflect.Slice && v.IsNil() {
		return json.RawMessage("[]")
	}
	data, err := json.Marshal(v.Interface())
	if err != nil {
		return nil
	}
	return data
}

// Schema returns the JSON Schema of the settings, indented.
func Schema() []byte {
	s := sectionSchema(reflect.TypeFor[Settings](), reflect.ValueOf(Defaults()), "")
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "emend settings"
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil { // only values made below go in
		return []byte("{}")
	}
	return append(data, '\n')
}

func sectionSchema(typ reflect.Type, defaults reflect.Value, prefix string) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for i := range typ.NumField() {
		sf := typ.Field(i)
		name := sf.Tag.Get("toml")
		var p *jsonschema.Schema
		if sf.Type.Kind() == reflect.Struct {
			p = sectionSchema(sf.Type, defaults.Field(i), prefix+name+".")
		} else {
			p = fieldByKey(prefix + name).schema(defaults.Field(i))
		}
		p.Description = comments()[typ.Name()+"."+sf.Name]
		s.Properties[name] = p
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	return s
}

func (f *field) schema(v reflect.Value) *jsonschema.Schema {
	s := &jsonschema.Schema{Default: defaultJSON(v)}
	for _, e := range f.enum {
		s.Enum = append(s.Enum, e)
	}
	if f.ranged {
		s.Minimum, s.Maximum = &f.min, &f.max
	}
	switch f.typ {
	case reflect.TypeFor[string]():
		s.Type = "string"
	case reflect.TypeFor[bool]():
		s.Type = "boolean"
	case reflect.TypeFor[int](), reflect.TypeFor[*int]():
		s.Type = "integer"
	case reflect.TypeFor[*float64]():
		s.Type = "number"
	case reflect.TypeFor[[]string]():
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string"}
	case reflect.TypeFor[[]Command]():
		s.Type, s.Items = "array", commandSchema()
	}
	return s
}

func commandSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{}, Required: []string{"args"},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	typ := reflect.TypeFor[Command]()
	for i := range typ.NumField() {
		sf := typ.Field(i)
		p := &jsonschema.Schema{Type: "string", Description: comments()["Command."+sf.Name]}
		if sf.Type.Kind() == reflect.Slice {
			p.Type, p.Items = "array", &jsonschema.Schema{Type: "string"}
		}
		s.Properties[sf.Tag.Get("toml")] = p
		s.PropertyOrder = append(s.PropertyOrder, sf.Tag.Get("toml"))
	}
	return s
}
