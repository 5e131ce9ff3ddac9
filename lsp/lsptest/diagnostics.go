package lsptest

import (
	"encoding/json"
	"fmt"
	"maps"
)

// UnmarshalJSON keeps every member in Raw.
func (d *Diagnostic) UnmarshalJSON(data []byte) error {
	type plain Diagnostic
	if err := json.Unmarshal(data, (*plain)(d)); err != nil {
		return err
	}
	return json.Unmarshal(data, &d.Raw)
}

// members are all members of a diagnostic, as they go into a context.
func (d *Diagnostic) members() (map[string]any, error) {
	if d.Raw != nil {
		return maps.Clone(d.Raw), nil
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encoding a diagnostic: %w", err)
	}
	var members map[string]any
	err = json.Unmarshal(raw, &members)
	return members, err
}

func (e *Editor) publish(m message) {
	var params struct {
		URI         string        `json:"uri"`
		Version     *int          `json:"version"`
		Diagnostics *[]Diagnostic `json:"diagnostics"`
	}
	if !e.params(m, &params) {
		return
	}
	e.state.Published++
	if params.Diagnostics == nil {
		e.violate("publishDiagnostics of %s without a list", params.URI)
		return
	}
	e.checkURI("publishDiagnostics", params.URI)
	b := e.buffers[documentKey(params.URI)]
	if b != nil && !b.open {
		b = nil
	}
	if b != nil && params.Version != nil && *params.Version > b.version {
		e.violate("publishDiagnostics of %s for version %d, and the document is at %d", params.URI, *params.Version, b.version)
	}
	stale := b != nil && params.Version != nil && *params.Version != b.version
	for i := range *params.Diagnostics {
		e.checkDiagnostic(params.URI, &(*params.Diagnostics)[i], b, params.Version)
	}
	if stale && e.how.Diagnostics.VersionChecked {
		e.note("(the diagnostics of %s are for another version: dropped)", params.URI)
		return
	}
	e.state.diagnostics[documentKey(params.URI)] = *params.Diagnostics
}

func (e *Editor) checkDiagnostic(uri string, d *Diagnostic, b *buffer, version *int) {
	if d.Message == "" {
		e.violate("a diagnostic of %s without a message", uri)
	}
	if d.Severity < 0 || d.Severity > 4 {
		e.violate("a diagnostic of %s has severity %d", uri, d.Severity)
	}
	if b == nil || version == nil || *version != b.version {
		return // no text to hold it against
	}
	start, complaint := offsetOf(b.text, d.Range.Start, e.encoding)
	if complaint != "" {
		e.violate("a diagnostic of %s (%q) starts wrongly: %s", uri, d.Message, complaint)
	}
	end, complaint := offsetOf(b.text, d.Range.End, e.encoding)
	if complaint != "" {
		e.violate("a diagnostic of %s (%q) ends wrongly: %s", uri, d.Message, complaint)
	}
	if end < start {
		e.violate("a diagnostic of %s (%q) ends before it starts", uri, d.Message)
	}
}

// checkURI records a URI of a loaded document in another spelling than the
// editor's.
func (e *Editor) checkURI(where, uri string) {
	if b := e.buffers[documentKey(uri)]; b != nil && b.uri != uri {
		e.violate("%s spells %s as %s", where, b.uri, uri)
	}
}

// touches reports whether two ranges have a place in common, ends included.
func touches(a, b Range) bool { return !before(a.End, b.Start) && !before(b.End, a.Start) }

func before(a, b Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

// SetForeign sets what other servers found in a document; it goes into the
// context of code actions where the editor passes that on.
func (e *Editor) SetForeign(file string, diagnostics ...Diagnostic) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.foreign[documentKey(e.spell(file))] = diagnostics
}
