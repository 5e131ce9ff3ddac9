package edits

import (
	"fmt"
	"slices"
	"strings"
)

// FileResult is what a reply does to one file.
type FileResult struct {
	Path    string // as resolved; as written, or "", where that failed
	Existed bool
	Before  string
	Result
}

// ApplyReply applies a parsed reply. Blocks that name no file are for current,
// the document the request was about, or for nothing when that is "". The
// results are in the order in which the reply first names their files. Each
// file is all or nothing, unless opt says otherwise, and a block that could
// not be read counts as refused for the file it names.
func ApplyReply(r Reply, files Files, current string, opt Options) []FileResult {
	res := newResolver(files, current)
	var order []string
	blocks, refused := map[string][]Block{}, map[string][]Refusal{}
	seen := func(name string) {
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	for _, p := range r.Problems {
		name := p.Path
		if known := res.find(p.Path, false); known != "" {
			name = known
		}
		if name == "" {
			name = current
		}
		p.Path = name
		seen(name)
		refused[name] = append(refused[name], p)
	}
	for _, b := range r.Blocks {
		name, bad := res.resolve(b)
		if bad != nil {
			seen(b.Path)
			refused[b.Path] = append(refused[b.Path], *bad)
			continue
		}
		seen(name)
		blocks[name] = append(blocks[name], b)
	}
	var out []FileResult
	for _, name := range order {
		out = append(out, res.apply(name, blocks[name], refused[name], opt))
	}
	res.elsewhere(out, r.Blocks)
	return out
}

// apply applies the blocks of one file, some of which were refused before.
func (r *resolver) apply(name string, blocks []Block, refused []Refusal, opt Options) FileResult {
	out := FileResult{Path: name}
	if len(blocks) == 0 {
		if slices.Contains(r.known, name) || name == r.current && name != "" {
			got := r.read(name)
			out.Existed, out.Before, out.After = got.exists, got.text, got.text
		}
		out.Refused = refused
		return out
	}
	got := r.read(name)
	out.Existed, out.Before = got.exists, got.text
	if got.err != nil {
		for _, b := range blocks {
			refused = append(refused, Refusal{Block: b.Index, Path: name, Line: b.Line, Code: Unreadable, Message: got.err.Error()})
		}
		out.Refused, out.After = refused, got.text
		return out
	}
	out.Result = ApplyBlocks(name, got.text, got.exists, blocks, opt)
	if out.MovedTo != "" {
		if clean, problem := cleanPath(out.MovedTo); problem != "" {
			refused = append(refused, Refusal{Block: blocks[0].Index, Path: name, Line: blocks[0].Line, Code: BadPath, Message: "cannot move it: " + problem})
		} else if to := r.read(clean); to.exists || to.err != nil {
			refused = append(refused, Refusal{Block: blocks[0].Index, Path: name, Line: blocks[0].Line, Code: BadPath, Message: fmt.Sprintf("cannot move it to %s: there is such a file already, or none may be there", clean)})
		}
	}
	if len(refused) == 0 {
		return out
	}
	refused = append(refused, out.Refused...)
	if !opt.Partial {
		out.Result = Result{After: got.text}
	}
	out.Refused = refused
	slices.SortStableFunc(out.Refused, func(a, b Refusal) int { return a.Block - b.Block })
	return out
}

// elsewhere adds to a refusal of what is not in its file that it is in another
// file of the reply.
func (r *resolver) elsewhere(results []FileResult, blocks []Block) {
	for i := range results {
		for j := range results[i].Refused {
			bad := &results[i].Refused[j]
			n := slices.IndexFunc(blocks, func(b Block) bool { return b.Index == bad.Block })
			if bad.Code != NotFound || n < 0 {
				continue
			}
			search := bodies(blocks[n].Search)
			for _, name := range r.readNames() {
				if name == results[i].Path {
					continue
				}
				if at := newSource(r.texts[name].text).findLines(TierTrailing, search); len(at) == 1 {
					bad.Message += fmt.Sprintf("\nThese lines are in %s, line %d: is that the file you mean?", name, at[0]+1)
					break
				}
			}
		}
	}
}

// readNames returns the names of the files read so far, sorted.
func (r *resolver) readNames() []string {
	var out []string
	for name, got := range r.texts {
		if got.exists {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Report tells a model what became of its reply: each refusal, and which
// blocks need not be sent again.
func Report(results []FileResult) string {
	var b strings.Builder
	var done []string
	bad := 0
	for _, f := range results {
		for _, r := range f.Refused {
			bad++
			b.WriteString(r.Error())
			b.WriteString("\n\n")
		}
		for _, a := range f.Applied {
			done = append(done, fmt.Sprint(a.Block+1))
		}
		if len(f.Refused) > 0 && len(f.Applied) == 0 && f.Path != "" {
			fmt.Fprintf(&b, "%s is unchanged: send all its blocks again, the refused ones put right.\n\n", f.Path)
		}
	}
	switch {
	case bad > 0 && len(done) > 0:
		fmt.Fprintf(&b, "Applied, so do not send again: block %s.", strings.Join(done, ", "))
	case bad > 0:
		b.WriteString("Nothing was applied.")
	case len(done) > 0:
		fmt.Fprintf(&b, "Applied: block %s.", strings.Join(done, ", "))
	default:
		b.WriteString("The reply holds no blocks.")
	}
	return b.String()
}
