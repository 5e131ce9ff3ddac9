package index

import "strings"

// matchClass matches a byte by the class that the pattern begins with, such as
// [a-z], [!0-9] or [[:alpha:]_]. The step is 0 when the class is not closed.
func matchClass(pattern string, c byte) (step int, ok bool) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	for first := true; ; first = false {
		if i >= len(pattern) {
			return 0, false
		}
		if pattern[i] == ']' && !first {
			return i + 1, ok != negated
		}
		if name, found := strings.CutPrefix(pattern[i:], "[:"); found {
			if end := strings.Index(name, ":]"); end >= 0 && !strings.Contains(name[:end], "]") {
				in, known := posixClass(name[:end], c)
				if !known {
					return 0, false
				}
				ok = ok || in
				i += len("[:") + end + len(":]")
				continue
			}
		}
		low, n := classByte(pattern[i:])
		if n == 0 {
			return 0, false
		}
		i += n
		high := low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			if high, n = classByte(pattern[i+1:]); n == 0 {
				return 0, false
			}
			i += 1 + n
		}
		ok = ok || low <= c && c <= high
	}
}

// classByte returns the byte that a class begins with and how long it is
// written: 0 where nothing follows a backslash.
func classByte(s string) (c byte, n int) {
	if s[0] != '\\' {
		return s[0], 1
	}
	if len(s) < 2 {
		return 0, 0
	}
	return s[1], 2
}

// posixClass reports whether a byte is in a named class, and whether there is
// one of that name.
func posixClass(name string, c byte) (in, known bool) {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	switch name {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return c > ' ' && c < 0x7f, true
	case "lower":
		return lower, true
	case "print":
		return c >= ' ' && c < 0x7f, true
	case "punct":
		return c > ' ' && c < 0x7f && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F', true
	}
	return false, false
}
