package lsp

import (
	"encoding/json"
	"testing"

	"go.lsp.dev/protocol"

	"emend/lsp/lsptest"
)

func TestCompareVersions(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"0.7.2", "0.8", -1}, {"0.8", "0.8.0", 0}, {"0.8.0-dev+12", "0.8", 0}, {"0.10.4", "0.8", 1}, {"v0.12.4-dev-g12", "0.12", 1},
		{"1.139.1", "1.139", 1}, {"1.139.1", "1.140", -1}, {"1.140", "1.140", 0}, {"25.07.1 (a05c151b)", "25.07", 1},
		{"", "99", 1}, {"nightly", "0.1", -1}, {"99999999999999999999", "1", 1}, {"1..2", "1.0.2", 0},
	} {
		if got := compareVersions(tt.a, tt.b); got != tt.want {
			t.Errorf("compareVersions(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestQuirkRows finds clients by name and version, however they spell it.
func TestQuirkRows(t *testing.T) {
	of := func(name, version string) quirks {
		info := protocol.ClientInfo{Name: name}
		if version != "" {
			info.Version = protocol.NewOptional(version)
		}
		return quirksOf(info)
	}
	for _, tt := range []struct {
		name, version string
		has           func(quirks) bool
		what          string
	}{
		{"Neovim", "0.7.2", func(q quirks) bool { return q.createNeedsFolder && q.editPerDocument }, "an old Neovim"},
		{"NEOVIM ", "0.12.4", func(q quirks) bool { return !q.createNeedsFolder && q.editPerDocument }, "a new Neovim"},
		{"Neovim", "", func(q quirks) bool { return !q.createNeedsFolder && q.editPerDocument }, "a Neovim of no version"},
		{"Visual Studio Code", "1.139.1", func(q quirks) bool { return q.previewNoOp }, "the VS Code that was tried"},
		{"Visual Studio Code", "1.140.0", func(q quirks) bool { return !q.previewNoOp && q.foreignDiagnostics }, "a newer VS Code"},
		{"Visual Studio Code", "1.90.0", func(q quirks) bool { return !q.previewNoOp && q.foreignDiagnostics }, "an older VS Code"},
		{"emacs", "29", func(q quirks) bool { return q.foreignCommands }, "lsp-mode"},
		{"Eglot", "1.17.30", func(q quirks) bool { return q.lateChange && !q.foreignCommands }, "eglot"},
		{"Ed", "1", func(q quirks) bool { return q == quirks{} }, "a client nobody knows"},
		{"", "", func(q quirks) bool { return q == quirks{} }, "a client that says nothing"},
	} {
		if got := of(tt.name, tt.version); !tt.has(got) {
			t.Errorf("%s: %+v", tt.what, got)
		}
	}
}

// TestQuirkTable checks that no row hides one below it, and that every editor
// that is played has one.
func TestQuirkTable(t *testing.T) {
	open := map[string]bool{}
	for i, row := range quirkTable {
		if open[row.name] {
			t.Errorf("row %d of %s is never reached", i, row.name)
		}
		open[row.name] = open[row.name] || row.from == "" && row.below == ""
	}
	for name, ok := range open {
		if !ok {
			t.Errorf("%s has no row for all its other versions", name)
		}
	}
	for _, name := range lsptest.Profiles() {
		p, err := lsptest.LoadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		var params struct {
			ClientInfo struct{ Name, Version string }
		}
		if err := json.Unmarshal(p.Initialize, &params); err != nil {
			t.Fatal(err)
		}
		info := protocol.ClientInfo{Name: params.ClientInfo.Name, Version: protocol.NewOptional(params.ClientInfo.Version)}
		if quirksOf(info) == (quirks{}) {
			t.Errorf("%s (%+v) has no row", name, params.ClientInfo)
		}
	}
}
