// This file tests what a bill of materials says of content from elsewhere.

package dist

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"golang.org/x/mod/module"

	"github.com/seed33527553/promptc/catalog"
)

func TestSourcesInBill(t *testing.T) {
	commit, other := strings.Repeat("a1", 20), strings.Repeat("b2", 20)
	document := &catalog.Document{Path: "prompts/one/PROMPT.md", Digest: strings.Repeat("c3", 32)}
	skill := &catalog.Document{Path: "skills/two/SKILL.md", Digest: strings.Repeat("d4", 32)}
	r := &release{Options: Options{Program: &Program{Name: "server"}, Catalog: &catalog.Catalog{
		Sources: []catalog.Source{
			{Name: "team", Repository: "https://git.example/team", Path: "prompts", Commit: commit, Digest: strings.Repeat("e5", 32)},
			{Name: "mine", Repository: "git@git.example:mine", Commit: other},
		},
		Prompts: []*catalog.Prompt{{ID: "one", Source: "team", Document: document}},
		Skills: []*catalog.Skill{{
			ID: "two", Source: "mine", Document: skill, Files: []*catalog.Document{skill},
			Entry: `{"uri":"skill://two/SKILL.md","frontmatter":{"license":"MIT,\n see LICENSE"},"resources":[]}`,
		}},
		Documents: []*catalog.Document{document, skill},
	}}}
	content := r.content()
	found := map[string]cyclonedx.Component{}
	for _, c := range content {
		found[c.BOMRef] = c
	}
	if len(found) != 5 {
		t.Errorf("there are the components %v", found)
	}
	team, mine := found["source:team"], found["source:mine"]
	if team.Version != commit || (*team.Pedigree.Commits)[0].UID != commit || (*team.ExternalReferences)[0].URL != "https://git.example/team" {
		t.Errorf("the source is %+v", team)
	}
	// What is no URL cannot be referred to, and is said all the same.
	if mine.ExternalReferences != nil || !slices.Contains(*mine.Properties, cyclonedx.Property{Name: "promptc:repository", Value: "git@git.example:mine"}) {
		t.Errorf("the source is %+v", mine)
	}
	if !slices.Contains(*found["prompt:one"].Properties, cyclonedx.Property{Name: "promptc:source", Value: "team"}) {
		t.Errorf("the prompt is %+v", found["prompt:one"])
	}
	if got := (*found["skill:two"].Licenses)[0].License.Name; got != "MIT, see LICENSE" {
		t.Errorf("the skill has the licence %q", got)
	}
	on := map[string]string{}
	for _, d := range *r.dependencies(&cyclonedx.Component{BOMRef: "program"}, nil, content) {
		on[d.Ref] = strings.Join(*d.Dependencies, " ")
	}
	if on["prompt:one"] != "source:team" || on["skill:two"] != "source:mine" {
		t.Errorf("there are the dependencies %q", on)
	}
}

// Of a module there is what was built, which may be another one in its place, and no
// directory of this machine.
func TestReplacedModules(t *testing.T) {
	sums := map[module.Version]string{{Path: "example.com/fork", Version: "v1.1.0"}: "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}
	for _, c := range []struct{ module, name, version, ref string }{
		{"dep\texample.com/a\tv1.0.0\th1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", "example.com/a", "v1.0.0", "pkg:golang/example.com/a@v1.0.0"},
		{"dep\texample.com/a\tv1.0.0\n=>\texample.com/fork\tv1.1.0\t\n", "example.com/fork", "v1.1.0", "pkg:golang/example.com/fork@v1.1.0"},
		{"dep\texample.com/a\tv1.0.0\n=>\t/home/someone/a\t(devel)\t\n", "example.com/a", "v1.0.0", "pkg:golang/example.com/a@v1.0.0"},
		{"dep\texample.com/a\tv1.0.0\n=>\t../a\t(devel)\t\n", "example.com/a", "v1.0.0", "pkg:golang/example.com/a@v1.0.0"},
	} {
		info, err := debug.ParseBuildInfo("path\tx\n" + c.module)
		if err != nil {
			t.Fatal(err)
		}
		got := moduleComponent(info.Deps[0], sums)
		if got.Name != c.name || got.Version != c.version || got.BOMRef != c.ref {
			t.Errorf("%q is %+v", c.module, got)
		}
		if replaced := strings.Contains(c.module, "(devel)"); (got.Hashes == nil) != replaced {
			t.Errorf("%q has the hashes %v", c.module, got.Hashes)
		}
	}
}
