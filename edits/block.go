package edits

// Block is one edit as a reply asks for it.
type Block struct {
	Index   int    // position among the reply's blocks, from 0
	Path    string // as written, cleaned of markup; "" when none was given
	Search  string // lines to find, with their endings; "" creates or fills
	Replace string // lines to put there
	Line    int    // line of the reply where the block starts, one-based
	Hint    int    // one-based line of the file where Search should be; 0 none
}

// Reply is a parsed reply.
type Reply struct {
	Blocks   []Block
	Problems []Refusal // blocks that could not be read
	Prose    string    // the text outside blocks
}

// Parse reads a whole reply.
func Parse(reply string) Reply { panic("todo") }

// Parser reads a reply as it arrives. The zero value is ready.
type Parser struct{}

// Feed takes the next piece and returns the blocks it completed.
func (p *Parser) Feed(chunk string) []Block { panic("todo") }

// Finish ends the reply and returns all of it.
func (p *Parser) Finish() Reply { panic("todo") }
