package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// field is one setting: a leaf of the tree.
type field struct {
	key       string // dotted
	index     []int
	typ       reflect.Type
	section   string // the Go name of the struct it is in
	name      string // its Go name there
	enum      []string
	ranged    bool
	min, max  float64
	workspace string // "set", "add", "narrow", or "" for nothing
}

// fields are all settings, in the order of the tree.
var fields = sync.OnceValue(func() []*field {
	return appendFields(nil, reflect.TypeFor[Settings](), "", nil)
})

func appendFields(list []*field, typ reflect.Type, prefix string, index []int) []*field {
	for i := range typ.NumField() {
		sf := typ.Field(i)
		key := prefix + sf.Tag.Get("toml")
		at := append(slices.Clone(index), i)
		if sf.Type.Kind() == reflect.Struct {
			list = appendFields(list, sf.Type, key+".", at)
			continue
		}
		f := &field{
			key: key, index: at, typ: sf.Type, section: typ.Name(), name: sf.Name,
			workspace: sf.Tag.Get("workspace"),
		}
		if s := sf.Tag.Get("enum"); s != "" {
			f.enum = strings.Split(s, ",")
		}
		if low, high, ok := strings.Cut(sf.Tag.Get("range"), ","); ok {
			f.ranged, f.min, f.max = true, number(low), number(high)
		}
		list = append(list, f)
	}
	return list
}

// number reads a number of a struct tag; a bad one shows up as NaN, which no value
// passes, and in the tests.
func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

func fieldByKey(key string) *field {
	for _, f := range fields() {
		if f.key == key {
			return f
		}
	}
	return nil
}

// isSection reports whether settings live under key.
func isSection(key string) bool {
	return slices.ContainsFunc(fields(), func(f *field) bool { return strings.HasPrefix(f.key, key+".") })
}

// env is the environment variable of the setting.
func (f *field) env() string {
	return "EMEND_" + strings.ToUpper(strings.ReplaceAll(f.key, ".", "_"))
}

// kind is what a person would call the type.
func (f *field) kind() string {
	switch f.typ {
	case reflect.TypeFor[string]():
		return "string"
	case reflect.TypeFor[bool]():
		return "true or false"
	case reflect.TypeFor[int](), reflect.TypeFor[*int]():
		return "whole number"
	case reflect.TypeFor[*float64]():
		return "number"
	case reflect.TypeFor[[]string]():
		return "list of strings"
	}
	return "list of tables"
}

// secretive are settings whose bad values are not repeated: people put keys there.
var secretive = []string{"model.base_url", "model.key_env"}

// show quotes a bad value for a message.
func (f *field) show(v any) string {
	if slices.Contains(secretive, f.key) {
		return "the value"
	}
	return brief(fmt.Sprint(v))
}

// convert makes a value of the field's type. text says that v is a string that
// stands for any kind, as in the environment.
func (f *field) convert(v any, text bool) (reflect.Value, error) {
	if text {
		s, _ := v.(string)
		var err error
		if v, err = f.fromText(s); err != nil {
			return reflect.Value{}, err
		}
	}
	wrong := fmt.Errorf("%s is not a %s", f.show(v), f.kind())
	switch f.typ {
	case reflect.TypeFor[string]():
		if s, ok := v.(string); ok {
			return reflect.ValueOf(s), nil
		}
	case reflect.TypeFor[bool]():
		if b, ok := v.(bool); ok {
			return reflect.ValueOf(b), nil
		}
	case reflect.TypeFor[int](), reflect.TypeFor[*int]():
		n, ok := toFloat(v)
		if !ok || n != math.Trunc(n) || math.Abs(n) > 1<<31 {
			return reflect.Value{}, wrong
		}
		i := int(n)
		if f.typ.Kind() == reflect.Pointer {
			return reflect.ValueOf(&i), nil
		}
		return reflect.ValueOf(i), nil
	case reflect.TypeFor[*float64]():
		if n, ok := toFloat(v); ok {
			return reflect.ValueOf(&n), nil
		}
	case reflect.TypeFor[[]string]():
		if list, err := toStrings(v); err == nil {
			return reflect.ValueOf(list), nil
		}
	case reflect.TypeFor[[]Command]():
		list, err := toCommands(v)
		return reflect.ValueOf(list), err
	}
	return reflect.Value{}, wrong
}

// fromText reads a value as it is written in an environment variable or a flag: as
// it is, and lists as JSON; a list of strings may be separated by commas.
func (f *field) fromText(s string) (any, error) {
	switch f.typ {
	case reflect.TypeFor[string]():
		return s, nil
	case reflect.TypeFor[[]string]():
		if !strings.HasPrefix(strings.TrimSpace(s), "[") {
			list := []any{}
			for part := range strings.SplitSeq(s, ",") {
				if part = strings.TrimSpace(part); part != "" {
					list = append(list, part)
				}
			}
			return list, nil
		}
	}
	v, err := decodeJSON([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("%s is not a %s", f.show(s), f.kind())
	}
	return v, nil
}

func toFloat(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	case json.Number:
		x, err := n.Float64()
		return x, err == nil
	}
	return 0, false
}

func toStrings(v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("not a list of strings")
	}
	out := make([]string, 0, len(list))
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return nil, errors.New("not a list of strings")
		}
		out = append(out, s)
	}
	return out, nil
}

func toCommands(v any) ([]Command, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("not a list of tables")
	}
	out := make([]Command, 0, len(list))
	for i, item := range list {
		table, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("entry %d is not a table", i+1)
		}
		c, err := toCommand(table)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func toCommand(table map[string]any) (Command, error) {
	var c Command
	for _, key := range slices.Sorted(maps.Keys(table)) {
		v := table[key]
		var ok bool
		var err error
		switch key {
		case "name":
			c.Name, ok = v.(string)
		case "dir":
			c.Dir, ok = v.(string)
		case "parser":
			c.Parser, ok = v.(string)
		case "args":
			c.Args, err = toStrings(v)
			ok = err == nil
		default:
			return c, fmt.Errorf("there is no key %s; there are name, args, dir and parser", brief(key))
		}
		if !ok {
			return c, fmt.Errorf("%s has the wrong type", key)
		}
	}
	if len(c.Args) == 0 || c.Args[0] == "" {
		return c, errors.New("args must name a program")
	}
	if c.Dir != "" && !filepath.IsLocal(filepath.FromSlash(c.Dir)) {
		return c, fmt.Errorf("dir %s must be relative and stay inside the workspace", brief(c.Dir))
	}
	if c.Name == "" {
		c.Name = strings.Join(c.Args, " ")
	}
	return c, nil
}

// check looks at a value of the right type.
func (f *field) check(v reflect.Value) error {
	if f.enum != nil && !slices.Contains(f.enum, v.String()) {
		return fmt.Errorf("%s is none of %s", f.show(v), strings.Join(f.enum, ", "))
	}
	if f.ranged {
		n := v
		if n.Kind() == reflect.Pointer {
			n = n.Elem()
		}
		var x float64
		if n.CanInt() {
			x = float64(n.Int())
		} else {
			x = n.Float()
		}
		if !(x >= f.min && x <= f.max) { // NaN is not within
			return fmt.Errorf("%v is not between %v and %v", x, f.bound(f.min), f.bound(f.max))
		}
	}
	switch f.key {
	case "model.base_url":
		return checkBaseURL(v.String())
	case "model.key_env":
		return checkKeyEnv(v.String())
	case "model.keep_alive":
		return checkKeepAlive(v.String())
	case "model.name":
		if strings.TrimSpace(v.String()) == "" {
			return errors.New(`a model needs a name; "auto" takes the best there is`)
		}
	}
	return nil
}

// bound prints a bound without an exponent.
func (f *field) bound(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// checkBaseURL never repeats the text, which may hold a password.
func checkBaseURL(s string) error {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasPrefix(s, "unix:/") {
		return nil
	}
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return errors.New("the value is not an address; write it as http://host:port or unix:/path")
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("the address must begin with http://, https:// or unix:/")
	case u.User != nil:
		return errors.New("the address must not hold a user name or password; put the key into an environment variable and name that in model.key_env")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("the address must not have a query or a fragment")
	}
	return nil
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func checkKeyEnv(s string) error {
	if s != "" && !envName.MatchString(s) {
		return errors.New("the value is not the name of an environment variable; the key itself does not belong here")
	}
	return nil
}

func checkKeepAlive(s string) error {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	if _, err := strconv.Atoi(s); err == nil {
		return nil
	}
	if _, err := time.ParseDuration(s); err != nil {
		return fmt.Errorf("%s is neither a duration such as 10m nor a number of seconds", brief(s))
	}
	return nil
}

// narrowed is what a workspace's value v makes of the value so far, or an error
// when a workspace has no say.
func (f *field) narrowed(now, v reflect.Value) (reflect.Value, error) {
	switch f.workspace {
	case "set":
		return v, nil
	case "narrow":
		if v.Kind() == reflect.Bool && v.Bool() && !now.Bool() {
			return now, errors.New("a workspace file can turn this off, not on")
		}
		if v.CanInt() && v.Int() > now.Int() {
			return now, errors.New("a workspace file can lower this, not raise it")
		}
		return v, nil
	case "add":
		if v.Kind() == reflect.String {
			parts := slices.DeleteFunc([]string{now.String(), v.String()}, func(s string) bool { return s == "" })
			return reflect.ValueOf(strings.Join(parts, "\n\n")), nil
		}
		for i := range v.Len() {
			if s := v.Index(i).String(); strings.HasPrefix(s, "!") || strings.ContainsAny(s, "\r\n") {
				return now, fmt.Errorf("a workspace file can ignore more, not less: %s", brief(v.Index(i).String()))
			}
		}
		return concat(now, v), nil
	}
	return now, errors.New("a workspace file cannot set this; it belongs in your own settings")
}

// concat is a new slice of both.
func concat(a, b reflect.Value) reflect.Value {
	out := reflect.MakeSlice(a.Type(), 0, a.Len()+b.Len())
	return reflect.AppendSlice(reflect.AppendSlice(out, a), b)
}
