package agent

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// literals reads the argument list of a function-style call.
type literals struct {
	s   string
	pos int
	cut bool // a value has no end: nothing after it can be read
}

// arguments reads up to and with the closing parenthesis. Values without a name
// take the names of params in order.
func (p *literals) arguments(params []string) (map[string]any, bool) {
	arguments := map[string]any{}
	for n := 0; ; n++ {
		p.blank()
		if p.take(")") {
			return arguments, true
		}
		name := p.name()
		if name == "" {
			if n >= len(params) {
				return nil, false
			}
			name = params[n]
		}
		value, ok := p.value()
		if !ok {
			return nil, false
		}
		arguments[name] = value
		p.blank()
		if !p.take(",") && !strings.HasPrefix(p.s[p.pos:], ")") {
			return nil, false
		}
	}
}

func (p *literals) blank() {
	for p.pos < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *literals) take(token string) bool {
	if strings.HasPrefix(p.s[p.pos:], token) {
		p.pos += len(token)
		return true
	}
	return false
}

// name reads `key=` or `key:`; "" when a value stands there.
func (p *literals) name() string {
	end := p.pos
	for end < len(p.s) && (p.s[end] == '_' || p.s[end] >= 'a' && p.s[end] <= 'z') {
		end++
	}
	name := p.s[p.pos:end]
	after := literals{s: p.s, pos: end}
	after.blank()
	if name == "" || !after.take("=") && !after.take(":") {
		return ""
	}
	after.blank()
	p.pos = after.pos
	return name
}

// value reads one literal.
func (p *literals) value() (any, bool) {
	rest := p.s[p.pos:]
	for _, quote := range []string{`"""`, `'''`} {
		if strings.HasPrefix(rest, quote) {
			end := strings.Index(rest[3:], quote)
			if end < 0 {
				p.cut = true
				return nil, false
			}
			p.pos += end + 6
			return rest[3 : 3+end], true
		}
	}
	if rest == "" {
		return nil, false
	}
	switch rest[0] {
	case '"', '\'':
		return p.quoted(rest[0])
	case '{', '[':
		end := balanced(p.s, p.pos)
		if end < 0 {
			p.cut = true
			return nil, false
		}
		raw := json.RawMessage(p.s[p.pos:end])
		p.pos = end
		return raw, json.Valid(raw)
	}
	return p.word()
}

// word reads a number, a truth value or null.
func (p *literals) word() (any, bool) {
	end := p.pos
	for end < len(p.s) && strings.IndexByte(" \t\r\n,)", p.s[end]) < 0 {
		end++
	}
	word := p.s[p.pos:end]
	p.pos = end
	switch strings.ToLower(word) {
	case "true":
		return true, true
	case "false":
		return false, true
	case "none", "null":
		return nil, true
	}
	n, err := strconv.ParseInt(word, 10, 64)
	return n, err == nil
}

// quoted reads a string in the quotes of JSON and Python; an unknown escape
// stands for itself, as in Python.
func (p *literals) quoted(quote byte) (any, bool) {
	var b strings.Builder
	for i := p.pos + 1; i < len(p.s); i++ {
		switch c := p.s[i]; c {
		case quote:
			p.pos = i + 1
			return b.String(), true
		case '\n':
			return nil, false
		case '\\':
			i += p.escape(&b, i+1)
		default:
			b.WriteByte(c)
		}
	}
	return nil, false
}

// escape writes what the escape at i, behind its backslash, stands for and
// returns how many bytes it takes.
func (p *literals) escape(b *strings.Builder, i int) int {
	if i >= len(p.s) {
		return 1
	}
	switch c := p.s[i]; c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case '\\', '"', '\'', '/':
		b.WriteByte(c)
	case 'u':
		if i+5 <= len(p.s) {
			if n, err := strconv.ParseUint(p.s[i+1:i+5], 16, 32); err == nil && utf8.ValidRune(rune(n)) {
				b.WriteRune(rune(n))
				return 5
			}
		}
		b.WriteString(`\u`)
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
	return 1
}
