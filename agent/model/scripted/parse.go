package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"emend/agent/model"
)

// ParseScript reads the text form of a script, made to stand in a section of a
// txtar file. A line of three dashes ends a turn, and may be left out after the
// last; an empty text is an empty script. In a turn, lines that are empty or begin
// with # say nothing, and the others are:
//
//	> contains "x"          the request's messages must contain x
//	> lacks "x"             …must not contain x
//	> last "x"              the last message must contain x
//
//	< "text\n"              streams text; a Go string
//	< thinking "text"       streams thinking
//	< call NAME {json}      a tool call; the arguments may be left out
//	<<<                     streams the lines up to a line of >>> alone, each with its
//	…                       line break; <<< also stands for the string or the JSON of
//	>>>                     a line above: < thinking <<<, < call NAME <<<
//
//	! gate NAME             waits for the gate; as the turn's first act, before the
//	                        headers
//	! chunk 7               cuts text into pieces of 7 bytes
//	! stall                 sends nothing more, for ever
//	! break 20              cuts the connection after 20 bytes of body; 0: before any
//	! error "x"             sends an error object and ends
//	! garbage "x"           sends x, and a line break, in place of a piece
//	! html                  answers with a web page
//	! status 404 "x"        answers with a status, and x as the error
//	! stop length           ends for that reason
//	! usage 100 20          reports so many tokens of prompt and output
//	! forever               the turn repeats; only the last one can
//
// Lines are played in order. Errors name the line, and all of them are reported.
func ParseScript(text string) (Script, error) {
	p := &parser{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for p.next < len(p.lines) {
		line := p.lines[p.next]
		p.next++
		p.line(strings.TrimSpace(line))
	}
	if p.turn.Line != 0 {
		p.endTurn()
	}
	if err := errors.Join(p.errs...); err != nil {
		return nil, err
	}
	return p.script, nil
}

type parser struct {
	lines  []string
	next   int // index of the line to read next
	script Script
	turn   Turn
	errs   []error
}

func (p *parser) fail(format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("script line %d: "+format, append([]any{p.next}, args...)...))
}

// endTurn closes the turn at hand.
func (p *parser) endTurn() {
	if n := len(p.script); n > 0 && p.script[n-1].Forever {
		p.fail("a turn follows one that repeats for ever")
	}
	if p.turn.Line == 0 {
		p.turn.Line = p.next
	}
	p.script = append(p.script, p.turn)
	p.turn = Turn{}
}

func (p *parser) line(line string) {
	if line == "" || strings.HasPrefix(line, "#") {
		return
	}
	if line == "---" {
		p.endTurn()
		return
	}
	if p.turn.Line == 0 {
		p.turn.Line = p.next
	}
	rest := strings.TrimSpace(line[1:])
	switch {
	case line == "<<<":
		p.say(Step{Text: p.block()})
	case line[0] == '>':
		p.demand(rest)
	case line[0] == '<':
		p.speech(rest)
	case line[0] == '!':
		p.act(rest)
	default:
		p.fail("it begins with none of > < ! # ---: %.40q", line)
	}
}

// say adds a step, unless it is empty.
func (p *parser) say(s Step) {
	if s != (Step{}) {
		p.turn.Steps = append(p.turn.Steps, s)
	}
}

// block reads the lines up to >>>.
func (p *parser) block() string {
	start := p.next
	for i := start; i < len(p.lines); i++ {
		if strings.TrimSpace(p.lines[i]) == ">>>" {
			p.next = i + 1
			if i == start {
				return ""
			}
			return strings.Join(p.lines[start:i], "\n") + "\n"
		}
	}
	p.fail("the block is not closed by a line of >>>")
	p.next = len(p.lines)
	return ""
}

// word cuts the first word off.
func word(s string) (first, rest string) {
	first, rest, _ = strings.Cut(s, " ")
	return first, strings.TrimSpace(rest)
}

// text reads a Go string, or a block.
func (p *parser) text(s string) string {
	if s == "<<<" {
		return p.block()
	}
	out, err := strconv.Unquote(s)
	if err != nil || s[0] == '\'' {
		p.fail("not a quoted string: %.40q", s)
		return ""
	}
	return out
}

func (p *parser) demand(s string) {
	verb, rest := word(s)
	lists := map[string]*[]string{"contains": &p.turn.Contains, "lacks": &p.turn.Lacks, "last": &p.turn.Last}
	list := lists[verb]
	if list == nil {
		p.fail("unknown demand %q; there are contains, lacks and last", verb)
		return
	}
	*list = append(*list, p.text(rest))
}

func (p *parser) speech(s string) {
	verb, rest := word(s)
	switch verb {
	case "call":
		p.call(rest)
	case "thinking":
		p.say(Step{Thinking: p.text(rest)})
	default:
		p.say(Step{Text: p.text(s)})
	}
}

func (p *parser) call(s string) {
	name, args := word(s)
	if name == "" {
		p.fail("a call needs the name of a tool")
		return
	}
	if args == "<<<" {
		args = strings.TrimSpace(p.block())
	}
	if args == "" {
		args = "{}"
	}
	if !json.Valid([]byte(args)) {
		p.fail("the arguments of %s are not JSON: %.60q", name, args)
		return
	}
	p.say(Step{Call: &model.Call{Name: name, Arguments: json.RawMessage(args)}})
}

func (p *parser) act(s string) {
	verb, rest := word(s)
	t := &p.turn
	switch verb {
	case "gate":
		name, more := word(rest)
		if name == "" || more != "" {
			p.fail("a gate has a name of one word")
		} else if len(t.Steps) == 0 && t.Gate == "" {
			t.Gate = name
		} else {
			p.say(Step{Gate: name})
		}
	case "chunk":
		t.Chunk = p.number(rest)
	case "break":
		if t.Break = p.number(rest); t.Break == 0 {
			t.Break = -1
		}
	case "error":
		p.say(Step{Error: p.text(rest)})
	case "garbage":
		p.say(Step{Garbage: p.text(rest)})
	case "status":
		code, message := word(rest)
		if t.Status = p.number(code); t.Status < 200 || t.Status > 599 {
			p.fail("%q is not a status", code)
			t.Status = 500
		}
		if message != "" {
			t.Message = p.text(message)
		}
	case "stop":
		t.Stop = rest
	case "usage":
		prompt, output := word(rest)
		t.Prompt, t.Output = p.number(prompt), p.number(output)
	default:
		p.flag(verb, rest)
	}
}

// flag is an act without arguments.
func (p *parser) flag(verb, rest string) {
	switch verb {
	case "stall":
		p.say(Step{Stall: true})
	case "html":
		p.turn.HTML = true
	case "forever":
		p.turn.Forever = true
	default:
		p.fail("unknown act %q", verb)
		return
	}
	if rest != "" {
		p.fail("%s takes nothing: %.40q", verb, rest)
	}
}

func (p *parser) number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		p.fail("not a number: %.40q", s)
		return 0
	}
	return n
}
