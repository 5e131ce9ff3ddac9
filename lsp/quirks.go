package lsp

import (
	"strconv"
	"strings"

	"go.lsp.dev/protocol"
)

// quirks is how a client differs from what it announces. The table below is the
// only place that names editors.
type quirks struct {
	// editPerDocument: one applyEdit for each document, because the client
	// checks the version of only one document of an edit.
	editPerDocument bool
	// documentChanges: versioned edits work although they are not announced.
	documentChanges bool
	// foreignDiagnostics: a codeAction's context carries the messages of other
	// servers too. Without it "Fix this line" is offered.
	foreignDiagnostics bool
	// asks: showMessageRequest can be answered without getting in the way of
	// typing. Where it is modal or dies at the next key, questions are asked by
	// commands, actions and one message instead.
	asks bool
	// oneLine: showMessage shows one line; newlines are dropped.
	oneLine bool
	// versionedDiagnostics: diagnostics of a version that is not the buffer's
	// are dropped.
	versionedDiagnostics bool
	// preview: an edit whose annotations need confirmation opens a preview with
	// a tick for each change. Others that announce annotations ask for a bare
	// yes or no, or nothing.
	preview bool
	// previewNoOp: the native preview opens with the real edits ticked when one
	// edit that changes nothing asks for confirmation.
	previewNoOp bool
	// lateChange: didChange for an applied edit comes after the reply.
	lateChange bool
	// emptyIsLine: the text of an empty new document is one line end, which the
	// first edit has to replace.
	emptyIsLine bool
	// createNeedsFolder: creating a file fails when its folder is missing.
	createNeedsFolder bool
	// foreignCommands: commands of other servers arrive here too; an unknown
	// one is answered with null, since an error would hide the other's answer.
	foreignCommands bool
}

// quirkRow says for which clients quirks hold. name is the whole clientInfo
// name, compared without case; from and below bound the version (below is
// exclusive, "" is open).
type quirkRow struct {
	name, from, below string
	quirks            quirks
}

// quirkTable is searched top down; the first row that fits is taken.
var quirkTable = []quirkRow{
	{"neovim", "", "0.8", quirks{editPerDocument: true, documentChanges: true, emptyIsLine: true, createNeedsFolder: true}},
	{"neovim", "", "", quirks{editPerDocument: true, documentChanges: true, emptyIsLine: true}},
	{"visual studio code", "1.139", "1.140", quirks{foreignDiagnostics: true, asks: true, preview: true, previewNoOp: true}},
	{"visual studio code", "", "", quirks{foreignDiagnostics: true, asks: true, preview: true}},
	{"code-server", "1.139", "1.140", quirks{foreignDiagnostics: true, asks: true, preview: true, previewNoOp: true}},
	{"code-server", "", "", quirks{foreignDiagnostics: true, asks: true, preview: true}},
	{"code-oss", "", "", quirks{foreignDiagnostics: true, asks: true, preview: true}},
	{"vscodium", "", "", quirks{foreignDiagnostics: true, asks: true, preview: true}},
	{"helix", "", "", quirks{foreignDiagnostics: true, oneLine: true, versionedDiagnostics: true, documentChanges: true, emptyIsLine: true}},
	{"eglot", "", "", quirks{versionedDiagnostics: true, lateChange: true}},
	{"emacs", "", "", quirks{foreignDiagnostics: true, foreignCommands: true, lateChange: true}},
	{"kakoune-lsp", "", "", quirks{foreignCommands: true, lateChange: true}},
	{"zed", "", "", quirks{foreignDiagnostics: true, asks: true}},
	{"sublime text lsp", "", "", quirks{foreignDiagnostics: true, asks: true}},
}

// quirksOf finds the row of a client. One that is not in the table, or does not
// say who it is, gets the careful defaults.
func quirksOf(info protocol.ClientInfo) quirks {
	name := strings.ToLower(strings.TrimSpace(info.Name))
	version, _ := info.Version.Get()
	for _, row := range quirkTable {
		if row.name != name {
			continue
		}
		if row.from != "" && compareVersions(version, row.from) < 0 {
			continue
		}
		if row.below != "" && compareVersions(version, row.below) >= 0 {
			continue
		}
		return row.quirks
	}
	return quirks{}
}

// compareVersions compares dotted numbers by their leading digits, so that
// "0.12.4-dev" is 0.12.4. A version that says nothing is newer than any.
func compareVersions(a, b string) int {
	if a == "" {
		return 1
	}
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		x, y := versionPart(as, i), versionPart(bs, i)
		if x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return 0
}

func versionPart(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	s := strings.TrimLeft(parts[i], "v")
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	n, _ := strconv.Atoi(s[:end])
	return n
}
