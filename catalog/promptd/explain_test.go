// This file tests what is told of where things come from.

package promptd

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/baked"
)

// Everything that can be read can be explained, by each URI that the explanation
// tells.
func TestExplainEverything(t *testing.T) {
	c := baked.Catalog
	var names []string
	for _, p := range c.Prompts {
		names = append(names, p.ID)
	}
	for _, s := range c.Skills {
		names = append(names, s.ID)
	}
	for _, r := range c.Resources {
		names = append(names, r.URI)
	}
	for _, d := range files(c) {
		names = append(names, uris(c, d)...)
	}
	for _, name := range names {
		list := explain(c, name)
		if len(list) == 0 {
			t.Errorf("%s is not explained", name)
		}
		for _, e := range list {
			if e.Digest == "" || e.Size == 0 || len(e.URIs) == 0 || !slices.IsSorted(e.URIs) {
				t.Errorf("%s: %+v", name, e)
			}
			if strings.Contains(name, "://") && !slices.Contains(e.URIs, name) {
				t.Errorf("%s is not among the URIs %v", name, e.URIs)
			}
		}
	}
}

// What comes from another repository is told by its path there.
func TestExplainSources(t *testing.T) {
	_, c := withSources(t)
	for i := range c.Sources {
		c.Sources[i].Path = "for/agents"
	}
	for _, test := range []struct{ name, kind, source, path, files string }{
		{"ship-it", "prompt", "team", "for/agents/ship.md", ""},
		{"resource://docs/prompts/ship-it/PROMPT.md", "prompt", "team", "for/agents/ship.md", ""},
		{"theirs", "prompt", "other", "for/agents/prompts/theirs/PROMPT.md", ""},
		{"resource://docs/guides/their-guide.md", "document", "other", "for/agents/guides/their-guide.md", ""},
		{"fix-it", "skill", "tools", "for/agents/fix-it/SKILL.md", "for/agents/fix-it/SKILL.md for/agents/fix-it/data/parts.bin for/agents/fix-it/more.md"},
		{"skill://fix-it/data/parts.bin", "document", "tools", "for/agents/fix-it/data/parts.bin", ""},
		{"resource://catalog/skills/fix-it", "record", "tools", "", ""},
	} {
		list := explain(c, test.name)
		if len(list) != 1 {
			t.Fatalf("%s: %+v", test.name, list)
		}
		e := list[0]
		if e.Kind != test.kind || e.Source != test.source || e.Path != test.path || strings.Join(e.Files, " ") != test.files ||
			e.Repository != "https://git.example.com/"+test.source+".git" || e.Commit != strings.Repeat("0", 40) {
			t.Errorf("%s: %+v", test.name, e)
		}
		var out strings.Builder
		if err := e.print(&out); err != nil || test.path != "" && !regexp.MustCompile(`(?m)^file: +`+regexp.QuoteMeta(test.path)+"$").MatchString(out.String()) {
			t.Errorf("%s: %v\n%s", test.name, err, out.String())
		}
	}
	if list := explain(c, "write-adr"); len(list) != 1 || list[0].Source != catalog.BuiltIn || list[0].Repository != "" || list[0].Path != "prompts/write-adr/PROMPT.md" {
		t.Errorf("%+v", list)
	}
	c.Prefix = "support/"
	if list := explain(c, "support/ship-it"); len(list) != 1 || list[0].Name != "support/ship-it" {
		t.Errorf("%+v", list)
	}
}
