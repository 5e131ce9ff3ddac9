package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// How often the process is started, and how often before that counts.
const (
	starts     = 20
	warmStarts = 3
	startLimit = 10 * time.Second // of one
)

// measureStart is the median time from the start of `emend serve` to its answer
// to initialize, and that of git --version in turn with it, 0 where there is no
// git.
func measureStart(ctx context.Context, tmp string) (took, yard time.Duration, err error) {
	binary := filepath.Join(tmp, "emend")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/emend")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return 0, 0, fmt.Errorf("building emend: %w", err)
	}
	home := filepath.Join(tmp, "home")
	root := filepath.Join(home, "project")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return 0, 0, err
	}
	if err := os.WriteFile(filepath.Join(root, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return 0, 0, err
	}
	git, gitErr := exec.LookPath("git")
	var emends, gits []time.Duration
	for i := range warmStarts + starts {
		one, err := startOnce(ctx, binary, home, root)
		if err != nil {
			return 0, 0, fmt.Errorf("starting emend serve: %w", err)
		}
		if i >= warmStarts {
			emends = append(emends, one)
		}
		if gitErr != nil {
			continue
		}
		begin := time.Now()
		if err := exec.CommandContext(ctx, git, "--version").Run(); err != nil {
			return 0, 0, fmt.Errorf("git --version: %w", err)
		}
		if i >= warmStarts {
			gits = append(gits, time.Since(begin))
		}
	}
	if len(gits) > 0 {
		yard = median(gits)
	}
	return median(emends), yard, nil
}

// startOnce starts a server, times its answer, and has it leave in order.
func startOnce(ctx context.Context, binary, home, root string) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	c := exec.CommandContext(ctx, binary, "serve")
	c.Dir = root
	c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_CACHE_HOME="+filepath.Join(home, "cache"))
	stdin, err := c.StdinPipe()
	if err != nil {
		return 0, err
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	hello, err := initialize(root)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := c.Start(); err != nil {
		return 0, err
	}
	in := bufio.NewReader(stdout)
	_, err = io.WriteString(stdin, frame(hello))
	if err == nil {
		err = awaitReply(in, 1)
	}
	took = time.Since(begin)
	if err == nil {
		_, err = io.WriteString(stdin, frame(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`))
	}
	if err == nil {
		err = awaitReply(in, 2)
	}
	if err == nil {
		_, err = io.WriteString(stdin, frame(`{"jsonrpc":"2.0","method":"exit"}`))
	}
	if err != nil {
		cancel() // kills it
	}
	return took, errors.Join(err, c.Wait())
}

func initialize(root string) (string, error) {
	uri := url.URL{Scheme: "file", Path: filepath.ToSlash(root)}
	params, err := json.Marshal(map[string]any{
		"processId": os.Getpid(), "rootUri": uri.String(), "capabilities": map[string]any{},
		"workspaceFolders": []map[string]string{{"uri": uri.String(), "name": "project"}},
	})
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":%s}`, params), err
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// awaitReply reads messages up to the reply with an id.
func awaitReply(in *bufio.Reader, id int) error {
	for {
		var length int
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return fmt.Errorf("waiting for reply %d: %w", id, err)
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			if _, err := fmt.Sscanf(line, "Content-Length: %d", &length); err != nil {
				return fmt.Errorf("waiting for reply %d: %q is no header: %w", id, line, err)
			}
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(in, body); err != nil {
			return fmt.Errorf("waiting for reply %d: %w", id, err)
		}
		var reply struct {
			ID     *int
			Method string
			Error  json.RawMessage
		}
		if err := json.Unmarshal(body, &reply); err != nil {
			return fmt.Errorf("waiting for reply %d: %w", id, err)
		}
		if reply.Method != "" || reply.ID == nil || *reply.ID != id {
			continue
		}
		if reply.Error != nil {
			return fmt.Errorf("reply %d is an error: %s", id, reply.Error)
		}
		return nil
	}
}
