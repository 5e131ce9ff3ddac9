package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"emend/internal/workspace"
)

// block is a SEARCH/REPLACE block.
func block(path, search, replace string) string {
	return path + "\n```\n<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n```\n"
}

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		reply string
		want  map[string]string
		out   string
	}{
		{"a block", map[string]string{"a.go": "package a\n\nvar x = 1\n"}, "Sure!\n\n" + block("a.go", "var x = 1\n", "var x = 2\n"),
			map[string]string{"a.go": "package a\n\nvar x = 2\n"}, "changed a.go\n"},
		{"two files", map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n"},
			block("a.txt", "one\n", "1\n") + block("sub/b.txt", "two\n", "2\n"),
			map[string]string{"a.txt": "1\n", "sub/b.txt": "2\n"}, "changed a.txt\nchanged sub/b.txt\n"},
		{"two blocks of a file", map[string]string{"a.txt": "one\ntwo\nthree\n"},
			block("a.txt", "three\n", "3\n") + block("a.txt", "one\n", "1\n"),
			map[string]string{"a.txt": "1\ntwo\n3\n"}, "changed a.txt\n"},
		{"a new file", map[string]string{"a.txt": "one\n"}, block("new/deep/b.txt", "", "hello\n"),
			map[string]string{"a.txt": "one\n", "new/deep/b.txt": "hello\n"}, "created new/deep/b.txt\n"},
		{"carriage returns", map[string]string{"a.txt": "one\r\ntwo\r\n"}, block("a.txt", "two\n", "2\n3\n"),
			map[string]string{"a.txt": "one\r\n2\r\n3\r\n"}, "changed a.txt\n"},
		{"a byte-order mark", map[string]string{"a.txt": "\ufeffone\ntwo\n"}, block("a.txt", "one\n", "1\n"),
			map[string]string{"a.txt": "\ufeff1\ntwo\n"}, "changed a.txt\n"},
		{"no line end at the end", map[string]string{"a.txt": "one\ntwo"}, block("a.txt", "one\n", "1\n"),
			map[string]string{"a.txt": "1\ntwo"}, "changed a.txt\n"},
		{"a diff", map[string]string{"a.txt": "one\ntwo\nthree\n"},
			"diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
			map[string]string{"a.txt": "one\n2\nthree\n"}, "changed a.txt\n"},
		{"a diff that creates and deletes", map[string]string{"old.txt": "old\n"},
			"diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n" +
				"diff --git a/old.txt b/old.txt\ndeleted file mode 100644\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n",
			map[string]string{"new.txt": "new\n"}, "created new.txt\ndeleted old.txt\n"},
		{"a diff that renames", map[string]string{"old.txt": "one\ntwo\n"},
			"diff --git a/old.txt b/sub/new.txt\nsimilarity index 50%\nrename from old.txt\nrename to sub/new.txt\n--- a/old.txt\n+++ b/sub/new.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
			map[string]string{"sub/new.txt": "one\n2\n"}, "renamed old.txt to sub/new.txt\n"},
		{"a folder in the place of a file", map[string]string{"a": "one\n"},
			"--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n--- /dev/null\n+++ b/a/b\n@@ -0,0 +1 @@\n+two\n",
			map[string]string{"a/b": "two\n"}, "deleted a\ncreated a/b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sh := newShell(t, c.files)
			sh.in = strings.NewReader(c.reply)
			sh.run(exitDone, "apply", "--check")
			sh.holds(c.files)
			if got := sh.out.String(); strings.Count(got, "would ") != strings.Count(got, "\n") || got == "" {
				t.Errorf("--check prints %q", got)
			}
			reply := filepath.Join(sh.home, "reply.md")
			if err := os.WriteFile(reply, []byte(c.reply), 0o644); err != nil {
				t.Fatal(err)
			}
			sh.run(exitDone, "apply", reply)
			sh.holds(c.want)
			if got := sh.out.String(); got != c.out {
				t.Errorf("prints %q, want %q", got, c.out)
			}
			if sh.err.String() != "" {
				t.Errorf("stderr: %s", &sh.err)
			}
		})
	}
}

// Whatever is refused refuses all of it, each with its reason.
func TestApplyRefused(t *testing.T) {
	good := block("good.txt", "good\n", "better\n")
	for _, c := range []struct {
		name  string
		reply string
		err   []string
	}{
		{"empty", "", []string{"no SEARCH/REPLACE block and no diff"}},
		{"prose", "I would change line 3.\n", []string{"no SEARCH/REPLACE block and no diff"}},
		{"not found", good + block("a.txt", "nowhere\n", "x\n"), []string{"a.txt, block 2, line 11 of the reply: not-found", "nothing was written: 1 of 2 blocks refused"}},
		{"several reasons", block("a.txt", "nowhere\n", "x\n") + good + block("none.txt", "x\n", "y\n"),
			[]string{"a.txt, block 1", "not-found", "none.txt, block 3", "unknown-file", "2 of 3 blocks"}},
		{"ambiguous", good + block("twice.txt", "x\n", "y\n"), []string{"twice.txt", "ambiguous"}},
		{"cut off", good + "a.txt\n```\n<<<<<<< SEARCH\none\n=======\n", []string{"incomplete-block"}},
		{"outside", good + block("../out.txt", "one\n", "x\n"), []string{"bad-path"}},
		{"outside, new", good + block("../new.txt", "", "x\n"), []string{"bad-path"}},
		{"absolute", good + block("/etc/hosts", "localhost\n", "x\n"), []string{"/etc/hosts"}},
		{"link out", good + block("link/out.txt", "out\n", "x\n"), []string{"link/out.txt", "bad-path"}},
		{"link out, new", good + block("link/new.txt", "", "x\n"), []string{"link/new.txt", "bad-path"}},
		{"git's own", good + block(".git/config", "[core]\n", "x\n"), []string{".git/config", "git"}},
		{"git's own, new", good + block(".git/hooks/pre-commit", "", "x\n"), []string{".git/hooks", "git"}},
		{"emend's own", good + block(".emend/config.toml", "", "x\n"), []string{".emend", "emend"}},
		{"binary", good + block("data.bin", "x\n", "y\n"), []string{"data.bin", "not UTF-8 text"}},
		{"another encoding", good + block("latin.txt", "caf\n", "y\n"), []string{"latin.txt", "not UTF-8 text"}},
		{"binary text", good + block("new.txt", "", "x\x00y\n"), []string{"new.txt", "binary"}},
		{"a folder", good + "--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+x\n", []string{"sub", "regular file"}},
		{"below a file", good + block("a.txt/b.txt", "", "x\n"), []string{"a.txt/b.txt"}},
		{"a diff out", "--- a/good.txt\n+++ b/good.txt\n@@ -1 +1 @@\n-good\n+better\n--- a/../out.txt\n+++ b/../out.txt\n@@ -1 +1 @@\n-out\n+x\n", []string{"bad-path"}},
		{"a rename out", "diff --git a/good.txt b/../moved.txt\nsimilarity index 100%\nrename from good.txt\nrename to ../moved.txt\n--- a/good.txt\n+++ b/../moved.txt\n@@ -1 +1 @@\n-good\n+better\n", []string{"good.txt", "bad-path"}},
		{"a rename over a file", "diff --git a/good.txt b/a.txt\nsimilarity index 100%\nrename from good.txt\nrename to a.txt\n--- a/good.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-good\n+better\n", []string{"good.txt", "a.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{
				"good.txt": "good\n", "a.txt": "one\n", "twice.txt": "x\nx\n", "sub/c.txt": "c\n",
				"data.bin": "x\n\x00\n", "latin.txt": "caf\xe9\n", ".git/config": "[core]\n",
			}
			sh := newShell(t, files)
			outside := filepath.Join(sh.home, "outside")
			sh.folder(outside)
			for _, name := range []string{filepath.Join(sh.home, "out.txt"), filepath.Join(outside, "out.txt")} {
				if err := os.WriteFile(name, []byte("out\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(outside, sh.path("link")); err != nil && strings.HasPrefix(c.name, "link") {
				t.Skip("no symbolic links here:", err)
			}
			before := tree(t, sh.home)
			for _, args := range [][]string{{"apply"}, {"apply", "--check"}, {"apply", "--json", "-"}} {
				sh.in = strings.NewReader(c.reply)
				sh.run(exitFailed, args...)
				sh.says("stderr", sh.err.String(), c.err...)
				sh.holds(files)
			}
			for _, row := range sh.jsonLines() {
				if row["applied"] != false || row["message"] == "" {
					t.Errorf("--json prints %v", row)
				}
			}
			for name, text := range tree(t, sh.home) {
				if before[name] != text {
					t.Errorf("%s was written", name)
				}
			}
		})
	}
}

func TestApplyJSON(t *testing.T) {
	sh := newShell(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "x\n"})
	reply := block("b.txt", "x\n", "y\n") + block("a.txt", "two\n", "2 < 3\n")
	sh.in = strings.NewReader(reply)
	sh.run(exitDone, "apply", "--json")
	want := `{"block":1,"path":"b.txt","applied":true,"tier":"exact","line":1}
{"block":2,"path":"a.txt","applied":true,"tier":"exact","line":2}
`
	if got := sh.out.String(); got != want {
		t.Errorf("prints %s, want %s", got, want)
	}
	// Now only one of three fits: one object a block all the same.
	sh.in = strings.NewReader(block("b.txt", "y\n", "z\n") + block("b.txt", "nowhere\n", "z\n") + block("a.txt", "one\n", "1\n"))
	sh.run(exitFailed, "apply", "--json")
	rows := sh.jsonLines()
	if len(rows) != 3 {
		t.Fatalf("prints %s", &sh.out)
	}
	for i, code := range []any{nil, "not-found", nil} {
		if row := rows[i]; row["block"] != float64(i+1) || row["applied"] != false || row["code"] != code || row["message"] == "" {
			t.Errorf("row %d is %v", i, row)
		}
	}
	sh.holds(map[string]string{"a.txt": "one\n2 < 3\n", "b.txt": "y\n"})
}

// The mode of a file stays.
func TestApplyKeepsMode(t *testing.T) {
	sh := newShell(t, map[string]string{"run.sh": "echo one\n"})
	if err := os.Chmod(sh.path("run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(sh.path("run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	sh.in = strings.NewReader(block("run.sh", "echo one\n", "echo two\n"))
	sh.run(exitDone, "apply")
	if after, err := os.Stat(sh.path("run.sh")); err != nil || after.Mode() != before.Mode() {
		t.Errorf("the mode is %v, was %v (%v)", after.Mode(), before.Mode(), err)
	}
}

// An interrupt ends the wait for a reply.
func TestApplyInterrupted(t *testing.T) {
	sh := newShell(t, nil)
	r, w := io.Pipe()
	defer closeQuietly(w)
	reading := make(chan struct{})
	sh.in = notice{r, reading}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-reading
		cancel()
	}()
	sh.runIn(ctx, exitInterrupted, "apply")
}

// notice closes a channel at the first read.
type notice struct {
	io.Reader
	read chan struct{}
}

func (n notice) Read(p []byte) (int, error) {
	close(n.read)
	return n.Reader.Read(p)
}

// What has changed on disk since it was read refuses everything, and a failure
// in the middle takes back what was written.
func TestWriteChangesAllOrNothing(t *testing.T) {
	files := map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n"}
	prepare := func(t *testing.T) (*shell, workspace.Roots, *workspace.Draft) {
		sh := newShell(t, files)
		roots := workspace.NewRoots(sh.dir)
		draft := workspace.NewDraft(workspace.NewSnapshot(roots, workspace.Disk(nil)))
		at := func(name string) workspace.Path { return workspace.Key(sh.path(name)) }
		for _, err := range []error{
			draft.Write(t.Context(), at("a.txt"), "A\n"), draft.Write(t.Context(), at("b.txt"), "B\n"),
			draft.Rename(t.Context(), at("c.txt"), at("moved.txt")), draft.Delete(t.Context(), at("d.txt")),
			draft.Write(t.Context(), at("new.txt"), "new\n"), draft.Write(t.Context(), at("sub/z.txt"), "z\n"),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return sh, roots, draft
	}
	for name, change := range map[string]map[string]string{
		"an edited file":   {"b.txt": "other\n"},
		"a deleted file":   {"d.txt": "other\n"},
		"a renamed file":   {"c.txt": "other\n"},
		"a new file":       {"new.txt": "other\n"},
		"a renamed file's": {"moved.txt": "other\n"},
	} {
		t.Run(name, func(t *testing.T) {
			sh, roots, draft := prepare(t)
			want := map[string]string{}
			for _, m := range []map[string]string{files, change} {
				for name, text := range m {
					sh.write(name, text)
					want[name] = text
				}
			}
			err := roots.WriteAll(t.Context(), draft.Changes())
			if err == nil || !strings.Contains(err.Error(), "nothing was written") || !strings.Contains(err.Error(), "has changed on disk") {
				t.Errorf("error: %v", err)
			}
			sh.holds(want)
		})
	}
	t.Run("a failure in the middle", func(t *testing.T) {
		sh, roots, draft := prepare(t)
		// The list is sorted: sub/z.txt is written after the others. That a file
		// of the name sub is there is seen only then.
		sh.write("sub", "a file\n")
		changes := draft.Changes()
		err := roots.WriteAll(t.Context(), changes)
		if err == nil || !strings.Contains(err.Error(), "nothing was written") {
			t.Errorf("error: %v", err)
		}
		want := map[string]string{"sub": "a file\n"}
		for name, text := range files {
			want[name] = text
		}
		sh.holds(want)
	})
	t.Run("all is well", func(t *testing.T) {
		sh, roots, draft := prepare(t)
		if err := roots.WriteAll(t.Context(), draft.Changes()); err != nil {
			t.Fatal(err)
		}
		sh.holds(map[string]string{"a.txt": "A\n", "b.txt": "B\n", "moved.txt": "c\n", "new.txt": "new\n", "sub/z.txt": "z\n"})
	})
}
