// This file checks real trees of other layouts, where a corpus of them is at hand.

package check_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
)

// corpus is where the real files lie beside a checkout.
const corpus = "../../../shared/corpus"

func TestCorpus(t *testing.T) {
	for _, test := range []struct {
		dir             string
		layout          check.Layout
		prompts, skills int
		warnings        map[string]int
	}{
		{"dot-ai/shared-prompts", check.Flat, 11, 0, map[string]int{}},
		{"superpowers/skills", check.AgentSkills, 0, 12, map[string]int{"link-broken": 3}},
		{"superpowers", check.AgentSkills, 0, 12, map[string]int{"link-broken": 3}},
	} {
		t.Run(test.dir, func(t *testing.T) {
			if _, err := os.Stat(corpus); err != nil {
				t.Skip("there is no corpus beside the checkout")
			}
			files := map[string]file{}
			root := os.DirFS(path.Join(corpus, test.dir))
			err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
				switch {
				case err != nil:
					return err
				case p != "." && strings.HasPrefix(d.Name(), "."):
					if d.IsDir() {
						return fs.SkipDir
					}
				case !d.IsDir():
					data, err := fs.ReadFile(root, p)
					files[p] = file{data, d.Type()}
					return err
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			team := tree("team", "vendor", "", files)
			if team.Layout != test.layout {
				t.Fatalf("the layout is taken for %s, want %s", team.Layout, test.layout)
			}
			team.Lenient = true
			program, faults, warnings := check.Trees([]*check.Tree{builtIn(), team})
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			if p, s := len(program.Catalog.Prompts)-1, len(program.Catalog.Skills)-1; p != test.prompts || s != test.skills {
				t.Errorf("%d prompts and %d skills, want %d and %d", p, s, test.prompts, test.skills)
			}
			counts := map[string]int{}
			for _, d := range warnings {
				counts[d.Rule]++
				if why := untrue(files, d); why != "" {
					t.Errorf("%v: %s", d, why)
				}
			}
			if !maps.Equal(counts, test.warnings) {
				t.Errorf("warnings by rule: got %v, want %v:\n%v", counts, test.warnings, warnings)
			}
		})
	}
}

// untrue tells why a warning is not one, as far as can be seen without the compiler.
func untrue(files map[string]file, d diag.Diagnostic) string {
	p := strings.TrimPrefix(d.Span.Source.Name, "vendor/")
	f, ok := files[p]
	if !ok {
		return "there is no such file"
	}
	lines := strings.Split(string(f.data), "\n")
	place := d.Span.Position()
	if place.Line > len(lines) || place.Column > len(lines[place.Line-1])+1 {
		return "there is no such place"
	}
	line, at := lines[place.Line-1], d.Span.Text()
	switch d.Rule {
	case "link-broken":
		target, root := path.Join(path.Dir(p), at), strings.TrimPrefix(p, "skills/")
		root = strings.TrimSuffix(p, root) + strings.Split(root, "/")[0] + "/"
		if _, ok := files[target]; ok && strings.HasPrefix(target, root) || !strings.Contains(line, at) {
			return "the link is not there, or leads to a file of its skill"
		}
	default:
		return "no second look is written for this rule"
	}
	return ""
}

// builtIn returns a small built-in tree.
func builtIn() *check.Tree {
	return tree("", "content", check.Contract, map[string]file{
		"catalog.yaml":            {data: []byte("catalog: {prefix: team/}\n")},
		"guide.md":                {data: []byte("# Guide\n")},
		"prompts/greet/PROMPT.md": {data: []byte("---\nprompt:\n  version: 1.0.0\n  description: Greets.\n---\nHello.\n")},
		"skills/base/SKILL.md": {data: []byte("---\nname: base\ndescription: The base.\n" +
			"x-personal-mcp: {id: base, version: 1.0.0, capabilities: [resource://docs/guide.md]}\n---\n# Base\n")},
	})
}
