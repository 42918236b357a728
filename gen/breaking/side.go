// This file holds Side, one of the two states that are compared, and the places in
// it.

package breaking

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// A Side is a release that compiled: the state before a change, or the one after it.
type Side struct {
	// Program is what the content and what is vendored beside it compiled to.
	Program *check.Program
	// Trees are what it was compiled from.
	Trees []*check.Tree
	// Unsettled tells that nothing is known of catalog.yaml, so that its version,
	// name and prefix cannot be compared.
	Unsettled bool
}

// New reads the state that is to be released: the content tree in content, and what was
// vendored beside it, in beside, or nothing if that is nil. It returns nil and the faults
// if there are any. Root and Progress of the options are as in [gen.Options].
func New(content, beside fs.FS, opt gen.Options) (*Side, diag.List, error) {
	trees, err := load(content, beside, opt)
	if err != nil {
		return nil, nil, err
	}
	program, faults, _ := check.Trees(trees)
	if len(faults) > 0 {
		return nil, faults, nil
	}
	return &Side{Program: program, Trees: trees}, nil, nil
}

// Old reads an earlier state, as New does. Its places are shown with the label and a
// colon before their paths, unless label is empty. A compiler before this one may have
// accepted what is a fault today: the prompt, skill or document that has one is left out,
// with what needs it, and the faults are returned as warnings.
func Old(content, beside fs.FS, label string, opt gen.Options) (*Side, diag.List, error) {
	trees, err := load(content, beside, opt)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range trees {
		if t.Lenient = true; label != "" {
			relabel(t, label)
		}
	}
	program, faults, warnings := check.Trees(trees)
	if len(faults) > 0 {
		return nil, nil, fmt.Errorf("it cannot be compiled: %w", faults)
	}
	side := &Side{Program: program, Trees: trees}
	settings := path.Join(trees[0].Root, check.SettingsFile)
	for _, w := range warnings {
		side.Unsettled = side.Unsettled || w.Span.Source.Name == settings
	}
	return side, warnings, nil
}

// relabel puts a label before the paths of a tree's places.
func relabel(t *check.Tree, label string) {
	label += ":"
	root := label + t.Root
	if t.Root == "." {
		label += "./" // as path.Join(root, "x") has it
	}
	t.Root = root
	done := map[*diag.Source]bool{}
	rename := func(s *diag.Source) {
		if !done[s] {
			done[s] = true
			s.Name = label + s.Name
		}
	}
	for _, in := range t.Inputs {
		if in.File != nil {
			rename(in.File.Source)
		}
	}
	for i := range t.Faults {
		rename(t.Faults[i].Span.Source)
		for _, r := range t.Faults[i].Related {
			rename(r.Span.Source)
		}
	}
}

func load(content, beside fs.FS, opt gen.Options) ([]*check.Tree, error) {
	if beside == nil {
		beside = newMemory()
	}
	return gen.LoadRelease(content, beside, opt)
}

// itemOf returns the directory of the prompt or skill that a file belongs to, and
// the path of any other file.
func itemOf(p string) string {
	if parts := strings.SplitN(p, "/", 3); len(parts) == 3 && (parts[0] == "prompts" || parts[0] == "skills") {
		return parts[0] + "/" + parts[1]
	}
	return p
}

// A view finds what a side has, and where.
type view struct {
	*Side
	prompts, skills map[string]int // positions by id
	// inputs are by the path that diagnostics show.
	inputs   map[string]*check.Input
	settings *parse.File // catalog.yaml, or nil
}

func newView(s *Side) *view {
	v := &view{Side: s, prompts: map[string]int{}, skills: map[string]int{}, inputs: map[string]*check.Input{}}
	for i, p := range s.Program.Catalog.Prompts {
		v.prompts[p.ID] = i
	}
	for i, k := range s.Program.Catalog.Skills {
		v.skills[k.ID] = i
	}
	for n, t := range s.Trees {
		for _, in := range t.Inputs {
			v.inputs[path.Join(t.Root, in.Path)] = in
			if n == 0 && in.Kind == parse.Settings {
				v.settings = in.File
			}
		}
	}
	return v
}

// shown returns how diagnostics name the file that has a path in the catalog.
func (v *view) shown(p string) string {
	if origin, ok := v.Program.Origins[p]; ok {
		return origin
	}
	return path.Join(v.Trees[0].Root, p)
}

// top returns the place of a whole file, by its path in the catalog.
func (v *view) top(p string) diag.Span {
	if in := v.inputs[v.shown(p)]; in != nil && in.File != nil {
		return in.File.Source.Top()
	}
	return (&diag.Source{Name: v.shown(p)}).Top()
}

// A page is the file that describes a prompt or skill, or the catalog.
type page struct {
	file *parse.File
	// block is the mapping with the version, or nil: skills from elsewhere may have
	// none.
	block *parse.Value
}

// promptPage returns the page of a prompt. In a flat tree its mapping is the whole
// frontmatter.
func (v *view) promptPage(p *catalog.Prompt) page {
	file := v.inputs[v.shown(p.Document.Path)].File
	if block := file.Front.Get("prompt"); block != nil {
		return page{file, block}
	}
	return page{file, file.Front}
}

// skillPage returns the page of a skill.
func (v *view) skillPage(s *catalog.Skill) page {
	file := v.inputs[v.shown(s.Document.Path)].File
	return page{file, file.Front.Get("x-personal-mcp")}
}

// catalogPage returns the page of catalog.yaml; without one its file is nil.
func (v *view) catalogPage() page {
	if v.settings == nil {
		return page{}
	}
	return page{v.settings, v.settings.Front.Get("catalog")}
}

// top returns the place of the whole page.
func (p page) top() diag.Span { return p.file.Source.Top() }

// key returns where the page's mapping has a key, else the place of the whole page.
func (p page) key(name string) diag.Span { return keyOf(p.block, name, p.top()) }

// value returns where the value of a key stands, else the place of the whole page.
func (p page) value(name string) diag.Span {
	if v := p.block.Get(name); v != nil {
		return v.Span
	}
	return p.top()
}

// item returns where a list of texts has a text, else where the list's key is.
func (p page) item(list, text string) diag.Span {
	if v := p.block.Get(list); v != nil {
		for _, item := range v.Items {
			if item.Text == text {
				return item.Span
			}
		}
	}
	return p.key(list)
}

// unversioned returns the file's text without the value of its version.
func (p page) unversioned() string {
	text := p.file.Source.Text
	if v := p.block.Get("version"); v != nil {
		return text[:v.Span.Start] + text[v.Span.End:]
	}
	return text
}

// body returns the text after the frontmatter.
func (p page) body() string { return p.file.Source.Text[p.file.Body:] }

// keyOf returns where a mapping has a key, else other.
func keyOf(mapping *parse.Value, name string, other diag.Span) diag.Span {
	if mapping != nil {
		for _, e := range mapping.Entries {
			if e.Key.Text == name {
				return e.Key.Span
			}
		}
	}
	return other
}
