package index

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxConfig bounds the size in bytes of any file with rules or settings.
const maxConfig = 1 << 20

// repository is what git knows about the working tree around a folder.
type repository struct {
	top       string // the folder with .git in it; "" where there is none
	commonDir string // where config and info/exclude are
}

// findRepository looks for .git in dir and the folders above it.
func findRepository(dir string) repository {
	for d := dir; ; d = filepath.Dir(d) {
		if repo, ok := repositoryAt(d); ok {
			return repo
		}
		if filepath.Dir(d) == d {
			return repository{}
		}
	}
}

// repositoryAt looks for .git in dir itself. It is a folder, or for a linked
// working tree and a submodule a file that names one.
func repositoryAt(dir string) (repository, bool) {
	dot := filepath.Join(dir, ".git")
	info, err := os.Lstat(dot)
	if err != nil {
		return repository{}, false
	}
	if info.IsDir() {
		if _, err := os.Lstat(filepath.Join(dot, "HEAD")); err != nil {
			return repository{}, false
		}
		return repository{top: dir, commonDir: dot}, true
	}
	text, ok := readSmall(dot)
	if !ok {
		return repository{}, false
	}
	gitDir, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir: ")
	if !ok {
		return repository{}, false
	}
	common := absFrom(dir, gitDir)
	if text, ok := readSmall(filepath.Join(common, "commondir")); ok {
		common = absFrom(common, strings.TrimSpace(text))
	}
	return repository{top: dir, commonDir: common}, true
}

// absFrom returns name, which is relative to dir unless it is absolute.
func absFrom(dir, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// gitSettings are the settings of git that matter here.
type gitSettings struct {
	excludesFile string // core.excludesFile, or where git looks without it
	ignoreCase   bool
}

// settings reads git's configuration for a repository, as git does: of the
// system, of the person, of the repository, the last one winning. Files that
// they include are not read.
func (repo repository) settings(getenv func(string) string) gitSettings {
	var s gitSettings
	home := getenv("HOME")
	if home == "" {
		home = getenv("USERPROFILE")
	}
	xdg := getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	var files []string
	if v := getenv("GIT_CONFIG_NOSYSTEM"); v == "" || v == "0" || v == "false" {
		system := getenv("GIT_CONFIG_SYSTEM")
		if system == "" {
			system = "/etc/gitconfig"
		}
		files = append(files, system)
	}
	if global, ok := getenv("GIT_CONFIG_GLOBAL"), getenv("GIT_CONFIG_GLOBAL") != ""; ok {
		files = append(files, global)
	} else {
		if xdg != "" {
			files = append(files, filepath.Join(xdg, "git", "config"))
		}
		if home != "" {
			files = append(files, filepath.Join(home, ".gitconfig"))
		}
	}
	if repo.commonDir != "" {
		files = append(files, filepath.Join(repo.commonDir, "config"))
	}
	if xdg != "" {
		s.excludesFile = filepath.Join(xdg, "git", "ignore")
	}
	for _, file := range files {
		text, ok := readSmall(file)
		if !ok {
			continue
		}
		core := parseCore(text)
		if v, ok := core["excludesfile"]; ok {
			if rest, tilde := strings.CutPrefix(v, "~/"); tilde && home != "" {
				v = filepath.Join(home, rest)
			} else if v != "" && repo.top != "" {
				v = absFrom(repo.top, v)
			}
			s.excludesFile = v
		}
		if v, ok := core["ignorecase"]; ok {
			s.ignoreCase = isTrue(v)
		}
	}
	return s
}

// isTrue reads a boolean of git. A key without a value has been given "true".
func isTrue(v string) bool {
	switch strings.ToLower(v) {
	case "true", "yes", "on":
		return true
	}
	n, err := strconv.Atoi(v)
	return err == nil && n != 0
}

// parseCore returns the keys of the [core] section of a configuration, in
// lower case, with their last values.
func parseCore(text string) map[string]string {
	core := make(map[string]string)
	in := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, rest, closed := strings.Cut(line[1:], "]")
			in = closed && strings.EqualFold(strings.TrimSpace(name), "core")
			line = strings.TrimSpace(rest)
		}
		if !in || line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, assigned := strings.Cut(line, "=")
		if !assigned {
			value = "true"
		}
		core[strings.ToLower(strings.TrimSpace(key))] = configValue(strings.TrimSpace(value))
	}
	return core
}

// configValue takes the quotes, the escapes and a comment from a value.
func configValue(v string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(v):
			i++
			switch v[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(v[i])
			}
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimRight(b.String(), " \t")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// readSmall returns the text of a regular file that is not too large.
func readSmall(name string) (string, bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfig {
		return "", false
	}
	data, err := os.ReadFile(name)
	return string(data), err == nil
}

// toSlash returns a name with slashes.
func toSlash(name string) string { return filepath.ToSlash(name) }
