// This file tests verify on a catalog with prompts and skills of other repositories.

package promptd

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
)

// vendoredFiles are what sources hold, by the path beside the content.
var vendoredFiles = map[string]string{
	"promptc.vendor/team/ship.md":                   "---\nname: ship-it\ndescription: Ship it.\n---\nShip it.\n",
	"promptc.vendor/team/hold.md":                   "---\nname: hold\ndescription: Hold it.\n---\nHold it.\n",
	"promptc.vendor/team/write-adr.md":              "---\nname: write-adr\ndescription: There is one already.\n---\nIt is left out.\n",
	"promptc.vendor/team/LICENSE":                   "Terms.\n",
	"promptc.vendor/tools/fix-it/SKILL.md":          "---\nname: fix-it\ndescription: Fix it. Use when it is broken.\n---\n# Fix it\n",
	"promptc.vendor/tools/fix-it/data/parts.bin":    "\x00\xff",
	"promptc.vendor/tools/fix-it/more.md":           "# More\n",
	"promptc.vendor/other/guides/their-guide.md":    "# Their guide\n",
	"promptc.vendor/other/prompts/theirs/PROMPT.md": "---\nprompt:\n  version: 1.0.0\n  description: Theirs.\n---\nTheirs.\n",
}

// withSources returns a directory with content/ and vendored trees, and the catalog
// that they come to.
func withSources(t *testing.T) (dir string, c *catalog.Catalog) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir+"/content", os.DirFS(contentDir)); err != nil {
		t.Fatal(err)
	}
	for p, text := range vendoredFiles {
		writeFile(t, dir+"/"+p, text)
	}
	var trees []*check.Tree
	for _, s := range []struct {
		name   string
		layout check.Layout
	}{{"", check.Contract}, {"team", check.Flat}, {"tools", check.AgentSkills}, {"other", check.Contract}} {
		at := dir + "/content"
		if s.name != "" {
			at = dir + "/promptc.vendor/" + s.name
		}
		tree, err := gen.Load(os.DirFS(at), gen.Options{Root: "content", Layout: s.layout})
		if err != nil {
			t.Fatal(err)
		}
		if s.name != "" {
			tree.Source = catalog.Source{Name: s.name, Repository: "https://git.example.com/" + s.name + ".git", Commit: strings.Repeat("0", 40)}
			tree.Lenient = true
		}
		trees = append(trees, tree)
	}
	program, faults, _ := check.Trees(trees)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return dir, program.Catalog
}

func TestVerifySources(t *testing.T) {
	tests := []struct {
		name string
		edit func(t *testing.T, dir string)
		want []string
	}{
		{"as it is", func(t *testing.T, dir string) {}, nil},
		{"a line end", func(t *testing.T, dir string) {
			writeFile(t, dir+"/team/ship.md", strings.ReplaceAll(vendoredFiles["promptc.vendor/team/ship.md"], "\n", "\r\n"))
		}, nil},
		{"other terms", func(t *testing.T, dir string) { writeFile(t, dir+"/team/LICENSE", "Others.\n") }, nil},
		{"one of each", func(t *testing.T, dir string) {
			writeFile(t, dir+"/team/hold.md", "---\nname: hold\ndescription: Hold.\n---\nHold.\n")
			writeFile(t, dir+"/tools/fix-it/new.md", "# New\n")
			remove(t, dir+"/other/prompts/theirs/PROMPT.md")
			writeFile(t, dir+"/../content/guides/new.md", "# New\n")
		}, []string{"added guides/new.md", "removed promptc.vendor/other/prompts/theirs/PROMPT.md", "changed promptc.vendor/team/hold.md", "added promptc.vendor/tools/fix-it/new.md"}},
		{"what was left out", func(t *testing.T, dir string) { remove(t, dir+"/team/write-adr.md") },
			[]string{"changed promptc.vendor/team: files of which the program holds nothing are not those that were compiled"}},
		{"two files", func(t *testing.T, dir string) {
			remove(t, dir+"/team/ship.md")
			remove(t, dir+"/team/hold.md")
		}, []string{"removed promptc.vendor/team/hold.md", "removed promptc.vendor/team/ship.md"}},
		{"a file and what was left out", func(t *testing.T, dir string) {
			writeFile(t, dir+"/team/hold.md", "---\nname: hold\ndescription: Hold.\n---\nHold.\n")
			remove(t, dir+"/team/write-adr.md")
		}, []string{"changed promptc.vendor/team: files of which the program holds nothing are not those that were compiled", "changed promptc.vendor/team/hold.md"}},
		{"a file of another name", func(t *testing.T, dir string) {
			remove(t, dir+"/team/ship.md")
			writeFile(t, dir+"/team/shipped.md", vendoredFiles["promptc.vendor/team/ship.md"])
		}, []string{"removed promptc.vendor/team/ship.md", "added promptc.vendor/team/shipped.md"}},
		{"new files beside what was left out", func(t *testing.T, dir string) {
			writeFile(t, dir+"/team/a.md", "A.\n")
			writeFile(t, dir+"/team/z.md", "Z.\n")
		}, []string{"changed promptc.vendor/team: files of which the program holds nothing are not those that were compiled"}},
		{"new files", func(t *testing.T, dir string) {
			writeFile(t, dir+"/tools/fix-it/a.md", "A.\n")
			writeFile(t, dir+"/tools/fix-it/z.md", "Z.\n")
		}, []string{"added promptc.vendor/tools/fix-it/a.md", "added promptc.vendor/tools/fix-it/z.md"}},
		{"bytes", func(t *testing.T, dir string) { writeFile(t, dir+"/tools/fix-it/data/parts.bin", "\x00\xfe") },
			[]string{"changed promptc.vendor/tools/fix-it/data/parts.bin"}},
		{"a document", func(t *testing.T, dir string) { writeFile(t, dir+"/other/guides/their-guide.md", "# A guide\n") },
			[]string{"changed promptc.vendor/other/guides/their-guide.md"}},
		{"all of a source", func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir + "/tools"); err != nil {
				t.Fatal(err)
			}
		}, []string{"removed promptc.vendor/tools"}},
		{"a link", func(t *testing.T, dir string) { link(t, "ship.md", dir+"/team/more.md") }, []string{"symlink promptc.vendor/team/more.md"}},
		{"a prompt that moved into the content", func(t *testing.T, dir string) {
			writeFile(t, dir+"/../content/prompts/hold/PROMPT.md", vendoredFiles["promptc.vendor/team/hold.md"])
		}, []string{"added prompts/hold/PROMPT.md"}},
		{"settings", func(t *testing.T, dir string) { writeFile(t, dir+"/../content/catalog.yaml", "") }, []string{"changed catalog.yaml"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir, c := withSources(t)
			test.edit(t, dir+"/promptc.vendor")
			tree, err := readTree(dir+"/content", c.Sources)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range verify(c, tree) {
				got = append(got, f.String())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// What the program holds of a source may differ from what was vendored.
func TestVerifySourceTampered(t *testing.T) {
	dir, c := withSources(t)
	p, ok := c.Prompt("ship-it")
	if !ok {
		t.Fatal("there is no prompt ship-it")
	}
	p.Document.Text = []string{strings.Replace(p.Document.String(), "Ship it.", "Shop it.", 1)}
	tree, err := readTree(dir+"/content", c.Sources)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range verify(c, tree) {
		got = append(got, f.String())
	}
	if all := strings.Join(got, "\n"); all != "changed promptc.vendor/team/ship.md\n"+
		"corrupt promptc.vendor/team/ship.md: the text does not have the digest that was recorded" {
		t.Errorf("%s", all)
	}
}
