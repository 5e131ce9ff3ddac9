// Package neovim tests the Neovim plug-in in a real Neovim with a real
// `emend serve` and a scripted model server.
package neovim

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"emend/agent/model/scripted"
)

const greet = `package greet

// Hello greets.
// emend: greet in French
func Hello(name string) string {
	return "Hello, " + name
}
`

const directive = `package greet

// Hello greets.
func Hello(name string) string {
	return "Bonjour, " + name
}`

const script = `
> contains "greet in French"
<<<
greet.go
<<<<<<< SEARCH
	return "Hello, " + name
=======
	return "Bonjour, " + name
>>>>>>> REPLACE
>>>
---
> contains "line 5"
<<<
greet.go
<<<<<<< SEARCH
	return "Bonjour, " + name
=======
	return "Bonjour, " + name + "!"
>>>>>>> REPLACE
>>>
`

// binary is the emend under test: EMEND_BIN, else one built here.
func binary(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("EMEND_BIN"); bin != "" {
		return bin
	}
	bin := filepath.Join(t.TempDir(), "emend")
	if out, err := exec.Command("go", "build", "-o", bin, "emend/cmd/emend").CombinedOutput(); err != nil {
		t.Skipf("no go toolchain that builds emend: %v\n%s", err, out)
	}
	return bin
}

func TestNeovim(t *testing.T) {
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("nvim is not installed")
	}
	bin := binary(t)
	answers, err := scripted.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	server, err := scripted.Start(answers)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}()
	dir, home := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"go.mod": "module greet\n", "greet.go": greet} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	plugin, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	typed := "// typed above while it waited\n" + directive + "\n\n// typed: Bücher 🎉"
	fixed := strings.Replace(typed, `+ name`, `+ name + "!"`, 1)
	out := filepath.Join(home, "out")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n",
		"--cmd", "set rtp+="+plugin, "-c", "luafile testdata/story.lua")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CONFIG_HOME="+home+"/config",
		"EMEND_BIN="+bin, "EMEND_E2E_OUT="+out, "EMEND_E2E_FILE="+filepath.Join(dir, "greet.go"),
		"EMEND_MODEL_BASE_URL="+server.URL(),
		"EMEND_E2E_DIRECTIVE="+directive, "EMEND_E2E_FIXED="+fixed, "EMEND_E2E_UNDONE="+typed)
	var screen bytes.Buffer
	cmd.Stdout, cmd.Stderr = &screen, &screen
	err = cmd.Run()
	report, _ := os.ReadFile(out)
	t.Logf("%s\n%s", version(nvim), report)
	if err != nil || !strings.HasSuffix(string(report), "done\n") {
		log, _ := os.ReadFile(filepath.Join(home, "state", "emend", "emend.log"))
		t.Fatalf("the story did not end well: %v\nscreen: %s\nserver log:\n%s", err, screen.String(), log)
	}
	if err := server.Check(); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "greet.go")); string(data) != greet {
		t.Errorf("the file on disk was touched:\n%s", data)
	}
}

func version(nvim string) string {
	out, err := exec.Command(nvim, "--version").Output()
	if err != nil {
		return err.Error()
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}
