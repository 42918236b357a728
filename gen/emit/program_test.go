// This file holds how the tests make programs.

package emit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
)

// A tree collects what a program is made of.
type tree struct {
	root    string
	origins map[string]string
	catalog catalog.Catalog
	prompts map[string]check.PromptNames
	skills  map[string]check.SkillNames
}

func newTree() *tree {
	return &tree{root: "content", prompts: map[string]check.PromptNames{}, skills: map[string]check.SkillNames{}}
}

// pascal is how the tests name things: it is enough for ids of letters and digits.
func pascal(id string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ' ' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func document(path, title, mime string, parts ...string) *catalog.Document {
	text := strings.Join(parts, "")
	sum := sha256.Sum256([]byte(text))
	return &catalog.Document{
		Path: path, Title: title, MIMEType: mime,
		Size: len(text), Digest: hex.EncodeToString(sum[:]), Text: parts,
	}
}

var placeholder = regexp.MustCompile(`\{\{([a-zA-Z0-9_]+)\}\}`)

// prompt adds a prompt whose messages are the bodies, which alternate between user
// and assistant.
func (t *tree) prompt(p catalog.Prompt, bodies ...string) *catalog.Prompt {
	names := check.PromptNames{Prompt: pascal(p.ID), Args: pascal(p.ID) + "Args"}
	position := map[string]int{}
	var front strings.Builder
	fmt.Fprintf(&front, "---\nprompt:\n  version: %s\n  description: %q\n", p.Version, p.Description)
	for i, a := range p.Arguments {
		position[a.Name] = i + 1
		names.Fields = append(names.Fields, pascal(a.Name))
		var choices check.ChoiceNames
		if len(a.Choices) > 0 {
			choices.Type = pascal(p.ID) + pascal(a.Name)
			for _, c := range a.Choices {
				choices.Constants = append(choices.Constants, choices.Type+pascal(c))
			}
		}
		names.Choices = append(names.Choices, choices)
	}
	front.WriteString("---\n")
	parts := []string{front.String()}
	for i, body := range bodies {
		m := catalog.Template{Role: []catalog.Role{catalog.User, catalog.Assistant}[i%2]}
		if i > 0 {
			parts = append(parts, "\n<!-- role: "+string(m.Role)+" -->\n")
		}
		at := 0
		for _, hole := range placeholder.FindAllStringSubmatchIndex(body, -1) {
			if hole[0] > at {
				m.Segments = append(m.Segments, catalog.Segment{Text: body[at:hole[0]]})
				parts = append(parts, body[at:hole[0]])
			}
			m.Segments = append(m.Segments, catalog.Segment{Argument: position[body[hole[2]:hole[3]]]})
			parts = append(parts, body[hole[0]:hole[1]])
			at = hole[1]
		}
		if at < len(body) {
			m.Segments = append(m.Segments, catalog.Segment{Text: body[at:]})
			parts = append(parts, body[at:])
		}
		p.Messages = append(p.Messages, m)
	}
	parts = append(parts, "\n")
	p.Document = document("prompts/"+p.ID+"/PROMPT.md", p.Title, catalog.Markdown, parts...)
	p.Entry = catalog.PromptEntry(&p, t.catalog.Prefix)
	t.catalog.Prompts = append(t.catalog.Prompts, &p)
	t.catalog.Documents = append(t.catalog.Documents, p.Document)
	t.prompts[p.ID] = names
	return &p
}

// skill adds a skill with its text, references by id, and other files by path.
func (t *tree) skill(s catalog.Skill, text string, references, files map[string]string) *catalog.Skill {
	dir := "skills/" + s.ID + "/"
	names := check.SkillNames{Skill: pascal(s.ID) + "Skill"}
	s.Document = document(dir+"SKILL.md", s.ID, catalog.Markdown, text)
	s.Files = append(s.Files, s.Document)
	for id, text := range references {
		d := document(dir+"references/"+id+".md", pascal(id), catalog.Markdown, text)
		s.References = append(s.References, &catalog.Reference{ID: id, Title: d.Title, Document: d})
		s.Files = append(s.Files, d)
	}
	slices.SortFunc(s.References, func(a, b *catalog.Reference) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range s.References {
		names.References = append(names.References, names.Skill+pascal(r.ID))
	}
	t.catalog.Documents = append(t.catalog.Documents, s.Files...)
	for path, data := range files {
		s.Files = append(s.Files, document(dir+path, path, "application/octet-stream", data))
	}
	slices.SortFunc(s.Files, func(a, b *catalog.Document) int { return strings.Compare(a.Path, b.Path) })
	sum := sha256.Sum256([]byte(text))
	s.Digest = hex.EncodeToString(sum[:])
	s.Entry = catalog.SkillEntry(&s, "", `{"name":"`+s.ID+`"}`)

	t.resource(s.URI(), "skill "+s.ID, s.Description, s.Document)
	t.resource("skill://"+s.ID+"/SKILL.md", s.ID, s.Description, s.Document)
	t.resource(s.RecordURI(), "record of "+s.ID, "What the catalog knows of the skill.", document("", s.ID, catalog.JSON, s.Record()))
	for _, r := range s.References {
		t.resource(s.ReferenceURI(r.ID), s.ID+" "+r.ID, "A reference.", r.Document)
	}
	t.catalog.Skills = append(t.catalog.Skills, &s)
	t.skills[s.ID] = names
	return &s
}

func (t *tree) loose(path, text string) {
	d := document(path, path, catalog.Markdown, text)
	t.catalog.Documents = append(t.catalog.Documents, d)
	t.resource(catalog.DocumentScheme+path, path, "A document.", d)
}

func (t *tree) resource(uri, name, description string, d *catalog.Document) {
	r := catalog.Resource{URI: uri, Name: name, Title: name, Description: description, Document: d}
	r.Entry = catalog.ResourceEntry(&r)
	t.catalog.Resources = append(t.catalog.Resources, r)
}

// program sorts everything and makes the tables.
func (t *tree) program() *check.Program {
	c := t.catalog
	slices.SortFunc(c.Prompts, func(a, b *catalog.Prompt) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(c.Skills, func(a, b *catalog.Skill) int { return strings.Compare(a.ID, b.ID) })
	if len(c.Skills) > 0 {
		t.resource(catalog.SkillsIndexURI, "skills", "All skills.", document("", "Skills", catalog.JSON, catalog.SkillsIndex(c.Skills)))
		c.Resources = t.catalog.Resources
	}
	slices.SortFunc(c.Documents, func(a, b *catalog.Document) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(c.Resources, func(a, b catalog.Resource) int { return strings.Compare(a.URI, b.URI) })
	p := &check.Program{Root: t.root, Origins: t.origins, Catalog: &c}
	var ids, uris, paths []string
	lines := sha256.New()
	for _, v := range c.Prompts {
		ids = append(ids, v.ID)
		p.Prompts = append(p.Prompts, t.prompts[v.ID])
	}
	for _, v := range c.Skills {
		p.Skills = append(p.Skills, t.skills[v.ID])
	}
	for i := range c.Resources {
		uris = append(uris, c.Resources[i].URI)
	}
	for _, d := range c.Documents {
		paths = append(paths, d.Path)
		fmt.Fprintf(lines, "%s  %s\n", d.Digest, d.Path)
	}
	c.Digest = hex.EncodeToString(lines.Sum(nil))
	c.PromptTable, c.ResourceTable, c.DocumentTable = catalog.NewTable(ids), catalog.NewTable(uris), catalog.NewTable(paths)
	c.Seal = catalog.SealOf(&c)
	return p
}

// sample is a small catalog in which every field is set somewhere.
func sample() *tree {
	t := newTree()
	t.catalog.Name = "team"
	t.catalog.Title = "Team prompts"
	t.catalog.Version = "1.4.0"
	t.catalog.Description = "What the team agreed on."
	t.catalog.Instructions = "Read the index first.\nThen the skill.\n"
	t.catalog.Prefix = "team/"
	t.catalog.Sources = []catalog.Source{{
		Name: "style", Repository: "https://git.example.com/org/style.git", Branch: "main", Path: "skills", Layout: "agent-skills",
		Commit: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc71", Digest: strings.Repeat("0f", 32),
	}}
	t.origins = map[string]string{"skills/python-style/SKILL.md": "vendored/style/python-style/SKILL.md"}
	t.catalog.Cache = catalog.CacheHint{Scope: "public", TTL: 24 * time.Hour}
	t.prompt(catalog.Prompt{
		ID: "review-changes", Version: "1.2.0", Title: "Review changes",
		Description: "Ask for a review of one change.", Category: "review", Tags: []string{"git", "review"},
		Arguments: []catalog.Argument{
			{Name: "diff", Description: "The unified diff under review", Required: true},
			{Name: "depth", Description: "How far to go.", Choices: []string{"quick", "thorough"}},
			{Name: "language", Description: "The language to answer in; anything that the model understands will do, from a name to a tag such as pt-BR.", Default: "English"},
		},
	}, "Review this change {{depth}}ly, in {{language}}.\nRun `go test ./...` first, and read\n\"CONTRIBUTING.md\".\n\n```diff\n{{diff}}\n```",
		"I looked at the change.\nNothing is wrong with it,\nin {{language}}.")
	t.prompt(catalog.Prompt{ID: "ping", Source: "style", Version: "0.1.0", Description: "See whether the model answers"}, "Say pong.")
	t.skill(catalog.Skill{
		ID: "pytest-scaffold", Version: "1.0.0", Description: "Write pytest scaffolds. Use when a module has no tests.",
		Tags: []string{"python"}, Capabilities: []string{"resource://skills/pytest-scaffold/document", "resource://skills/pytest-scaffold/references/fixtures"}, DependsOn: []string{"python-style"},
	}, "---\nname: pytest-scaffold\n---\n# Pytest\n\nSee [fixtures](references/fixtures.md).\n",
		map[string]string{"fixtures": "# Fixtures\n\nOne a file.\n", "markers": "# Markers\n\nFew.\n"},
		map[string]string{"scripts/run.sh": "#!/bin/sh\nexec pytest \"$@\"\n", "assets/logo.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06"})
	style := t.skill(catalog.Skill{ID: "python-style", Source: "style", Version: "2.0.0", Description: "House style of Python.", Capabilities: []string{"style"}},
		"---\nname: python-style\n---\nBe plain.\n", nil, nil)
	style.Document.Source, style.Document.Origin = "style", "python-style/SKILL.md"
	t.loose("docs/guide.md", "# Guide\n\nStart here.\n")
	t.loose("docs/2026/plan.md", "# Plan\n")
	return t
}
