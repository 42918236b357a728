// This file checks arbitrary trees in all layouts.

package check_test

import (
	"bytes"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
)

// FuzzTrees checks two arbitrary trees beside a built-in one: nothing panics, lenient
// trees have no faults, a second check says the same, and what is served is sound by
// itself.
func FuzzTrees(f *testing.F) {
	for _, archive := range archives(f) {
		var texts [2]bytes.Buffer
		for i, of := range []string{"content/", "sources/"} {
			part := new(txtar.Archive)
			for _, file := range archive.Files {
				if name, ok := strings.CutPrefix(file.Name, of); ok {
					if of == "sources/" {
						_, name, _ = strings.Cut(name, "/")
					}
					part.Files = append(part.Files, txtar.File{Name: name, Data: file.Data})
				}
			}
			texts[i].Write(txtar.Format(part))
		}
		for layout := range uint8(4) {
			f.Add(texts[0].Bytes(), texts[1].Bytes(), layout)
		}
	}
	f.Fuzz(func(t *testing.T, one, two []byte, layouts uint8) {
		list := []*check.Tree{builtIn(), arbitrary("one", one, layouts), arbitrary("two", two, layouts>>2)}
		for _, tree := range list {
			for _, in := range tree.Inputs {
				if in.Path == "" || strings.HasPrefix(in.Path, "..") {
					t.Fatalf("an input at %q", in.Path)
				}
			}
			tree.Lenient = true
		}
		program, faults, warnings := check.Trees(list)
		if len(faults) > 0 {
			t.Fatalf("lenient trees have faults: %v", faults)
		}
		for _, d := range warnings {
			if d.Severity != diag.Warning {
				t.Errorf("%v is no warning", d)
			}
			for _, s := range append([]diag.Related{{Span: d.Span}}, d.Related...) {
				if s := s.Span; s.Start < 0 || s.End < s.Start || s.End > len(s.Source.Text) {
					t.Errorf("%v: a place outside of its source", d)
				}
			}
		}
		if _, ok := program.Catalog.Prompt("greet"); !ok {
			t.Error("the built-in prompt is not served")
		}
		sound(t, list, program)
		again, _, said := check.Trees(list)
		if !reflect.DeepEqual(again, program) || !reflect.DeepEqual(said, warnings) {
			t.Error("a second check differs")
		}
		for _, tree := range list[1:] {
			tree.Lenient = false
		}
		strict, faults, _ := check.Trees(list)
		if (strict == nil) != (len(faults) > 0) {
			t.Errorf("program %v with %d faults", strict, len(faults))
		}
		for _, d := range faults {
			if strings.HasPrefix(d.Span.Source.Name, "content/") {
				t.Errorf("%v: a fault of the built-in tree, which is sound", d)
			}
		}
		if strict != nil && !reflect.DeepEqual(strict.Catalog, program.Catalog) {
			t.Error("what has no faults is served otherwise if it might have some")
		}
	})
}

// arbitrary reads a tree from an archive whose names and layout may be anything.
func arbitrary(name string, text []byte, layout uint8) *check.Tree {
	files := map[string]file{}
	text = bytes.ReplaceAll(text, []byte("-- --"), nil) // at which txtar panics
	for _, f := range txtar.Parse(text).Files {
		if !fs.ValidPath(f.Name) || f.Name == "." || strings.HasPrefix(f.Name, ".") || strings.Contains(f.Name, "/.") {
			continue
		}
		files[f.Name] = file{data: f.Data}
	}
	for p := range files {
		for i := range p {
			if _, ok := files[p[:i]]; ok && p[i] == '/' {
				delete(files, p) // its directory is a file
				break
			}
		}
	}
	return tree(name, "vendor/"+name, [...]check.Layout{"", check.Contract, check.Flat, check.AgentSkills}[layout&3], files)
}

// sound checks what a program serves by itself.
func sound(t *testing.T, trees []*check.Tree, program *check.Program) {
	t.Helper()
	c := program.Catalog
	for i, p := range c.Prompts {
		if !catalog.IsID(p.ID) || p.Document.Path != "prompts/"+p.ID+"/PROMPT.md" || len(p.Messages) == 0 {
			t.Errorf("the prompt %q at %s has %d messages", p.ID, p.Document.Path, len(p.Messages))
		}
		if i > 0 && c.Prompts[i-1].ID >= p.ID {
			t.Errorf("the prompt %q follows %q", p.ID, c.Prompts[i-1].ID)
		}
		if got, ok := c.Prompt(p.ID); !ok || got != p {
			t.Errorf("the prompt %q is not found", p.ID)
		}
	}
	names := map[string]bool{"Catalog": true, "Register": true}
	for _, p := range program.Prompts {
		for _, name := range []string{p.Prompt, p.Args} {
			if names[name] {
				t.Errorf("the Go name %s is there twice", name)
			}
			names[name] = true
		}
	}
	for i, s := range c.Skills {
		if names[program.Skills[i].Skill] {
			t.Errorf("the Go name %s is there twice", program.Skills[i].Skill)
		}
		for _, id := range s.DependsOn {
			if _, ok := c.Skill(id); !ok {
				t.Errorf("the skill %q depends on %q, which is not served", s.ID, id)
			}
		}
		for _, d := range s.Files {
			if !strings.HasPrefix(d.Path, "skills/"+s.ID+"/") {
				t.Errorf("the skill %q has a file %s", s.ID, d.Path)
			}
		}
		if got, ok := c.Resource(s.URI()); !ok || got != s.Document || s.Document == nil {
			t.Errorf("the skill %q is not read at %s", s.ID, s.URI())
		}
		if len(s.Capabilities) == 0 {
			t.Errorf("the skill %q has no capabilities", s.ID)
		}
	}
	paths := map[string]bool{}
	for _, d := range c.Documents {
		if paths[d.Path] {
			t.Errorf("the document %s is there twice", d.Path)
		}
		paths[d.Path] = true
	}
	if !slices.IsSortedFunc(c.Resources, func(a, b catalog.Resource) int { return strings.Compare(a.URI, b.URI) }) {
		t.Error("the resources are not sorted")
	}
	if catalog.SealOf(c) != c.Seal {
		t.Error("the seal is not that of the catalog")
	}
	if len(c.Sources) != len(trees)-1 {
		t.Errorf("%d sources of %d trees", len(c.Sources), len(trees))
	}
}
