package workspace

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// Path is the identity of a document. For a file it is the cleaned absolute
// real name: symbolic links are resolved as far as the path exists, and on a
// disk that folds case each existing part is spelled as the disk spells it.
// For a document without a file it is the URI itself, such as "untitled:x" or
// "file://". Paths compare with ==. Make one with [Key], [FromURI] or
// [Roots.Resolve]; one that is converted from a string by hand may name the
// same file twice.
type Path string

// IsFile reports whether p names a file, existing or not.
func (p Path) IsFile() bool { return filepath.IsAbs(string(p)) }

// Base returns the last part of p, for people to read.
func (p Path) Base() string {
	if p.IsFile() {
		return filepath.Base(string(p))
	}
	s := strings.TrimRight(string(p), "/")
	if i := strings.LastIndexAny(s, "/:"); i >= 0 && i+1 < len(s) {
		return s[i+1:]
	}
	return string(p)
}

// URI returns p as a URI. A document that is open has the editor's own
// spelling in [Document.URI]; always send that one back instead.
func (p Path) URI() string {
	if !p.IsFile() {
		return string(p)
	}
	name := filepath.ToSlash(string(p))
	host := ""
	switch {
	case strings.HasPrefix(name, "//"): // \\server\share
		host, name, _ = strings.Cut(name[2:], "/")
		name = "/" + name
	case !strings.HasPrefix(name, "/"): // C:/…
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Host: host, Path: name}).String()
}

// Key returns the identity of the file with this absolute name. A name that is
// not absolute is taken for a document without a file and returned as it is.
// It asks the disk about each part of the name (some microseconds).
func Key(name string) Path {
	if !filepath.IsAbs(name) {
		return Path(strings.Clone(name))
	}
	name = filepath.Clean(name)
	real, err := osDisk.resolve(name)
	if err != nil { // a loop of links; the name itself is as good as any
		return Path(strings.Clone(name))
	}
	return Path(real)
}

// FromURI returns the identity of the document with this URI. Anything but a
// file URI with a path, or a bare absolute name, is a document without a file.
func FromURI(uri string) Path {
	if name, ok := fileName(uri); ok {
		return Key(name)
	}
	return Key(uri)
}

// fileName returns the absolute file name of a file URI. It is lenient as
// editors are sloppy: '?' and '#' belong to the name, and a '%' that escapes
// nothing stands for itself.
func fileName(uri string) (string, bool) {
	rest, ok := cutScheme(uri)
	if !ok {
		return "", false
	}
	host := ""
	if strings.HasPrefix(rest, "//") {
		rest = rest[2:]
		slash := strings.IndexByte(rest, '/')
		if slash < 0 {
			return "", false
		}
		host, rest = rest[:slash], rest[slash:]
	}
	if !strings.HasPrefix(rest, "/") {
		return "", false
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = plain
	}
	if runtime.GOOS == "windows" {
		return windowsName(host, rest), true
	}
	return rest, true
}

// cutScheme removes "file:" from the front of a URI.
func cutScheme(uri string) (rest string, ok bool) {
	const scheme = "file:"
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return "", false
	}
	return uri[len(scheme):], true
}

// windowsName turns the parts of a file URI into a Windows name. The drive
// letter is made upper case, since editors disagree about it.
func windowsName(host, path string) string {
	if host != "" && !strings.EqualFold(host, "localhost") {
		return filepath.FromSlash("//" + host + path)
	}
	if len(path) >= 3 && path[2] == ':' {
		path = strings.ToUpper(path[1:2]) + path[2:]
	}
	return filepath.FromSlash(path)
}
