package tool

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"emend/index"
	"emend/internal/workspace"
)

//go:embed grep.md
var grepText string

type grepArgs struct {
	Pattern    string   `json:"pattern" jsonschema:"what to look for: plain text, or a regular expression when regexp is true"`
	Regexp     bool     `json:"regexp,omitempty" jsonschema:"pattern is a regular expression (RE2, matched within a line)"`
	IgnoreCase bool     `json:"ignore_case,omitempty" jsonschema:"upper and lower case are the same"`
	Globs      []string `json:"globs,omitempty" jsonschema:"only files whose path matches one of these, for example *.go"`
	Context    int      `json:"context,omitempty" jsonschema:"lines to show around each match, 0 to 10; default 0"`
}

// maxMatches is the most matches one search returns.
const maxMatches = 100

var grep = define("grep", grepText, func(ctx context.Context, env *Env, args grepArgs) (Result, error) {
	if args.Pattern == "" {
		return refusef("argument \"pattern\" is empty"), nil
	}
	if args.Regexp {
		if _, err := regexp.Compile(args.Pattern); err != nil {
			return refusef("the pattern is no regular expression: %v; send regexp=false to look for the text itself.", err), nil
		}
	}
	for _, glob := range args.Globs {
		if !validGlob(glob) {
			return refusef("the glob %q is not valid or too long; *, ** and ? are known", glob), nil
		}
	}
	if env.Index == nil {
		return Result{}, errNoIndex
	}
	matches, more, err := env.grep(ctx, index.Query{
		Pattern: args.Pattern, Regexp: args.Regexp, IgnoreCase: args.IgnoreCase,
		Globs: args.Globs, Context: min(max(args.Context, 0), 10), Limit: maxMatches,
	})
	if err != nil {
		return Result{}, err
	}
	if len(matches) == 0 {
		return Result{Text: fmt.Sprintf("No line matches %q.", args.Pattern)}, nil
	}
	if err := env.hideKeys(ctx, matches); err != nil {
		return Result{}, err
	}
	var lines []string
	for i, m := range matches {
		if args.Context > 0 && i > 0 {
			lines = append(lines, "--")
		}
		lines = append(lines, matchLines(m)...)
	}
	text := bounded(lines, env.maxBytes(), "lines")
	if more {
		text += fmt.Sprintf("[cut: more than %d lines match; narrow the pattern or give globs]\n", len(matches))
	}
	return Result{Text: text}, nil
})

// hideKeys takes the text out of matches in files that hold a key or token:
// what read_file does not show is not to be had line by line.
func (e *Env) hideKeys(ctx context.Context, matches []index.Match) error {
	added, _ := e.differences()
	holds := map[workspace.Path]bool{}
	for i := range matches {
		m := &matches[i]
		hide, known := holds[m.Path]
		if !known {
			text, ok := added[m.Path]
			if !ok {
				// Not through the draft, which would keep every file it reads.
				data, _, err := workspace.Disk(nil).ReadFile(ctx, m.Path)
				if ctx.Err() != nil {
					return fmt.Errorf("reading %s for the model: %w", m.Rel, context.Cause(ctx))
				}
				hide = err != nil // nobody knows what else is in it
				text = string(data)
			}
			hide = !e.allowed[m.Path] && (hide || workspace.SensitiveText(text))
			holds[m.Path] = hide
		}
		if hide || !e.allowed[m.Path] && workspace.SensitiveText(m.Text) {
			m.Text, m.Before, m.After = "[not shown: the file holds what looks like a key or token]", nil, nil
		}
	}
	return nil
}

// matchLines writes one match as path:line: text, its context with a dash.
func matchLines(m index.Match) []string {
	var lines []string
	for i, text := range m.Before {
		lines = append(lines, fmt.Sprintf("%s-%d- %s", m.Rel, m.Line-len(m.Before)+i, short(text)))
	}
	lines = append(lines, fmt.Sprintf("%s:%d: %s", m.Rel, m.Line, short(m.Text)))
	for i, text := range m.After {
		lines = append(lines, fmt.Sprintf("%s-%d- %s", m.Rel, m.Line+1+i, short(text)))
	}
	return lines
}

// grep searches the draft: the index, with the draft's texts and the open
// documents in place of the disk's, and what the index does not list.
func (e *Env) grep(ctx context.Context, q index.Query) ([]index.Match, bool, error) {
	added, gone := e.differences()
	read := func(p workspace.Path) (string, bool) {
		if gone[p] || e.secret(p) {
			return "", true
		}
		text, ok := added[p]
		return text, ok
	}
	matches, more, err := e.Index.Grep(ctx, read, q)
	if err != nil {
		return nil, false, fmt.Errorf("searching for %q: %w", q.Pattern, err)
	}
	listed := map[workspace.Path]bool{}
	entries, err := e.Index.Files(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("listing the workspace's files: %w", err)
	}
	for _, entry := range entries {
		listed[entry.Path] = true
	}
	var paths []workspace.Path
	for p := range added {
		if !listed[p] {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		matches = append(matches, grepOne(p, e.Roots.Rel(p), added[p], q)...)
	}
	if len(matches) > q.Limit {
		return matches[:q.Limit], true, nil
	}
	return matches, more, nil
}

// grepOne searches one text that the index does not know.
func grepOne(p workspace.Path, rel, text string, q index.Query) []index.Match {
	if len(q.Globs) > 0 && !slices.ContainsFunc(q.Globs, func(g string) bool { return globbed(g, rel, "") }) {
		return nil
	}
	pattern := q.Pattern
	if !q.Regexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	if q.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	lines := strings.Split(text, "\n")
	var matches []index.Match
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		at := re.FindStringIndex(line)
		if at == nil {
			continue
		}
		matches = append(matches, index.Match{
			Path: p, Rel: rel, Line: i + 1, Column: at[0] + 1, Text: line,
			Before: lines[max(0, i-q.Context):i],
			After:  lines[i+1 : min(len(lines), i+1+q.Context)],
		})
	}
	return matches
}
