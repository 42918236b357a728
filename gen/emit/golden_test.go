// This file holds the tests of what the output looks like.

package emit_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/emit"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// goldens are programs whose output is kept in testdata.
var goldens = map[string]func() *check.Program{
	"sample": func() *check.Program { return sample().program() },
	"empty":  func() *check.Program { return newTree().program() },
	"names":  func() *check.Program { return names().program() },
	"long":   func() *check.Program { return long().program() },
}

// names is a catalog in which names that the emitter makes would meet others.
func names() *tree {
	t := newTree()
	t.root = ""
	// Both texts would be pingText1, were they not kept apart by the stem.
	t.prompt(catalog.Prompt{ID: "ping", Version: "1.0.0", Description: "One."}, "a\nb\nc")
	t.prompt(catalog.Prompt{ID: "ping-text1", Version: "1.0.0", Description: "Two."}, "d\ne\nf")
	t.prompt(catalog.Prompt{ID: "ping-document", Version: "1.0.0", Description: "Three."}, "g\nh\ni")
	t.prompt(catalog.Prompt{ID: "ping-skill-document", Version: "1.0.0", Description: "Four."}, "j\nk\nl")
	t.skill(catalog.Skill{ID: "ping", Version: "1.0.0", Description: "Five.", Capabilities: []string{"x"}}, "m\nn\no\n",
		map[string]string{"record": "p\nq\n"}, map[string]string{"scripts/a-b.sh": "r\ns\n", "scripts/a_b.sh": "t\nu\n"})
	t.loose("ping.md", "v\nw\n")
	t.loose("a-b.md", "x\n")
	t.loose("a_b.md", "y\n")
	t.loose("a/b.md", "z\n")
	return t
}

// long is a catalog with more of everything than fits on a line.
func long() *tree {
	t := newTree()
	var arguments []catalog.Argument
	for _, name := range strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima") {
		arguments = append(arguments, catalog.Argument{Name: name, Description: strings.Repeat("Lorem ipsum dolor sit amet. ", 6)})
	}
	arguments[3].Choices = strings.Fields("monday tuesday wednesday thursday friday saturday sunday whenever-it-suits-you")
	t.prompt(catalog.Prompt{
		ID: "long", Version: "1.0.0", Description: strings.Repeat("A description that goes on and on. ", 20),
		Tags: strings.Fields("one-long-tag-of-many two-long-tag-of-many three-long-tag-of-many four-long-tag-of-many"), Arguments: arguments,
	}, "{{alpha}}{{bravo}}\n"+strings.Repeat("A line of text.\n", 300)+"{{delta}} "+strings.Repeat("word ", 300))
	return t
}

// archive renders files into one archive.
func archive(t *testing.T, files []emit.File) *txtar.Archive {
	t.Helper()
	a := new(txtar.Archive)
	for _, f := range files {
		content, err := f.Render()
		if err != nil {
			t.Fatal(err)
		}
		a.Files = append(a.Files, txtar.File{Name: f.Path, Data: content})
	}
	return a
}

func TestGolden(t *testing.T) {
	for name, program := range goldens {
		t.Run(name, func(t *testing.T) {
			files, err := emit.Package(program(), emit.Options{Package: "baked"})
			if err != nil {
				t.Fatal(err)
			}
			got := txtar.Format(archive(t, files))
			path := filepath.Join("testdata", name+".txtar")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if line, g, w := firstDifference(string(got), string(want)); line > 0 {
				t.Errorf("%s:%d: is not what is emitted now; see go test ./gen/emit -update\n got: %s\nwant: %s", path, line, g, w)
			}
		})
	}
}

// firstDifference returns the first line, from 1, in which two texts differ.
func firstDifference(a, b string) (line int, inA, inB string) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(as), len(bs)) {
		inA, inB = "<end>", "<end>"
		if i < len(as) {
			inA = as[i]
		}
		if i < len(bs) {
			inB = bs[i]
		}
		if inA != inB {
			return i + 1, inA, inB
		}
	}
	return 0, "", ""
}
