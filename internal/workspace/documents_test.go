package workspace

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"emend/edits"

	"pgregory.net/rapid"
)

// TestDocumentsAgainstMap runs random editor sessions against a plain map.
func TestDocumentsAgainstMap(t *testing.T) {
	type open struct {
		text    string
		version int32
		unsaved bool
	}
	rapid.Check(t, func(t *rapid.T) {
		var docs Documents
		model := make(map[Path]open)
		var seen []*Document
		var seenTexts []string
		name := rapid.SampledFrom([]Path{"/a", "/b", "/c", "/d", "untitled:1", "file://"})
		t.Repeat(map[string]func(*rapid.T){
			"open": func(t *rapid.T) {
				p, text := name.Draw(t, "path"), rapid.StringN(0, 5, -1).Draw(t, "text")
				docs.Open(Document{Path: p, URI: "u:" + string(p), Language: "go", Version: 1, Text: edits.NewText(text)})
				model[p] = open{text, 1, false}
			},
			"change": func(t *rapid.T) {
				p, text := name.Draw(t, "path"), rapid.StringN(0, 5, -1).Draw(t, "text")
				doc, err := docs.Change(p, 7, edits.NewText(text))
				if _, ok := model[p]; ok != (err == nil) {
					t.Fatalf("open %v, error %v", ok, err)
				} else if ok {
					model[p] = open{text, 7, true}
					if doc.URI != "u:"+string(p) || doc.Language != "go" {
						t.Fatalf("lost %+v", doc)
					}
				}
			},
			"close": func(t *rapid.T) { p := name.Draw(t, "path"); docs.Close(p); delete(model, p) },
			"save": func(t *rapid.T) {
				p := name.Draw(t, "path")
				docs.Saved(p)
				if m, ok := model[p]; ok {
					m.unsaved = false
					model[p] = m
				}
			},
			"pin": func(t *rapid.T) {
				seen, seenTexts = docs.All(), nil
				for _, d := range seen {
					seenTexts = append(seenTexts, d.Text.String())
				}
			},
			"": func(t *rapid.T) {
				for i, d := range seen {
					if d.Text.String() != seenTexts[i] {
						t.Fatalf("a pinned document changed")
					}
				}
				all := docs.All()
				if len(all) != len(model) || !slices.IsSortedFunc(all, func(a, b *Document) int { return strings.Compare(string(a.Path), string(b.Path)) }) {
					t.Fatalf("%d documents, want %d", len(all), len(model))
				}
				for p, m := range model {
					d, ok := docs.Get(p)
					if !ok || d.Text.String() != m.text || d.Version != m.version || docs.Unsaved(p) != (m.unsaved || !p.IsFile()) {
						t.Fatalf("%s: %+v, want %+v", p, d, m)
					}
				}
			},
		})
	})
}

func TestDocumentsZero(t *testing.T) {
	var docs Documents
	if _, ok := docs.Get("/a"); ok || docs.All() != nil || docs.Unsaved("/a") {
		t.Error("something is open")
	}
	docs.Close("/a")
	docs.Saved("/a")
	if _, err := docs.Change("/a", 1, edits.Text{}); err == nil || !strings.Contains(err.Error(), "/a") {
		t.Errorf("got %v", err)
	}
}

func TestChangedIsClosed(t *testing.T) {
	var docs Documents
	for _, step := range []func(){
		func() { docs.Open(Document{Path: "/a"}) },
		func() {
			if _, err := docs.Change("/a", 2, edits.Text{}); err != nil {
				t.Error(err)
			}
		},
		func() { docs.Saved("/a") },
		func() { docs.Close("/a") },
	} {
		a, b := docs.Changed(), docs.Changed()
		select {
		case <-a:
			t.Fatal("closed too early")
		default:
		}
		step()
		<-a
		<-b
	}
	still := docs.Changed()
	docs.Close("/a") // not open: nothing changes
	select {
	case <-still:
		t.Error("closed by nothing")
	default:
	}
}

func TestDocumentsConcurrently(t *testing.T) {
	var docs Documents
	docs.Open(Document{Path: "/a", Text: edits.NewText("0")})
	var wg sync.WaitGroup
	const last = 2000
	for range 3 {
		wg.Go(func() {
			for {
				changed := docs.Changed()
				d, ok := docs.Get("/a")
				if !ok || len(docs.All()) == 0 {
					t.Error("lost the document")
					return
				}
				if n := strconv.Itoa(int(d.Version)); n != d.Text.String() {
					t.Errorf("version %s has text %s", n, d.Text)
					return
				}
				if d.Version == last {
					return
				}
				<-changed
			}
		})
	}
	for i := int32(1); i <= last; i++ {
		if _, err := docs.Change("/a", i, edits.NewText(strconv.Itoa(int(i)))); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
}

func BenchmarkChange(b *testing.B) {
	var docs Documents
	for i := range 1000 {
		docs.Open(Document{Path: Path("/dir/file" + strconv.Itoa(i))})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := docs.Change("/dir/file500", 1, edits.Text{}); err != nil {
			b.Fatal(err)
		}
	}
}
