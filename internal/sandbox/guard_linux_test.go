package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParentOf(t *testing.T) {
	for stat, want := range map[string]int{
		"12 (sh) S 7 12 12 0":                7,
		"12 (a b) c) R 1 2 3) S 7 12":        7,
		"12 (x) Z 42 0":                      42,
		"":                                   -1,
		"12 (sh":                             -1,
		"12 (sh) S":                          -1,
		"12 (sh) S x":                        -1,
		"12 (\xff\n) D 99999999999999999999": -1,
	} {
		got, ok := parentOf(stat)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("parentOf(%q) = %d, want %d", stat, got, want)
		}
	}
}

func FuzzParentOf(f *testing.F) {
	f.Add("12 (a b) c) S 7 12")
	f.Fuzz(func(t *testing.T, stat string) { parentOf(stat) })
}

// TestToolCaches: the places are those the go command would use.
func TestToolCaches(t *testing.T) {
	home := t.TempDir()
	config := filepath.Join(home, ".config", "go")
	must(t, os.MkdirAll(config, 0o755))
	must(t, os.WriteFile(filepath.Join(config, "env"), []byte("GOCACHE=/from/go/env\nGOPATH=/gp\n"), 0o644))
	for _, tc := range []struct{ env, want string }{
		{"HOME=" + home, "/from/go/env /gp/pkg/mod"},
		{"HOME=/h", "/h/.cache/go-build /h/go/pkg/mod"},
		{"HOME=/h XDG_CACHE_HOME=/c GOPATH=/a:/b", "/c/go-build /a/pkg/mod"},
		{"HOME=/h GOCACHE=/gc GOMODCACHE=/gm", "/gc /gm"},
		{"HOME=" + home + " GOENV=off", home + "/.cache/go-build " + home + "/go/pkg/mod"},
	} {
		dirs := toolCaches("none", strings.Fields(tc.env))
		if got := strings.Join(dirs[:2], " "); got != tc.want {
			t.Errorf("caches with %s: %s, want %s", tc.env, got, tc.want)
		}
	}
	if dirs := toolCaches("none", nil); len(dirs) != 0 {
		t.Errorf("caches without a home: %q", dirs)
	}
	toolCaches("/usr/bin/go", []string{"HOME=" + home, "GOCACHE=" + home + "/made"})
	if _, err := os.Stat(home + "/made"); err != nil {
		t.Errorf("the go command's cache was not made: %v", err)
	}
}

// TestNotUTF8: a command gets the very bytes.
func TestNotUTF8(t *testing.T) {
	root := tempRoot(t, map[string]string{"caf\xe9": "latin-1"})
	b := newBox(t, Config{Root: root})
	needShell(t)
	res, err := b.Run(t.Context(), Command{Args: []string{"sh", "-c", `cat "$1"; printf %s "$X"`, "sh", "caf\xe9"}, Env: []string{"X=\xff"}})
	must(t, err)
	if got := string(res.Output); got != "latin-1\xff" {
		t.Errorf("output %q", got)
	}
}
