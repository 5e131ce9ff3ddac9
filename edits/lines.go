package edits

import "strings"

// splitLines cuts s after each '\n'. A last line without one is a line too;
// the empty string has no lines.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	out := make([]string, 0, strings.Count(s, "\n")+1)
	for s != "" {
		n := strings.IndexByte(s, '\n') + 1
		if n == 0 {
			n = len(s)
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// lineOffsets returns the offset of each line and, last, of their end.
func lineOffsets(lines []string) []int {
	out := make([]int, len(lines)+1)
	for i, l := range lines {
		out[i+1] = out[i] + len(l)
	}
	return out
}

// cutEnding splits a line into what it says and how it ends.
func cutEnding(line string) (body, ending string) {
	body = strings.TrimSuffix(line, "\n")
	if len(body) == len(line) {
		return line, ""
	}
	body = strings.TrimSuffix(body, "\r")
	return body, line[len(body):]
}

// blank reports whether a line holds nothing but white space.
func blank(line string) bool { return strings.TrimSpace(line) == "" }

// chunk is how much of two texts is compared at once while looking for where
// they first differ.
const chunk = 4096

// commonPrefix returns the length of the longest common start of a and b.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i+chunk <= n && a[i:i+chunk] == b[i:i+chunk] {
		i += chunk
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// commonSuffix returns the length of the longest common end of a and b.
func commonSuffix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i+chunk <= n && a[len(a)-i-chunk:len(a)-i] == b[len(b)-i-chunk:len(b)-i] {
		i += chunk
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}
