// This file holds Side, one of the two states that are compared, and the places in
// it.

package breaking

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// A Side is a content tree that compiled: the state before a change, or the one
// after it.
type Side struct {
	// Program is what the tree compiled to, and Inputs are its files.
	Program *check.Program
	Inputs  []*check.Input
	// Root is how the tree's directory is shown in diagnostics.
	Root string
	// Unsettled tells that nothing is known of catalog.yaml, so that its version,
	// name and prefix cannot be compared.
	Unsettled bool
}

// New reads the content tree that is to be released. It returns nil and the tree's
// faults if there are any. Root is how the tree's directory is shown, and progress as
// in [gen.Options].
func New(fsys fs.FS, root string, progress func(done, total int)) (*Side, diag.List, error) {
	tree, err := gen.Load(fsys, gen.Options{Root: root, Layout: check.Contract, Progress: progress})
	if err != nil {
		return nil, nil, err
	}
	program, faults, _ := check.Trees([]*check.Tree{tree})
	faults.Sort()
	if len(faults) > 0 {
		return nil, faults, nil
	}
	return &Side{Program: program, Inputs: tree.Inputs, Root: root}, nil, nil
}

// Old reads an earlier state. A compiler before this one may have accepted what is a
// fault today: the prompt, skill or document that has one is left out, and its faults
// are returned beside the side.
func Old(fsys fs.FS, root string) (*Side, diag.List, error) {
	tree, err := gen.Load(fsys, gen.Options{Root: root, Layout: check.Contract})
	if err != nil {
		return nil, nil, err
	}
	side := &Side{Root: root}
	left := tree.Faults
	for tree.Faults = nil; ; {
		program, faults, _ := check.Trees([]*check.Tree{tree})
		if len(faults) == 0 {
			side.Program, side.Inputs = program, tree.Inputs
			left.Sort()
			return side, left, nil
		}
		left = append(left, faults...)
		unsound := map[string]bool{}
		for _, d := range faults {
			unsound[itemOf(strings.TrimPrefix(d.Span.Source.Name, root+"/"))] = true
		}
		before := len(tree.Inputs)
		tree.Inputs = slices.DeleteFunc(tree.Inputs, func(in *check.Input) bool { return unsound[itemOf(in.Path)] })
		if len(tree.Inputs) == before {
			return nil, nil, fmt.Errorf("no part of it is sound: %w", left)
		}
		side.Unsettled = side.Unsettled || unsound[check.SettingsFile]
	}
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
	inputs          map[string]*check.Input
	settings        *parse.File // catalog.yaml, or nil
}

func newView(s *Side) *view {
	v := &view{Side: s, prompts: map[string]int{}, skills: map[string]int{}, inputs: make(map[string]*check.Input, len(s.Inputs))}
	for i, p := range s.Program.Catalog.Prompts {
		v.prompts[p.ID] = i
	}
	for i, k := range s.Program.Catalog.Skills {
		v.skills[k.ID] = i
	}
	for _, in := range s.Inputs {
		v.inputs[in.Path] = in
		if in.Kind == parse.Settings {
			v.settings = in.File
		}
	}
	return v
}

// top returns the place of a whole file.
func (v *view) top(p string) diag.Span {
	if in := v.inputs[p]; in != nil && in.File != nil {
		return in.File.Source.Top()
	}
	return (&diag.Source{Name: path.Join(v.Root, p)}).Top()
}

// A page is the file that describes a prompt or skill, or the catalog.
type page struct {
	file *parse.File
	// block is the mapping with the version.
	block *parse.Value
}

// page returns the page of a document; key is that of its mapping.
func (v *view) page(d *catalog.Document, key string) page {
	file := v.inputs[d.Path].File
	return page{file, file.Front.Get(key)}
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
