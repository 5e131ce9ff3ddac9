package syntax

import "strings"

// lexis is how the scanner of lines reads a language.
type lexis struct {
	style *style
	// brackets tells that (), [] and {} outside of comments and strings come
	// in pairs, and that the scanner knows them from others.
	brackets bool
	// indents tells that blocks are told by indentation, as in Python.
	indents bool
	// ends tells that a line with "end" closes a block.
	ends bool
	// patterns tells that a / may begin a regular expression.
	patterns bool
	// directives tells that lines that begin with # are a preprocessor's.
	directives bool
	// raw is what a raw string begins with: `r"` as in Rust, where signs may
	// stand between the two, or `R"` as in C++.
	raw string
}

// masked is a text without what is in its comments and strings.
type masked struct {
	// code has the length and the line breaks of the text; its comments are
	// blanks and its strings are quotes.
	code []byte
	// comments are the comments, in order.
	comments []Span
	// wide are the strings of more than one line, in order.
	wide []Span
}

// mask reads a text once.
func mask(l *lexis, text string) masked {
	m := masked{code: []byte(text)}
	s := newScanner(l.style, text)
	noRaw := false
	for s.pos < len(text) {
		at := s.pos
		if !s.stop[text[at]] {
			s.pos++
			continue
		}
		if end := s.commentEnd(at); end >= 0 {
			s.pos = end
			m.blank(at, end, ' ')
			m.comments = append(m.comments, Span{at, at + len(strings.TrimRight(text[at:end], "\r\n"))})
			continue
		}
		end := 0
		switch {
		case l.raw != "" && !noRaw && text[at] == '"' && beginsRaw(l.raw, text, at):
			if end = rawEnd(l.raw, text, at); end < 0 {
				noRaw = true // nor will another be looked for: the walk stays linear
			}
		case l.patterns && text[at] == '/' && beginsPattern(m.code, at):
			end = patternEnd(text, at)
		}
		if end <= at {
			end = s.stringEnd(at)
		}
		if s.pos = end; end > at+1 {
			m.blank(at, end, '"')
			if strings.IndexByte(text[at:end], '\n') >= 0 {
				m.wide = append(m.wide, Span{at, end})
			}
		}
	}
	return m
}

// blank overwrites what is not a line break.
func (m *masked) blank(start, end int, with byte) {
	for i := start; i < end; i++ {
		if m.code[i] != '\n' && m.code[i] != '\r' {
			m.code[i] = with
		}
	}
}

// beginsRaw reports whether the quote at the offset begins a raw string.
func beginsRaw(raw, text string, at int) bool {
	i := at
	if raw[0] == 'r' {
		for i > 0 && text[i-1] == '#' {
			i--
		}
	}
	return i > 0 && text[i-1] == raw[0]
}

// rawEnd returns the offset after the raw string with its quote at the offset,
// or -1.
func rawEnd(raw, text string, at int) int {
	from := at + 1
	var close string
	if raw[0] == 'r' {
		i := at
		for i > 0 && text[i-1] == '#' {
			i--
		}
		close = `"` + text[i:at]
	} else {
		const longest = 16
		n := strings.IndexByte(text[from:min(len(text), from+longest+1)], '(')
		if n < 0 {
			return -1
		}
		close = ")" + text[from:from+n] + `"`
		from += n + 1
	}
	if n := strings.Index(text[from:], close); n >= 0 {
		return from + n + len(close)
	}
	return -1
}

// beginsPattern reports whether a / at the offset begins a regular expression,
// by what stands before it: an operand is divided.
func beginsPattern(code []byte, at int) bool {
	i := at
	for i > 0 && (code[i-1] == ' ' || code[i-1] == '\t') {
		i--
	}
	if i == 0 || code[i-1] == '\n' {
		return true
	}
	if strings.IndexByte("(,=:[!&|?{};+*~^%>", code[i-1]) >= 0 {
		return true
	}
	end := i
	for i > 0 && inName(rune(code[i-1])) {
		i--
	}
	switch string(code[i:end]) {
	case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await", "yield":
		return true
	}
	return false
}

// patternEnd returns the offset after the regular expression at the offset, or
// -1 when it does not end on its line.
func patternEnd(text string, at int) int {
	class := false
	for i := at + 1; i < len(text) && text[i] != '\n'; i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i + 1
		}
	}
	return -1
}
