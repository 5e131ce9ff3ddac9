package lsptest

import (
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// unreserved characters are never percent-encoded; the others of plainPath
// only by editors that encode all they may.
const (
	unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/"
	plainPath  = unreserved + "!$&'()*+,;=:@"
)

// fileURI spells an absolute file name as a URI.
func fileURI(name string, escape bool) string {
	slashed := filepath.ToSlash(name)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter comes after the root
	}
	keep := plainPath
	if escape {
		keep = unreserved
	}
	var b strings.Builder
	b.WriteString("file://")
	for i := range len(slashed) {
		c := slashed[i]
		if strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		const hex = "0123456789ABCDEF"
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// filePath is the file a URI stands for; "" when it stands for none.
func filePath(uri string) string {
	parsed, err := url.Parse(uri)
	if err != nil || parsed.Scheme != "file" || parsed.Path == "" {
		return ""
	}
	name := parsed.Path
	if runtime.GOOS == "windows" {
		name = strings.TrimPrefix(name, "/")
	}
	return filepath.Clean(filepath.FromSlash(name))
}

// documentKey is the same for all spellings of a document's URI.
func documentKey(uri string) string {
	if name := filePath(uri); name != "" {
		return name
	}
	return uri
}

// languages gives language ids by file name extension, where they differ from
// it.
var languages = map[string]string{
	"": "plaintext", "txt": "plaintext", "py": "python", "js": "javascript", "ts": "typescript", "jsx": "javascriptreact",
	"tsx": "typescriptreact", "rs": "rust", "md": "markdown", "rb": "ruby", "sh": "shellscript", "yml": "yaml", "h": "c",
	"cc": "cpp", "hpp": "cpp", "cs": "csharp",
}

// languageOf guesses a language id.
func languageOf(uri string) string {
	extension := strings.TrimPrefix(path.Ext(uri), ".")
	if id, ok := languages[extension]; ok {
		return id
	}
	return extension
}
