package edits

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func genText(t *rapid.T, name string) string {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "x", "", "}", "foo bar", "foo(bar, baz)", "世界", "e\u0301🌍"}), 0, 14).Draw(t, name)
	nl := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, name+"nl")
	s := strings.Join(lines, nl)
	if rapid.Bool().Draw(t, name+"fin") {
		s += nl
	}
	return s
}

func TestDiffProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genText(t, "a"), genText(t, "b")
		d := Diff(a, b)
		got, err := d.Apply(a)
		if err != nil || got != b {
			t.Fatalf("apply: %q %v, want %q; %+v", got, err, b, d)
		}
		inv := d.Invert(a)
		back, err := inv.Apply(b)
		if err != nil || back != a {
			t.Fatalf("invert: %q %v", back, err)
		}
	})
}

func TestRebaseSubset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genText(t, "a"), genText(t, "b")
		hunks := Hunks(a, b)
		var now Set
		applied := make([]bool, len(hunks))
		for i, h := range hunks {
			if applied[i] = rapid.Bool().Draw(t, "take"); applied[i] {
				now = append(now, h.Edits...)
			}
		}
		nowText, err := now.Apply(a)
		if err != nil {
			t.Fatal(err)
		}
		var rest Set
		for i, m := range Rebase(a, nowText, hunks) {
			want := Clean
			if applied[i] {
				want = Already
			}
			if m.State != want {
				t.Fatalf("hunk %d %+v is %v (%s), want %v; now %q", i, hunks[i], m.State, m.Reason, want, nowText)
			}
			rest = Join(rest, m.Edits)
		}
		if got, err := rest.Apply(nowText); err != nil || got != b {
			t.Fatalf("got %q %v want %q", got, err, b)
		}
	})
}
