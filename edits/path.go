package edits

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	labelPattern   = regexp.MustCompile(`(?i)^(?:file ?name|file ?path|file|path|create|update|edit|modify|new file|in file)\s*[:=]\s*`)
	bulletPattern  = regexp.MustCompile(`^(?:[-*+]|\d+[.)])\s+`)
	remarkPattern  = regexp.MustCompile(`(?i)\s*\((?:lines? \d+(?: ?[-–] ?\d+)?|new|new file|modified|updated|created|existing|unchanged|edit|edited|create|update)\)\s*$`)
	linkPattern    = regexp.MustCompile(`^\[([^\]]+)\]\([^)]*\)$`)
	linePattern    = regexp.MustCompile(`(\.\w+):\d+(?:-\d+)?$`)
	quotedPattern  = regexp.MustCompile("`([^`\n]+)`")
	infoPattern    = regexp.MustCompile(`(?i)(?:^|\s)(?:path|file|filename|title)\s*[:=]\s*["']?([^"'\s]+)`)
	extPattern     = regexp.MustCompile(`\.[A-Za-z0-9_+~-]{1,12}$`)
	plainNames     = []string{"Makefile", "Dockerfile", "LICENSE", "README", "Jenkinsfile", "Gemfile", "Rakefile", "Procfile", "Vagrantfile", "CODEOWNERS", "go.mod", "BUILD", "WORKSPACE", "Justfile", "justfile", "makefile", "AUTHORS", "CHANGELOG", "CONTRIBUTING", "NOTICE", "VERSION"}
	wrappers       = [][2]string{{"`", "`"}, {"**", "**"}, {"__", "__"}, {"*", "*"}, {`"`, `"`}, {"'", "'"}, {"<!--", "-->"}, {"/*", "*/"}, {"<", ">"}, {"[", "]"}}
	commentLeaders = []string{"//", "#", "--", ";"}
)

// pathOf reads a line as a file name, without list bullets, labels, comment
// leaders and other markup. Prose is no path. Soft is set for a path that was
// only mentioned in a sentence.
func pathOf(line string) (name string, soft, ok bool) {
	s := strings.TrimSpace(line)
	if s == "" || len(s) > 400 {
		return "", false, false
	}
	name, marked := unmark(s)
	if looksLikePath(name, marked) {
		return name, false, true
	}
	if strings.Contains(name, "_") && !strings.ContainsFunc(name, func(r rune) bool { return !isNameRune(r) }) {
		return name, true, true
	}
	quoted := quotedPattern.FindAllStringSubmatch(s, 3)
	if len(quoted) == 1 {
		if inner := strings.TrimSpace(quoted[0][1]); looksLikePath(inner, false) {
			return inner, true, true
		}
	}
	if path, ok := pathIn(s); ok {
		return path, true, true
	}
	return "", false, false
}

// pathIn returns the one word of a sentence that leads to a block, with a colon
// at its end, which looks like a path.
func pathIn(sentence string) (path string, ok bool) {
	if !strings.HasSuffix(sentence, ":") {
		return "", false
	}
	for _, word := range strings.Fields(sentence) {
		word = strings.Trim(word, ",;:()")
		if !looksLikePath(word, false) {
			continue
		}
		if path != "" {
			return "", false
		}
		path = word
	}
	return path, path != ""
}

// unmark strips markup until none is left. Marked says that quotes or a label
// set the name apart, so that it may hold spaces.
func unmark(s string) (name string, marked bool) {
	for {
		before := s
		s = bulletPattern.ReplaceAllString(s, "")
		s = remarkPattern.ReplaceAllString(s, "")
		s = linkPattern.ReplaceAllString(s, "$1")
		s = linePattern.ReplaceAllString(s, "$1")
		s = strings.TrimSpace(strings.TrimRight(s, ":"))
		if t := labelPattern.ReplaceAllString(s, ""); t != s && t != "" {
			s, marked = t, true
		}
		for _, c := range commentLeaders {
			if t := strings.TrimLeft(strings.TrimPrefix(s, c), "#/ \t"); strings.HasPrefix(s, c) && t != "" {
				s = t
			}
		}
		for _, w := range wrappers {
			if len(s) > len(w[0])+len(w[1]) && strings.HasPrefix(s, w[0]) && strings.HasSuffix(s, w[1]) && !dunder(s, w[0]) {
				s = strings.TrimSpace(s[len(w[0]) : len(s)-len(w[1])])
				marked = marked || w[0] == "`" || w[0] == "**" || w[0] == `"`
			}
		}
		if s == before {
			return s, marked
		}
	}
}

// dunder keeps the underscores of names like __init__.
func dunder(s, wrapper string) bool { return wrapper == "__" && !strings.Contains(s, ".") }

// looksLikePath reports whether s can be a file's name rather than a word.
func looksLikePath(s string, marked bool) bool {
	if s == "" || strings.ContainsAny(s, "\n\r\x00`<>|?*\"{}") || strings.Contains(s, "...") || strings.Contains(s, "://") {
		return false
	}
	spaced := strings.ContainsFunc(s, unicode.IsSpace)
	if spaced && (!marked || !extPattern.MatchString(s)) {
		return false
	}
	base := s[strings.LastIndexAny(s, `/\`)+1:]
	if slices.Contains(plainNames, base) {
		return true
	}
	if base == "" || strings.ContainsAny(s, "()=,;!") && !marked && !strings.Contains(s, "/") {
		return false
	}
	if strings.ContainsAny(s, `/\`) {
		return !strings.HasPrefix(s, "//") && strings.ContainsFunc(base, isNameRune)
	}
	if strings.HasPrefix(s, ".") {
		return len(s) > 2 && isNameRune(rune(s[1]))
	}
	return extPattern.MatchString(s) && strings.ContainsFunc(s, unicode.IsLetter)
}

func isNameRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

var tagFencePattern = regexp.MustCompile(`^<(/?)(?:source|code|codeblock|sourcecode|pre)>\s*([\w+#.:/-]*)$`)

// fenceOf reads a line as a Markdown fence, or as the tag that some models
// write where the text itself holds fences.
func fenceOf(line string) (width int, info string, ok bool) {
	s := strings.TrimSpace(line)
	if g := tagFencePattern.FindStringSubmatch(s); g != nil {
		return 3, g[2], true
	}
	if len(s) < 3 || s[0] != '`' && s[0] != '~' {
		return 0, "", false
	}
	for width < len(s) && s[width] == s[0] {
		width++
	}
	info = strings.TrimSpace(s[width:])
	if width < 3 || strings.Contains(info, "`") {
		return 0, "", false
	}
	return width, info, true
}

// pathOfInfo reads the path in a fence's info string: "go path/x.go",
// "path:x.go", "go:src/x.go" or title="x.go".
func pathOfInfo(info string) (string, bool) {
	if g := infoPattern.FindStringSubmatch(info); g != nil && looksLikePath(g[1], true) {
		return g[1], true
	}
	words := strings.Fields(info)
	if len(words) == 0 {
		return "", false
	}
	last := words[len(words)-1]
	if _, after, ok := strings.Cut(last, ":"); ok && len(words) == 1 {
		last = after
	}
	if strings.ContainsAny(last, "./") && looksLikePath(last, false) {
		return last, true
	}
	return "", false
}

// cleanPath returns a written path in slash form without "./", or why it may
// not be used.
func cleanPath(p string) (clean, problem string) {
	switch {
	case strings.ContainsRune(p, 0):
		return "", "the path holds a NUL byte"
	case strings.TrimSpace(p) == "":
		return "", "the path is empty"
	}
	clean = path.Clean(p)
	switch {
	case clean == "." || strings.HasSuffix(p, "/"):
		return "", "the path is a folder"
	case clean == ".." || strings.HasPrefix(clean, "../"), slices.Contains(strings.Split(strings.ReplaceAll(p, `\`, "/"), "/"), ".."):
		return "", "the path leads out of the workspace"
	}
	return clean, ""
}
