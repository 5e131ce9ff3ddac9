// Package emend holds the rules of the repository that tests can check: who may
// import whom, what every package says of itself, and what no file may contain.
package emend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "emend/"

// layers says, for each package, which packages of this module it may import.
// docs/architecture.md shows the same table with what each package is.
var layers = map[string][]string{
	"edits":              {},
	"internal/syntax":    {},
	"internal/config":    {},
	"internal/workspace": {"edits"},
	"internal/sandbox":   {"internal/workspace"},
	"state":              {"edits"},
	"internal/proposal":  {"edits", "internal/workspace", "state"},
	"internal/chatdoc":   {"internal/workspace", "state"},
	"index":              {"internal/workspace", "internal/syntax"},
	"relevance":          {"edits", "internal/workspace", "index"},
	"verify":             {"internal/workspace", "internal/sandbox", "internal/syntax"},
	"agent/model":        {},
	// The scripted model server belongs to agent/model.
	"agent/model/scripted": {"agent/model"},
	"agent/tool": {
		"edits", "internal/syntax", "internal/workspace", "internal/config", "internal/sandbox", "state",
		"internal/proposal", "index", "relevance", "verify", "agent/model",
	},
	"agent": {
		"edits", "internal/syntax", "internal/workspace", "internal/config", "internal/sandbox", "state",
		"internal/proposal", "index", "relevance", "verify", "agent/model", "agent/tool",
	},
	"agent/agenttest": {"agent", "internal/proposal"},
	"lsp": {
		"edits", "internal/syntax", "internal/workspace", "internal/config", "internal/sandbox", "state",
		"internal/proposal", "internal/chatdoc", "index", "relevance", "verify", "agent", "agent/model",
	},
	"lsp/lsptest": {}, // an oracle: it shares no code with what it tests
	"editors":     {}, // no code; the tests may start what they need
	// A program for developers: it starts the go command and emend itself.
	"internal/bench": {},
	"cmd/emend":      nil,
}

// onlyIn says which packages may use a library; everyone else is kept from it.
var onlyIn = map[string][]string{
	"go.lsp.dev/protocol":          {"lsp"},
	"go.lsp.dev/jsonrpc2":          {"lsp"},
	"go.lsp.dev/uri":               {"lsp"},
	"os/exec":                      {"internal/sandbox", "verify", "internal/bench"}, // verify only looks programs up
	"go.etcd.io/bbolt":             {"state"},
	"net/http":                     {"agent/model", "agent/model/scripted", "cmd/emend"},
	"github.com/spf13/cobra":       {"cmd/emend"},
	"testing":                      {"agent/agenttest"},
	"emend/lsp/lsptest":            {"cmd/emend"}, // the demo's editor
	"emend/agent/agenttest":        {},
	"github.com/ollama/ollama/api": {"agent/model", "agent/model/scripted"},
}

// source is one Go file of the repository.
type source struct {
	name string // slash path
	pkg  string // its folder
	test bool
	text string
	ast  *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, name, data, parser.ParseComments)
		if err != nil {
			return err
		}
		slash := filepath.ToSlash(name)
		out = append(out, source{slash, path.Dir(slash), strings.HasSuffix(slash, "_test.go"), string(data), f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (s source) imports() []string {
	var out []string
	for _, spec := range s.ast.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			out = append(out, name)
		}
	}
	return out
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.pkg == "." {
			continue
		}
		allowed, known := layers[s.pkg]
		if !known {
			t.Errorf("%s: package %s is not in the table of packages", s.name, s.pkg)
			continue
		}
		for _, imp := range s.imports() {
			if own, ok := strings.CutPrefix(imp, module); ok && allowed != nil && !slices.Contains(allowed, own) {
				t.Errorf("%s: %s may not import %s", s.name, s.pkg, own)
			}
			if who, ok := onlyIn[imp]; ok && !slices.Contains(who, s.pkg) {
				t.Errorf("%s: only %s may import %s", s.name, strings.Join(who, ", "), imp)
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		documented[s.pkg] = documented[s.pkg] || s.ast.Doc != nil
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s does not say what it is", pkg)
		}
	}
}

// TestExported wants a comment that begins with the name on everything exported
// outside tests.
func TestExported(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, decl := range s.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || conventional[fn.Name.Name] || fn.Recv != nil && !exportedReceiver(fn) {
				continue
			}
			if fn.Doc == nil {
				t.Errorf("%s: %s has no comment", s.name, fn.Name.Name)
			}
		}
	}
}

// conventional names say what they do by themselves.
var conventional = map[string]bool{"Error": true, "Unwrap": true, "String": true}

func exportedReceiver(fn *ast.FuncDecl) bool {
	expr := fn.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	id, ok := expr.(*ast.Ident)
	return ok && id.IsExported()
}

// forbidden is what no Go file may contain, with where it may after all.
var forbidden = []struct {
	what   *regexp.Regexp
	why    string
	except func(source) bool
}{
	{regexp.MustCompile(`\btime\.Sleep\(`), "wait for an event, not for a time", func(s source) bool { return s.name == "state/lock_windows.go" }},
	{regexp.MustCompile(`\bfmt\.Print(f|ln)?\(`), "stdout is the wire", func(s source) bool { return s.test }},
	{regexp.MustCompile(`\bcontext\.(Background|TODO)\(\)`), "take the caller's context", func(s source) bool { return s.test || s.pkg == "cmd/emend" || s.pkg == "internal/bench" }},
	{regexp.MustCompile(`(?m)//\s*(TODO|FIXME|XXX)\b`), "do it or leave it out", func(s source) bool { return s.test }},
}

func TestForbidden(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg == "." {
			continue
		}
		for _, f := range forbidden {
			if loc := f.what.FindStringIndex(s.text); loc != nil && !f.except(s) {
				line := 1 + strings.Count(s.text[:loc[0]], "\n")
				t.Errorf("%s:%d: %s: %s", s.name, line, s.text[loc[0]:loc[1]], f.why)
			}
		}
	}
}

// maxLines keeps files about one thing.
const maxLines = 600

func TestFileSize(t *testing.T) {
	for _, s := range sources(t) {
		if n := strings.Count(s.text, "\n"); n > maxLines && !s.test {
			t.Errorf("%s has %d lines; the limit is %d", s.name, n, maxLines)
		}
	}
}
