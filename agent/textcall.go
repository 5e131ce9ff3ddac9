package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"emend/agent/model"
)

// A signature returns the argument names of a tool in their order, the main one
// first; ok is false for a name that is no tool. It is what keeps a reply's
// example code from being taken for calls.
type signature func(name string) (params []string, ok bool)

// textCalls finds the tool calls that a reply holds as text: JSON objects (the
// whole reply, in fences, in <tool_call> tags, or bare), function style at the
// start of a line (`read_file(path="x")`), and XML. The first form that gives a
// call wins, so that one call written twice is not made twice. The IDs are
// "text-1", "text-2" and so on. Cost is linear in the reply.
func textCalls(reply string, sig signature) []model.Call {
	for _, parse := range []func(string, signature) []model.Call{jsonCalls, xmlCalls, functionCalls} {
		calls := parse(reply, sig)
		for i := range calls {
			calls[i].ID = fmt.Sprintf("text-%d", i+1)
		}
		if len(calls) > 0 {
			return calls
		}
	}
	return nil
}

// jsonCalls reads every balanced object or array that starts a line or follows
// a tag.
func jsonCalls(reply string, sig signature) []model.Call {
	var calls []model.Call
	for i := 0; i < len(reply); {
		if c := reply[i]; (c != '{' && c != '[') || !startsValue(reply, i) {
			i++
			continue
		}
		end := balanced(reply, i)
		if end < 0 {
			break // nothing after an open bracket can be whole
		}
		calls = append(calls, callsOf(json.RawMessage(reply[i:end]), sig, 4)...)
		i = end
	}
	return calls
}

// startsValue reports whether only blanks stand before offset i on its line, or
// a tag or a backquote does.
func startsValue(s string, i int) bool {
	before := strings.TrimRight(s[max(0, i-64):i], " \t")
	if before == "" {
		return i <= 64
	}
	switch before[len(before)-1] {
	case '\n', '>', '`':
		return true
	}
	return false
}

// balanced returns the end of the JSON value that starts at i, or -1.
func balanced(s string, i int) int {
	depth, quoted := 0, false
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// callsOf reads a JSON value as one call or several. depth bounds how far
// wrappers ("tool_calls", "function", arrays) are opened.
func callsOf(raw json.RawMessage, sig signature, depth int) []model.Call {
	if depth == 0 {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var calls []model.Call
		for _, item := range list {
			calls = append(calls, callsOf(item, sig, depth-1)...)
		}
		return calls
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return nil
	}
	for _, wrapper := range []string{"tool_calls", "function", "tool_call"} {
		if inner, ok := object[wrapper]; ok && len(inner) > 0 && (inner[0] == '{' || inner[0] == '[') {
			return callsOf(inner, sig, depth-1)
		}
	}
	for _, key := range []string{"name", "tool", "function", "tool_name"} {
		var name string
		if json.Unmarshal(object[key], &name) != nil {
			continue
		}
		if _, known := sig(name); !known {
			continue
		}
		return []model.Call{{Name: name, Arguments: argumentsOf(object)}}
	}
	return nil
}

// argumentsOf finds the arguments beside a call's name; a string that holds an
// object counts as the object.
func argumentsOf(object map[string]json.RawMessage) json.RawMessage {
	for _, key := range []string{"arguments", "parameters", "args", "input"} {
		raw, ok := object[key]
		if !ok {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			raw = json.RawMessage(text)
		}
		if json.Valid(raw) && len(raw) > 0 && raw[0] == '{' {
			return raw
		}
	}
	return json.RawMessage("{}")
}

// The three ways in which models write a call as XML. Names are checked against
// the tools afterwards.
var (
	xmlOpen  = regexp.MustCompile(`^<(?:function=([a-z_]+)|invoke name="([a-z_]+)"|([a-z_]+))>`)
	xmlParam = regexp.MustCompile(`<(?:parameter=([a-z_]+)|parameter name="([a-z_]+)"|([a-z_]+))>`)
)

// maxTag bounds an opening tag, in bytes.
const maxTag = 100

// word returns where the first word of the line at pos begins, and where the
// next line does.
func word(s string, pos int) (start, next int) {
	next = len(s)
	if i := strings.IndexByte(s[pos:], '\n'); i >= 0 {
		next = pos + i + 1
	}
	for start = pos; start < next && (s[start] == ' ' || s[start] == '\t'); start++ {
	}
	return start, next
}

// xmlCalls reads <name><arg>…</arg></name>, <function=name><parameter=arg>…
// and <invoke name="…"><parameter name="…">….
func xmlCalls(reply string, sig signature) []model.Call {
	var calls []model.Call
	for pos := 0; pos < len(reply); {
		start, next := word(reply, pos)
		pos = next
		head := reply[start:min(len(reply), start+maxTag)]
		m := xmlOpen.FindStringSubmatchIndex(head)
		if m == nil {
			continue
		}
		open, name := tagOf(head, m)
		params, known := sig(name)
		if !known {
			continue
		}
		body := reply[start+m[1]:]
		end := strings.Index(body, "</"+open+">")
		if end < 0 {
			break // cut off: half a call is no call
		}
		if raw, err := json.Marshal(xmlArguments(body[:end], params)); err == nil {
			calls = append(calls, model.Call{Name: name, Arguments: raw})
		}
		_, pos = word(reply, start+m[1]+end)
	}
	return calls
}

// tagOf returns the element's closing name and the name it carries, from a
// match of xmlOpen or xmlParam.
func tagOf(s string, m []int) (element, name string) {
	for group, element := range []string{"function", "invoke", ""} {
		if at := 2 + 2*group; m[at] >= 0 {
			name = s[m[at]:m[at+1]]
			if element == "" {
				element = name
			}
			return element, name
		}
	}
	return "", ""
}

// xmlArguments reads the parameters of one call. Values are text as it stands,
// without the one line break after the opening and before the closing tag.
func xmlArguments(body string, params []string) map[string]string {
	arguments := map[string]string{}
	for {
		m := xmlParam.FindStringSubmatchIndex(body)
		if m == nil {
			return arguments
		}
		element, name := tagOf(body, m)
		if element == "function" || element == "invoke" {
			element = "parameter"
		}
		body = body[m[1]:]
		if !slices.Contains(params, name) {
			continue
		}
		end := strings.Index(body, "</"+element+">")
		if end < 0 {
			return arguments
		}
		value := strings.TrimPrefix(strings.TrimPrefix(body[:end], "\r"), "\n")
		arguments[name] = strings.TrimSuffix(value, "\n")
		body = body[end:]
	}
}

// functionCalls reads calls that fill their line: name(key=value, "value", …).
// Values are JSON or Python literals, triple-quoted strings included.
func functionCalls(reply string, sig signature) []model.Call {
	var calls []model.Call
	for pos := 0; pos < len(reply); {
		start, next := word(reply, pos)
		pos = next
		open := start
		for open < len(reply) && (reply[open] == '_' || reply[open] >= 'a' && reply[open] <= 'z') {
			open++
		}
		params, known := sig(reply[start:open])
		if !known || !strings.HasPrefix(reply[open:], "(") {
			continue
		}
		p := literals{s: reply, pos: open + 1}
		arguments, ok := p.arguments(params)
		if p.cut {
			break
		}
		if !ok {
			continue
		}
		rest, _, _ := strings.Cut(reply[p.pos:], "\n")
		if strings.Trim(rest, " \t\r;`") != "" {
			continue // part of a sentence or of code
		}
		_, pos = word(reply, p.pos)
		if raw, err := json.Marshal(arguments); err == nil {
			calls = append(calls, model.Call{Name: reply[start:open], Arguments: raw})
		}
	}
	return calls
}
