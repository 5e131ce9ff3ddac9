package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"emend/edits"
)

func TestDiskReads(t *testing.T) {
	dir := string(Key(t.TempDir()))
	src := Disk(nil)
	if src.Documents() != nil {
		t.Error("something is open")
	}
	p := write(t, dir, "a.sh", "#!/bin/sh\r\n")
	if err := os.Chmod(string(p), 0o750); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(string(p))
	if err != nil {
		t.Fatal(err)
	}
	data, mode, err := src.ReadFile(t.Context(), p)
	if err != nil || string(data) != "#!/bin/sh\r\n" || mode != info.Mode().Perm() {
		t.Errorf("%q, %v, %v", data, mode, err)
	}
	big := write(t, dir, "big", strings.Repeat("x", MaxFileSize))
	if data, _, err := src.ReadFile(t.Context(), big); err != nil || len(data) != MaxFileSize {
		t.Errorf("at the limit: %d bytes, %v", len(data), err)
	}
	big = write(t, dir, "big", strings.Repeat("x", MaxFileSize+1))
	var large *TooLargeError
	if _, _, err := src.ReadFile(t.Context(), big); !errors.As(err, &large) || large.Size != MaxFileSize+1 || large.Limit != MaxFileSize {
		t.Errorf("over the limit: %v", err)
	}
	for p, want := range map[Path]error{
		Path(filepath.Join(dir, "none")): fs.ErrNotExist, Path(filepath.Join(dir, "a.sh", "x")): fs.ErrNotExist,
		"untitled:1": fs.ErrNotExist, Path(dir): ErrNotRegular,
	} {
		if _, _, err := src.ReadFile(t.Context(), p); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", p, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := src.ReadFile(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestLinkAfterResolve swaps a file, and a folder, for a link that leads out
// between the check and the read.
func TestLinkAfterResolve(t *testing.T) {
	r, dir, outside := jail(t)
	write(t, outside, "b.go", "secret")
	for name, swap := range map[string]func(){
		"a.go": func() {
			must(t, os.Remove(filepath.Join(dir, "a.go")))
			link(t, filepath.Join(outside, "secret.txt"), filepath.Join(dir, "a.go"))
		},
		"sub/b.go": func() {
			must(t, os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "was")))
			link(t, outside, filepath.Join(dir, "sub"))
		},
	} {
		p, err := r.Resolve(name)
		must(t, err)
		s := NewSnapshot(r, Disk(nil))
		d := NewDraft(s)
		swap()
		var out *OutsideError
		if data, _, err := Disk(nil).ReadFile(t.Context(), p); !errors.As(err, &out) {
			t.Errorf("%s: the source read %q, %v", name, data, err)
		}
		if f, err := s.Read(t.Context(), p); !errors.As(err, &out) {
			t.Errorf("%s: the snapshot read %+v, %v", name, f, err)
		}
		if err := d.Write(t.Context(), p, "x"); !errors.As(err, &out) {
			t.Errorf("%s: the draft wrote: %v", name, err)
		}
	}
}

func TestFileKinds(t *testing.T) {
	r, dir, _ := jail(t)
	for _, tt := range []struct {
		name, data           string
		text                 string
		bom, binary, notUTF8 bool
	}{
		{"plain", "a\nb", "a\nb", false, false, false},
		{"empty", "", "", false, false, false},
		{"bom", "\ufeffa\r\n", "a\r\n", true, false, false},
		{"onlybom", "\ufeff", "", true, false, false},
		{"twoboms", "\ufeff\ufeffa", "\ufeffa", true, false, false},
		{"binary", "a\x00b", "", false, true, false},
		{"utf16", "\xff\xfea\x00", "", false, true, false},
		{"latin1", "caf\xe9\n", "caf\ufffd\n", false, false, true},
	} {
		p := write(t, dir, tt.name, tt.data)
		s := NewSnapshot(r, Disk(nil))
		f, err := s.Read(t.Context(), p)
		must(t, err)
		if f.Text != tt.text || f.BOM != tt.bom || f.Binary != tt.binary || f.NotUTF8 != tt.notUTF8 || !f.Exists || f.Open {
			t.Errorf("%s: %+v", tt.name, f)
		}
		if !tt.binary && !tt.notUTF8 && (string(f.Bytes()) != tt.data || f.Hash != hashText(f.BOM, f.Text)) {
			t.Errorf("%s: bytes %q", tt.name, f.Bytes())
		}
	}
}

func TestSnapshotPins(t *testing.T) {
	r, dir, outside := jail(t)
	a, b := Path(filepath.Join(dir, "a.go")), Path(filepath.Join(dir, "sub", "b.go"))
	gone := Path(filepath.Join(dir, "gone.go"))
	var docs Documents
	docs.Open(Document{Path: a, URI: "FILE:a", Version: 3, Text: edits.NewText("buffer\n")})
	s := NewSnapshot(r, Disk(&docs))
	read := func(p Path) *File {
		f, err := s.Read(t.Context(), p)
		must(t, err)
		return f
	}
	first := read(b)
	if read(gone).Exists {
		t.Error("gone exists")
	}
	write(t, dir, "sub/b.go", "changed")
	write(t, dir, "gone.go", "here now")
	docs.Close(a)
	if read(b) != first || read(b).Text != "package b\n" || read(gone).Exists {
		t.Error("what was read changed")
	}
	if f := read(a); f.Text != "buffer\n" || !f.Open || f.Version != 3 || f.URI != "FILE:a" || f.Mode == 0 {
		t.Errorf("open document: %+v", f)
	}
	if len(s.Open()) != 1 || len(s.Roots().Dirs()) != 1 {
		t.Error("lost what was open")
	}
	var out *OutsideError
	for _, p := range []Path{Path(filepath.Join(outside, "secret.txt")), Path(filepath.Join(dir, ".git", "config")), "untitled:1"} {
		if f, err := s.Read(t.Context(), p); !errors.As(err, &out) {
			t.Errorf("read %s: %+v, %v", p, f, err)
		}
	}
}

func TestOpenDocuments(t *testing.T) {
	r, dir, outside := jail(t)
	write(t, dir, "bom.txt", "\ufeffdisk\n")
	write(t, dir, "latin1.txt", "caf\xe9\n")
	at := func(name string) Path { return Path(filepath.Join(dir, name)) }
	var docs Documents
	for _, d := range []Document{
		{Path: at("bom.txt"), Text: edits.NewText("the mark was taken out\n")},
		{Path: at("a.go"), Text: edits.NewText("\ufeffthe text has it\n")},
		{Path: at("latin1.txt"), Text: edits.NewText("café\n")},
		{Path: at("nofile.txt"), Text: edits.NewText("only here\n")},
		{Path: at("nul.txt"), Text: edits.NewText("a\x00")},
		{Path: Path(filepath.Join(outside, "secret.txt")), Text: edits.NewText("the person opened it\n")},
		{Path: "untitled:Untitled-1", URI: "untitled:Untitled-1", Text: edits.NewText("new\n")},
	} {
		docs.Open(d)
	}
	s := NewSnapshot(r, Disk(&docs))
	for p, want := range map[Path]File{
		at("bom.txt"):         {Text: "the mark was taken out\n", BOM: true},
		at("a.go"):            {Text: "the text has it\n", BOM: true},
		at("latin1.txt"):      {Text: "café\n"},
		at("nofile.txt"):      {Text: "only here\n"},
		at("nul.txt"):         {Binary: true},
		"untitled:Untitled-1": {Text: "new\n"},
		Path(filepath.Join(outside, "secret.txt")): {Text: "the person opened it\n"},
	} {
		f, err := s.Read(t.Context(), p)
		must(t, err)
		if f.Text != want.Text || f.BOM != want.BOM || f.Binary != want.Binary || f.NotUTF8 || !f.Exists || !f.Open {
			t.Errorf("%s: %+v", p, f)
		}
	}
	for _, name := range []string{"untitled:Untitled-1", "Untitled-1"} {
		if p, err := s.Resolve(name); err != nil || p != "untitled:Untitled-1" {
			t.Errorf("Resolve(%q) = %q, %v", name, p, err)
		}
	}
	for name, want := range map[string]string{"a.go": "a.go", "nofile.txt": "nofile.txt", "other.txt": "other.txt"} {
		if p, err := s.Resolve(name); err != nil || p != at(want) {
			t.Errorf("Resolve(%q) = %q, %v", name, p, err)
		}
	}
}

func TestSensitive(t *testing.T) {
	for name, want := range map[string]bool{
		"/r/.env": true, "/r/.ENV": true, "/r/.env.local": true, "/r/prod.env": true, "/r/.env.example": false, "/r/.env.sample": false,
		"/r/server.pem": true, "/r/id_rsa": true, "/r/id_rsa.pub": false, "/r/.netrc": true, "/r/.npmrc": true,
		"/home/u/.aws/credentials": true, "/home/u/.docker/config.json": true, "/r/config.json": false, "/r/credentials.go": false,
		"/r/environment.go": false, "/r/main.go": false, "/r/secrets.yaml": true, "/r/key.go": false, "/r/monkey": false,
	} {
		if got := Sensitive(Path(name)); got != want {
			t.Errorf("Sensitive(%q) = %v", name, got)
		}
	}
	for text, want := range map[string]bool{
		"-----BEGIN RSA PRIVATE KEY-----\nMII": true, "-----BEGIN PUBLIC KEY-----": false, "": false,
		"key = AKIA" + strings.Repeat("A", 16): true, "ghp_" + strings.Repeat("a", 36): true, "ghp_short": false,
		"risk-averse": false, "package main\n": false,
	} {
		if got := SensitiveText(text); got != want {
			t.Errorf("SensitiveText(%q) = %v", text, got)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
