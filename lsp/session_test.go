package lsp

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the goldens of the scripted sessions")

// sessionProfiles is whom a scripted session is played by when it does not say.
var sessionProfiles = []string{"vscode", "neovim-0.7.2", "neovim-0.12.4", "helix-25.01.1"}

// TestSession plays testdata/session/*.txtar: each file is a story, told once
// for every editor that its line "# profiles:" names. Files under w/ are the
// workspace, model is the scripted model's part (see scripted.ParseScript),
// settings is a file of settings. session_verbs_test.go has the verbs.
func TestSession(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "session", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, file := range files {
		for _, profile := range profilesOf(t, file) {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + profile
			t.Run(name, func(t *testing.T) {
				if !*update { // all of a story's profiles write the same golden
					t.Parallel()
				}
				playSession(t, file, profile)
			})
		}
	}
}

// profilesOf reads a session's header.
func profilesOf(t *testing.T, file string) []string {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(archive.Comment)) {
		if names, ok := strings.CutPrefix(line, "# profiles:"); ok {
			var out []string
			for _, name := range strings.Fields(names) {
				if name == "default" {
					out = append(out, sessionProfiles...)
				} else {
					out = append(out, name)
				}
			}
			return out
		}
	}
	return sessionProfiles
}

// playSession tells one story for one editor.
func playSession(t *testing.T, file, profile string) {
	testscript.RunT(inline{t}, testscript.Params{
		Files:         []string{file},
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			s := &script{t: t, profile: profile, dir: filepath.Join(env.WorkDir, "w"), work: env.WorkDir, state: t.TempDir()}
			env.Values[scriptKey{}] = s
			return os.MkdirAll(s.dir, 0o755)
		},
		Condition: func(cond string) (bool, error) {
			if editor, ok := strings.CutPrefix(cond, "editor:"); ok {
				return strings.HasPrefix(profile, editor), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: verbs,
	})
}

// inline runs the one script of a Params in the test it is given, so that what
// the script starts ends with that test.
type inline struct{ *testing.T }

func (i inline) Parallel()                            {}
func (i inline) Verbose() bool                        { return testing.Verbose() }
func (i inline) Run(_ string, f func(t testscript.T)) { f(i) }

// TestSessionProfiles checks that no session is told for nobody.
func TestSessionProfiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "session", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if len(profilesOf(t, file)) == 0 {
			t.Errorf("%s names no profile", file)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		first, err := bufio.NewReader(f).ReadString('\n')
		if err != nil || !strings.HasPrefix(first, "# ") {
			t.Errorf("%s does not begin with a line that says what it tells: %q, %v", file, first, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
