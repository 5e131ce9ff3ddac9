package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// replacement is one file to be put in the place of another; nil is no file.
type replacement struct {
	path          Path
	before, after *File
}

// WriteAll puts changes on disk, each as [Roots.Write] does. Every file is first
// compared with what its change began from; one that has changed since refuses
// all of it. If a file cannot be written in spite of that, or ctx ends, those
// written before it are put back.
func (r Roots) WriteAll(ctx context.Context, changes []Change) error {
	todo := replacements(changes)
	now := NewSnapshot(r, Disk(nil))
	for _, one := range todo {
		if err := one.check(ctx, now); err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
	}
	for i, one := range todo {
		err := ctx.Err()
		if err == nil {
			err = r.Write(one.path, one.before, one.after)
		}
		if err != nil {
			return putBack(r, todo[:i], err)
		}
	}
	return nil
}

// replacements takes changes apart: a rename is a new file and the end of
// another. What goes is last, so that nothing is lost if the machine stops in
// between; but a file in whose place a folder comes goes first.
func replacements(changes []Change) []replacement {
	var made, gone []replacement
	for _, c := range changes {
		switch {
		case c.From != "":
			made = append(made, replacement{c.Path, nil, c.After})
			gone = append(gone, replacement{c.From, c.Before, nil})
		case c.After == nil:
			gone = append(gone, replacement{c.Path, c.Before, nil})
		default:
			made = append(made, replacement{c.Path, c.Before, c.After})
		}
	}
	var first, last []replacement
	for _, g := range gone {
		below := string(g.path) + string(filepath.Separator)
		if slices.ContainsFunc(made, func(m replacement) bool { return strings.HasPrefix(string(m.path), below) }) {
			first = append(first, g)
		} else {
			last = append(last, g)
		}
	}
	return slices.Concat(first, made, last)
}

// check fails when the disk no longer holds what the replacement began from.
func (r replacement) check(ctx context.Context, now *Snapshot) error {
	f, err := now.Read(ctx, r.path)
	if err != nil {
		return err
	}
	if f.Exists != (r.before != nil) || f.Exists && (f.Binary || f.NotUTF8 || !bytes.Equal(f.Bytes(), r.before.Bytes())) {
		return &StaleError{r.path}
	}
	return nil
}

// putBack undoes replacements after a failure, and says what came of it.
func putBack(roots Roots, done []replacement, cause error) error {
	var left []string
	for _, r := range slices.Backward(done) {
		if err := roots.Write(r.path, r.after, r.before); err != nil {
			left = append(left, roots.Rel(r.path))
			cause = errors.Join(cause, err)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("only a part was written, and %s could not be put back: %w", strings.Join(left, ", "), cause)
	}
	return fmt.Errorf("nothing was written: %w", cause)
}
