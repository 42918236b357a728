// This file makes the program of what was checked.

package check

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/parse"
)

// finish makes the program of the items that are not left out.
func (m *merger) finish() *Program {
	cat := m.catalog
	program := &Program{Root: m.trees[0].Root, Sources: m.sources, Catalog: &cat}
	files := make([]*catalog.Document, 0, 1+len(m.items)) // the digest's
	prompts := m.alive(parse.Prompt)
	cat.Documents = slices.Grow(cat.Documents, len(prompts))
	cat.Prompts = slices.Grow(cat.Prompts, len(prompts))
	program.Prompts = slices.Grow(program.Prompts, len(prompts))
	for _, i := range prompts {
		cat.Prompts = append(cat.Prompts, i.prompt.value)
		program.Prompts = append(program.Prompts, i.prompt.names)
		cat.Documents = append(cat.Documents, i.prompt.value.Document)
	}
	for _, i := range m.alive(parse.Skill) {
		cat.Skills = append(cat.Skills, i.skill.value)
		program.Skills = append(program.Skills, i.skill.names)
		cat.Documents = append(cat.Documents, i.skill.documents...)
		cat.Resources = append(cat.Resources, i.skill.resources...)
	}
	for _, i := range m.alive(parse.Document) {
		d := plainDocument(i.main, m.trees[i.tree].Source.Name)
		cat.Documents = append(cat.Documents, d)
		if dir := path.Dir(d.Path); dir != "prompts" && dir != "skills" {
			cat.Resources = append(cat.Resources, resource(catalog.DocumentScheme+d.Path, d.Path, d.Title, i.main.File.Paragraph, d))
		}
	}
	cat.Resources = append(cat.Resources, resource(catalog.SkillsIndexURI, "skills_index", "Index of skills",
		"All skills with their descriptions, versions, tags and capabilities.", made("Index of skills", catalog.SkillsIndex(cat.Skills))))
	slices.SortFunc(cat.Documents, func(a, b *catalog.Document) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(cat.Resources, func(a, b catalog.Resource) int { return cmp.Compare(a.URI, b.URI) })

	if m.file != nil {
		files = append(files, &catalog.Document{Path: m.file.Path, Digest: m.file.Digest})
	}
	for _, i := range m.items {
		for _, in := range i.files {
			if i.out {
				continue
			}
			at := i.path(in)
			files = append(files, &catalog.Document{Path: at, Digest: in.Digest})
			if t := m.trees[i.tree]; i.tree > 0 {
				if program.Origins == nil {
					program.Origins = map[string]string{}
				}
				program.Origins[at] = path.Join(t.Root, in.Path)
			}
		}
	}
	cat.Digest = digestOf(files)
	for _, t := range m.trees[1:] {
		s := t.Source
		s.Layout, s.Digest = string(t.Layout), t.Digest()
		cat.Sources = append(cat.Sources, s)
	}
	cat.PromptTable = table(cat.Prompts, func(p *catalog.Prompt) string { return p.ID })
	cat.ResourceTable = table(cat.Resources, func(r catalog.Resource) string { return r.URI })
	cat.DocumentTable = table(cat.Documents, func(d *catalog.Document) string { return d.Path })
	sums := make(catalog.Sums, 2*len(cat.Documents))
	for _, i := range m.items {
		if !i.out {
			i.addSums(sums)
		}
	}
	cat.Seal = sums.Seal(&cat)
	return program
}

// addSums adds what the seal has of the item.
func (i *item) addSums(sums catalog.Sums) {
	switch i.kind {
	case parse.Prompt:
		sums[i.prompt.value], sums[i.prompt.value.Document] = i.prompt.sums[0], i.prompt.sums[1]
	case parse.Skill:
		maps.Copy(sums, i.skill.sums)
	}
}

// Digest returns the digest of the tree's files by their paths in it, made as that of
// a catalog is.
func (t *Tree) Digest() string {
	files := make([]*catalog.Document, len(t.Inputs))
	for i, in := range t.Inputs {
		files[i] = &catalog.Document{Path: in.Path, Digest: in.Digest}
	}
	return digestOf(files)
}

// digestOf is catalog.DigestOf for files in any order.
func digestOf(files []*catalog.Document) string {
	slices.SortFunc(files, func(a, b *catalog.Document) int { return cmp.Compare(a.Path, b.Path) })
	return catalog.DigestOf(files)
}

// resource returns an entry of resources/list. Its description is the title where
// there is no other.
func resource(uri, name, title, description string, d *catalog.Document) catalog.Resource {
	r := catalog.Resource{URI: uri, Name: name, Title: title, Description: cmp.Or(description, title), Document: d}
	r.Entry = catalog.ResourceEntry(&r)
	return r
}

func table[T any](list []T, key func(T) string) catalog.Table {
	keys := make([]string, len(list))
	for i, v := range list {
		keys[i] = key(v)
	}
	return catalog.NewTable(keys)
}

// made returns the document of a JSON text that the compiler made.
func made(title, text string) *catalog.Document {
	sum := sha256.Sum256([]byte(text))
	return &catalog.Document{Title: title, MIMEType: catalog.JSON, Size: len(text), Digest: hex.EncodeToString(sum[:]), Text: split(text)}
}
