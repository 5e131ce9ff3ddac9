package model

// messageOverhead is what a chat template adds to a message, in tokens.
const messageOverhead = 8

// Estimate guesses how many tokens a text is, rather too many than too few. Text
// and code run at 3.5 bytes a token; a digit is a token of its own with several
// tokenizers; what is not ASCII runs at two bytes a token. It reads the text once
// and allocates nothing.
func Estimate(text string) int {
	var plain, digits, other int
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 0x80:
			other++
		case '0' <= c && c <= '9':
			digits++
		default:
			plain++
		}
	}
	return (plain*2+6)/7 + digits + (other+1)/2
}

// EstimateRequest guesses how many tokens a prompt is: messages, calls and tools
// with what the server's template puts around them.
func EstimateRequest(req Request) int {
	n := 0
	for _, m := range req.Messages {
		n += messageOverhead + Estimate(m.Content) + Estimate(m.Thinking) + Estimate(m.ToolName)
		for _, c := range m.Calls {
			n += messageOverhead + Estimate(c.Name) + Estimate(string(c.Arguments))
		}
	}
	for _, t := range req.Tools {
		n += messageOverhead + Estimate(t.Name) + Estimate(t.Description) + Estimate(string(t.Schema))
	}
	return n
}
