package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"emend/edits"
)

// batchCase is one case of `emend apply --batch`: a file before, and a reply or
// pairs of strings to apply to it. Other fields are ignored.
type batchCase struct {
	ID         string   `json:"id"`
	Kind       string   `json:"kind"` // apply, multi: the text after; parse, stream: the blocks
	Original   *string  `json:"original"`
	Response   *string  `json:"response"`
	Search     *string  `json:"search"`
	Replace    *string  `json:"replace"`
	ReplaceAll bool     `json:"replace_all"`
	File       string   `json:"file"`
	Known      []string `json:"valid_fnames"`
	Edits      []struct {
		Search     string `json:"search"`
		Replace    string `json:"replace"`
		ReplaceAll bool   `json:"replace_all"`
	} `json:"edits"`
	Stream *struct {
		Final *bool `json:"final"`
	} `json:"stream"`
}

// batchAnswer is what a case came to: exactly one of Text, Edits and Refused.
type batchAnswer struct {
	ID      string        `json:"id"`
	Text    *string       `json:"text,omitempty"`
	Edits   *[][3]string  `json:"edits,omitempty"`
	Refused *batchRefusal `json:"refused,omitempty"`
}

type batchRefusal struct {
	Code    edits.Code `json:"code"`
	Message string     `json:"message"`
}

// batch answers one JSON object for each line of a file of cases. Nothing on
// disk is read or written for them.
func (a *app) batch(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer closeQuietly(f)
	in, out := bufio.NewReaderSize(f, 1<<20), json.NewEncoder(a.out)
	out.SetEscapeHTML(false)
	for line := 1; ; line++ {
		raw, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		if len(raw) > 1 {
			var c batchCase
			if bad := json.Unmarshal(raw, &c); bad != nil {
				return &exitError{exitUsage, fmt.Errorf("%s:%d: %w", name, line, bad)}
			}
			if bad := out.Encode(c.answer()); bad != nil {
				return fmt.Errorf("writing an answer: %w", bad)
			}
		}
		if err != nil {
			return nil
		}
	}
}

// known is the names the case's reply may mean.
func (c batchCase) known() []string {
	if len(c.Known) > 0 || c.Original == nil {
		return c.Known
	}
	return []string{c.file()}
}

func (c batchCase) file() string {
	if c.File == "" {
		return "file.txt"
	}
	return c.File
}

func (c batchCase) answer() batchAnswer {
	if c.Kind == "parse" || c.Kind == "stream" {
		return c.parsed()
	}
	return c.applied()
}

// parsed answers with the blocks of a reply.
func (c batchCase) parsed() batchAnswer {
	out := batchAnswer{ID: c.ID}
	reply := c.reply()
	if c.Stream != nil && c.Stream.Final != nil && !*c.Stream.Final && c.Response != nil {
		var p edits.Parser // what is complete so far, and no word on the rest
		reply = edits.Reply{Blocks: p.Feed(*c.Response)}
	}
	if len(reply.Problems) > 0 {
		out.refuse(reply.Problems[0])
		return out
	}
	triples := [][3]string{}
	for _, b := range reply.Named(batchFiles{c}, c.File) {
		if b.Path == "" {
			out.refuse(edits.Refusal{Block: b.Index, Line: b.Line, Code: edits.UnknownFile, Message: "the block names no file"})
			return out
		}
		triples = append(triples, [3]string{b.Path, b.Search, b.Replace})
	}
	out.Edits = &triples
	return out
}

// applied answers with the file after.
func (c batchCase) applied() batchAnswer {
	out := batchAnswer{ID: c.ID}
	results := edits.ApplyReply(c.reply(), batchFiles{c}, c.File, edits.Options{})
	if len(results) == 0 {
		out.refuse(edits.Refusal{Block: -1, Code: edits.Malformed, Message: "there is no block and no diff in this text"})
		return out
	}
	text := ""
	if c.Original != nil {
		text = *c.Original
	}
	for _, fr := range results {
		if len(fr.Refused) > 0 {
			out.refuse(fr.Refused[0])
			return out
		}
		if fr.Path != c.file() {
			out.refuse(edits.Refusal{Block: -1, Path: fr.Path, Code: edits.UnknownFile, Message: "the reply changes " + fr.Path + ", and the case is about " + c.file()})
			return out
		}
		text = fr.After
	}
	out.Text = &text
	return out
}

// reply is the case's reply, or what its pairs of strings amount to.
func (c batchCase) reply() edits.Reply {
	switch {
	case c.Response != nil:
		return edits.Parse(*c.Response)
	case c.Edits != nil:
		var r edits.Reply
		for i, e := range c.Edits {
			r.Blocks = append(r.Blocks, edits.Block{Index: i, Path: c.file(), Search: e.Search, Replace: e.Replace, Text: true, All: e.ReplaceAll})
		}
		return r
	case c.Search != nil && c.Replace != nil:
		return edits.Reply{Blocks: []edits.Block{{Path: c.file(), Search: *c.Search, Replace: *c.Replace, Text: true, All: c.ReplaceAll}}}
	default:
		return edits.Reply{}
	}
}

func (b *batchAnswer) refuse(r edits.Refusal) {
	b.Refused = &batchRefusal{Code: r.Code, Message: r.Error()}
}

// batchFiles is the one file of a case.
type batchFiles struct{ c batchCase }

// Known returns the names the reply may mean.
func (f batchFiles) Known() []string { return f.c.known() }

// Read returns the file's text before.
func (f batchFiles) Read(name string) (text string, exists bool, err error) {
	if f.c.Original == nil || name != f.c.file() {
		return "", false, nil
	}
	return *f.c.Original, true, nil
}
