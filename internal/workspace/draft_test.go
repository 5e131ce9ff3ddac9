package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"emend/edits"

	"pgregory.net/rapid"
)

// draftOver makes a root with these files and a draft over it.
func draftOver(t *testing.T, docs *Documents, files map[string]string) (*Draft, func(name string) Path) {
	t.Helper()
	dir := string(Key(t.TempDir()))
	for name, data := range files {
		write(t, dir, name, data)
	}
	at := func(name string) Path { return Path(filepath.Join(dir, filepath.FromSlash(name))) }
	return NewDraft(NewSnapshot(NewRoots(dir), Disk(docs))), at
}

func TestDraftKeepsForm(t *testing.T) {
	for _, tt := range []struct{ name, before, write, want string }{
		{"lf", "a\nb\n", "a\nc\n", "a\nc\n"},
		{"lf takes crlf as given", "a\nb\n", "a\r\nc\r\n", "a\r\nc\r\n"},
		{"crlf", "a\r\nb\r\n", "a\nc\nd", "a\r\nc\r\nd"},
		{"crlf given crlf", "a\r\n", "a\r\nb\n", "a\r\nb\r\n"},
		{"crlf and lone cr", "a\r\n", "x\ry\n", "x\ry\r\n"},
		{"mixed", "a\r\nb\n", "a\r\nc\n", "a\r\nc\n"},
		{"no line ends", "a", "a\nb\n", "a\nb\n"},
		{"bom", "\ufeffa\n", "b\n", "\ufeffb\n"},
		{"bom given", "\ufeffa\n", "\ufeffb\n", "\ufeffb\n"},
		{"no bom, given one", "a\n", "\ufeffb\n", "b\n"},
		{"bom and crlf", "\ufeffa\r\n", "b\n", "\ufeffb\r\n"},
		{"empty", "", "a\n", "a\n"},
		{"new with bom", "-", "\ufeffa\r\n", "\ufeffa\r\n"},
		{"to nothing", "a\r\n", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"f": tt.before}
			if tt.before == "-" {
				files = nil
			}
			d, at := draftOver(t, nil, files)
			must(t, d.Write(t.Context(), at("f"), tt.write))
			f, err := d.Read(t.Context(), at("f"))
			must(t, err)
			if string(f.Bytes()) != tt.want || f.Hash != hashText(f.BOM, f.Text) {
				t.Errorf("got %q, want %q", f.Bytes(), tt.want)
			}
			orig, err := d.Snapshot().Read(t.Context(), at("f"))
			must(t, err)
			if f.Mode != orig.Mode {
				t.Errorf("mode %v became %v", orig.Mode, f.Mode)
			}
			// Emptied or made anew, it is still the same kind of file.
			if files != nil {
				must(t, d.Delete(t.Context(), at("f")))
			}
			must(t, d.Write(t.Context(), at("f"), tt.write))
			if f, err = d.Read(t.Context(), at("f")); err != nil || string(f.Bytes()) != tt.want {
				t.Errorf("after delete: got %q, want %q (%v)", f.Bytes(), tt.want, err)
			}
		})
	}
}

func TestDraftRefuses(t *testing.T) {
	r, dir, outside := jail(t)
	bin, latin := write(t, dir, "bin", "\x00"), write(t, dir, "latin", "\xe9")
	var docs Documents
	docs.Open(Document{Path: "untitled:1", Text: edits.NewText("x")})
	docs.Open(Document{Path: Path(filepath.Join(outside, "secret.txt")), Text: edits.NewText("x")})
	at := func(name string) Path { return Path(filepath.Join(dir, filepath.FromSlash(name))) }
	d := NewDraft(NewSnapshot(r, Disk(&docs)))
	ctx := t.Context()
	var out *OutsideError
	for _, p := range []Path{
		"", "rel", "untitled:2", at(".git/hooks/pre-commit"), at(".emend/config.toml"), at("outdir/x"), at("dangling"), at("../x"),
		Path(filepath.Join(outside, "secret.txt")), Path(filepath.Join(outside, "new")), at("insub/b.go"), Path(dir + "/sub/../a.go"),
	} {
		for op, err := range map[string]error{
			"write": d.Write(ctx, p, "x"), "delete": d.Delete(ctx, p), "rename": d.Rename(ctx, p, at("n")), "rename to": d.Rename(ctx, at("a.go"), p),
		} {
			if !errors.As(err, &out) {
				t.Errorf("%s %q: %v", op, p, err)
			}
		}
	}
	var binary *BinaryError
	var encoding *EncodingError
	var large *TooLargeError
	for name, err := range map[string]error{
		"write": d.Write(ctx, bin, "x"), "delete": d.Delete(ctx, bin), "rename": d.Rename(ctx, bin, at("n")), "NUL": d.Write(ctx, at("a.go"), "\x00"),
	} {
		if !errors.As(err, &binary) {
			t.Errorf("%s binary: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"write": d.Write(ctx, latin, "x"), "delete": d.Delete(ctx, latin), "rename": d.Rename(ctx, latin, at("n")), "text": d.Write(ctx, at("a.go"), "\xe9"),
	} {
		if !errors.As(err, &encoding) {
			t.Errorf("%s latin: %v", name, err)
		}
	}
	if err := d.Write(ctx, at("n"), strings.Repeat("x", MaxFileSize+1)); !errors.As(err, &large) {
		t.Errorf("large: %v", err)
	}
	for name, err := range map[string]error{
		"delete missing": d.Delete(ctx, at("none")), "rename missing": d.Rename(ctx, at("none"), at("n")),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := d.Rename(ctx, at("a.go"), at("sub/b.go")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("rename over a file: %v", err)
	}
	if err := d.Write(ctx, at("sub"), "x"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("write over a folder: %v", err)
	}
	if err := d.Write(ctx, at("a.go/x/y"), "x"); err == nil {
		t.Error("wrote below a file")
	}
	if c := d.Changes(); len(c) != 0 {
		t.Errorf("refusals changed %+v", c)
	}
	must(t, d.Write(ctx, at("new/deep/x"), "x"))
	if err := d.Write(ctx, at("new/deep"), "x"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("write over a folder of the draft: %v", err)
	}
	if err := d.Write(ctx, at("new/deep/x/y"), "x"); err == nil {
		t.Error("wrote below a file of the draft")
	}
	must(t, d.Write(ctx, "untitled:1", "y"))
	if err := d.Delete(ctx, "untitled:1"); !errors.As(err, &out) {
		t.Errorf("deleted a document without a file: %v", err)
	}
}

func TestDraftWithoutRoots(t *testing.T) {
	dir := string(Key(t.TempDir()))
	p, q := write(t, dir, "a.txt", "disk\n"), write(t, dir, "b.txt", "disk\n")
	var docs Documents
	docs.Open(Document{Path: p, Version: 4, Text: edits.NewText("open\n")})
	d := NewDraft(NewSnapshot(Roots{}, Disk(&docs)))
	must(t, d.Write(t.Context(), p, "changed\n"))
	if err := d.Write(t.Context(), q, "x"); err == nil {
		t.Error("wrote what is not open")
	}
	c := d.Changes()
	if len(c) != 1 || c[0].Before.Text != "open\n" || c[0].After.Text != "changed\n" || c[0].After.Version != 4 || !c[0].After.Open {
		t.Errorf("got %+v", c)
	}
}

func TestChanges(t *testing.T) {
	files := map[string]string{"a": "a\n", "b": "b\n", "c": "c\n"}
	for _, tt := range []struct{ name, steps, want string }{
		{"nothing", "", ""},
		{"edit", "w a x", "a: a→x"},
		{"edit and back", "w a x; w a a", ""},
		{"create", "w n x", "n: -→x"},
		{"create and delete", "w n x; d n", ""},
		{"delete", "d a", "a: a→-"},
		{"delete and restore", "d a; w a a", ""},
		{"delete and remake", "d a; w a x", "a: a→x"},
		{"rename", "r a n", "n: a→a from a"},
		{"rename and edit", "r a n; w n x", "n: a→x from a"},
		{"edit and rename", "w a x; r a n", "n: a→x from a"},
		{"rename twice", "r a n; r n m", "m: a→a from a"},
		{"rename and back", "r a n; r n a", ""},
		{"rename, back and edit", "r a n; r n a; w a x", "a: a→x"},
		{"rename and delete", "r a n; d n", "a: a→-"},
		{"rename and remake source", "r a n; w a x", "a: a→x, n: -→a"},
		{"rename onto deleted", "d b; r a b", "a: a→-, b: b→a"},
		{"swap", "r a t; r b a; r t b", "a: a→b, b: b→a"},
		{"rename a new file", "w n x; r n m", "m: -→x"},
		{"rename, remake, rename again", "r a n; w a x; r a m", "m: -→x, n: a→a from a"},
		{"several", "w c x; d a; w z y", "a: a→-, c: c→x, z: -→y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, at := draftOver(t, nil, files)
			for step := range strings.SplitSeq(tt.steps, "; ") {
				w := append(strings.Fields(step), "", "", "")
				switch w[0] {
				case "w":
					must(t, d.Write(t.Context(), at(w[1]), w[2]+"\n"))
				case "d":
					must(t, d.Delete(t.Context(), at(w[1])))
				case "r":
					must(t, d.Rename(t.Context(), at(w[1]), at(w[2])))
				}
			}
			show := func(f *File) string {
				if f == nil {
					return "-"
				}
				return strings.TrimSuffix(f.Text, "\n")
			}
			var got []string
			for _, c := range d.Changes() {
				s := c.Path.Base() + ": " + show(c.Before) + "→" + show(c.After)
				if c.From != "" {
					s += " from " + c.From.Base()
				}
				got = append(got, s)
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("got  %s\nwant %s", s, tt.want)
			}
		})
	}
}

// TestDraftAgainstMap runs random drafts against a plain map, and checks that
// the changes lead from the snapshot to the draft.
func TestDraftAgainstMap(t *testing.T) {
	names := []string{"a", "b", "c", "d/e", "d/f"}
	start := map[string]string{"a": "1", "b": "2", "d/e": "3"}
	dir := string(Key(t.TempDir()))
	for name, text := range start {
		write(t, dir, name, text)
	}
	at := func(name string) Path { return Path(filepath.Join(dir, filepath.FromSlash(name))) }
	snap := NewSnapshot(NewRoots(dir), Disk(nil))
	rapid.Check(t, func(rt *rapid.T) {
		d := NewDraft(snap)
		model := maps.Clone(start)
		name := rapid.SampledFrom(names)
		for range rapid.IntRange(0, 12).Draw(rt, "steps") {
			n, m := name.Draw(rt, "name"), name.Draw(rt, "other")
			_, has := model[n]
			_, hasOther := model[m]
			var err error
			ok := has
			switch rapid.IntRange(0, 2).Draw(rt, "step") {
			case 0:
				model[n] = rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(rt, "text")
				err, ok = d.Write(t.Context(), at(n), model[n]), true
			case 1:
				err = d.Delete(t.Context(), at(n))
				delete(model, n)
			case 2:
				err = d.Rename(t.Context(), at(n), at(m))
				if ok = has && !hasOther; ok {
					model[m] = model[n]
					delete(model, n)
				}
			}
			if (err == nil) != ok {
				rt.Fatalf("%v, want success %v", err, ok)
			}
		}
		result := maps.Clone(start)
		for _, c := range d.Changes() {
			if c.From != "" {
				delete(result, d.snap.roots.Rel(c.From))
			}
			delete(result, d.snap.roots.Rel(c.Path))
		}
		for _, c := range d.Changes() {
			if c.After != nil {
				result[d.snap.roots.Rel(c.Path)] = c.After.Text
			}
		}
		if !maps.Equal(result, model) {
			rt.Fatalf("changes give %v, want %v", result, model)
		}
		for _, n := range names {
			f, err := d.Read(t.Context(), at(n))
			if text, has := model[n]; err != nil || f.Exists != has || f.Text != text || f.Path != at(n) {
				rt.Fatalf("%s is %+v, want %q (%v)", n, f, text, err)
			}
		}
	})
}

func TestDraftConcurrently(t *testing.T) {
	d, at := draftOver(t, nil, map[string]string{"a": "0\n"})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 20 {
				if err := d.Write(t.Context(), at(fmt.Sprint("f", i)), fmt.Sprint(j)); err != nil {
					t.Error(err)
				}
				if _, err := d.Read(t.Context(), at("a")); err != nil {
					t.Error(err)
				}
				d.Changes()
			}
		})
	}
	wg.Wait()
	if n := len(d.Changes()); n != 4 {
		t.Errorf("%d changes", n)
	}
}
