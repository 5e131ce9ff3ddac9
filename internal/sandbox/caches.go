package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// cache is a folder or file that a tool chain keeps outside the workspace and
// must be able to write, or it does not work at all.
type cache struct {
	program string // makes the folder if it is missing; "" if it is not to be made
	env     string // names the folder, if set
	under   string // else it is path below this place, see basePlace
	path    string
}

// caches is the table. At the level "files" a command may write there; that
// is the person's own cache, not a copy of it.
var caches = []cache{
	{"go", "GOCACHE", "cache", "go-build"},
	{"go", "GOMODCACHE", "gopath", "pkg/mod"},
	{"", "", "gopath", "pkg/sumdb"},
	{"cargo", "", "cargo", "registry"},
	{"cargo", "", "cargo", "git"},
	{"", "", "cargo", ".package-cache"},
	{"", "", "cargo", ".package-cache-mutate"},
	{"", "", "cargo", ".global-cache"},
	{"npm", "npm_config_cache", "home", ".npm"},
	{"", "", "home", ".local/share/pnpm/store"},
	{"", "YARN_CACHE_FOLDER", "home", ".yarn/berry/cache"},
	{"pip", "PIP_CACHE_DIR", "cache", "pip"},
	{"uv", "UV_CACHE_DIR", "cache", "uv"},
	{"mvn", "", "home", ".m2/repository"},
	{"gradle", "GRADLE_USER_HOME", "home", ".gradle"},
	{"dotnet", "NUGET_PACKAGES", "home", ".nuget/packages"},
}

// devices may be written by every command.
var devices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
	"/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm",
}

// toolCaches is only used where there is Landlock; the default places are
// Linux's. It returns the caches in env, and makes those that program is about
// to need. Folders that cannot be made are left to the program to complain of.
func toolCaches(program string, env []string) []string {
	program = strings.TrimSuffix(filepath.Base(program), ".exe")
	var dirs []string
	for _, c := range caches {
		dir := c.dir(env)
		if !filepath.IsAbs(dir) {
			continue
		}
		if c.program == program {
			_ = os.MkdirAll(dir, 0o755)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

func (c cache) dir(env []string) string {
	if c.env != "" {
		if dir := variable(env, c.env); dir != "" {
			return dir
		}
		if dir := goSetting(c.env, env); dir != "" {
			return dir
		}
	}
	base := basePlace(c.under, env)
	if base == "" {
		return ""
	}
	return filepath.Join(base, filepath.FromSlash(c.path))
}

// basePlace returns the folder that a row's under names: "home", "cache",
// "gopath" or "cargo"; "" if it is not known.
func basePlace(under string, env []string) string {
	home := variable(env, "HOME")
	join := func(name string) string {
		if home == "" {
			return ""
		}
		return filepath.Join(home, filepath.FromSlash(name))
	}
	switch under {
	case "cache":
		if dir := variable(env, "XDG_CACHE_HOME"); dir != "" {
			return dir
		}
		return join(".cache")
	case "gopath":
		if dirs := filepath.SplitList(variable(env, "GOPATH")); len(dirs) > 0 {
			return dirs[0]
		}
		if dir := goSetting("GOPATH", env); dir != "" {
			return dir
		}
		return join("go")
	case "cargo":
		if dir := variable(env, "CARGO_HOME"); dir != "" {
			return dir
		}
		return join(".cargo")
	default:
		return home
	}
}

// goSetting reads what `go env -w` stored, as the go command would, without
// running it.
func goSetting(name string, env []string) string {
	if !strings.HasPrefix(name, "GO") {
		return ""
	}
	file := variable(env, "GOENV")
	if file == "off" {
		return ""
	}
	if file == "" {
		config := variable(env, "XDG_CONFIG_HOME")
		if config == "" {
			config = filepath.Join(variable(env, "HOME"), ".config")
		}
		file = filepath.Join(config, "go", "env")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return variable(strings.Split(string(data), "\n"), name)
}
