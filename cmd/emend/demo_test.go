package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"emend/agent/model"
	"emend/agent/model/scripted"
)

// untouched wants nothing of emend's on the machine but what tools keep: the
// empty lock of a scratch copy, and the go command's own counters.
func (sh *shell) untouched() {
	sh.t.Helper()
	for name, text := range tree(sh.t, sh.home) {
		lock := strings.HasPrefix(name, "cache/emend/scratch/") && strings.HasSuffix(name, ".lock") && text == ""
		if !lock && !strings.HasPrefix(name, "config/go/telemetry/") {
			sh.t.Errorf("%s was left behind", name)
		}
	}
	left, err := os.ReadDir(filepath.Join(sh.home, "tmp"))
	if err != nil || len(left) > 0 {
		sh.t.Errorf("the scratch folder is still there: %v (%v)", left, err)
	}
}

func TestDemo(t *testing.T) {
	needsGo(t)
	sh := newShell(t, nil)
	sh.run(exitDone, "demo")
	out := sh.out.String()
	for _, line := range []string{
		"The model is scripted",
		"1. The editor opens a small Go project",
		"stats_test.go:17: TestMedian: Median(4, 1, 3, 2) = 3, want 2.5",
		"emend: 1 of 2 tests fails: TestMedian",
		"3. The code action “emend: Fix: TestMedian",
		"step 2: search_replace stats.go",
		"checks over the draft: builds, 2 tests pass",
		"[Review] [Apply] [Discard]",
		"\n-\tslices.Sort(values)\n",
		"\n+\tsorted := slices.Sorted(slices.Values(values))\n",
		"emend: builds, 2 tests pass",
		"6. emend.undo takes it back",
		"byte for byte what it was",
	} {
		_, rest, ok := strings.Cut(out, line)
		if !ok {
			t.Fatalf("the demo does not say %q, or not in its turn:\n%s", line, &sh.out)
		}
		out = rest
	}
	if strings.Contains(sh.out.String(), "\x1b[") {
		t.Error("colours where there is no terminal")
	}
	if sh.err.String() != "" {
		t.Errorf("stderr: %s", &sh.err)
	}
	sh.untouched()
}

// realModel answers like a model that has to look before it edits.
func realModel(search, replace string) scripted.Func {
	return func(r scripted.Request) scripted.Turn {
		switch last := r.Messages[len(r.Messages)-1]; {
		case last.Role != model.ToolRole:
			return scripted.Turn{Calls: []model.Call{{Name: "read_file", Arguments: []byte(`{"path":"stats.go"}`)}}}
		case strings.Contains(last.Content, "slices.Sort(values)") && search != "":
			return scripted.Turn{Text: block("stats.go", search, replace)}
		}
		return scripted.Turn{Calls: []model.Call{{Name: "finish", Arguments: []byte(`{"summary":"I am done."}`)}}}
	}
}

// With --model the demo talks to an Ollama server, found as everywhere else.
func TestDemoRealModel(t *testing.T) {
	needsGo(t)
	sh := newShell(t, nil)
	server := sh.model(realModel("\tslices.Sort(values)\n\treturn values[len(values)/2]\n",
		"\tsorted := slices.Sorted(slices.Values(values))\n\tm := len(sorted) / 2\n\tif len(sorted)%2 == 0 {\n\t\treturn (sorted[m-1] + sorted[m]) / 2\n\t}\n\treturn sorted[m]\n"),
		scripted.Model{Name: "small-coder:1b"}, scripted.Model{Name: "other:1b"})
	delete(sh.env, "EMEND_MODEL_BASE_URL")
	sh.env["OLLAMA_HOST"] = strings.TrimPrefix(server.URL(), "http://")
	sh.run(exitDone, "demo", "--model", "small-coder:1b")
	sh.says("stdout", sh.out.String(), "The model is small-coder:1b of the ollama server at 127.0.0.1:", "builds, 2 tests pass", "byte for byte what it was")
	for _, r := range server.Requests() {
		if r.Wire != "ollama" || r.Model != "small-coder:1b" {
			t.Errorf("%s was asked for %s", r.Wire, r.Model)
		}
	}
	sh.untouched()
}

// What a real model makes of it is not sure; the demo ends all the same.
func TestDemoModelThatDoesNothing(t *testing.T) {
	needsGo(t)
	if testing.Short() {
		t.Skip("one demo more")
	}
	sh := newShell(t, nil)
	sh.model(realModel("", ""))
	sh.run(exitFailed, "demo", "--model", scripted.DefaultModel)
	sh.says("stderr", sh.err.String(), "the model changed nothing")
	sh.untouched()
}

func TestDemoNoModel(t *testing.T) {
	sh := newShell(t, nil)
	sh.model(scripted.Script{})
	sh.run(exitNoModel, "demo", "--model", "none-such")
	sh.says("stderr", sh.err.String(), "none-such")
	sh.env["EMEND_MODEL_BASE_URL"] = "http://" + freeAddress(t)
	sh.run(exitNoModel, "demo", "--model", "none-such")
	sh.untouched()
}

func TestDemoInterrupted(t *testing.T) {
	needsGo(t)
	sh := newShell(t, nil)
	server := sh.script("! stall\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		if _, err := server.Await(t.Context(), 1); err == nil {
			cancel()
		}
	}()
	sh.runIn(ctx, exitInterrupted, "demo", "--model", scripted.DefaultModel)
	sh.untouched()
}

// Nobody reading is no reason to fail half-way.
func TestDemoIntoAClosedPipe(t *testing.T) {
	needsGo(t)
	if testing.Short() {
		t.Skip("one demo more")
	}
	sh := newShell(t, nil)
	r, w := io.Pipe()
	closeQuietly(r)
	a := sh.app()
	a.out = w
	if code := a.main(t.Context(), []string{"demo"}); code != exitDone {
		t.Errorf("exit code %d: %s", code, &sh.err)
	}
	sh.untouched()
}
