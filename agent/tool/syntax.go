package tool

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"emend/internal/syntax"
	"emend/internal/workspace"
)

// gate is what a run remembers of edits that parse worse than what they
// replace.
type gate struct {
	refused map[[sha256.Size]byte]bool // texts that were sent back once
	worse   map[workspace.Path]string  // documents taken all the same, and what is wrong
}

// SyntaxWorse looks at one document's change as a whole: it returns what a
// model is to read when the new text parses worse than the old one, "" when it
// may be taken. Only a text that parsed is judged. The same text sent a second
// time is taken, and named by [Env.Worse] from then on: grammars are not
// always right.
func (e *Env) SyntaxWorse(ctx context.Context, p workspace.Path, before, after string) string {
	lang, ok := syntax.Language("", p.Base())
	if !ok || before == "" {
		return ""
	}
	v := syntax.Compare(ctx, lang, before, after)
	if !v.Worse {
		delete(e.gate.worse, p)
		return ""
	}
	key := sha256.Sum256([]byte(string(p) + "\x00" + after))
	if e.gate.refused[key] {
		if e.gate.worse == nil {
			e.gate.worse = map[workspace.Path]string{}
		}
		e.gate.worse[p] = v.String()
		return ""
	}
	if e.gate.refused == nil {
		e.gate.refused = map[[sha256.Size]byte]bool{}
	}
	e.gate.refused[key] = true
	return fmt.Sprintf("Nothing was changed in %s, because the result would not parse any more: %s.\nMend the edit and send it again. If it is meant to be so, send exactly the same once more.",
		e.Roots.Rel(p), v)
}

// Worse names the documents of the draft that parse worse than before, with the
// reasons, in the order of their paths.
func (e *Env) Worse() []string {
	var out []string
	for _, p := range slices.Sorted(maps.Keys(e.gate.worse)) {
		out = append(out, fmt.Sprintf("%s (%s)", e.Roots.Rel(p), e.gate.worse[p]))
	}
	return out
}
