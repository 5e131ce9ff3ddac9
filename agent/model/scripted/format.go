package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// String writes the script in the form ParseScript reads.
func (s Script) String() string {
	var b strings.Builder
	for i, t := range s {
		before := b.Len()
		t.write(&b)
		if i < len(s)-1 || b.Len() == before {
			b.WriteString("---\n")
		}
	}
	return b.String()
}

func (t Turn) write(b *strings.Builder) {
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	for _, s := range t.Contains {
		line("> contains %q", s)
	}
	for _, s := range t.Lacks {
		line("> lacks %q", s)
	}
	for _, s := range t.Last {
		line("> last %q", s)
	}
	if t.Gate != "" {
		line("! gate %s", t.Gate)
	}
	if t.Chunk > 0 {
		line("! chunk %d", t.Chunk)
	}
	if t.Break != 0 {
		line("! break %d", max(t.Break, 0))
	}
	if t.HTML {
		line("! html")
	}
	if t.Status != 0 {
		line("! status %d %q", t.Status, t.Message)
	}
	for _, s := range t.steps() {
		line("%s", s)
	}
	if t.Stop != "" {
		line("! stop %s", t.Stop)
	}
	if t.Prompt != 0 || t.Output != 0 {
		line("! usage %d %d", t.Prompt, t.Output)
	}
	if t.Forever {
		line("! forever")
	}
}

// String writes the step as a line of a script.
func (s Step) String() string {
	switch {
	case s.Call != nil:
		var args bytes.Buffer
		if err := json.Compact(&args, arguments(s.Call)); err != nil {
			return "# a call of " + s.Call.Name + " with arguments that are not JSON"
		}
		return "< call " + s.Call.Name + " " + args.String()
	case s.Thinking != "":
		return fmt.Sprintf("< thinking %q", s.Thinking)
	case s.Gate != "":
		return "! gate " + s.Gate
	case s.Garbage != "":
		return fmt.Sprintf("! garbage %q", s.Garbage)
	case s.Error != "":
		return fmt.Sprintf("! error %q", s.Error)
	case s.Stall:
		return "! stall"
	}
	return fmt.Sprintf("< %q", s.Text)
}
