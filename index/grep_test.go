package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"emend/internal/workspace"

	"pgregory.net/rapid"
)

// show prints matches in one line.
func show(found []Match) string {
	var all []string
	for _, m := range found {
		s := fmt.Sprintf("%s:%d:%d:%s", m.Rel, m.Line, m.Column, m.Text)
		if m.Before != nil || m.After != nil {
			s += fmt.Sprintf("%q%q", m.Before, m.After)
		}
		all = append(all, s)
	}
	return strings.Join(all, " ")
}

func TestGrep(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a.go alpha\nbeta\ngamma alpha alpha\n", "b.txt Alpha\r\nalpha\r\nomega", "sub/c.go ALPHA\n", "sub/deep/d.go x\n\nalpha\n",
		"bin.txt alpha\x00alpha\n", ".env alpha=1\n", "bom.txt \ufeffalpha\n", "latin.txt caf\xe9 alpha\n", "other/sub/e.txt alpha\n")
	ix := New(workspace.NewRoots(dir), Options{})
	for _, tt := range []struct {
		name string
		q    Query
		want string
	}{
		{"literal", Query{Pattern: "gamma"}, "a.go:3:1:gamma alpha alpha"},
		{"one match a line", Query{Pattern: "alpha", Globs: []string{"*.go"}}, "a.go:1:1:alpha a.go:3:7:gamma alpha alpha sub/deep/d.go:3:1:alpha"},
		{"ignore case", Query{Pattern: "ALPHA", IgnoreCase: true, Globs: []string{"b.txt", "c.go"}}, "b.txt:1:1:Alpha b.txt:2:1:alpha sub/c.go:1:1:ALPHA"},
		{"literal is no expression", Query{Pattern: "a.pha"}, ""},
		{"expression", Query{Pattern: "a.pha$", Regexp: true, Globs: []string{"b.txt"}}, "b.txt:2:1:alpha"},
		{"expression, ignore case", Query{Pattern: "^a.PHA$", Regexp: true, IgnoreCase: true, Globs: []string{"b.txt", "c.go"}}, "b.txt:1:1:Alpha b.txt:2:1:alpha sub/c.go:1:1:ALPHA"},
		{"anchors are of lines", Query{Pattern: `^beta$`, Regexp: true}, "a.go:2:1:beta"},
		{"no line break in a match", Query{Pattern: `alpha\s*beta`, Regexp: true}, ""},
		{"empty line", Query{Pattern: `^$`, Regexp: true, Globs: []string{"d.go"}}, "sub/deep/d.go:2:1:"},
		{"last line without end", Query{Pattern: "omega"}, "b.txt:3:1:omega"},
		{"alternatives", Query{Pattern: "beta|omega", Regexp: true}, "a.go:2:1:beta b.txt:3:1:omega"},
		{"context", Query{Pattern: "beta", Context: 1}, `a.go:2:1:beta["alpha"]["gamma alpha alpha"]`},
		{"context at the ends", Query{Pattern: "omega", Context: 5}, `b.txt:3:1:omega["Alpha" "alpha"][]`},
		{"not the mark", Query{Pattern: "^alpha", Regexp: true, Globs: []string{"bom.txt"}}, "bom.txt:1:1:alpha"},
		{"another encoding", Query{Pattern: "alpha", Globs: []string{"latin.txt"}}, "latin.txt:1:6:caf\ufffd alpha"},
		{"binary", Query{Pattern: "alpha", Globs: []string{"bin.txt"}}, ""},
		{"secrets", Query{Pattern: "alpha", Globs: []string{".env"}}, ""},
		{"secrets allowed", Query{Pattern: "alpha", Globs: []string{".env"}, Sensitive: true}, ".env:1:1:alpha=1"},
		{"folder", Query{Pattern: "alpha", Globs: []string{"sub"}}, "other/sub/e.txt:1:1:alpha sub/deep/d.go:3:1:alpha"},
		{"folder with slash", Query{Pattern: "alpha", Globs: []string{"sub/"}}, "other/sub/e.txt:1:1:alpha sub/deep/d.go:3:1:alpha"},
		{"path glob", Query{Pattern: "alpha", Globs: []string{"sub/**/*.go", "/other/*/*.txt"}}, "other/sub/e.txt:1:1:alpha sub/deep/d.go:3:1:alpha"},
		{"braces", Query{Pattern: "beta", Globs: []string{"*.{go,txt}"}}, "a.go:2:1:beta"},
		{"without", Query{Pattern: "alpha", Globs: []string{"*.go", "!sub/**"}}, "a.go:1:1:alpha a.go:3:7:gamma alpha alpha"},
		{"only without", Query{Pattern: "alpha", Globs: []string{"!*.go", "!*.txt"}}, ""},
	} {
		found, more, err := ix.Grep(t.Context(), nil, tt.q)
		if got := show(found); err != nil || more || got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s (%v, %v)", tt.name, got, tt.want, more, err)
		}
	}
	for _, q := range []Query{
		{}, {Pattern: "a\nb"}, {Pattern: "(", Regexp: true}, {Pattern: `(?=x)`, Regexp: true}, {Pattern: "x", Globs: []string{"["}}, {Pattern: "x", Globs: []string{"{a"}},
	} {
		if _, _, err := ix.Grep(t.Context(), nil, q); err == nil {
			t.Errorf("%+v was searched for", q)
		}
	}
}

func TestGrepReadsBuffersFirst(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a.txt disk\n", "b.txt disk\n", "c.txt disk\n", "d.txt disk\n")
	ix := New(workspace.NewRoots(dir), Options{})
	at := func(name string) workspace.Path {
		return workspace.Path(filepath.Join(ix.roots.Dirs()[0], name))
	}
	texts := map[workspace.Path]string{at("a.txt"): "buffer disk\n", at("b.txt"): "", at("c.txt"): "other\n", at("new.txt"): "a new disk\n", "untitled:U": "disk too\n"}
	read := func(p workspace.Path) (string, bool) { text, ok := texts[p]; return text, ok }
	also := []workspace.Path{at("a.txt"), at("new.txt"), "untitled:U", "untitled:unknown", at("new.txt"), at(".env")}
	texts[at(".env")] = "disk secret"
	found, _, err := ix.Grep(t.Context(), read, Query{Pattern: "disk", Also: also})
	if want := "a.txt:1:8:buffer disk d.txt:1:1:disk new.txt:1:7:a new disk U:1:1:disk too"; err != nil || show(found) != want {
		t.Errorf("got  %s\nwant %s (%v)", show(found), want, err)
	}
	found, _, err = ix.Grep(t.Context(), read, Query{Pattern: "disk", Also: also, Globs: []string{"new*"}})
	if want := "new.txt:1:7:a new disk"; err != nil || show(found) != want {
		t.Errorf("got  %s\nwant %s (%v)", show(found), want, err)
	}
}

func TestGrepLimit(t *testing.T) {
	dir := t.TempDir()
	for i := range 50 {
		plant(t, dir, fmt.Sprintf("d%02d/f.txt ", i)+strings.Repeat("x\n", 10))
	}
	ix := New(workspace.NewRoots(dir), Options{})
	all, more, err := ix.Grep(t.Context(), nil, Query{Pattern: "x", Limit: 500})
	if err != nil || more || len(all) != 500 {
		t.Fatalf("%d found, more %v, %v", len(all), more, err)
	}
	for _, limit := range []int{1, 9, 10, 11, 499} {
		found, more, err := ix.Grep(t.Context(), nil, Query{Pattern: "x", Limit: limit})
		if err != nil || !more || show(found) != show(all[:limit]) {
			t.Errorf("limit %d: %d found, more %v, %v", limit, len(found), more, err)
		}
	}
	if found, _, err := ix.Grep(t.Context(), nil, Query{Pattern: "x"}); err != nil || len(found) != defaultLimit {
		t.Errorf("no limit: %d, %v", len(found), err)
	}
}

func TestGrepStopsWithContext(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a/f.txt x\n", "b/f.txt x\n", "c/f.txt x\n", "d/f.txt x\n")
	ix := New(workspace.NewRoots(dir), Options{})
	if _, err := ix.Files(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	read := func(p workspace.Path) (string, bool) {
		if strings.Contains(string(p), "c") {
			cancel()
		}
		return "", false
	}
	_, more, err := ix.Grep(ctx, read, Query{Pattern: "x"})
	if !errors.Is(err, context.Canceled) || !more {
		t.Errorf("more %v, %v", more, err)
	}
}

func TestCutLine(t *testing.T) {
	long := strings.Repeat("é", 400) + "needle" + strings.Repeat("ü", 400)
	at := strings.Index(long, "needle")
	got := cutLine([]byte(long), at, at+6)
	if !strings.Contains(got, "needle") || len(got) > maxLine+10 || !strings.HasPrefix(got, "…é") || !strings.HasSuffix(got, "ü…") {
		t.Errorf("got %q", got)
	}
	if got := cutLine([]byte(long), 0, len(long)); !strings.HasSuffix(got, "…") || strings.HasPrefix(got, "…") || len(got) > maxLine+10 {
		t.Errorf("got %q", got)
	}
	if got := cutLine([]byte(long), len(long)-2, len(long)); !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "ü") {
		t.Errorf("got %q", got)
	}
}

// TestFindersAgreeWithRegexp compares each way of searching with the plain one.
func TestFindersAgreeWithRegexp(t *testing.T) {
	letters := rapid.SampledFrom([]rune("aAbBkKsS.é \n\r"))
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(string(rapid.SliceOfN(letters, 0, 40).Draw(t, "text")))
		q := Query{
			Pattern:    strings.Trim(string(rapid.SliceOfN(letters, 1, 3).Draw(t, "pattern")), "\n\r"),
			Regexp:     rapid.Bool().Draw(t, "regexp"),
			IgnoreCase: rapid.Bool().Draw(t, "ignore case"),
		}
		if q.Regexp {
			q.Pattern += rapid.SampledFrom([]string{"", "a+", "(b|a)", "$", "B{2}", "[ab]s", "b*k"}).Draw(t, "more")
		}
		find, err := compile(q)
		if err != nil {
			t.Skip(err)
		}
		expr := q.Pattern
		if !q.Regexp {
			expr = regexp.QuoteMeta(expr)
		}
		if q.IgnoreCase {
			expr = "(?i:" + expr + ")"
		}
		plain := regexp.MustCompile(expr)
		var want, got []string
		offset := 0
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			if offset == len(text) && offset > 0 {
				break // the line after the last line end is none
			}
			if q.Regexp {
				line = bytes.TrimSuffix(line, []byte("\r"))
			}
			if span := plain.FindIndex(line); span != nil {
				want = append(want, fmt.Sprint(offset+span[0], offset+span[1]))
			}
			i := bytes.IndexByte(text[offset:], '\n')
			if i < 0 {
				break
			}
			offset += i + 1
		}
		for from := 0; from <= len(text); {
			start, end := find.next(text, from)
			if start < 0 {
				break
			}
			got = append(got, fmt.Sprint(start, end))
			i := bytes.IndexByte(text[end:], '\n')
			if i < 0 {
				break
			}
			from = end + i + 1
			if from == len(text) {
				break
			}
		}
		if strings.Join(got, ",") != strings.Join(want, ",") {
			t.Fatalf("%+v in %q: got %v, want %v", q, text, got, want)
		}
	})
}
