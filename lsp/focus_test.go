package lsp

import (
	"fmt"
	"testing"

	"go.lsp.dev/protocol"

	"emend/internal/workspace"
)

// TestFocus tells where the person is from what an editor sends.
func TestFocus(t *testing.T) {
	at := func(line uint32) protocol.Range {
		return protocol.Range{Start: protocol.Position{Line: line}, End: protocol.Position{Line: line}}
	}
	doc := func(p string, version int32) *workspace.Document {
		return &workspace.Document{Path: workspace.Path(p), Version: version}
	}
	act := func(p string, v int32, line uint32) func(*focus) {
		return func(f *focus) { f.acted(doc(p, v), at(line)) }
	}
	typed := func(p string, v int32, line uint32) func(*focus) {
		return func(f *focus) { r := at(line); f.changed(doc(p, v), &r) }
	}
	whole := func(p string, v int32) func(*focus) { return func(f *focus) { f.changed(doc(p, v), nil) } }
	open := func(p string) func(*focus) { return func(f *focus) { f.opened(workspace.Path(p)) } }
	shut := func(p string) func(*focus) { return func(f *focus) { f.closed(workspace.Path(p)) } }
	for i, tt := range []struct {
		steps []func(*focus)
		want  string
	}{
		{nil, "none"},
		{[]func(*focus){open("a")}, "a 0 open"},
		{[]func(*focus){open("a"), open("b")}, "b 0 open"},
		{[]func(*focus){open("a"), act("a", 1, 5)}, "a 5 act"},
		{[]func(*focus){act("a", 1, 5), typed("a", 2, 7)}, "a 7 type"},
		{[]func(*focus){act("a", 2, 5), typed("a", 2, 7)}, "a 5 act"},
		{[]func(*focus){act("a", 1, 5), typed("b", 2, 7)}, "b 7 type"},
		{[]func(*focus){act("a", 1, 5), typed("b", 2, 7), act("a", 1, 6)}, "a 6 act"},
		{[]func(*focus){act("a", 1, 5), whole("a", 2)}, "a 0 type"},
		{[]func(*focus){act("a", 1, 5), open("b"), shut("b")}, "a 5 act"},
		{[]func(*focus){act("a", 1, 5), open("b"), shut("a")}, "b 0 open"},
		{[]func(*focus){act("a", 1, 5), shut("a")}, "none"},
		{[]func(*focus){open("a"), shut("b"), shut("a"), shut("a")}, "none"},
	} {
		f := &focus{}
		for _, step := range tt.steps {
			step(f)
		}
		got := "none"
		if s, ok := f.get(); ok {
			got = fmt.Sprintf("%s %d %s", s.path, s.rng.Start.Line, []string{"open", "type", "act"}[s.signal])
		}
		if got != tt.want {
			t.Errorf("case %d: %s, want %s", i, got, tt.want)
		}
	}
	f := &focus{}
	for i := range 10 * maxSpots {
		f.opened(workspace.Path(fmt.Sprint(i)))
	}
	if len(f.spots) != maxSpots {
		t.Errorf("%d places are kept", len(f.spots))
	}
}
