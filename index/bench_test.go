package index

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"emend/internal/workspace"
)

// goTree returns an index of the Go tree's sources.
func goTree(b *testing.B) *Index {
	b.Helper()
	root, err := exec.CommandContext(b.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("the go command is not here:", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "src")
	ix := New(workspace.NewRoots(dir), Options{})
	files, err := ix.Files(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if len(files) < 1000 {
		b.Skip("no Go tree here")
	}
	b.ReportMetric(float64(len(files)), "files")
	return ix
}

func BenchmarkWalk(b *testing.B) {
	ix := goTree(b)
	for b.Loop() {
		ix.Refresh()
		if _, err := ix.Files(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOneChangedFile(b *testing.B) {
	ix := goTree(b)
	p := workspace.Path(filepath.Join(ix.roots.Dirs()[0], "net", "http", "server.go"))
	for b.Loop() {
		ix.Invalidate(p)
		if _, err := ix.Files(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGrep(b *testing.B) {
	ix := goTree(b)
	for name, q := range map[string]Query{
		"selective": {Pattern: "ErrBodyReadAfterClose"}, "none": {Pattern: "nosuchwordanywhere"}, "unselective": {Pattern: "err", Limit: 10_000},
		"ignore case": {Pattern: "errbodyreadafterclose", IgnoreCase: true}, "expression": {Pattern: `ErrBody\w+Close\b`, Regexp: true},
		"no literal": {Pattern: `\b[a-z]{3}[0-9]\(`, Regexp: true}, "globs": {Pattern: "nosuchwordanywhere", Globs: []string{"net/**/*.go"}},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := ix.Grep(b.Context(), nil, q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	ix := goTree(b)
	for _, query := range []string{"server.go", "net http transfer", "e"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if _, err := ix.Find(b.Context(), query, 20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
