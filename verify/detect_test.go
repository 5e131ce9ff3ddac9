package verify

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dirs returns the folders of checks, once each, with what skips them.
func dirs(checks []Check) []string {
	var got []string
	for _, c := range checks {
		text := c.Dir
		if c.Skip != "" {
			text += " skipped"
		}
		if len(got) == 0 || got[len(got)-1] != text {
			got = append(got, text)
		}
	}
	return got
}

func TestDetect(t *testing.T) {
	const modules = `
-- go.mod --
module m
-- b/go.mod --
module b
-- a/deep/go.mod --
module d
-- a/go.mod --
module a
-- vendor/v/go.mod --
module v
-- testdata/t/go.mod --
module t
-- .hidden/go.mod --
module h
-- _under/go.mod --
module u
-- node_modules/n/go.mod --
module n
-- c/readme.md --
`
	for _, tc := range []struct {
		name, files string
		near        []string
		want        []string
	}{
		{"nothing", "-- readme.md --\n", nil, nil},
		{"one", "-- go.mod --\nmodule m\n", nil, []string{""}},
		{"by depth", modules, nil, []string{"", "a", "b", "a/deep"}},
		{"nearest first", modules, []string{"a/deep/x/y.go", "b/z.go"}, []string{"b", "a/deep", "", "a"}},
		{"in the root", modules, []string{"c/x.go"}, []string{"", "a", "b", "a/deep"}},
		{"not a module at the root", "-- x/go.mod --\nmodule x\n", nil, []string{"x"}},
		{"replaced outside", "-- go.mod --\nmodule m\n\nreplace x => ../x // sibling\n", nil, []string{" skipped"}},
		{"replaced inside", "-- go.mod --\nmodule m\n-- x/go.mod --\nmodule x\n\nreplace m => ../\n", nil, []string{"", "x"}},
		{"replaced by a version", "-- go.mod --\nmodule m\n\nreplace x => example.com/x v1.0.0\n", nil, []string{""}},
		{"uses outside", "-- go.work --\nuse (\n\t.\n\t../x\n)\n-- go.mod --\nmodule m\n", nil, []string{" skipped"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := tempProject(t, tc.files)
			if got := dirs(Detect(root, tc.near...)); !slices.Equal(got, tc.want) {
				t.Errorf("Detect: %q, want %q", got, tc.want)
			}
		})
	}
}

func TestDetectWorkspaceFile(t *testing.T) {
	root := tempProject(t, "-- go.work --\nuse ./in // ours\n-- in/go.mod --\nmodule in\n-- out/go.mod --\nmodule out\n")
	for dir, want := range map[string]string{"in": "belongs to", "out": ""} {
		checks := Detect(filepath.Join(root, dir))
		if len(checks) == 0 || !strings.Contains(checks[0].Skip, want) || want == "" && checks[0].Skip != "" {
			t.Errorf("%s: %+v, want skipped because it %q", dir, checks, want)
		}
	}
	for _, c := range Detect(root) {
		if len(c.Env) != 0 {
			t.Errorf("%s in a workspace gets %q", c.Name, c.Env)
		}
	}
	for _, c := range Detect(filepath.Join(root, "out")) {
		if !slices.Contains(c.Env, "GOWORK=off") {
			t.Errorf("%s outside a workspace gets %q, want GOWORK=off", c.Name, c.Env)
		}
	}
}

func TestTooManyModules(t *testing.T) {
	var files strings.Builder
	for i := range maxModules + 2 {
		files.WriteString("-- m" + itoa(100+i) + "/go.mod --\nmodule m\n")
	}
	checks := Detect(tempProject(t, files.String()))
	skipped := 0
	for _, c := range checks {
		if c.Skip != "" {
			skipped++
		}
	}
	if len(checks) != 3*(maxModules+2) || skipped != 6 {
		t.Errorf("%d checks, %d skipped", len(checks), skipped)
	}
}
