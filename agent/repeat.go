package agent

import (
	"encoding/json"

	"emend/agent/model"
)

// repeats counts identical calls. The zero value has seen none.
type repeats struct {
	seen map[string]int
}

// count notes a call and returns how often it was made before, since the last
// forget. Calls are the same when name and arguments are, whatever the order
// and spacing of the arguments.
func (r *repeats) count(c model.Call) int {
	key := c.Name + " " + canonical(c.Arguments)
	if r.seen == nil {
		r.seen = map[string]int{}
	}
	before := r.seen[key]
	r.seen[key]++
	return before
}

// forget begins anew: the files have changed, so the same call may well say
// something else.
func (r *repeats) forget() { r.seen = nil }

// canonical writes JSON with sorted keys and without spaces; what is no JSON
// stays as it is.
func canonical(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	out, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(out)
}
