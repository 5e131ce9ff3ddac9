package workspace

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// gitFolders returns the real names of the folders that git keeps for the
// working tree at dir under another name than .git: where .git is a link or a
// file that names them. What holds dir itself is left out: it was opened on
// purpose.
func gitFolders(dir string) []string {
	dot := filepath.Join(dir, ".git")
	folder := dot
	if text, ok := firstLine(dot); ok {
		if folder, ok = strings.CutPrefix(text, "gitdir:"); !ok {
			return nil
		}
		folder = from(dir, folder)
	}
	found := []string{string(Key(folder))}
	if common, ok := firstLine(filepath.Join(folder, "commondir")); ok {
		found = append(found, string(Key(from(folder, common))))
	}
	kept := found[:0]
	for _, name := range found {
		if name != dot && !within(name, dir) {
			kept = append(kept, name)
		}
	}
	return kept
}

// from returns name, which counts from dir unless it is absolute.
func from(dir, name string) string {
	name = filepath.FromSlash(strings.TrimSpace(name))
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return filepath.Clean(name)
}

// firstLine reads the first line of a small ordinary file; ok is false for
// anything else.
func firstLine(name string) (line string, ok bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	f, err := os.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return "", false
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, 8<<10))
	line, _, _ = strings.Cut(string(data), "\n")
	return line, err == nil
}
