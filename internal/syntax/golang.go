package syntax

import (
	"errors"
	"go/ast"
	"go/parser"
	goscanner "go/scanner"
	"go/token"
	"strings"
)

// readGo reads a Go file by Go's own parser, which is faster than a grammar and
// knows the language to the letter.
func readGo(text string, want ask) found {
	f := found{precise: true}
	mode := parser.SkipObjectResolution | parser.AllErrors
	if want == everything {
		mode |= parser.ParseComments
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, mode)
	f.problems = goProblems(text, err)
	if want != everything || file == nil {
		return f
	}
	g := goReader{text: text, file: fset.File(file.FileStart), scan: newScanner(&goLike, text)}
	if g.file == nil {
		return f
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			f.comments = append(f.comments, g.comment(c))
		}
	}
	for _, decl := range file.Decls {
		g.decl(decl)
	}
	f.symbols = g.symbols
	l := lineCount{text: text}
	for i := range f.symbols {
		f.symbols[i].Line = l.of(f.symbols[i].NameStart)
	}
	return f
}

// goProblems makes problems of what the parser of Go says. Lines are counted
// here because a //line comment changes those in the error.
func goProblems(text string, err error) []Problem {
	var list goscanner.ErrorList
	if !errors.As(err, &list) {
		if err == nil {
			return nil
		}
		return []Problem{{Message: err.Error()}}
	}
	list.Sort()
	l := lineCount{text: text}
	var problems []Problem
	for _, e := range list {
		if len(problems) == maxErrors {
			break
		}
		at := min(max(e.Pos.Offset, 0), len(text))
		if n := len(problems); n > 0 && problems[n-1].Start > at {
			continue
		}
		_, end := Token(text, at)
		problems = append(problems, Problem{Span: Span{at, max(at, end)}, Line: l.of(at), Message: e.Msg})
	}
	return problems
}

// goReader collects the symbols of a file.
type goReader struct {
	text    string
	file    *token.File
	scan    *scanner
	symbols []Symbol
}

func (g *goReader) offset(p token.Pos) int {
	if !p.IsValid() {
		return 0
	}
	return min(max(g.file.Offset(p), 0), len(g.text))
}

// comment returns where a comment is. Its text has lost its carriage returns,
// so that its end cannot be told by its length.
func (g *goReader) comment(c *ast.Comment) Span {
	s := Span{Start: g.offset(c.Slash)}
	s.End = min(s.Start+len(c.Text), len(g.text))
	if end := g.scan.commentEnd(s.Start); end >= 0 {
		s.End = end
		if strings.HasPrefix(c.Text, "//") && g.text[end-1] == '\r' {
			s.End--
		}
	}
	return s
}

// add appends a symbol and returns its index, or -1 where there is no name.
func (g *goReader) add(kind Kind, name *ast.Ident, node ast.Node, parent int, container string) int {
	if name == nil || name.Name == "_" || name.Name == "" {
		return -1
	}
	s := Symbol{
		Name: name.Name, Kind: kind, Parent: parent, Container: container, Exported: name.IsExported(),
		Start: g.offset(node.Pos()), End: g.offset(node.End()),
		NameStart: g.offset(name.Pos()), NameEnd: g.offset(name.End()),
	}
	if s.NameStart < s.Start || s.NameEnd > s.End || g.text[s.NameStart:s.NameEnd] != s.Name {
		return -1 // the parser made it up
	}
	g.symbols = append(g.symbols, s)
	return len(g.symbols) - 1
}

func (g *goReader) decl(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		kind, container := KindFunction, ""
		if d.Recv != nil && len(d.Recv.List) > 0 {
			kind, container = KindMethod, receiver(d.Recv.List[0].Type)
		}
		g.add(kind, d.Name, d, -1, container)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			var node ast.Node = spec
			if !d.Lparen.IsValid() {
				node = d
			}
			switch s := spec.(type) {
			case *ast.TypeSpec:
				g.typeSpec(s, node)
			case *ast.ValueSpec:
				kind := KindVariable
				if d.Tok == token.CONST {
					kind = KindConstant
				}
				for _, name := range s.Names {
					g.add(kind, name, node, -1, "")
				}
			}
		}
	}
}

func (g *goReader) typeSpec(s *ast.TypeSpec, node ast.Node) {
	kind := KindType
	var members *ast.FieldList
	member := KindField
	switch t := s.Type.(type) {
	case *ast.StructType:
		kind, members = KindStruct, t.Fields
	case *ast.InterfaceType:
		kind, members, member = KindInterface, t.Methods, KindMethod
	}
	parent := g.add(kind, s.Name, node, -1, "")
	if members == nil || parent < 0 {
		return
	}
	for _, f := range members.List {
		for _, name := range f.Names {
			g.add(member, name, f, parent, s.Name.Name)
		}
	}
}

// receiver returns the name of the type that a method belongs to.
func receiver(t ast.Expr) string {
	for {
		switch e := t.(type) {
		case *ast.StarExpr:
			t = e.X
		case *ast.ParenExpr:
			t = e.X
		case *ast.IndexExpr:
			t = e.X
		case *ast.IndexListExpr:
			t = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}
