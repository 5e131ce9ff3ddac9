package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"emend/edits"
	"emend/internal/workspace"
)

// maxReply bounds what `emend apply` reads.
const maxReply = 64 << 20

func (a *app) applyCommand() *cobra.Command {
	var check, asJSON bool
	var batch string
	c := &cobra.Command{
		Use: "apply [FILE]", Short: "apply a reply with SEARCH/REPLACE blocks, or a unified diff, to the tree",
		Long: "Reads FILE or stdin. Either all of it is applied or nothing is: then the exit code is 1,\nand each block that was refused has its reason on stderr.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if batch != "" {
				return a.batch(batch)
			}
			return a.apply(c.Context(), args, check, asJSON)
		},
	}
	c.Flags().BoolVar(&check, "check", false, "only say what would happen")
	c.Flags().BoolVar(&asJSON, "json", false, "print a result for each block")
	c.Flags().StringVar(&batch, "batch", "", "answer the cases of this file, a JSON object a line; nothing is written")
	return c
}

// apply applies a reply to the tree, all or nothing.
func (a *app) apply(ctx context.Context, args []string, check, asJSON bool) error {
	root, err := a.findRoot()
	if err != nil {
		return err
	}
	reply, err := a.readReply(ctx, args)
	if err != nil {
		return err
	}
	parsed := edits.Parse(reply)
	if len(parsed.Blocks)+len(parsed.Problems) == 0 {
		return &exitError{exitFailed, errors.New("there is no SEARCH/REPLACE block and no diff in this text")}
	}
	roots := workspace.NewRoots(root)
	draft := workspace.NewDraft(workspace.NewSnapshot(roots, workspace.Disk(nil)))
	results := edits.ApplyReply(parsed, draftFiles{ctx, draft}, "", edits.Options{})
	refused := refusals(parsed, results)
	if len(refused) == 0 {
		refused = intoDraft(ctx, draft, parsed, results)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	changes := draft.Changes()
	var failed error
	if len(refused) == 0 && !check {
		failed = roots.WriteAll(ctx, changes)
	}
	if asJSON {
		a.printResults(parsed, results, refused, len(refused) == 0 && failed == nil)
	}
	switch {
	case failed != nil:
		return failed
	case len(refused) > 0:
		for _, r := range refused {
			a.complain(r)
		}
		return &exitError{exitFailed, fmt.Errorf("nothing was written: %d of %d blocks refused", len(refused), len(parsed.Blocks)+len(parsed.Problems))}
	case !asJSON:
		for _, ch := range changes {
			a.printf("%s\n", a.shown(changeLine(roots, ch, check)))
		}
	}
	return nil
}

// readReply reads the file that args name, or stdin.
func (a *app) readReply(ctx context.Context, args []string) (string, error) {
	in := a.in
	if len(args) > 0 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return "", &exitError{exitUsage, err}
		}
		defer closeQuietly(f)
		in = f
	}
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() { // outlasts an interrupt while a terminal is waited for, and ends with the process
		data, err := io.ReadAll(io.LimitReader(in, maxReply+1))
		done <- read{data, err}
	}()
	var got read
	select {
	case got = <-done:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if got.err != nil {
		return "", fmt.Errorf("reading the reply: %w", got.err)
	}
	if len(got.data) > maxReply {
		return "", fmt.Errorf("the reply is over %d MB", maxReply>>20)
	}
	return string(got.data), nil
}

// refusals is everything that was refused, each once.
func refusals(reply edits.Reply, results []edits.FileResult) []edits.Refusal {
	var out []edits.Refusal
	seen := map[edits.Refusal]bool{}
	add := func(r edits.Refusal) {
		if !seen[r] {
			seen[r] = true
			out = append(out, r)
		}
	}
	for _, fr := range results {
		for _, r := range fr.Refused {
			add(r)
		}
	}
	if len(out) == 0 {
		for _, r := range reply.Problems {
			add(r)
		}
	}
	return out
}

// intoDraft puts the results into a draft, and returns what the draft refused:
// text that no file may hold, a name that is a folder's.
func intoDraft(ctx context.Context, draft *workspace.Draft, reply edits.Reply, results []edits.FileResult) []edits.Refusal {
	var refused []edits.Refusal
	for _, fr := range results {
		err := fileIntoDraft(ctx, draft, fr)
		if err == nil {
			continue
		}
		r := edits.Refusal{Block: -1, Path: fr.Path, Code: edits.Unreadable, Message: err.Error()}
		if len(fr.Applied) > 0 {
			r.Block = fr.Applied[0].Block
		}
		for _, b := range reply.Blocks {
			if b.Index == r.Block {
				r.Line = b.Line
			}
		}
		refused = append(refused, r)
	}
	return refused
}

func fileIntoDraft(ctx context.Context, draft *workspace.Draft, fr edits.FileResult) error {
	path, err := draft.Snapshot().Resolve(fr.Path)
	if err != nil {
		return err
	}
	switch {
	case fr.Deleted:
		err = draft.Delete(ctx, path)
	case !fr.Existed || fr.After != fr.Before:
		err = draft.Write(ctx, path, fr.After)
	}
	if err != nil || fr.MovedTo == "" {
		return err
	}
	to, err := draft.Snapshot().Resolve(fr.MovedTo)
	if err != nil {
		return err
	}
	return draft.Rename(ctx, path, to)
}

// changeLine says in a line what became, or would become, of a file.
func changeLine(roots workspace.Roots, ch workspace.Change, check bool) string {
	would, name := "", roots.Rel(ch.Path)
	verb, past := "change", "changed"
	switch {
	case ch.From != "":
		verb, past, name = "rename", "renamed", roots.Rel(ch.From)+" to "+name
	case ch.Before == nil:
		verb, past = "create", "created"
	case ch.After == nil:
		verb, past = "delete", "deleted"
	}
	if check {
		would, past = "would ", verb
	}
	return would + past + " " + name
}

// blockResult is what `emend apply --json` prints of a block.
type blockResult struct {
	Block   int        `json:"block"` // from 1, as messages count
	Path    string     `json:"path"`
	Applied bool       `json:"applied"` // with --check: would be
	Tier    edits.Tier `json:"tier,omitempty"`
	Line    int        `json:"line,omitempty"` // of the file, from 1
	Code    edits.Code `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
}

// printResults prints one JSON object a block, in the order of the reply.
func (a *app) printResults(reply edits.Reply, results []edits.FileResult, refused []edits.Refusal, applied bool) {
	rows := map[int]blockResult{}
	for _, b := range reply.Blocks {
		rows[b.Index] = blockResult{Path: b.Path, Message: "not applied, because not everything could be"}
	}
	for _, fr := range results {
		for _, ap := range fr.Applied {
			row := blockResult{Path: fr.Path, Applied: applied, Tier: ap.Tier, Line: ap.Line}
			if !row.Applied {
				row.Message = rows[ap.Block].Message
			}
			rows[ap.Block] = row
		}
	}
	for _, r := range slices.Backward(refused) { // the first of a block's reasons stays
		rows[r.Block] = blockResult{Path: r.Path, Code: r.Code, Message: r.Message}
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	for _, block := range slices.Sorted(maps.Keys(rows)) {
		row := rows[block]
		row.Block = block + 1
		if err := enc.Encode(row); err != nil {
			a.complain(err)
		}
	}
}

// draftFiles is a draft as the edit engine reads it.
type draftFiles struct {
	ctx   context.Context //nolint:containedctx // the engine's interface knows no context; this lives for one call
	draft *workspace.Draft
}

// Known returns nothing: names are taken as they are written.
func (draftFiles) Known() []string { return nil }

// Read returns a file's text.
func (d draftFiles) Read(name string) (text string, exists bool, err error) {
	path, err := d.draft.Snapshot().Resolve(name)
	if err != nil {
		return "", false, err
	}
	f, err := d.draft.Read(d.ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	if f.Binary || f.NotUTF8 {
		return "", false, fmt.Errorf("%s is not UTF-8 text", name)
	}
	return f.Text, f.Exists, nil
}
