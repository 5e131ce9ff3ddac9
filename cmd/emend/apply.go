package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"emend/edits"
	"emend/internal/workspace"
)

// maxReply bounds what `emend apply` reads.
const maxReply = 64 << 20

func (a *app) applyCommand() *cobra.Command {
	var check, asJSON bool
	c := &cobra.Command{
		Use: "apply [FILE]", Short: "apply a reply with SEARCH/REPLACE blocks, or a unified diff, to the tree",
		Long: "Reads FILE or stdin. Either all of it is applied or nothing is: then the exit code is 1,\nand each block that was refused has its reason on stderr.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.apply(c.Context(), args, check, asJSON) },
	}
	c.Flags().BoolVar(&check, "check", false, "only say what would happen")
	c.Flags().BoolVar(&asJSON, "json", false, "print a result for each block")
	return c
}

// apply applies a reply to the tree, all or nothing.
func (a *app) apply(ctx context.Context, args []string, check, asJSON bool) error {
	reply, err := a.readReply(args)
	if err != nil {
		return err
	}
	root, err := a.findRoot()
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
	if asJSON {
		a.printResults(results, refused)
	}
	if len(refused) > 0 {
		for _, r := range refused {
			a.complain(r)
		}
		return &exitError{exitFailed, fmt.Errorf("nothing was written: %d of %d blocks refused", len(refused), len(parsed.Blocks)+len(parsed.Problems))}
	}
	if err := intoDraft(ctx, draft, results); err != nil {
		return err
	}
	return a.writeDraft(draft, roots, check, asJSON)
}

func (a *app) readReply(args []string) (string, error) {
	in := a.in
	if len(args) > 0 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return "", &exitError{exitUsage, err}
		}
		defer closeQuietly(f)
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxReply+1))
	if err != nil {
		return "", fmt.Errorf("reading the reply: %w", err)
	}
	if len(data) > maxReply {
		return "", fmt.Errorf("the reply is over %d MB", maxReply>>20)
	}
	return string(data), nil
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

// intoDraft puts the results into a draft.
func intoDraft(ctx context.Context, draft *workspace.Draft, results []edits.FileResult) error {
	for _, fr := range results {
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
		if err == nil && fr.MovedTo != "" {
			var to workspace.Path
			if to, err = draft.Snapshot().Resolve(fr.MovedTo); err == nil {
				err = draft.Rename(ctx, path, to)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", fr.Path, err)
		}
	}
	return nil
}

// writeDraft writes what a draft changed. All files are looked at before the
// first is written.
func (a *app) writeDraft(draft *workspace.Draft, roots workspace.Roots, check, quiet bool) error {
	word := "changed"
	if check {
		word = "would change"
	}
	for _, ch := range draft.Changes() {
		path := ch.Path
		if !check {
			if err := roots.Write(path, ch.Before, ch.After); err != nil {
				return err
			}
		}
		if !quiet {
			a.printf("%s %s\n", word, roots.Rel(path))
		}
	}
	return nil
}

// printResults prints one JSON object a block.
func (a *app) printResults(results []edits.FileResult, refused []edits.Refusal) {
	type row struct {
		Block   int        `json:"block"`
		Path    string     `json:"path"`
		Applied bool       `json:"applied"`
		Tier    edits.Tier `json:"tier,omitempty"`
		Line    int        `json:"line,omitempty"`
		Code    edits.Code `json:"code,omitempty"`
		Message string     `json:"message,omitempty"`
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	put := func(r row) {
		if err := enc.Encode(r); err != nil {
			a.complain(err)
		}
	}
	for _, fr := range results {
		for _, ap := range fr.Applied {
			put(row{Block: ap.Block, Path: fr.Path, Applied: len(refused) == 0, Tier: ap.Tier, Line: ap.Line})
		}
	}
	for _, r := range refused {
		put(row{Block: r.Block, Path: r.Path, Code: r.Code, Message: r.Message})
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
