// This file tests what Compare promises: what it does not report breaks nobody.

package breaking_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/breaking"
	"github.com/seed33527553/promptc/gen/check"
)

// holdsPromises fails where something that worked with the old side does not with the
// new one, and the report has no break. Nothing of package breaking is used to tell.
func holdsPromises(t *testing.T, old, new *breaking.Side, report *breaking.Report) {
	t.Helper()
	broken := broken(old.Program, new.Program)
	all, _ := report.Breaks()
	if broken != "" && all == 0 {
		t.Errorf("nothing breaks by the report, but %s", broken)
	}
}

// broken returns something that the callers of old lose with new: a name, a call, a
// URI or a Go declaration. It is empty where nothing is lost.
func broken(old, new *check.Program) string {
	if old.Catalog.Prefix != new.Catalog.Prefix {
		return "the prefix is another"
	}
	for _, p := range old.Catalog.Prompts {
		n, ok := new.Catalog.Prompt(p.ID)
		if !ok {
			return "there is no prompt " + p.ID
		}
		for _, call := range calls(p) {
			before, err := p.RenderNamed(call)
			if err != nil {
				panic(err) // calls makes valid ones only
			}
			after, err := n.RenderNamed(call)
			if err != nil {
				return fmt.Sprintf("%v is refused: %v", call, err)
			}
			if len(before) != len(after) {
				return "the number of messages is another"
			}
			for i := range before {
				if before[i].Role != after[i].Role {
					return "a role is another"
				}
			}
		}
		for i := range p.Arguments {
			if i >= len(n.Arguments) || n.Arguments[i].Name != p.Arguments[i].Name {
				return fmt.Sprintf("argument %d is another", i+1)
			}
		}
	}
	for _, uri := range uris(old.Catalog) {
		if _, ok := new.Catalog.Resource(uri); !ok {
			return "nothing has the URI " + uri
		}
	}
	for _, s := range old.Catalog.Skills {
		n, ok := new.Catalog.Skill(s.ID)
		if !ok {
			return "there is no skill " + s.ID
		}
		for _, c := range s.Capabilities {
			if !slices.Contains(n.Capabilities, c) {
				return "nothing has the capability " + c
			}
		}
	}
	declared := declarations(new)
	for name, is := range declarations(old) {
		if declared[name] != is {
			return fmt.Sprintf("%s is %q in Go and was %q", name, declared[name], is)
		}
	}
	return ""
}

// calls returns valid calls of a prompt: with as much and as little as there can be,
// and with each choice.
func calls(p *catalog.Prompt) []map[string]string {
	full, least := map[string]string{}, map[string]string{}
	for _, a := range p.Arguments {
		value := "any text"
		if len(a.Choices) > 0 {
			value = a.Choices[0]
		}
		full[a.Name] = value
		if a.Required {
			least[a.Name] = value
		}
	}
	list := []map[string]string{full, least}
	for _, a := range p.Arguments {
		for _, choice := range a.Choices {
			call := map[string]string{a.Name: choice}
			for name, value := range least {
				if name != a.Name {
					call[name] = value
				}
			}
			list = append(list, call)
		}
	}
	return list
}

// uris returns all URIs of a catalog.
func uris(c *catalog.Catalog) []string {
	var list []string
	for _, r := range c.Resources {
		list = append(list, r.URI)
	}
	for _, d := range c.Documents {
		list = append(list, catalog.DocumentScheme+d.Path)
	}
	for _, s := range c.Skills {
		for _, d := range s.Files {
			list = append(list, catalog.SkillURI(c.Prefix, s.ID, strings.TrimPrefix(d.Path, "skills/"+s.ID+"/")))
		}
	}
	return list
}

// declarations returns what the generated package declares, by name, with a type or a
// value.
func declarations(p *check.Program) map[string]string {
	m := map[string]string{}
	for i, names := range p.Prompts {
		m[names.Prompt], m[names.Args] = "prompt", "struct"
		for j, field := range names.Fields {
			m[names.Args+"."+field] = "string"
			if choices := names.Choices[j]; choices.Type != "" {
				m[names.Args+"."+field], m[choices.Type] = choices.Type, "type"
				for k, constant := range choices.Constants {
					m[constant] = p.Catalog.Prompts[i].Arguments[j].Choices[k]
				}
			}
		}
	}
	for i, names := range p.Skills {
		m[names.Skill] = "skill"
		for j, reference := range names.References {
			m[reference] = p.Catalog.Skills[i].References[j].ID
		}
	}
	return m
}

// A tree breaks nothing for itself.
func TestSame(t *testing.T) {
	for name, fsys := range map[string]func() *breaking.Side{
		"base": func() *breaking.Side {
			old, _ := sides(t, base(t), base(t))
			return old
		},
		"content": func() *breaking.Side {
			side, faults, err := breaking.New(os.DirFS("../../content"), nil, gen.Options{Root: "content"})
			if err != nil || len(faults) > 0 {
				t.Fatal(err, faults)
			}
			return side
		},
	} {
		report := breaking.Compare(fsys(), fsys())
		if got := shown(report); got != "" {
			t.Errorf("%s:\n%s", name, got)
		}
		if len(report.Advice) < 2 {
			t.Errorf("%s: advice on %d", name, len(report.Advice))
		}
	}
}

// generated returns a tree of random prompts, skills and documents, of few names so
// that two of them have much in common.
func generated(r *rand.Rand) map[string]string {
	files := map[string]string{}
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	maybe := func(text string) string {
		if r.IntN(2) == 0 {
			return ""
		}
		return text
	}
	version := func() string {
		return fmt.Sprintf("%d.%d.%d%s", r.IntN(3), r.IntN(3), r.IntN(3), pick("", "", "-rc.1", "+b"))
	}
	some := func(words ...string) []string {
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return words[:r.IntN(len(words)+1)]
	}
	if r.IntN(3) > 0 {
		files["catalog.yaml"] = "catalog:\n  title: T\n" + maybe("  name: "+pick("a", "b")+"\n") + maybe("  version: "+version()+"\n")
		if r.IntN(8) == 0 {
			files["catalog.yaml"] += "  prefix: p/\n"
		}
	}
	for _, id := range []string{"alpha", "beta"} {
		if r.IntN(6) == 0 {
			continue
		}
		text := "---\nprompt:\n  version: " + version() + "\n  description: " + pick("One.", "Two.") + "\n" + maybe("  tags: [x]\n")
		body := "Text of " + id + "."
		if names := some("first", "second", "third"); len(names) > 0 {
			text += "  arguments:\n"
			for _, name := range names {
				text += "    - name: " + name + "\n      description: " + pick("One.", "Two.") + "\n"
				body += " {{" + name + "}}"
				choices := some("low", "mid", "high")
				if len(choices) > 0 && r.IntN(2) == 0 {
					text += "      choices: [" + strings.Join(choices, ", ") + "]\n"
				}
				text += maybe("      required: true\n")
			}
		}
		if r.IntN(4) == 0 {
			body += "\n<!-- role: " + pick("user", "assistant") + " -->\nMore."
		}
		files["prompts/"+id+"/PROMPT.md"] = text + "---\n" + body + "\n"
	}
	for _, id := range []string{"gamma", "delta"} {
		if r.IntN(6) == 0 {
			continue
		}
		capabilities := append(some("see", "hear"), "do")
		files["skills/"+id+"/SKILL.md"] = "---\nname: " + id + "\ndescription: D.\nx-personal-mcp:\n  id: " + id + "\n  version: " + version() +
			"\n  capabilities: [" + strings.Join(capabilities, ", ") + "]\n---\n# " + pick("One", "Two") + "\n"
		for _, file := range some("references/a.md", "references/b.md", "scripts/run.sh") {
			files["skills/"+id+"/"+file] = pick("# One\n", "# Two\n")
		}
	}
	for _, file := range some("guide.md", "more/guide.md") {
		files[file] = pick("# One\n", "# Two\n")
	}
	return files
}

// mutated returns a tree with some files of another one.
func mutated(r *rand.Rand, files, other map[string]string) map[string]string {
	result := map[string]string{}
	for name, text := range files {
		result[name] = text
	}
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if r.IntN(4) == 0 && (strings.Count(name, "/") < 2 || result[name] != "") {
			result[name] = other[name]
		}
	}
	return result
}

// Whatever two trees are: if nothing breaks by the report, every name, call, URI and Go
// declaration of the old one is there in the new one; and a tree breaks nothing for
// itself.
func TestPromise(t *testing.T) {
	quiet := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		before := generated(r)
		after := mutated(r, before, generated(r))
		old, new := sides(t, before, after)
		report := breaking.Compare(old, new)
		holdsPromises(t, old, new, report)
		if all, _ := report.Breaks(); all == 0 {
			quiet++
		} else if broken(old.Program, new.Program) == "" && !renamedCatalog(report) {
			t.Errorf("seed %d: the report has %v, but nothing breaks", seed, report.Diagnostics(false))
		}
		if same := breaking.Compare(new, new); len(same.Diagnostics(false)) > 0 {
			t.Errorf("seed %d: a tree breaks itself: %v", seed, same.Diagnostics(false))
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if quiet < 20 || quiet > 380 {
		t.Errorf("in %d of 400 pairs nothing breaks", quiet)
	}
}

// renamedCatalog tells whether the report has a break that callers meet only by the
// server's name.
func renamedCatalog(r *breaking.Report) bool {
	for _, d := range r.Diagnostics(false) {
		if d.Rule == "catalog-renamed" {
			return true
		}
	}
	return false
}
