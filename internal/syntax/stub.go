package syntax

type Directive struct {
	Start, End  int
	Instruction string
	Line        int
	Alone       bool
}

func Directives(language, text string) []Directive { panic("todo") }

func CommentLeader(language, filename string) (open, close string, ok bool) { panic("todo") }
