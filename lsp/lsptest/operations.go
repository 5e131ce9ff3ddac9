package lsptest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// applyOperation does one file operation.
func (e *Editor) applyOperation(c *change) (changed bool, failed *outcome) {
	name := filePath(c.uri)
	if name == "" {
		return false, &outcome{reply: e.how.Edits.Failure, reason: c.uri + " is not a file"}
	}
	var err error
	switch c.kind {
	case "create":
		return e.create(c, name)
	case "rename":
		changed, err = e.rename(c, name)
	case "delete":
		changed, err = e.remove(c, name)
	}
	if err != nil {
		return changed, &outcome{reply: e.how.Edits.Failure, reason: err.Error()}
	}
	return changed, nil
}

// create makes an empty file; what it does to one that exists is where
// editors differ most.
func (e *Editor) create(c *change, name string) (changed bool, failed *outcome) {
	how := e.how.Edits
	_, err := os.Lstat(name)
	exists := err == nil
	ignore := c.options.IgnoreIfExists && !c.options.Overwrite
	if exists && !c.options.Overwrite && !ignore {
		e.violate("a create of %s, which exists, without ignoreIfExists", c.uri)
	}
	if !c.hasOptions {
		e.violate("a create of %s without options", c.uri)
	}
	switch {
	case exists && ignore:
		return false, nil
	case ignore && how.IgnoreSkipsDisk:
		return false, nil // the buffer the edits go to is all there will be
	case exists && !c.options.Overwrite && how.CreateExisting == "keep":
		return false, nil
	case exists && !c.options.Overwrite && how.CreateExisting != "truncate":
		return false, &outcome{reply: how.CreateExisting, reason: c.uri + " already exists"}
	}
	if err := writeFile(name, "", how.CreateFolders); err != nil {
		return false, &outcome{reply: how.Failure, reason: err.Error()}
	}
	e.watched(c.uri, fileCreated)
	return true, nil
}

func (e *Editor) rename(c *change, from string) (changed bool, err error) {
	to := filePath(c.newURI)
	if to == "" {
		return false, fmt.Errorf("%s is not a file", c.newURI)
	}
	if _, err := os.Lstat(to); err == nil && !c.options.Overwrite {
		if c.options.IgnoreIfExists {
			return false, nil
		}
		e.violate("a rename to %s, which exists, without options", c.newURI)
		return false, fmt.Errorf("renaming to %s: %w", to, fs.ErrExist)
	}
	if e.how.Edits.CreateFolders {
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return false, fmt.Errorf("making the folder of a renamed file: %w", err)
		}
	}
	if err := os.Rename(from, to); err != nil {
		return false, fmt.Errorf("renaming in the editor: %w", err)
	}
	e.watched(c.uri, fileDeleted)
	e.watched(c.newURI, fileCreated)
	b := e.buffers[from]
	if b == nil {
		return true, nil
	}
	announced := b.open
	if err := e.forget(b); err != nil {
		return true, err
	}
	b.uri, b.language = fileURI(to, e.how.Documents.EscapeURI), languageOf(to)
	e.buffers[to] = b
	if announced {
		return true, e.announce(b)
	}
	return true, nil
}

func (e *Editor) remove(c *change, name string) (changed bool, err error) {
	info, err := os.Lstat(name)
	if err != nil {
		if c.options.IgnoreIfNotExists {
			return false, nil
		}
		return false, fmt.Errorf("deleting in the editor: %w", err)
	}
	if info.IsDir() && c.options.Recursive {
		err = os.RemoveAll(name)
	} else {
		err = os.Remove(name)
	}
	if err != nil {
		return false, fmt.Errorf("deleting in the editor: %w", err)
	}
	e.watched(c.uri, fileDeleted)
	if b := e.buffers[name]; b != nil {
		if e.how.Edits.DeleteCloses {
			return true, e.forget(b)
		}
		b.onDisk = false
	}
	return true, nil
}
