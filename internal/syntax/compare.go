package syntax

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// MaxCompared is the length in bytes of the longest text that [Compare] judges.
const MaxCompared = 1 << 20

// compareTime bounds each parse of a comparison.
const compareTime = time.Second

// Verdict is what [Compare] says of an edit. The zero value says that nothing
// was found against it.
type Verdict struct {
	// Worse tells that the text parsed before the edit and does not after it.
	Worse bool
	// Line is where, in the text after the edit, from zero.
	Line int
	// Message says what is wrong there, in lower case and without the place.
	Message string
}

// String returns the verdict as a person counts lines: `line 3: unexpected "}"`.
// It is empty for one that found nothing.
func (v Verdict) String() string {
	if !v.Worse {
		return ""
	}
	return fmt.Sprintf("line %d: %s", v.Line+1, v.Message)
}

// Compare tells whether an edit, or all edits of a reply, made a text parse
// worse. It judges only where the text before parses without a single error;
// one of blanks alone does, so that new files are judged too. It finds nothing
// against an edit that empties the text, nor one that it cannot judge: the language is not known or not read
// closely enough in this build, a text is larger than [MaxCompared] or takes too
// long to parse, the context ends. What a dialect of the language accepts is
// right, and in C and C++, where macros may mend anything, only brackets and
// lines that are left of a reply or a merge are held against an edit.
//
// An edit that parses costs one parse of the text after it, others at most a
// few of both. It may be called concurrently.
func Compare(ctx context.Context, lang Lang, before, after string) Verdict {
	r := byLang[lang]
	if r == nil || before == after || len(before) > MaxCompared || len(after) > MaxCompared || isBlank(after) {
		return Verdict{}
	}
	wrong, ok := judge(ctx, r, after)
	if !ok || len(wrong) == 0 || !wasRight(ctx, r, before) {
		return Verdict{}
	}
	for _, other := range r.also {
		if bad, ok := judge(ctx, byLang[other], after); !ok || len(bad) == 0 {
			return Verdict{}
		}
	}
	if left := leftOver(before, after); left != nil {
		return left.verdict()
	}
	unsound, bracket := unsoundNow(r, before, after)
	if unsound == nil && r.macros {
		return Verdict{}
	}
	parser := pick(wrong, after, difference(before, after))
	if bracket || unsound != nil && unsound.Line <= parser.Line {
		return unsound.verdict()
	}
	return parser.verdict()
}

func (p *Problem) verdict() Verdict {
	return Verdict{Worse: true, Line: p.Line, Message: p.Message}
}

// judge returns what is wrong with a text, and whether that is known.
func judge(ctx context.Context, r *row, text string) (wrong []Problem, ok bool) {
	f, err := read(ctx, r, text, onlyProblems, compareTime)
	if err != nil {
		return nil, false
	}
	if len(f.problems) == 0 && f.precise && r.text.indents {
		// Grammars forgive indentation that the language does not.
		if wrong := indents(mask(&r.text, text)); wrong != nil {
			return []Problem{*wrong}, true
		}
	}
	return f.problems, true
}

// wasRight reports whether the text before an edit is known to parse.
func wasRight(ctx context.Context, r *row, text string) bool {
	if isBlank(text) {
		return true
	}
	wrong, ok := judge(ctx, r, text)
	return ok && len(wrong) == 0
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// unsoundNow returns what a scanner of lines finds wrong with the text after an
// edit when it finds nothing wrong with that before it. It tells better than a
// grammar which bracket is missing.
func unsoundNow(r *row, before, after string) (wrong *Problem, bracket bool) {
	wrong, bracket = unsound(&r.text, mask(&r.text, after))
	if wrong == nil {
		return nil, false
	}
	if old, _ := unsound(&r.text, mask(&r.text, before)); old != nil {
		return nil, false
	}
	return wrong, bracket
}

// difference returns the part of after that is not as it was before.
func difference(before, after string) Span {
	n := min(len(before), len(after))
	start := 0
	for start < n && before[start] == after[start] {
		start++
	}
	end := len(after)
	for i := len(before); i > start && end > start && before[i-1] == after[end-1]; i-- {
		end--
	}
	return Span{start, end}
}

// pick returns the problem that says most about the change: the first that
// touches it, else the first. Of one that begins long before the change it says
// where the change begins.
func pick(problems []Problem, after string, changed Span) *Problem {
	for i := range problems {
		p := &problems[i]
		if p.Start > changed.End || p.End < changed.Start {
			continue
		}
		line := strings.Count(after[:changed.Start], "\n")
		if p.Line >= line {
			return p
		}
		start := strings.LastIndexByte(after[:changed.Start], '\n') + 1
		return &Problem{Span: changed, Line: line, Message: "does not parse from here on: " + snippet(after, start, len(after))}
	}
	return &problems[0]
}

// leftOver returns a line of a reply or a merge that was left in the text by
// the edit, or nil.
func leftOver(before, after string) *Problem {
	at := 0
	for n := 0; at < len(after); n++ {
		line := after[at:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		text := strings.TrimRight(line, " \t\r")
		if isMarker(text) && !strings.Contains(before, text) {
			return &Problem{Span: Span{at, at + len(line)}, Line: n, Message: fmt.Sprintf("%q is left in the text", text)}
		}
		at += len(line) + 1
	}
	return nil
}

func isMarker(line string) bool {
	return strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") || line == "<<<<<<<" || line == ">>>>>>>" || strings.HasPrefix(line, "```")
}
