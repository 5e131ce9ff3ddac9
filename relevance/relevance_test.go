package relevance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTerms(t *testing.T) {
	cases := []struct {
		request       string
		files, idents []string
	}{
		{"", nil, nil},
		{"Make it faster, e.g. by caching.", nil, nil},
		{"Fix the off-by-one in pkg/list.go and add a test to list_test.go.", []string{"pkg/list.go", "list_test.go"}, []string{}},
		{"rename `count` to total in ./a/b.py:12", []string{"a/b.py"}, []string{"count"}},
		{"parseURL() fails, see Store.Open and max_size", nil, []string{"parseURL", "Open", "max_size"}},
		{"call run() twice", nil, []string{"run"}},
		{"see https://example.org/a.go", nil, nil},
		{"use `the old way` here", nil, nil},
		{"HTTP is fine, JSONError is not", nil, []string{"JSONError"}},
		{"Warum schlägt größeTest fehl?", nil, []string{"größeTest"}},
	}
	for _, c := range cases {
		got := Terms(c.request)
		if strings.Join(got.Files, " ") != strings.Join(c.files, " ") {
			t.Errorf("files of %q: %q, want %q", c.request, got.Files, c.files)
		}
		for _, want := range c.idents {
			if !strings.Contains(" "+strings.Join(got.Identifiers, " ")+" ", " "+want+" ") {
				t.Errorf("identifiers of %q: %q, want %q among them", c.request, got.Identifiers, want)
			}
		}
		if c.idents == nil && len(got.Identifiers) > 0 {
			t.Errorf("identifiers of %q: %q, want none", c.request, got.Identifiers)
		}
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestSelect(t *testing.T) {
	request := Terms("fix parseURL in url.go")
	got := Select(request, []Candidate{
		{Path: "z.go", Text: numbered(100), Hits: map[string][]int{"parseURL": {50, 55}}},
		{Path: "a.go", Text: numbered(3)},
		{Path: "net/url.go", Text: numbered(4)},
		{Path: "given.md", Text: numbered(2), Asked: true},
	}, 1000)
	var list []string
	for _, e := range got {
		list = append(list, fmt.Sprintf("%s %d-%d/%d %v %v", e.Path, e.From, e.To, e.Lines, e.Whole(), e.Reasons))
	}
	want := []string{
		"given.md 1-2/2 true [given with the request]",
		"net/url.go 1-4/4 true [named in the request]",
		"z.go 42-63/100 false [holds parseURL]",
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("selected (-want +got):\n%s", diff)
	}
}

// Whatever the candidates: the budget holds, excerpts are whole lines of their
// file at the place they name, and the order of the input does not matter.
func TestSelectProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := map[string]string{}
		var candidates []Candidate
		for i := range rapid.IntRange(0, 6).Draw(t, "files") {
			c := Candidate{
				Path:  fmt.Sprintf("f%d.go", i),
				Text:  strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-zé]{0,12}\n?`), 0, 30).Draw(t, "text"), ""),
				Asked: rapid.Bool().Draw(t, "asked"),
				Hits:  map[string][]int{"fooBar": rapid.SliceOfN(rapid.IntRange(1, 40), 0, 4).Draw(t, "hits")},
			}
			texts[c.Path] = c.Text
			candidates = append(candidates, c)
		}
		budget := rapid.IntRange(0, 400).Draw(t, "budget")
		request := Terms("fooBar in f1.go")
		got := Select(request, candidates, budget)
		total := 0
		for _, e := range got {
			total += len(e.Text)
			lines := strings.SplitAfter(texts[e.Path], "\n")
			if want := strings.Join(lines[e.From-1:e.To], ""); want != e.Text {
				t.Fatalf("%s %d-%d is %q, want %q", e.Path, e.From, e.To, e.Text, want)
			}
			if len(e.Reasons) == 0 {
				t.Fatalf("%s has no reason", e.Path)
			}
		}
		if total > budget {
			t.Fatalf("%d bytes selected, budget %d", total, budget)
		}
		again := Select(request, rapid.Permutation(candidates).Draw(t, "order"), budget)
		if diff := cmp.Diff(got, again, cmp.AllowUnexported(Excerpt{})); diff != "" {
			t.Fatalf("order of the input matters:\n%s", diff)
		}
	})
}

func FuzzTerms(f *testing.F) {
	f.Add("fix `parseURL` in a/b.go:12 (see Store.Open())")
	f.Fuzz(func(t *testing.T, request string) {
		n := Terms(request)
		if len(n.Files) > maxNamed || len(n.Identifiers) > maxNamed {
			t.Errorf("too many terms: %d, %d", len(n.Files), len(n.Identifiers))
		}
	})
}
