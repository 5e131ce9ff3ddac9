package index

import (
	"strings"
)

// rule is one line of a .gitignore, as git understands it.
type rule struct {
	negate  bool // it takes back what an earlier rule ignores
	dirOnly bool // it is about folders only
	// path tells that the pattern is matched against the whole name below the
	// folder of its file, not the last part alone.
	path bool
	// plain is the name itself when the pattern has nothing special in it.
	plain string
	// suffix is what follows the star of a pattern like *.o.
	suffix string
	// prefix is what a pattern with path begins with before anything special,
	// and parts what follows, between slashes. Git takes the prefix off first
	// too, so that the stars of "a**/b" are at the beginning of what is left,
	// and cross slashes. Without path, parts is the one pattern.
	prefix string
	parts  []string
}

// parseRules reads the text of a .gitignore. Where fold is true the names are
// matched in any case.
func parseRules(text string, fold bool) []rule {
	text = strings.TrimPrefix(text, "\ufeff")
	var rules []rule
	for line := range strings.SplitSeq(text, "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r"), fold); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// parseRule reads one line. A line that is empty, a comment, or can never
// match gives no rule.
func parseRule(line string, fold bool) (r rule, ok bool) {
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line = trimSpaces(line)
	if rest, negated := strings.CutPrefix(line, "!"); negated {
		r.negate, line = true, rest
	}
	if rest, dir := strings.CutSuffix(line, "/"); dir {
		r.dirOnly, line = true, rest
	}
	if line == "" {
		return r, false
	}
	if fold {
		line = strings.ToLower(line)
	}
	r.path = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	switch star, rest := strings.CutPrefix(line, "*"); {
	case !strings.ContainsAny(line, `*?[\`):
		r.plain = line
	case rest && !r.path && star != "" && !strings.ContainsAny(star, `*?[\`):
		r.suffix = star
	case r.path:
		special := strings.IndexAny(line, `*?[\`)
		r.prefix = line[:special]
		if r.parts = splitPattern(line[special:]); r.parts == nil {
			return r, false
		}
	default:
		r.parts = []string{line}
	}
	return r, line != ""
}

// splitPattern takes a pattern apart at its slashes, but not at one inside a
// class. It returns nil for a pattern that is not well formed.
func splitPattern(pattern string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(pattern); {
		switch pattern[i] {
		case '[':
			step, _ := matchClass(pattern[i:], 0)
			if step == 0 {
				return nil
			}
			i += step
		case '\\':
			if i+1 == len(pattern) {
				return nil
			}
			if pattern[i+1] == '/' { // the same as a slash alone
				parts = append(parts, pattern[start:i])
				start = i + 2
			}
			i += 2
		case '/':
			parts = append(parts, pattern[start:i])
			i++
			start = i
		default:
			i++
		}
	}
	return append(parts, pattern[start:])
}

// trimSpaces removes spaces from the end, but not one that a backslash
// protects.
func trimSpaces(line string) string {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		end--
	}
	if end == len(line) {
		return line
	}
	slashes := 0
	for slashes < end && line[end-1-slashes] == '\\' {
		slashes++
	}
	if slashes%2 == 1 {
		end++
	}
	return line[:end]
}

// matches reports whether the rule speaks of the file or folder with this
// slash name below the folder of its .gitignore; base is its last part.
func (r *rule) matches(rel, base string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	name := base
	if r.path {
		name = rel
	}
	switch {
	case r.plain != "":
		return name == r.plain
	case r.suffix != "":
		return strings.HasSuffix(name, r.suffix)
	case r.path:
		rest, ok := strings.CutPrefix(name, r.prefix)
		return ok && matchPath(r.parts, rest)
	}
	return matchPart(r.parts[0], name)
}

// matchPath matches a pattern with slashes, part by part. A part of stars
// alone, two or more, stands for any number of parts; at the end for one or
// more.
func matchPath(pattern []string, name string) bool {
	var space [24]string
	names := space[:0]
	for part := range strings.SplitSeq(name, "/") {
		names = append(names, part)
	}
	// After the last part of stars, and where in names to go on from there.
	retry, from := -1, 0
	p, n := 0, 0
	for n < len(names) {
		switch {
		case p < len(pattern) && isDoubleStar(pattern[p]):
			if p == len(pattern)-1 {
				return true
			}
			p++
			retry, from = p, n
		case p < len(pattern) && matchPart(pattern[p], names[n]):
			p++
			n++
		case retry < 0:
			return false
		default:
			from++
			p, n = retry, from
		}
	}
	return p == len(pattern)
}

// isDoubleStar reports whether a part of a pattern matches across slashes.
func isDoubleStar(part string) bool {
	return len(part) >= 2 && strings.Trim(part, "*") == ""
}

// matchPart matches one part of a name: * any characters, ? one of them,
// [a-z] one of a class, and \ the next one itself. A pattern that is not well
// formed matches nothing, as in git.
func matchPart(pattern, name string) bool {
	retry, from := -1, 0 // after the last star, and where in name to go on
	p, n := 0, 0
	for n < len(name) || p < len(pattern) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				p++
				retry, from = p, n
				continue
			}
			if n < len(name) {
				step, ok := matchByte(pattern[p:], name[n])
				if step == 0 {
					return false
				}
				if ok {
					p += step
					n++
					continue
				}
			}
		}
		if retry < 0 || from >= len(name) {
			return false
		}
		from++
		p, n = retry, from
	}
	return true
}

// matchByte matches one byte by what the pattern begins with, and returns how
// long that is: 0 where it is not well formed.
func matchByte(pattern string, c byte) (step int, ok bool) {
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		return matchClass(pattern, c)
	case '\\':
		if len(pattern) < 2 {
			return 0, false
		}
		return 2, pattern[1] == c
	}
	return 1, pattern[0] == c
}
