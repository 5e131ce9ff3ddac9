package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"emend/agent"
	"emend/internal/workspace"
)

// question is one that a person has not answered yet.
type question struct {
	agent.Question
	path   workspace.Path // where its actions are offered; "" everywhere
	answer chan string    // buffered by one; the first answer counts
}

// questions is what waits for a person. Each can be answered in several ways (a
// button, a command, a code action); the first answer counts.
type questions struct {
	mu  sync.Mutex // guards all
	all []*question
}

func newQuestions() *questions { return &questions{} }

func (q *questions) add(qu *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all = append(q.all, qu)
}

func (q *questions) remove(qu *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.all, qu); i >= 0 {
		q.all = slices.Delete(q.all, i, i+1)
	}
}

// waiting returns the questions nobody has answered, oldest first.
func (q *questions) waiting() []*question {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.all)
}

// find returns the question with an id. With no id there must be exactly one
// waiting: what a person did not name is never guessed.
func (q *questions) find(id string) (*question, error) {
	all := q.waiting()
	if id == "" && len(all) == 1 {
		return all[0], nil
	}
	for _, qu := range all {
		if qu.ID == id {
			return qu, nil
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing waits for an answer")
	}
	var list []string
	for _, qu := range all {
		list = append(list, fmt.Sprintf("%s: %s", qu.ID, qu.Text))
	}
	if id != "" {
		return nil, fmt.Errorf("no question %q is waiting; there are: %s", id, strings.Join(list, "; "))
	}
	return nil, fmt.Errorf("%d questions wait, name one with request=: %s", len(all), strings.Join(list, "; "))
}

// reply gives the answer to a question; a second one is dropped.
func (qu *question) reply(choice string) {
	select {
	case qu.answer <- choice:
	default:
	}
}

// denyAll answers everything with its default.
func (q *questions) denyAll() {
	for _, qu := range q.waiting() {
		qu.reply(qu.Default)
	}
}

// ask puts a question to the person by every way this client has, and waits.
// The end of ctx, an error and an answer that was not offered all mean the
// default, which permits nothing.
func (s *session) ask(ctx context.Context, aq agent.Question, path workspace.Path) agent.Answer {
	qu := &question{Question: aq, path: path, answer: make(chan string, 1)}
	s.questions.add(qu)
	defer s.questions.remove(qu)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	text := aq.Text
	if aq.Detail != "" {
		text += " " + aq.Detail
	}
	byCommand := func() {
		s.editor.warn(ctx, "%s Answer with emend.approve or emend.deny, or the code actions.", text)
	}
	if s.editor.quirks.asks {
		s.tasks.spawn("ask", func(context.Context) {
			picked, err := s.editor.choose(ctx, text, titled(aq.Options)...)
			switch {
			case ctx.Err() != nil: // answered in another way
			case err != nil:
				byCommand()
			case picked == "":
				qu.reply(aq.Default) // dismissed: whatever is not plainly a yes is a no
			default:
				qu.reply(strings.ToLower(picked))
			}
		})
	} else {
		byCommand()
	}
	choice := aq.Default
	select {
	case picked := <-qu.answer:
		if slices.Contains(aq.Options, picked) {
			choice = picked
		}
	case <-ctx.Done():
	}
	return agent.Answer{Choice: choice}
}

// titled makes button titles of options: "allow" is shown as "Allow".
func titled(options []string) []string {
	out := make([]string, len(options))
	for i, o := range options {
		out[i] = strings.ToUpper(o[:1]) + o[1:]
	}
	return out
}
