package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"emend/internal/config"
	"emend/internal/workspace"
	"emend/state"
	"emend/verify"
)

// QuestionChecks asks whether a workspace's own checks may be run. Options:
// Allow, Deny.
const QuestionChecks = "checks"

// maxBroken bounds how many findings a model is told at once.
const maxBroken = 20

// ProjectChecks is the checks of a root folder: those that settings name, else
// those found from the project. It reads the folder.
func ProjectChecks(root string, settings config.Checks) []verify.Check {
	var out []verify.Check
	for _, c := range settings.Commands {
		out = append(out, verify.Check{Name: c.Name, Args: c.Args, Dir: c.Dir, Parser: c.Parser})
	}
	if len(out) > 0 {
		return out
	}
	return verify.Detect(root)
}

// checksSubject is what a grant for checks is about: their exact commands, so
// that others ask anew.
func checksSubject(checks []verify.Check) string {
	var lines []string
	for _, c := range checks {
		lines = append(lines, c.Dir+"\x00"+strings.Join(c.Args, "\x00"))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// ChecksAllowed reports whether the person has allowed exactly these checks in
// this workspace. A store that cannot say has not heard of it.
func ChecksAllowed(ctx context.Context, store *state.Store, checks []verify.Check) bool {
	var ok bool
	err := store.View(ctx, func(tx *state.Tx) error {
		var err error
		ok, err = tx.HasGrant(state.GrantChecks, checksSubject(checks))
		return err
	})
	return err == nil && ok
}

// AskChecks reports whether these checks may be run. It asks once a workspace;
// a yes is kept. A yes that cannot be kept holds for this time, and comes with
// the error.
func AskChecks(ctx context.Context, store *state.Store, root string, checks []verify.Check, ask func(Question) Answer) (bool, error) {
	if ChecksAllowed(ctx, store, checks) {
		return true, nil
	}
	var lines []string
	for _, c := range checks {
		lines = append(lines, strings.Join(c.Args, " "))
	}
	answer := ask(Question{
		ID: state.NewID("question"), Kind: QuestionChecks,
		Text:    "May emend run this workspace's checks?",
		Detail:  "They execute its code, and later that of changes before you review them (" + strings.Join(lines, "; ") + ").",
		Options: []string{Allow, Deny}, Default: Deny,
	})
	if answer.Choice != Allow {
		return false, nil
	}
	grant := &state.Grant{ID: state.NewID("grant"), Root: root, Kind: state.GrantChecks, Subject: checksSubject(checks), Created: time.Now().UTC()}
	if err := store.Update(ctx, func(tx *state.Tx) error { return tx.PutGrant(grant) }); err != nil {
		return true, fmt.Errorf("keeping the permission to run checks: %w", err)
	}
	return true, nil
}

// CheckDraft is a [Runner.Check] that runs a project's checks over the draft.
// When they find something they run over the draft's snapshot as well, since
// what was broken before the run is not its fault. Whether they may run at all
// is the caller's to ask.
func CheckDraft(ctx context.Context, root string, draft *workspace.Draft, checks []verify.Check, timeout time.Duration) (Checked, error) {
	after, err := verify.Run(ctx, verify.Request{Root: root, Draft: draft, Checks: checks, Timeout: timeout})
	if err != nil {
		return Checked{}, fmt.Errorf("checking the draft: %w", err)
	}
	out := Checked{Summary: after.Summary()}
	if len(after.Findings) == 0 {
		return out, nil
	}
	before, err := verify.Run(ctx, verify.Request{Root: root, Snapshot: draft.Snapshot(), Checks: checks, Timeout: timeout})
	if err != nil {
		return Checked{}, fmt.Errorf("checking what was there before: %w", err)
	}
	out.Broken = broken(draft.Snapshot().Roots(), before.Findings, after.Findings)
	if out.Broken == "" {
		out.Summary += "; all of it was so before"
	}
	return out, nil
}

// broken lists the findings that were not there before, for a model. Lines move
// with every change: a finding is known by what it says.
func broken(roots workspace.Roots, before, after []verify.Finding) string {
	type key struct {
		path                 workspace.Path
		check, message, test string
	}
	had := map[key]int{}
	for _, f := range before {
		had[key{f.Path, f.Check, f.Message, f.Test}]++
	}
	var lines []string
	for _, f := range after {
		k := key{f.Path, f.Check, f.Message, f.Test}
		if had[k]--; had[k] >= 0 || f.Severity == verify.Information {
			continue
		}
		line := fmt.Sprintf("%s:%d: %s", roots.Rel(f.Path), f.Line, f.Message)
		if f.Test != "" {
			line += " (" + f.Test + ")"
		}
		lines = append(lines, line)
	}
	if len(lines) > maxBroken {
		more := len(lines) - maxBroken
		lines = append(lines[:maxBroken], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}
