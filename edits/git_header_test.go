package edits

import (
	"strings"
	"testing"
)

// A git diff says of some files all that is to be done in lines above the
// hunks, or instead of them. None of it may be lost without a word.
func TestGitHeaders(t *testing.T) {
	hunk := "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
	moved := "diff --git a/old.txt b/dir/new.txt\nsimilarity index 100%\nrename from old.txt\nrename to dir/new.txt\n"
	empty := "diff --git a/empty.txt b/empty.txt\nnew file mode 100644\nindex 0000000..e69de29\n"
	gone := "diff --git a/nil.txt b/nil.txt\ndeleted file mode 100644\nindex e69de29..0000000\n"
	edit := "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n" + hunk
	files := func() memory {
		return memory{"a.txt": "one\ntwo\n", "old.txt": "x\n", "nil.txt": ""}
	}
	for name, c := range map[string]struct {
		diff string
		want string // per file "path=after", "path>moved", "path-"; or "refused"
	}{
		"edit":            {edit, "a.txt=one\n2\n"},
		"move first":      {moved + edit, "old.txt>dir/new.txt a.txt=one\n2\n"},
		"move last":       {edit + moved, "a.txt=one\n2\n old.txt>dir/new.txt"},
		"move alone":      {moved, "old.txt>dir/new.txt"},
		"empty last":      {edit + empty, "a.txt=one\n2\n empty.txt="},
		"empty first":     {empty + edit, "empty.txt= a.txt=one\n2\n"},
		"empty goes":      {edit + gone, "a.txt=one\n2\n nil.txt-"},
		"mode":            {edit + "diff --git a/old.txt b/old.txt\nold mode 100644\nnew mode 100755\n", "refused"},
		"mode and hunks":  {"diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\nindex 1..2\n" + hunk, "refused"},
		"copy":            {edit + "diff --git a/old.txt b/c.txt\nsimilarity index 100%\ncopy from old.txt\ncopy to c.txt\n", "refused"},
		"binary":          {edit + "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n", "refused"},
		"delete":          {"diff --git a/old.txt b/old.txt\ndeleted file mode 100644\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "old.txt-"},
		"delete of other": {"--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n", "refused"},
		"delete, cut":     {"--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "refused"},
	} {
		for _, form := range []string{"plain", "fenced"} {
			text := c.diff
			if form == "fenced" {
				text = "Here:\n\n```diff\n" + text + "```\n\nThat is all.\n"
			}
			if got := outcome(Parse(text), files()); got != c.want {
				t.Errorf("%s, %s: %q, want %q", name, form, got, c.want)
			}
		}
	}
}

// outcome says in a line what a reply does.
func outcome(r Reply, files memory) string {
	if len(r.Problems) > 0 {
		return "refused"
	}
	var out []string
	for _, fr := range ApplyReply(r, files, "", Options{}) {
		switch {
		case len(fr.Refused) > 0:
			return "refused"
		case fr.Deleted:
			out = append(out, fr.Path+"-")
		case fr.MovedTo != "":
			out = append(out, fr.Path+">"+fr.MovedTo)
		default:
			out = append(out, fr.Path+"="+fr.After)
		}
	}
	return strings.Join(out, " ")
}
