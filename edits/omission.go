package edits

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	commentOpen  = regexp.MustCompile(`^(?://+|#+|--+|/\*+|<!--|;+|%+|\{/\*|\(\*|"""|\*)\s*`)
	commentClose = regexp.MustCompile(`\s*(?:\*+/\}?|-->|\*\)|""")$`)
	omitWords    = regexp.MustCompile(`(?i)\b(?:rest|remaining|existing|unchanged|omitted|same as|as before|previous|other|no changes?|keep|code here)\b`)
	omitBare     = regexp.MustCompile(`(?i)^(?:\.\.\.|…)\s+\S.*$|^(?:the )?(?:rest|remainder) of [\w .]+(?:\.\.\.|…)$|^(?:existing|unchanged|remaining|other) [\w ]+(?:\.\.\.|…)$`)
	omitWhole    = regexp.MustCompile(`(?i)^(?:the )?(?:rest|remainder) of (?:the |this |your )?[\w .]{1,40}(?:(?:remains?|stays?|is|are) )?(?:unchanged|the same|as (?:before|is)|here)$|` +
		`^(?:the )?(?:rest|remainder) of (?:the |this |your )?(?:code|file|functions?|methods?|class|implementation|imports|module|body|content)$|` +
		`^(?:existing|unchanged) (?:code|methods?|functions?|lines|imports|content)(?: here)?$|^(?:code|lines?|content)? ?omitted(?: for brevity)?$|^(?:code|lines?) unchanged$`)
)

// newOmission returns the first line of REPLACE that stands for lines left
// out, such as "// ... rest of the code ...", where SEARCH has no such line. A
// bare "..." is one where neither the kind of file nor the file has such lines.
func newOmission(c section, name string, file []string) string {
	bare := !bareDots(name) && !slices.ContainsFunc(file, isDots)
	omits := func(l string) bool { return isOmission(l) || bare && isDots(l) }
	had := map[string]int{}
	for _, l := range c.search {
		if omits(l) {
			had[strings.TrimSpace(l)]++
		}
	}
	for _, l := range c.replace {
		if !omits(l) {
			continue
		}
		if t := strings.TrimSpace(l); had[t] > 0 {
			had[t]--
			continue
		}
		return l
	}
	return ""
}

// isDots reports whether a line is nothing but an ellipsis.
func isDots(line string) bool {
	t := strings.TrimSpace(line)
	return t == "..." || t == "…"
}

// bareDots reports whether a line of "..." says something in a kind of file.
func bareDots(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".py", ".pyi", ".pyx", ".ipynb", ".yaml", ".yml", ".txt", ".r", "":
		return true
	}
	return isMarkup(name)
}

// isOmission reports whether a line stands for others: an ellipsis with words
// that say so, or a comment that is nothing but an ellipsis or such words. A
// bare "..." is code in some languages, and so is "...rest".
func isOmission(line string) bool {
	if len(line) > 200 {
		return false
	}
	t := strings.TrimSpace(line)
	body := commentOpen.ReplaceAllString(t, "")
	comment := body != t
	body = strings.TrimSpace(commentClose.ReplaceAllString(body, ""))
	for len(body) > 2 && (body[0] == '(' && body[len(body)-1] == ')' || body[0] == '[' && body[len(body)-1] == ']') {
		body, comment = strings.TrimSpace(body[1:len(body)-1]), true
	}
	words := strings.Trim(body, ".… ")
	dots := strings.HasPrefix(body, "...") || strings.HasPrefix(body, "…") || strings.HasSuffix(body, "...") || strings.HasSuffix(body, "…")
	switch {
	case comment && dots && words == "":
		return true
	case dots && omitWords.MatchString(words) && (comment || omitBare.MatchString(body) && !strings.ContainsAny(words, `=(){};"'`)):
		return true
	}
	return comment && omitWhole.MatchString(words)
}
