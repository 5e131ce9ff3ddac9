package lsp

import (
	"context"
	"slices"
)

// command is one that executeCommand understands.
type command struct {
	name    string
	main    string   // the argument that a plain first string gives; "" none
	accepts []string // every name it takes, main included
	// run answers at once; what takes time becomes a job.
	run func(s *session, ctx context.Context, args *arguments) (any, error)
}

// place is the names by which a command takes where it works.
var place = []string{"uri", "textDocument", "range", "line", "version"}

// part is the names by which a command takes a piece of a proposal.
var part = []string{"proposal", "file", "hunk"}

// commands is every command emend offers. docs/protocol.md says the same to
// people; a test holds the two together.
var commands = []command{
	{"emend.run", "instruction", with(place, "instruction", "prompt", "mode", "include", "approval", "model", "fresh", "directive"), (*session).commandRun},
	{"emend.ask", "instruction", with(place, "instruction", "prompt", "include", "model"), (*session).commandAsk},
	{"emend.fix", "instruction", with(place, "instruction", "prompt", "diagnostics", "approval", "model", "fresh"), (*session).commandFix},
	{"emend.directive", "", with(place, "lines"), (*session).commandDirective},
	{"emend.verify", "checks", []string{"checks"}, (*session).commandVerify},
	{"emend.review", "proposal", part, (*session).commandReview},
	{"emend.apply", "proposal", part, (*session).commandApply},
	{"emend.discard", "proposal", part, (*session).commandDiscard},
	{"emend.show", "proposal", part, (*session).commandShow},
	{"emend.approve", "request", []string{"request", "scope"}, (*session).commandApprove},
	{"emend.deny", "request", []string{"request", "scope"}, (*session).commandDeny},
	{"emend.cancel", "run", []string{"run"}, (*session).commandCancel},
	{"emend.undo", "run", []string{"run", "checkpoint", "files"}, (*session).commandUndo},
	{"emend.checkpoints", "", nil, (*session).commandCheckpoints},
	{"emend.status", "", nil, (*session).commandStatus},
	{"emend.reload", "", nil, (*session).commandReload},
}

func with(names []string, more ...string) []string { return slices.Concat(names, more) }

// commandNames lists the commands for the client.
func commandNames() []string {
	var out []string
	for _, c := range commands {
		out = append(out, c.name)
	}
	return out
}

// findCommand returns the command with a name.
func findCommand(name string) (command, bool) {
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if i < 0 {
		return command{}, false
	}
	return commands[i], true
}
