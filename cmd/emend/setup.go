package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"emend/agent/model"
	"emend/internal/config"
)

// stateHome is the folder under which each workspace keeps its store.
func (a *app) stateHome() (string, error) {
	if dir := a.getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "emend"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the state folder: %w; set XDG_STATE_HOME", err)
	}
	return filepath.Join(home, ".local", "state", "emend"), nil
}

// layers loads the settings for a workspace of these folders, with what a
// client sends between the files and the environment.
func (a *app) layers(client []byte, roots []string) (config.Settings, []config.Warning) {
	var layers []config.Layer
	var warnings []config.Warning
	file := func(path string, narrow bool) {
		if path == "" {
			return
		}
		layer, err := config.ReadFile(path, narrow)
		if err != nil {
			warnings = append(warnings, config.Warning{File: path, Message: err.Error()})
			return
		}
		layers = append(layers, layer)
	}
	user := a.configFile
	if user == "" {
		user = config.UserFile()
	} else if _, err := os.Stat(user); errors.Is(err, fs.ErrNotExist) {
		warnings = append(warnings, config.Warning{File: user, Message: "there is no such file; --config has no effect"})
	}
	file(user, false)
	for _, root := range roots {
		file(config.WorkspaceFile(root), true)
	}
	if len(client) > 0 {
		layers = append(layers, config.Layer{Name: "the editor's settings", Data: client, Format: config.JSON})
	}
	layers = append(layers, config.Environment(a.getenv), config.Assignments("the command line", a.assignments()))
	settings, more := config.Load(layers...)
	return settings, append(warnings, more...)
}

// assignments is the settings that flags give.
func (a *app) assignments() map[string]string {
	out := map[string]string{}
	if a.logLevel != "" {
		out["log.level"] = a.logLevel
	}
	if a.model != "" {
		out["model.name"] = a.model
	}
	return out
}

// provider makes the model provider that settings name. The key is read from
// the environment here and goes nowhere else.
func (a *app) provider(s config.Settings) (model.Provider, error) {
	var key string
	if s.Model.KeyEnv != "" {
		if key = a.getenv(s.Model.KeyEnv); key == "" {
			return nil, fmt.Errorf("model.key_env names %s, which is not set in emend's environment", s.Model.KeyEnv)
		}
	}
	return model.New(model.Config{Provider: s.Model.Provider, BaseURL: s.Model.BaseURL, Key: key})
}

// findRoot is the workspace folder: --root, else the enclosing repository, else
// the current folder.
func (a *app) findRoot() (string, error) {
	dir := a.root
	if dir == "" {
		wd, err := os.Getwd()
		if err != nil {
			return "", fmt.Errorf("finding the workspace: %w", err)
		}
		dir = repository(wd)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("--root %s: %w", dir, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", &exitError{exitUsage, fmt.Errorf("the workspace folder: %w", err)}
	}
	if !info.IsDir() {
		return "", &exitError{exitUsage, fmt.Errorf("the workspace %s is not a folder", abs)}
	}
	return filepath.EvalSymlinks(abs)
}

// repository is the nearest folder at or above dir with a .git, else dir.
func repository(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

// logger makes a log at the level that settings name.
func logger(w io.Writer, level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l}))
}

// warn prints what was wrong with the settings.
func (a *app) warn(warnings []config.Warning) {
	for _, w := range warnings {
		place := w.File
		if w.Line > 0 {
			place = fmt.Sprintf("%s:%d", w.File, w.Line)
		}
		a.complain(fmt.Errorf("%s: %s", place, w.Message))
	}
}
