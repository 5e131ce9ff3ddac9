package lsp

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// decodeLenient reads parameters of which parts may be in a shape that is not
// the protocol's: those are left out instead of losing the message. It is for
// messages whose parts come from third parties (another server's diagnostics)
// or without which there is no session (capabilities of a version to come).
// Fields named in strict have to be right.
func decodeLenient[P any](raw jsonrpc2.RawMessage, strict ...string) (*P, error) {
	params, err := decode[P](raw)
	if err == nil {
		return params, nil
	}
	fits := func(raw []byte) bool {
		return protocol.Unmarshal(raw, new(P)) == nil
	}
	pruned, ok := prune(raw, fits, func(v []byte) []byte { return v }, strict)
	if !ok {
		return nil, err
	}
	return decode[P](pruned)
}

// prune returns as much of the JSON value raw as fits, when put into its place
// by wrap; ok is false when nothing of it does. Members of the outermost object
// named in keep are not touched.
func prune(raw []byte, fits func([]byte) bool, wrap func([]byte) []byte, keep []string) (_ []byte, ok bool) {
	if fits(wrap(raw)) {
		return raw, true
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil && object != nil {
		for name, value := range object {
			inside := func(v []byte) []byte { return wrap(mustJSON(map[string]json.RawMessage{name: v})) }
			switch part, ok := prune(value, fits, inside, nil); {
			case ok:
				object[name] = part
			case slices.Contains(keep, name):
				return nil, false
			default:
				delete(object, name)
			}
		}
		out := mustJSON(object)
		return out, fits(wrap(out))
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && list != nil {
		kept := list[:0]
		for _, value := range list {
			inside := func(v []byte) []byte { return wrap(mustJSON([]json.RawMessage{v})) }
			if part, ok := prune(value, fits, inside, nil); ok {
				kept = append(kept, part)
			}
		}
		out := mustJSON(kept)
		return out, fits(wrap(out))
	}
	return nil, false
}
