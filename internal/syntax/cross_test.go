//go:build cgo

package syntax

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGrammars reads all queries of all languages.
func TestGrammars(t *testing.T) {
	for _, lang := range Languages() {
		g := grammars[lang]
		if g == nil {
			t.Errorf("%s has no grammar", lang)
			continue
		}
		if err := g.load(); err != nil {
			t.Error(err)
		}
		if err := g.define(); err != nil {
			t.Error(err)
		}
	}
	if len(grammars) != len(rows) {
		t.Errorf("%d grammars for %d languages", len(grammars), len(rows))
	}
}

// TestGoAgainstGrammar compares what Go's own parser and the grammar of Go find
// in the Go tree.
func TestGoAgainstGrammar(t *testing.T) {
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("the go command is not here:", err)
	}
	var files []string
	for _, dir := range []string{"net/http", "go/*", "encoding/*", "cmd/compile/internal/syntax"} {
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("no Go tree here")
	}
	if testing.Short() {
		files = files[:min(len(files), 30)]
	}
	symbols := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		own := readGo(text, everything)
		other, err := readTree(t.Context(), byLang[Go], text, everything, maxTime)
		if err != nil {
			t.Fatal(name, err)
		}
		checkTree(t, &Tree{lang: Go, symbols: own.symbols, comments: own.comments}, text)
		if len(own.problems)+len(other.problems) > 0 {
			t.Errorf("%s: problems %v and %v", name, own.problems, other.problems)
		}
		if a, b := keys(own.symbols), keys(other.symbols); !slices.Equal(a, b) {
			t.Errorf("%s: only by the parser %q; only by the grammar %q", name, without(a, b), without(b, a))
		}
		if !slices.Equal(own.comments, other.comments) {
			t.Errorf("%s: comments\n%v\n%v", name, own.comments, other.comments)
		}
		symbols += len(own.symbols)
	}
	t.Logf("%d files, %d symbols", len(files), symbols)
}

// keys writes where symbols of Go are and what they are, but for those whose
// name nobody can use.
func keys(symbols []Symbol) []string {
	var all []string
	for _, s := range symbols {
		if s.Name != "_" {
			all = append(all, strings.Join([]string{string(s.Kind), s.Container, s.Name}, " "))
		}
	}
	slices.Sort(all)
	return all
}

func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(others, s) })
}
