// This file holds the entries of skills/list to what a second reader makes of the
// same files.

package gen_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"reflect"
	"testing"
	"testing/fstest"

	"gopkg.in/yaml.v3"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen"
)

func TestSkillEntries(t *testing.T) {
	const front = `name: odd
description: >
  Folded "text" with
  é and \ in it.
metadata: {a: [1, -2.50, 1e3, .5, 5., 0x1F, 0o17, +7, true, FALSE, ~, "2024-01-01"], b: {c: "lines\n"}}
x-personal-mcp: {id: odd, version: 1.0.0, capabilities: [x]}
`
	odd := fstest.MapFS{
		"catalog.yaml":                    {Data: []byte("catalog: {prefix: team/}\n")},
		"skills/odd/SKILL.md":             {Data: []byte("\ufeff---\r\n" + front + "---\r\ntext\r\n")},
		"skills/odd/assets/a b é.bin":     {Data: []byte{0, 1, '\r', '\n', 0xff}},
		"skills/odd/scripts/__init__.py":  {Data: []byte("x\r\n")},
		"skills/odd/references/notes.md":  {Data: []byte("# Notes\n")},
		"skills/odd/references/.hidden":   {Data: []byte("x")},
		"skills/odd/assets/deep/x/y.json": {Data: []byte("{}")},
	}
	for name, fsys := range map[string]fs.FS{"odd": odd, "content": os.DirFS("../content")} {
		program, faults, err := gen.Compile(fsys, gen.Options{Root: "content"})
		if err != nil || len(faults) > 0 {
			t.Fatal(name, err, faults)
		}
		c := program.Catalog
		for _, s := range c.Skills {
			var entry struct {
				URI         string
				Frontmatter map[string]any
				Resources   []struct {
					URI, Digest string
					Size        int
				}
			}
			if err := json.Unmarshal([]byte(s.Entry), &entry); err != nil {
				t.Fatal(name, s.ID, err)
			}
			if want := "skill://" + c.Prefix + s.ID + "/SKILL.md"; entry.URI != want {
				t.Errorf("%s: the entry is of %s, want %s", s.ID, entry.URI, want)
			}
			if want := yamlAsJSON(t, s.Document.String()); !reflect.DeepEqual(entry.Frontmatter, want) {
				t.Errorf("%s: the frontmatter is %v, want %v", s.ID, entry.Frontmatter, want)
			}
			if len(entry.Resources) != len(s.Files) {
				t.Errorf("%s: %d resources of %d files", s.ID, len(entry.Resources), len(s.Files))
			}
			for i, r := range entry.Resources {
				d, ok := c.Resource(r.URI)
				if !ok || d != s.Files[i] {
					t.Errorf("%s: nothing is at %s", s.ID, r.URI)
					continue
				}
				sum := sha256.Sum256([]byte(d.String()))
				if r.Digest != "sha256:"+hex.EncodeToString(sum[:]) || r.Size != len(d.String()) {
					t.Errorf("%s: %+v is not what is served", s.ID, r)
				}
			}
			for _, uri := range []string{"skill://" + s.ID, "skill://" + c.Prefix + s.ID + "/", "skill://" + c.Prefix + s.ID + "/../" + s.ID + "/SKILL.md", "skill://" + c.Prefix + s.ID + "/skill.md"} {
				if _, ok := c.Resource(uri); ok {
					t.Errorf("%s is read", uri)
				}
			}
		}
	}
	program, _, _ := gen.Compile(odd, gen.Options{Root: "content"})
	for path, uri := range map[string]string{
		"skills/odd/assets/a b é.bin":    "skill://team/odd/assets/a%20b%20%C3%A9.bin",
		"skills/odd/scripts/__init__.py": "skill://team/odd/scripts/__init__.py",
	} {
		d, ok := program.Catalog.Resource(uri)
		if !ok || d.String() != string(odd[path].Data) {
			t.Errorf("%s is not kept byte for byte at %s", path, uri)
		}
	}
	var names []string
	for _, r := range program.Catalog.Resources {
		if r.URI == catalog.SkillURI("team/", "odd", "SKILL.md") {
			names = append(names, r.Name+": "+r.Description)
		}
	}
	if want := []string{"odd: Folded \"text\" with é and \\ in it.\n"}; !reflect.DeepEqual(names, want) {
		t.Errorf("resources/list has %q, want %q", names, want)
	}
}

// yamlAsJSON returns the frontmatter of a file as JSON has it.
func yamlAsJSON(t *testing.T, text string) map[string]any {
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(frontmatter(text)), &doc); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	return back
}
