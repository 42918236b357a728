// This file checks trees again and again, as a live server does.

package check_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/parse"
)

// TestAgain edits one file after another and checks the trees after each, with what
// was read before: the program is that of trees which were read anew, and those that
// were handed out before stay as they were.
func TestAgain(t *testing.T) {
	built := map[string]file{
		"catalog.yaml":            {data: []byte("catalog: {prefix: team/}\n")},
		"guide.md":                {data: []byte("# Guide\n")},
		"prompts/greet/PROMPT.md": {data: []byte("---\nprompt:\n  version: 1.0.0\n  description: Greets.\n---\nHello.\n")},
		"skills/base/SKILL.md":    {data: []byte("---\nname: base\ndescription: Base.\nx-personal-mcp: {id: base, version: 1.0.0, capabilities: [x]}\n---\n# Base\n")},
		"skills/base/notes.md":    {data: []byte("# Notes\n")},
	}
	team := map[string]file{
		"a.md":                 {data: []byte("---\nname: a\ndescription: A.\n---\nA.\n")},
		"b.md":                 {data: []byte("---\nname: b\ndescription: B.\n---\nB.\n")},
		"more/SKILL.md":        {data: []byte("---\nname: more\ndescription: More.\n---\n[data](data.json)\n")},
		"more/data.json":       {data: []byte("{}")},
		"more/references/r.md": {data: []byte("# R\n")},
	}
	edits := []struct {
		files map[string]file
		path  string
		text  string // empty to remove the file
	}{
		{built, "prompts/greet/PROMPT.md", "---\nprompt:\n  version: 1.0.1\n  description: Greets.\n---\nHello {{who}}.\n"},
		{built, "prompts/greet/PROMPT.md", "---\nprompt:\n  version: 1.0.1\n  description: Greets.\n---\nHello you.\n"},
		{team, "a.md", "---\nname: greet\ndescription: A.\n---\nA.\n"},
		{team, "a.md", "---\nname: c\ndescription: A.\n---\nA.\n"},
		{team, "more/data.json", ""},
		{team, "more/data.json", "[]"},
		{built, "catalog.yaml", "catalog: {prefix: other/}\n"},
		{built, "skills/base/notes.md", "# More notes\n"},
		{built, "skills/more/SKILL.md", "---\nname: more\ndescription: Mine.\nx-personal-mcp: {id: more, version: 1.0.0, capabilities: [x]}\n---\n"},
		{built, "skills/more/SKILL.md", ""},
		{team, "b.md", ""},
	}
	read := func(before []*check.Tree) []*check.Tree {
		list := []*check.Tree{tree("", "content", check.Contract, built), tree("team", "vendor/team", check.Flat, team)}
		for i, tree := range list {
			tree.Lenient = true
			for n, in := range tree.Inputs {
				if before == nil {
					continue
				}
				at := slices.IndexFunc(before[i].Inputs, func(old *check.Input) bool { return old.Path == in.Path && old.Digest == in.Digest })
				if at >= 0 {
					tree.Inputs[n] = before[i].Inputs[at]
				}
			}
		}
		return list
	}
	list := read(nil)
	first, _, _ := check.Trees(list)
	handedOut := []*catalog.Catalog{first.Catalog}
	seals := []string{first.Catalog.Seal}
	for i, e := range edits {
		if e.text == "" {
			delete(e.files, e.path)
		} else {
			e.files[e.path] = file{[]byte(e.text), fs.FileMode(0)}
		}
		list = read(list)
		got, _, warnings := check.Trees(list)
		want, _, wantWarnings := check.Trees(read(nil))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("edit %d, of %s: the program differs from that of the same files, read anew", i, e.path)
		}
		if fmt.Sprint(warnings) != fmt.Sprint(wantWarnings) {
			t.Errorf("edit %d, of %s: got the warnings %v, want %v", i, e.path, warnings, wantWarnings)
		}
		if got.Catalog.Seal == seals[len(seals)-1] {
			t.Errorf("edit %d, of %s: the catalog is the same", i, e.path)
		}
		handedOut, seals = append(handedOut, got.Catalog), append(seals, got.Catalog.Seal)
	}
	for i, c := range handedOut {
		if catalog.SealOf(c) != seals[i] {
			t.Errorf("the catalog after %d edits changed after it was handed out", i)
		}
	}
}

// TestSameValues holds a second check to the values of the first: what did not change
// is not made anew.
func TestSameValues(t *testing.T) {
	built := builtIn()
	first, _, _ := check.Trees([]*check.Tree{built})
	again, _, _ := check.Trees([]*check.Tree{built})
	a, b := first.Catalog, again.Catalog
	if a.Prompts[0] != b.Prompts[0] || a.Skills[0] != b.Skills[0] || a.Documents[0] != b.Documents[0] {
		t.Error("values are made anew of the same files")
	}
}

func TestDetect(t *testing.T) {
	const front = "---\nname: x\ndescription: x\n---\nx\n"
	for _, test := range []struct {
		files string // separated by spaces; those with a star have a name
		want  check.Layout
	}{
		{"", check.Contract},
		{"LICENSE docs/x.md", check.Contract},
		{"catalog.yaml x.md*", check.Contract},
		{"prompts/x/PROMPT.md x.md*", check.Contract},
		{"prompts/x/y/PROMPT.md x.md*", check.Flat},
		{"skills/x/SKILL.md! x.md*", check.Contract},
		{"x/SKILL.md! x.md*", check.Flat},
		{"skills/x/SKILL.md x.md*", check.Flat},
		{"skills/x/SKILL.md x.md", check.AgentSkills},
		{"x/SKILL.md* x.md", check.AgentSkills},
		{"x/y/SKILL.md* x.md", check.Flat},
		{"README.md* x/SKILL.md", check.AgentSkills},
		{"README.md*", check.Contract},
		{"readme.md* x.md", check.Flat},
		{"SKILL.md*", check.Contract},
		{"x.MD*", check.Contract},
	} {
		files := map[string]string{}
		var entries []check.Entry
		for _, name := range strings.Fields(test.files) {
			p := strings.TrimRight(name, "*!")
			switch {
			case strings.HasSuffix(name, "*"):
				files[p] = "\ufeff" + strings.ReplaceAll(front, "\n", "\r\n")
			case strings.HasSuffix(name, "!"):
				files[p] = strings.Replace(front, "desc", "x-personal-mcp: {}\ndesc", 1)
			default:
				files[p] = "# x\n\n---\nname: x\n---\n"
			}
			entries = append(entries, check.Entry{Path: p})
		}
		if got := check.Detect(entries, func(p string) string { return files[p] }); got != test.want {
			t.Errorf("%q is taken for %s, want %s", test.files, got, test.want)
		}
	}
}

// TestDigests holds the digests of several trees to what they are said to cover.
func TestDigests(t *testing.T) {
	team := tree("team", "vendor/team", "", map[string]file{
		"x.md":      {data: []byte("---\nname: a\ndescription: A.\n---\nA.\n")},
		"README.md": {data: []byte("# R\n")},
	})
	digest := team.Inputs[0].Digest
	alone, _, _ := check.Trees([]*check.Tree{builtIn()})
	both, _, _ := check.Trees([]*check.Tree{builtIn(), team})
	if got, want := both.Catalog.Sources[0].Digest, catalog.DigestOf([]*catalog.Document{{Path: "x.md", Digest: digest}}); got != want {
		t.Errorf("the digest of the source is %s, want %s", got, want)
	}
	var files []*catalog.Document
	for _, in := range builtIn().Inputs {
		files = append(files, &catalog.Document{Path: in.Path, Digest: in.Digest})
	}
	if want := catalog.DigestOf(files); alone.Catalog.Digest != want {
		t.Errorf("the digest of the built-in tree is %s, want %s", alone.Catalog.Digest, want)
	}
	files = slices.Insert(files, 2, &catalog.Document{Path: "prompts/a/PROMPT.md", Digest: digest})
	if want := catalog.DigestOf(files); both.Catalog.Digest != want {
		t.Errorf("the digest of both is %s, want %s", both.Catalog.Digest, want)
	}
	if alone.Catalog.Sources != nil || alone.Origins != nil {
		t.Errorf("the built-in tree alone has the sources %v and the origins %v", alone.Catalog.Sources, alone.Origins)
	}
}

// TestOrigins holds what documents tell of where they come from to where they were read.
func TestOrigins(t *testing.T) {
	team := map[string]file{
		"x.md":         {data: []byte("---\nname: a\ndescription: A.\n---\nA.\n")},
		"s/SKILL.md":   {data: []byte("---\nname: s\ndescription: S.\n---\nS.\n")},
		"s/data/x.bin": {data: []byte("\x00")},
	}
	tools := map[string]file{"skills/t/SKILL.md": {data: []byte("---\nname: t\ndescription: T.\n---\nT.\n")}}
	other := map[string]file{
		"prompts/b/PROMPT.md": {data: []byte("---\nprompt: {version: 1.0.0, description: B.}\n---\nB.\n")},
		"more/b.md":           {data: []byte("# B\n")},
	}
	list := []*check.Tree{builtIn(), tree("team", "", check.Flat, team), tree("tools", "", check.AgentSkills, tools), tree("other", "", check.Contract, other)}
	program, faults, warnings := check.Trees(list)
	if len(faults)+len(warnings) > 0 {
		t.Fatal(faults, warnings)
	}
	want := map[string]bool{"team x.md": true, "team s/SKILL.md": true, "team s/data/x.bin": true, "tools (skills/t/SKILL.md)": true,
		"other (prompts/b/PROMPT.md)": true, "other (more/b.md)": true}
	for _, in := range builtIn().Inputs {
		if in.Kind != parse.Settings {
			want[" ("+in.Path+")"] = true
		}
	}
	got := map[string]bool{}
	documents := slices.Clone(program.Catalog.Documents)
	for _, s := range program.Catalog.Skills {
		documents = append(documents, s.Files...)
	}
	for _, d := range documents {
		got[d.Source+" "+cmp.Or(d.Origin, "("+d.Path+")")] = true
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for i, layout := range []check.Layout{check.Flat, check.AgentSkills, check.Contract} {
		if got := program.Catalog.Sources[i].Layout; got != string(layout) {
			t.Errorf("the layout of source %d is %q, want %s", i, got, layout)
		}
	}
	// A file that was read once can come under another name.
	list[3].Source.Name = "another"
	again, _, _ := check.Trees(list)
	const uri = catalog.DocumentScheme + "more/b.md"
	if d, _ := again.Catalog.Resource(uri); d == nil || d.Source != "another" {
		t.Errorf("got %+v", d)
	}
	if d, _ := program.Catalog.Resource(uri); d.Source != "other" {
		t.Error("what was handed out has changed")
	}
}

// TestSources holds what catalog.yaml says of sources to what is made of it.
func TestSources(t *testing.T) {
	built := tree("", "content", check.Contract, map[string]file{"catalog.yaml": {data: []byte(`sources:
  - repository: https://git.example.com/org/team-prompts.git
  - {repository: https://user:hunter2@git.example.com/x.git}
  - {repository: file:///srv/style, name: house-style, branch: main, path: a/b, token: T, ttl: 90s, layout: agent-skills, on_invalid: skip}
`)}})
	got := check.Sources(built.Inputs)
	for i := range got {
		got[i].Span.Source = nil
		got[i].Span.Start, got[i].Span.End = 0, 0
	}
	want := []check.Source{
		{Name: "team-prompts", Repository: "https://git.example.com/org/team-prompts.git"},
		{Name: "house-style", Repository: "file:///srv/style", Branch: "main", Path: "a/b", Token: "T", TTL: 90e9, Layout: check.AgentSkills, SkipInvalid: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	_, faults, _ := check.Trees([]*check.Tree{built})
	if len(faults) != 1 || strings.Contains(fmt.Sprint(faults), "hunter2") {
		t.Errorf("got the faults %v", faults)
	}
}
