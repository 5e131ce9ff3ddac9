package edits

// Options are choices for applying blocks. The zero value is the safe one.
type Options struct {
	Partial    bool // keep good blocks of a file when others are refused
	ReplaceAll bool // a search that hits several places replaces them all
	Fuzzy      bool // allow the similarity tier; its results are marked
}

// Tier names how a block was matched.
type Tier string

// Applied tells where and how a block was applied.
type Applied struct {
	Block int
	Tier  Tier
	Line  int // one-based first line in the text before
}

// Result is what became of one file's blocks.
type Result struct {
	After   string
	Edits   Set // Before to After, minimal
	Applied []Applied
	Refused []Refusal
}

// ApplyBlocks applies the blocks of one file.
func ApplyBlocks(path, before string, exists bool, blocks []Block, opt Options) Result { panic("todo") }

// Files is what a reply's paths are resolved against.
type Files interface {
	Known() []string
	Read(path string) (text string, exists bool, err error)
}

// FileResult is what a reply does to one file.
type FileResult struct {
	Path          string
	Existed       bool
	Before, After string
	Result
}

// ApplyReply applies a reply to files.
func ApplyReply(r Reply, files Files, current string, opt Options) []FileResult { panic("todo") }
