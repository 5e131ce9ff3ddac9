package index

import (
	"strings"
	"testing"

	"emend/internal/workspace"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "main.go", "cmd/emend/main.go", "cmd/emend/serve.go", "internal/server/server.go", "internal/server/server_test.go",
		"lsp/code_action.go", "lsp/codeAction.ts", "docs/main-idea.md", "README.md", "web/README.md", "internal/maintain.go", "a/b/manage.c")
	ix := New(workspace.NewRoots(dir), Options{})
	for _, tt := range []struct {
		query string
		first string // what comes first, as many as given
	}{
		{"main.go", "main.go cmd/emend/main.go"},
		{"emend/main.go", "cmd/emend/main.go"},
		{"main", "main.go cmd/emend/main.go"},
		{"server", "internal/server/server.go internal/server/server_test.go"},
		{"server_test", "internal/server/server_test.go"},
		{"README", "README.md web/README.md"},
		{"readme.md", "README.md web/README.md"},
		{"web readme", "web/README.md"},
		{"codeact", "lsp/codeAction.ts"},
		{"cag", "lsp/code_action.go"},
		{"./cmd/emend/serve.go:12:3", "cmd/emend/serve.go"},
		{"`serve.go`", "cmd/emend/serve.go"},
		{`cmd\emend\serve.go`, "cmd/emend/serve.go"},
		{"srvtest", "internal/server/server_test.go"},
		{"emend/", "cmd/emend/main.go"},
		{"zzz", ""}, {"", ""}, {"  ", ""}, {"main zzz", ""},
	} {
		found, err := ix.Find(t.Context(), tt.query, 5)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Rel)
		}
		want := strings.Fields(tt.first)
		if len(got) < len(want) || len(want) == 0 && len(got) > 0 || strings.Join(got[:len(want)], " ") != tt.first {
			t.Errorf("Find(%q) = %q, want first %q", tt.query, got, tt.first)
		}
	}
	if found, err := ix.Find(t.Context(), "e", 2); err != nil || len(found) != 2 {
		t.Errorf("limit 2: %d, %v", len(found), err)
	}
	if found, err := ix.Find(t.Context(), "e", 0); err != nil || len(found) != 0 {
		t.Errorf("limit 0: %d, %v", len(found), err)
	}
}
