package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// arguments is what a command was given, whatever shape it came in.
type arguments struct {
	Instruction  string                           `json:"instruction"`
	Prompt       string                           `json:"prompt"` // alias of instruction
	URI          string                           `json:"uri"`
	TextDocument *protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        *protocol.Range                  `json:"range"`
	Line         *lineRange                       `json:"line"`
	Version      *int32                           `json:"version"`
	Mode         string                           `json:"mode"`
	Include      []string                         `json:"include"`
	Approval     string                           `json:"approval"`
	Model        string                           `json:"model"`
	Fresh        bool                             `json:"fresh"`
	Diagnostics  []protocol.Diagnostic            `json:"diagnostics"`
	Directive    bool                             `json:"directive"` // the range is a directive comment
	Checks       []string                         `json:"checks"`
	Proposal     string                           `json:"proposal"`
	File         string                           `json:"file"`
	Hunk         string                           `json:"hunk"`
	Request      string                           `json:"request"`
	Scope        string                           `json:"scope"`
	Run          string                           `json:"run"`
	Checkpoint   string                           `json:"checkpoint"`
	Files        []string                         `json:"files"`
	Label        string                           `json:"label"`
	Lines        int                              `json:"lines"`
}

// lineRange is lines in place of a range: a zero-based number, as the protocol
// counts, or text such as "12-20", one-based, as people do. first and last are
// zero-based, last is inclusive.
type lineRange struct{ first, last int }

// UnmarshalJSON reads a number or a string.
func (l *lineRange) UnmarshalJSON(raw []byte) error {
	var n int
	if json.Unmarshal(raw, &n) == nil {
		if n < 0 {
			return fmt.Errorf("line %d is negative", n)
		}
		*l = lineRange{n, n}
		return nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("line must be a number or text such as \"12-20\", not %s", raw)
	}
	parsed, err := parseLines(s)
	if err != nil {
		return err
	}
	*l = parsed
	return nil
}

// parseLines reads "12" or "12-20", one-based.
func parseLines(s string) (lineRange, error) {
	a, b, two := strings.Cut(s, "-")
	first, err := strconv.Atoi(strings.TrimSpace(a))
	last := first
	if err == nil && two {
		last, err = strconv.Atoi(strings.TrimSpace(b))
	}
	if err != nil || first < 1 || last < first {
		return lineRange{}, fmt.Errorf("line=%s is not a line such as 12 or lines such as 12-20", s)
	}
	return lineRange{first - 1, last - 1}, nil
}

// parseArguments reads a command's arguments in any of the shapes that editors
// send: none; one object; strings, the first being the command's main argument
// and the others name=value; a text document identifier and a range. main is
// the name of the main argument, accepts the names that the command takes. What
// is not understood is an error that says so, never ignored.
func parseArguments(main string, accepts []string, raw []protocol.LSPAny) (*arguments, error) {
	raw = dropNulls(raw)
	args := &arguments{}
	var err error
	switch {
	case len(raw) == 0:
	case isString(raw[0]):
		err = args.readStrings(main, accepts, raw)
	case len(raw) == 1:
		err = args.readObject(accepts, raw[0])
	case len(raw) == 2:
		err = args.readPlace(accepts, raw)
	default:
		err = fmt.Errorf("%d arguments are too many: give one object, or strings", len(raw))
	}
	if err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "arguments: %v", err)
	}
	if args.Instruction == "" {
		args.Instruction = args.Prompt
	}
	if args.URI == "" && args.TextDocument != nil {
		args.URI = string(args.TextDocument.URI)
	}
	return args, nil
}

func dropNulls(raw []protocol.LSPAny) []protocol.LSPAny {
	return slices.DeleteFunc(slices.Clone(raw), func(v protocol.LSPAny) bool {
		return len(v) == 0 || string(bytes.TrimSpace(v)) == "null"
	})
}

func isString(v protocol.LSPAny) bool { return v.Kind() == '"' }

// readObject reads one object; a field the command does not take is an error.
func (a *arguments) readObject(accepts []string, raw protocol.LSPAny) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("an object or strings are expected, not %.60s", raw)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(accepts, name) {
			return unknownName(name, accepts)
		}
	}
	return decodeFields(fields, a)
}

// decodeFields decodes each field on its own, so that an error names it.
func decodeFields(fields map[string]json.RawMessage, a *arguments) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		one, err := json.Marshal(map[string]json.RawMessage{name: fields[name]})
		if err != nil {
			return err
		}
		if name == "diagnostics" { // the union types of the protocol need its own decoder
			if err := protocol.Unmarshal(fields[name], &a.Diagnostics); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			continue
		}
		if err := json.Unmarshal(one, a); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// readPlace reads [textDocument, range].
func (a *arguments) readPlace(accepts []string, raw []protocol.LSPAny) error {
	if !slices.Contains(accepts, "range") {
		return fmt.Errorf("this command takes no document and range")
	}
	fields := map[string]json.RawMessage{"textDocument": json.RawMessage(raw[0]), "range": json.RawMessage(raw[1])}
	if err := decodeFields(fields, a); err != nil {
		return err
	}
	if a.TextDocument == nil || a.TextDocument.URI == "" {
		return fmt.Errorf("the first of two arguments must be a text document identifier, not %.60s", raw[0])
	}
	return nil
}

// readStrings reads "main" "name=value"…. A string whose part before '=' is not
// a plain name is text, so that an instruction may hold an equals sign.
func (a *arguments) readStrings(main string, accepts []string, raw []protocol.LSPAny) error {
	fields := map[string]json.RawMessage{}
	for i, v := range raw {
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			return fmt.Errorf("argument %d: strings are expected after a string, not %.60s", i+1, v)
		}
		name, value, named := strings.Cut(s, "=")
		named = named && isName(name)
		switch {
		case i == 0 && main != "" && (!named || !slices.Contains(accepts, name)):
			name, value = main, s
		case !named:
			return fmt.Errorf("argument %d: %q is not of the form name=value", i+1, s)
		case !slices.Contains(accepts, name):
			return unknownName(name, accepts)
		}
		if _, twice := fields[name]; twice {
			return fmt.Errorf("argument %d: %s is given twice", i+1, name)
		}
		field, err := stringField(name, value)
		if err != nil {
			return err
		}
		fields[name] = field
	}
	return decodeFields(fields, a)
}

// stringField gives a string value the type that its field has.
func stringField(name, value string) (json.RawMessage, error) {
	var v any = value
	switch name {
	case "fresh", "directive":
		b, err := strconv.ParseBool(value)
		if err != nil {
			return nil, fmt.Errorf("%s=%s is neither true nor false", name, value)
		}
		v = b
	case "version", "lines":
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s=%s is not a number", name, value)
		}
		v = n
	case "include", "checks", "files":
		list := []string{}
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		v = list
	case "range", "diagnostics", "textDocument":
		return nil, fmt.Errorf("%s cannot be given as text; use line=12-20 or an object", name)
	}
	return json.Marshal(v)
}

func isName(s string) bool {
	for _, r := range s {
		if r < 'A' || r > 'z' || r > 'Z' && r < 'a' {
			return false
		}
	}
	return s != ""
}

func unknownName(name string, accepts []string) error {
	known := strings.Join(accepts, ", ")
	if known == "" {
		known = "none"
	}
	return fmt.Errorf("unknown name %q; known here: %s", name, known)
}
