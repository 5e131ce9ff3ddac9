package edits

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// sample is an edit with a known result, in the parts that mutations change.
type sample struct {
	id, path, before, want string
	search, replace        []string
}

// reply writes the sample as a block with a path above it.
func (s sample) reply() string {
	return s.path + "\n```\n" + s.block(7) + "```\n"
}

// block writes the sample with markers of a width.
func (s sample) block(width int) string {
	return strings.Repeat("<", width) + " SEARCH\n" + lf(s.search) + strings.Repeat("=", width) + "\n" + lf(s.replace) + strings.Repeat(">", width) + " REPLACE\n"
}

// bothSides returns a mutation of the lines of SEARCH and REPLACE.
func bothSides(f func(search, replace []string) ([]string, []string)) func(sample) []string {
	return func(s sample) []string {
		search, replace := f(s.search, s.replace)
		if slices.Equal(search, s.search) && slices.Equal(replace, s.replace) || blank(strings.Join(search, "")) {
			return nil
		}
		if !slices.Equal(search, s.search) && len(newSource(s.before).findLines(TierExact, search)) > 0 {
			return nil // then it means what it says
		}
		s.search, s.replace = search, replace
		return []string{s.reply()}
	}
}

// eachLine returns a mutation that changes every line of SEARCH, and of
// REPLACE when both is set.
func eachLine(both bool, f func(line string) string) func(sample) []string {
	return bothSides(func(s, r []string) ([]string, []string) {
		if both {
			r = mapLines(r, f)
		}
		return mapLines(s, f), r
	})
}

func mapLines(lines []string, f func(string) string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = f(l)
	}
	return out
}

// outdent takes the indentation that all lines have off them.
func outdent(s, r []string) ([]string, []string) {
	common, first := "", true
	for _, l := range slices.Concat(s, r) {
		if blank(l) {
			continue
		}
		indent := leadingSpace(l)
		if first {
			common, first = indent, false
		}
		common = common[:commonPrefix(common, indent)]
	}
	cut := func(l string) string { return strings.TrimPrefix(l, common) }
	return mapLines(s, cut), mapLines(r, cut)
}

// shift returns a function that puts an indent in front of lines that are not
// blank.
func shift(indent string) func(string) string {
	return func(l string) string {
		if blank(l) {
			return l
		}
		return indent + l
	}
}

// retabbed returns a mutation that swaps the unit of indentation, in edits that
// are indented by this unit alone and are about more than indentation.
func retabbed(from, to string) func(sample) []string {
	swap := func(l string) string {
		indent := leadingSpace(l)
		return strings.ReplaceAll(indent, from, to) + l[len(indent):]
	}
	return func(s sample) []string {
		for _, l := range slices.Concat(s.search, s.replace) {
			if strings.ReplaceAll(leadingSpace(l), from, "") != "" {
				return nil
			}
		}
		trim := func(l string) string { return strings.TrimLeft(l, " \t") }
		if slices.Equal(mapLines(s.search, trim), mapLines(s.replace, trim)) || slices.Equal(mapLines(s.search, swap), s.search) {
			return nil
		}
		return eachLine(true, swap)(s)
	}
}

var curly = strings.NewReplacer(`"`, "“", "'", "’", " - ", " – ", "...", "…")

// mutations are what models do to a block they mean to write. Each gives the
// replies that a sample becomes.
var mutations = []struct {
	name  string
	apply func(sample) []string
}{
	{"indented by 4", eachLine(true, shift("    "))},
	{"indented by 2", eachLine(true, shift("  "))},
	{"indented by a tab", eachLine(true, shift("\t"))},
	{"outdented", bothSides(outdent)},
	{"first line outdented", bothSides(func(s, r []string) ([]string, []string) {
		s, r = slices.Clone(s), slices.Clone(r)
		if len(r) == 0 || leadingSpace(s[0]) != leadingSpace(r[0]) {
			return s, r
		}
		s[0], r[0] = strings.TrimLeft(s[0], " \t"), strings.TrimLeft(r[0], " \t")
		return s, r
	})},
	{"tabs for 4 spaces", retabbed("    ", "\t")},
	{"tabs for 2 spaces", retabbed("  ", "\t")},
	{"4 spaces for tabs", retabbed("\t", "    ")},
	{"2 spaces for 4", retabbed("    ", "  ")},
	{"white space behind lines", eachLine(false, func(l string) string { return l + "  " })},
	{"white space doubled", eachLine(false, func(l string) string {
		indent := leadingSpace(l)
		return indent + strings.ReplaceAll(l[len(indent):], " ", "  ")
	})},
	{"CRLF", func(s sample) []string { return []string{strings.ReplaceAll(s.reply(), "\n", "\r\n")} }},
	{"curly quotes in SEARCH", eachLine(false, curly.Replace)},
	{"no-break spaces in SEARCH", eachLine(false, func(l string) string {
		indent := leadingSpace(l)
		return indent + strings.ReplaceAll(l[len(indent):], " ", "\u00a0")
	})},
	{"blank lines around", bothSides(func(s, r []string) ([]string, []string) {
		return slices.Concat([]string{""}, s, []string{""}), slices.Concat([]string{""}, r, []string{""})
	})},
	{"blank line dropped", bothSides(func(s, r []string) ([]string, []string) {
		at, to := slices.Index(s, ""), slices.Index(r, "")
		if at < 0 || to < 0 {
			return s, r
		}
		return slices.Delete(slices.Clone(s), at, at+1), slices.Delete(slices.Clone(r), to, to+1)
	})},
	{"sent twice", func(s sample) []string { return []string{s.reply() + s.reply()} }},
	{"fence inside", bothSides(func(s, r []string) ([]string, []string) {
		return slices.Concat([]string{"```"}, s, []string{"```"}), slices.Concat([]string{"```"}, r, []string{"```"})
	})},
	{"fence inside REPLACE", bothSides(func(s, r []string) ([]string, []string) {
		return s, slices.Concat([]string{"```"}, r, []string{"```"})
	})},
	{"path in a list", func(s sample) []string { return []string{"- **`" + s.path + "`**:\n" + s.reply()[len(s.path)+1:]} }},
	{"path in a sentence", func(s sample) []string {
		return []string{"Now change `" + s.path + "` like this:\n\n" + s.reply()[len(s.path)+1:]}
	}},
	{"longer markers", func(s sample) []string { return []string{s.path + "\n" + s.block(9)} }},
	{"dashes and pluses", func(s sample) []string {
		return []string{s.path + "\n------- SEARCH\n" + lf(s.search) + "=======\n" + lf(s.replace) + "+++++++ REPLACE\n"}
	}},
	{"block indented", func(s sample) []string {
		return []string{"1. " + s.path + "\n" + lf(mapLines(bodies(s.block(7)), func(l string) string { return "   " + l }))}
	}},
	{"line numbers", bothSides(func(s, r []string) ([]string, []string) { return numbered(s), numbered(r) })},
	{"line numbers in REPLACE", bothSides(func(s, r []string) ([]string, []string) { return s, numbered(r) })},
	{"a separator twice", func(s sample) []string {
		return []string{strings.Replace(s.reply(), "\n=======\n", "\n=======\n=======\n", 1)}
	}},
	{"a separator at the end", func(s sample) []string {
		return []string{strings.Replace(s.reply(), ">>>>>>> REP", "=======\n>>>>>>> REP", 1)}
	}},
	{"typo", func(s sample) []string {
		var out []string
		for i, l := range s.search {
			if blank(l) {
				continue
			}
			c := s
			c.search = slices.Clone(s.search)
			c.search[i] = l[:len(l)/2] + "q" + l[len(l)/2:]
			out = append(out, c.reply())
		}
		return out
	}},
	{"cut off", func(s sample) []string {
		var out []string
		whole := s.reply()
		end := strings.LastIndex(whole, " REPLACE")
		for at := 1; at <= end; at += max(1, end/40) {
			out = append(out, whole[:at])
		}
		return append(out, whole[:end+1])
	}},
	{"rest of REPLACE left out", bothSides(func(s, r []string) ([]string, []string) {
		if len(r) < 2 {
			return s, r
		}
		return s, append(slices.Clone(r[:len(r)/2]), "// ... rest of the code ...")
	})},
}

// numbered puts line numbers in front of lines.
func numbered(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = fmt.Sprintf("%d | %s", i+1, l)
	}
	return out
}

// samples returns edits with a known result: those of the tables, and the rows
// of the corpus where there is one.
func samples(t *testing.T) []sample {
	var out []sample
	add := func(s sample) {
		exact := len(newSource(s.before).findLines(TierExact, s.search)) == 1 // garbled once, not twice
		if got := s.run(s.reply()); exact && got == s.want && got != s.before {
			out = append(out, s)
		}
	}
	for _, c := range blockCases {
		if c.code == "" && c.hint == 0 {
			add(sample{c.name, "f.go", c.before, c.want, bodies(c.search), bodies(c.replace)})
		}
	}
	if _, ok := findCorpus(); !ok {
		return out
	}
	for _, c := range readCorpus(t) {
		if c.Kind == "apply" && c.Policy == nil && !c.Error && c.Search != nil && c.Original != nil {
			add(sample{c.ID, "src/f.go", *c.Original, *c.Expect, bodies(*c.Search), bodies(*c.Replace)})
		}
	}
	return out
}

// run applies a reply to the sample's file and returns its text, which is the
// text before where the reply is refused.
func (s sample) run(reply string) string {
	for _, r := range ApplyReply(Parse(reply), memory{s.path: s.before}, "", Options{}) {
		if r.Path == s.path {
			return r.After
		}
		if len(r.Refused) == 0 {
			return "another file was written: " + r.Path
		}
	}
	return s.before
}

// TestMutationsGiveTheSameOrNothing is property 11, and 4 for what it names:
// whatever a model garbles while it copies, the file reads as was meant or is
// left as it was, and is never a third text.
func TestMutationsGiveTheSameOrNothing(t *testing.T) {
	all := samples(t)
	table := fmt.Sprintf("%d edits\n%-26s %6s %8s %6s\n", len(all), "mutation", "same", "refused", "wrong")
	var sum [3]int
	for _, m := range mutations {
		var n [3]int
		for _, s := range all {
			for _, reply := range m.apply(s) {
				switch got := s.run(reply); got {
				case s.want:
					n[0]++
				case s.before:
					n[1]++
				default:
					n[2]++
					t.Errorf("%s, %s:\n%s\nof    %q\nwrote %q\nwant  %q", s.id, m.name, reply, s.before, got, s.want)
				}
			}
		}
		table += fmt.Sprintf("%-26s %6d %8d %6d\n", m.name, n[0], n[1], n[2])
		for i := range sum {
			sum[i] += n[i]
		}
	}
	t.Logf("%s%-26s %6d %8d %6d", table, "all", sum[0], sum[1], sum[2])
}
