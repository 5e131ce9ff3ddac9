package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// How large a settings file may be, in bytes: the person's own, and one of a
// workspace, which may come from anybody.
const (
	maxFile      = 1 << 20
	maxWorkspace = 128 << 10
)

// UserFile is the path of the person's settings file: emend/config.toml in
// $XDG_CONFIG_HOME, or in ~/.config without it, or in %AppData% on Windows. "" when
// there is no home folder.
func UserFile() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		if runtime.GOOS == "windows" {
			dir, err = os.UserConfigDir()
		} else if dir, err = os.UserHomeDir(); err == nil {
			dir = filepath.Join(dir, ".config")
		}
		if err != nil {
			return ""
		}
	}
	return filepath.Join(dir, "emend", "config.toml")
}

// WorkspaceFile is the path of the settings file of a workspace.
func WorkspaceFile(root string) string { return filepath.Join(root, ".emend", "config.toml") }

// ReadFile reads a settings file as a layer; narrow is for a workspace's. A missing
// file, and the path "", make a layer that sets nothing. After an error the layer is
// of no use. It reads at most 1 MB, of a workspace's 128 kB, from ordinary files only;
// a workspace's must not be a symbolic link, which could lead out of the workspace.
func ReadFile(path string, narrow bool) (layer Layer, err error) {
	layer = Layer{Name: path, Format: TOML, Narrow: narrow}
	if path == "" {
		return layer, nil
	}
	// Asked first, because opening a pipe would wait for its other end.
	stat := os.Stat
	if narrow {
		stat = os.Lstat
		if dir, err := os.Lstat(filepath.Dir(path)); err == nil && !dir.IsDir() {
			return layer, fmt.Errorf("read settings: %s is not an ordinary folder", filepath.Dir(path))
		}
	}
	info, err := stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return layer, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not an ordinary file", path)
	}
	if err != nil {
		return layer, fmt.Errorf("read settings: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return layer, fmt.Errorf("read settings: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	most := maxFile
	if narrow {
		most = maxWorkspace
	}
	layer.Data, err = io.ReadAll(io.LimitReader(file, int64(most)+1))
	if err == nil && len(layer.Data) > most {
		layer.Data = nil
		err = fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	if err != nil {
		return layer, fmt.Errorf("read settings: %w", err)
	}
	return layer, nil
}

// Environment returns the layer of the variables EMEND_*, one for each setting
// (EMEND_MODEL_NAME is model.name), and of OLLAMA_HOST. A variable that is empty sets
// nothing.
func Environment(getenv func(string) string) Layer {
	values := map[string]string{}
	for _, f := range fields() {
		if v := getenv(f.env()); v != "" {
			values[f.key] = v
		}
	}
	if v := strings.TrimSpace(getenv(ollamaHostKey)); v != "" {
		values[ollamaHostKey] = v
	}
	return Assignments("environment", values)
}

// Assignments makes a layer from keys such as "model.name" and values as text, as
// they come from flags: strings as they are, everything else as JSON; a list of
// strings may also be separated by commas.
func Assignments(name string, values map[string]string) Layer {
	var b bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, "%s=%s\n", strconv.Quote(key), strconv.Quote(values[key]))
	}
	return Layer{Name: name, Data: b.Bytes(), Format: Strings}
}

// entries reads the layer's data. An error means that all of it is of no use.
func (l Layer) entries() ([]entry, error) {
	data := bytes.TrimPrefix(l.Data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	switch l.Format {
	case JSON:
		return readJSON(data)
	case Strings:
		return readStrings(data)
	}
	return readTOML(data)
}

func readStrings(data []byte) ([]entry, error) {
	var list []entry
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		key, err := strconv.QuotedPrefix(line)
		if err != nil || !strings.HasPrefix(line[len(key):], "=") {
			return nil, errors.New("not written by Assignments")
		}
		value, err := strconv.Unquote(line[len(key)+1:])
		if err != nil {
			return nil, errors.New("not written by Assignments")
		}
		if key, err = strconv.Unquote(key); err != nil {
			return nil, errors.New("not written by Assignments")
		}
		list = append(list, entry{key: key, value: value, text: true})
	}
	return list, nil
}

// decodeJSON keeps numbers as they are written.
func decodeJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}

// readJSON reads what clients send. Null, and an empty list or string, which some
// send for lack of settings, set nothing. Where there is an "emend" object, only that
// counts: the rest belongs to others.
func readJSON(data []byte) ([]entry, error) {
	v, err := decodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("the settings are not JSON: %w", err)
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		if len(v) == 0 {
			return nil, nil
		}
	case string:
		if v == "" {
			return nil, nil
		}
	case map[string]any:
		if own, ok := v["emend"].(map[string]any); ok {
			v = own
		}
		return flatten(nil, "", v, nil), nil
	}
	return nil, errors.New("the settings are not a JSON object")
}

// flatten lists the settings in a tree. What is neither a setting nor a section is
// listed too, for the warning.
func flatten(list []entry, prefix string, tree map[string]any, lines map[string]int) []entry {
	for _, k := range slices.Sorted(maps.Keys(tree)) {
		key := prefix + k
		if prefix == "" {
			key = strings.TrimPrefix(k, "emend.")
		}
		v := tree[k]
		sub, isTree := v.(map[string]any)
		switch {
		case v == nil:
		case isTree && isSection(key):
			list = flatten(list, key+".", sub, lines)
		default:
			list = append(list, entry{key: key, value: v, line: lines[key]})
		}
	}
	return list
}

func readTOML(data []byte) ([]entry, error) {
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			row, column := bad.Position()
			return nil, &lineError{row, fmt.Errorf("column %d: %s; nothing in this file has an effect", column, bad.Error())}
		}
		return nil, fmt.Errorf("%w; nothing in this file has an effect", err)
	}
	list := flatten(nil, "", tree, tomlLines(data))
	slices.SortStableFunc(list, func(a, b entry) int { return a.line - b.line })
	return list, nil
}

// keyLines finds the line of every key of a file.
type keyLines struct {
	parser unstable.Parser
	starts []int          // offsets at which lines begin
	lines  map[string]int // by dotted path, one-based
}

// tomlLines finds the line of every key, by its dotted path.
func tomlLines(data []byte) map[string]int {
	k := keyLines{starts: []int{0}, lines: map[string]int{}}
	for i, c := range data {
		if c == '\n' {
			k.starts = append(k.starts, i+1)
		}
	}
	k.parser.Reset(data)
	prefix := ""
	for k.parser.NextExpression() {
		switch e := k.parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			prefix = k.note(e.Key(), "") + "."
		case unstable.KeyValue:
			k.value(e, prefix)
		}
	}
	return k.lines
}

func (k *keyLines) value(e *unstable.Node, prefix string) {
	path := k.note(e.Key(), prefix)
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			k.value(it.Node(), path+".")
		}
	}
}

// maxPath bounds the paths whose lines are noted, in bytes: no setting's is longer,
// and a key of a million parts has as many paths.
const maxPath = 200

// note notes the line of a dotted key, and of the sections it goes through, and
// returns its path, or the beginning of one that is too long.
func (k *keyLines) note(key unstable.Iterator, prefix string) string {
	path := strings.TrimSuffix(prefix, ".")
	for key.Next() {
		if len(path)+len(key.Node().Data) > maxPath {
			break
		}
		if path != "" {
			path += "."
		}
		path += string(key.Node().Data)
		if _, known := k.lines[path]; !known {
			line, _ := slices.BinarySearch(k.starts, int(key.Node().Raw.Offset)+1)
			k.lines[path] = line
		}
	}
	return path
}
