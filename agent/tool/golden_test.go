package tool

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What the model sees of the tools is reviewed as text: a change of one word
// changes what models do.
func TestToolsAsTheModelSeesThem(t *testing.T) {
	for name, set := range map[string]Set{"edit": ForMode(false, true), "ask": ForMode(true, true), "no_index": ForMode(false, false)} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for _, spec := range set.Specs() {
				b.WriteString("# " + spec.Name + "\n\n" + spec.Description + "\n\n")
				var schema bytes.Buffer
				if err := json.Indent(&schema, spec.Schema, "", "  "); err != nil {
					t.Fatal(err)
				}
				b.WriteString(schema.String() + "\n\n")
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), b.String()); diff != "" {
				t.Errorf("tools changed; run go test -update if that is meant (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJail(t *testing.T) {
	for _, spec := range ForMode(true, true).Specs() {
		if strings.Contains("search_replace multi_edit write_file create_file", spec.Name) {
			t.Errorf("a set that only reads holds %s", spec.Name)
		}
	}
	if params, ok := ForMode(false, true).Params("read_file"); !ok || params[0] != "path" {
		t.Errorf("arguments of read_file: %v", params)
	}
	if _, ok := ForMode(true, true).Params("write_file"); ok {
		t.Error("write_file is known where it is not allowed")
	}
}
