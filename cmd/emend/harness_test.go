package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"emend/agent/model/scripted"
)

// shell is a person at a command line of a machine of their own.
type shell struct {
	t    *testing.T
	dir  string // the workspace
	home string // with the XDG folders and the temporary one in it
	env  map[string]string
	in   io.Reader
	out  buffer
	err  buffer
}

// newShell makes a workspace of files, by slash name. A name that ends in a
// slash is a folder.
func newShell(t *testing.T, files map[string]string) *shell {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sh := &shell{t: t, dir: filepath.Join(home, "project"), home: home, env: map[string]string{}}
	set := map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": sh.homeDir("config"), "XDG_STATE_HOME": sh.homeDir("state"),
		"XDG_CACHE_HOME": sh.homeDir("cache"), "XDG_DATA_HOME": sh.homeDir("data"), "TMPDIR": sh.homeDir("tmp"),
	}
	if cache := goCache(); cache != "" {
		set["GOCACHE"] = cache // the build cache: an empty one takes half a minute to fill
	}
	for name, value := range set {
		t.Setenv(name, value)
		sh.env[name] = value
	}
	sh.folder(sh.dir)
	for name, text := range files {
		sh.write(name, text)
	}
	return sh
}

var goCache = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

func (sh *shell) homeDir(name string) string {
	dir := filepath.Join(sh.home, name)
	sh.folder(dir)
	return dir
}

func (sh *shell) folder(dir string) {
	sh.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		sh.t.Fatal(err)
	}
}

func (sh *shell) path(name string) string { return filepath.Join(sh.dir, filepath.FromSlash(name)) }

func (sh *shell) write(name, text string) {
	sh.t.Helper()
	if strings.HasSuffix(name, "/") {
		sh.folder(sh.path(name))
		return
	}
	sh.folder(filepath.Dir(sh.path(name)))
	if err := os.WriteFile(sh.path(name), []byte(text), 0o644); err != nil {
		sh.t.Fatal(err)
	}
}

// model starts a scripted server and makes it the model server.
func (sh *shell) model(answers scripted.Answers, models ...scripted.Model) *scripted.Server {
	sh.t.Helper()
	server, err := scripted.Start(answers, models...)
	if err != nil {
		sh.t.Fatal(err)
	}
	sh.t.Cleanup(func() { closeQuietly(server) })
	sh.env["EMEND_MODEL_BASE_URL"] = server.URL()
	return server
}

// script starts a scripted server from text.
func (sh *shell) script(text string) *scripted.Server {
	sh.t.Helper()
	script, err := scripted.ParseScript(text)
	if err != nil {
		sh.t.Fatal(err)
	}
	return sh.model(script)
}

func (sh *shell) app() *app {
	in := sh.in
	if in == nil {
		in = strings.NewReader("")
	}
	return &app{in: in, out: &sh.out, err: &sh.err, getenv: func(name string) string { return sh.env[name] }}
}

// run runs a command line in the workspace and wants an exit code.
func (sh *shell) run(want int, args ...string) {
	sh.t.Helper()
	sh.runIn(sh.t.Context(), want, args...)
}

func (sh *shell) runIn(ctx context.Context, want int, args ...string) {
	sh.t.Helper()
	sh.out.Reset()
	sh.err.Reset()
	if got := sh.app().main(ctx, append([]string{"--root", sh.dir}, args...)); got != want {
		sh.t.Fatalf("emend %q exits with %d, want %d\nstdout: %s\nstderr: %s", args, got, want, &sh.out, &sh.err)
	}
}

// says wants parts of a text.
func (sh *shell) says(where, text string, parts ...string) {
	sh.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			sh.t.Errorf("%s does not say %q:\n%s", where, part, text)
		}
	}
}

// holds wants the workspace to be exactly these files.
func (sh *shell) holds(want map[string]string) {
	sh.t.Helper()
	got := tree(sh.t, sh.dir)
	for name, text := range want {
		if now, ok := got[name]; !ok {
			sh.t.Errorf("%s is missing", name)
		} else if now != text {
			sh.t.Errorf("%s holds %q, want %q", name, now, text)
		}
		delete(got, name)
	}
	for name := range got {
		sh.t.Errorf("%s was left in the workspace", name)
	}
}

// tree reads all files below dir, by slash name.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		out[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// jsonLines reads each line as an object.
func (sh *shell) jsonLines() []map[string]any {
	sh.t.Helper()
	var out []map[string]any
	for line := range strings.Lines(sh.out.String()) {
		var obj map[string]any
		if err := json.Unmarshal([]byte(line), &obj); err != nil {
			sh.t.Fatalf("line %q: %v", line, err)
		}
		out = append(out, obj)
	}
	return out
}

func needsGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go program here")
	}
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu   sync.Mutex // guards what follows
	b    bytes.Buffer
	wake chan struct{} // closed at the next write; nil when nobody waits
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wake != nil {
		close(b.wake)
		b.wake = nil
	}
	return b.b.Write(p)
}

// changed is closed once something is in the buffer that was not read when it
// was called last.
func (b *buffer) changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.b.Len() > 0 {
		return closed
	}
	if b.wake == nil {
		b.wake = make(chan struct{})
	}
	return b.wake
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (b *buffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.b.Reset()
}
