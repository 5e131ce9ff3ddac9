package sandbox

import (
	"slices"
	"strings"
	"testing"
)

func TestScrub(t *testing.T) {
	for entry, want := range map[string]bool{
		"PATH=/bin": true, "HOME=/h": true, "LANG=C": true, "LC_ALL=C": true,
		"GOCACHE=/c": true, "GOMODCACHE=/m": true, "GOPATH=/g": true, "GOFLAGS=-mod=vendor": true,
		"GOPROXY=https://proxy.example": true, "GOPROXY=https://me:pw@proxy.example": false,
		"CARGO_HOME=/c": true, "CGO_ENABLED=0": true, "HTTPS_PROXY=http://p:3128": true,
		"HTTPS_PROXY=http://u:p@p:3128": false, "CARGO_REGISTRIES_X_INDEX=i": true,
		"CARGO_REGISTRIES_X_TOKEN=t": false, "CARGO_REGISTRY_TOKEN=t": false, "CARGO_TARGET_DIR=/t": false,
		"AWS_SECRET_ACCESS_KEY=x": false, "OPENAI_API_KEY=x": false, "GITHUB_TOKEN=x": false,
		"SSH_AUTH_SOCK=/s": false, "GPG_AGENT_INFO=x": false, "PGPASSWORD=x": false, "DATABASE_URL=x": false,
		"CGO_SECRET=x": false, "LC_TOKEN=x": false, "GOWORK=/w": false, "TMPDIR=/t": false, "GIT_DIR=/g": false,
		"LD_PRELOAD=/x": false, "XDG_RUNTIME_DIR=/r": false, "noequals": false, "=x": false,
	} {
		if got := len(scrub([]string{entry})) == 1; got != want {
			t.Errorf("scrub keeps %q: %v, want %v", entry, got, want)
		}
	}
}

// TestSecretsStayOut looks at what a command really gets.
func TestSecretsStayOut(t *testing.T) {
	t.Setenv("EMEND_TEST_API_KEY", "hush")
	t.Setenv("GIT_DIR", "/elsewhere")
	b := newBox(t, Config{Root: tempRoot(t, nil)})
	res := shell(t, b, "env")
	for _, name := range []string{"hush", "GIT_DIR"} {
		if strings.Contains(string(res.Output), name) {
			t.Errorf("the command's environment has %s:\n%s", name, res.Output)
		}
	}
}

func TestDedupe(t *testing.T) {
	got := dedupe([]string{"A=1", "B=1", "A=2", "bad", "C=", "A=3"})
	if want := []string{"B=1", "C=", "A=3"}; !slices.Equal(got, want) {
		t.Errorf("dedupe = %q, want %q", got, want)
	}
}
