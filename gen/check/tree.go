// This file holds Trees: several content trees, checked and merged.

package check

import (
	"cmp"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// A Tree is a content tree that was read.
type Tree struct {
	// Source is what the catalog says of the tree; Trees fills in layout and digest. It
	// is the zero value for the built-in tree.
	Source catalog.Source
	Layout Layout
	// Root is how the tree's directory is named in diagnostics and in what tells
	// where a file was made from; it may be empty.
	Root string
	// Inputs are the tree's files, sorted by path.
	Inputs []*Input
	// Faults are those that were found before: of Arrange, and of files that could
	// not be read.
	Faults diag.List
	// Lenient makes warnings of the tree's faults, and leaves out what has them.
	Lenient bool
	// Strict makes a fault of an id that an earlier tree has. Otherwise what has it is
	// left out, with a warning.
	Strict bool
}

// Trees checks trees, of which the first is the built-in one, and merges them into
// one program. It returns the program, or nil and all faults; there may be warnings in
// both cases. Both lists are sorted.
//
// The order of the trees is that of precedence. An id that an earlier tree has cannot
// be had again, and nothing in a later tree makes a fault of an earlier one. What a
// skill depends on, and what its URIs name, may be in any tree, save that the built-in
// tree knows itself alone.
//
// Of a lenient tree, a prompt, a skill with all its files, or a document is left out
// if it has a fault, and so is what then has one because of that. Of others everything
// must be sound.
//
// Trees may be called again with the same inputs, but not by several goroutines at
// once. What it returned before does not change.
func Trees(trees []*Tree) (program *Program, faults, warnings diag.List) {
	m := &merger{trees: trees, skills: map[string]*item{}}
	m.settings()
	for n := range trees {
		m.gather(n)
	}
	m.checkAlone()
	m.leaveOut()
	m.checkTogether()
	m.faults.Sort()
	m.warnings.Sort()
	if len(m.faults) > 0 {
		return nil, m.faults, m.warnings
	}
	return m.finish(), nil, m.warnings
}

// An origin is what is made of a file depends on besides the file.
type origin struct {
	source string // as the catalog has it
	prefix string // the catalog's
	layout Layout
}

// merger is the state of Trees.
type merger struct {
	trees    []*Tree
	faults   diag.List
	warnings diag.List
	// catalog has the settings, and sources are what they name.
	catalog catalog.Catalog
	sources []Source
	file    *Input // catalog.yaml, if there is one
	// items are in the order of precedence.
	items []*item
	// skills are those that have their ids, by these.
	skills map[string]*item
}

// An item is what is served, or left out, as a whole: a prompt, a skill with all its
// files, or a document. One of prompt, skill and document is set.
type item struct {
	tree   int
	main   *Input
	files  []*Input // all of them, sorted by path
	kind   parse.FileKind
	out    bool // it is left out
	prompt *prompt
	skill  *skill
}

// id returns the id of a prompt or skill, and the path of a document. It is empty for
// a prompt that has none.
func (i *item) id() string {
	switch i.kind {
	case parse.Prompt:
		return i.prompt.value.ID
	case parse.Skill:
		return i.skill.id
	}
	return i.main.Canonical
}

// what names the item for readers.
func (i *item) what() string {
	return map[parse.FileKind]string{parse.Prompt: "prompt", parse.Skill: "skill", parse.Document: "document"}[i.kind]
}

// path returns the path in the catalog of one of the item's files.
func (i *item) path(in *Input) string {
	if i.kind == parse.Prompt {
		return "prompts/" + i.id() + "/PROMPT.md"
	}
	return in.Canonical
}

// faults returns what is wrong with the item by itself.
func (i *item) faults() diag.List {
	switch i.kind {
	case parse.Prompt:
		return i.prompt.faults
	case parse.Skill:
		return i.skill.faults
	}
	return i.main.File.Diagnostics
}

// declarations returns the names that the package will have for the item.
func (i *item) declarations() []declaration {
	switch i.kind {
	case parse.Prompt:
		return i.prompt.declarations
	case parse.Skill:
		return i.skill.declarations
	}
	return nil
}

// report adds diagnostics of a tree.
func (m *merger) report(tree int, list diag.List) {
	if m.trees[tree].Lenient {
		m.warnings = append(m.warnings, list.Warnings()...)
	} else {
		m.faults = append(m.faults, list...)
	}
}

// lenient tells whether an item is left out if it has a fault.
func (m *merger) lenient(i *item) bool { return m.trees[i.tree].Lenient }

// settings reads the built-in tree's catalog.yaml.
func (m *merger) settings() {
	for _, in := range m.trees[0].Inputs {
		if in.Kind == parse.Settings {
			s := checkSettings(in.File)
			m.catalog, m.sources, m.file = s.catalog, s.sources, in
			m.report(0, s.faults)
		}
	}
}

// gather makes items of a tree's files.
func (m *merger) gather(tree int) {
	t := m.trees[tree]
	var skills, documents []*item
	byDir := map[string]*item{}
	for _, in := range t.Inputs {
		switch dir, inside := skillDir(in); {
		case in.Kind == parse.Settings:
		case in.Kind == parse.Prompt:
			m.items = append(m.items, &item{tree: tree, kind: parse.Prompt, main: in, files: []*Input{in}})
		case inside:
			s := byDir[dir]
			if s == nil {
				s = &item{tree: tree, kind: parse.Skill}
				byDir[dir] = s
				skills = append(skills, s)
			}
			s.files = append(s.files, in)
			if in.Kind == parse.Skill {
				s.main = in
			}
		case tree == 0 || path.Dir(in.Path) != "prompts" && path.Dir(in.Path) != "skills":
			documents = append(documents, &item{tree: tree, kind: parse.Document, main: in, files: []*Input{in}})
		}
	}
	for _, s := range skills {
		if s.main != nil {
			m.items = append(m.items, s)
			continue
		}
		// Of a directory without a SKILL.md Arrange has spoken; its Markdown has
		// faults of its own.
		for _, in := range s.files {
			if in.File != nil {
				m.report(tree, in.File.Diagnostics)
			}
		}
	}
	m.items = append(m.items, documents...)
}

// skillDir returns the directory, in its tree, of the skill that a file belongs to.
func skillDir(in *Input) (dir string, ok bool) {
	rest, ok := strings.CutPrefix(in.Canonical, "skills/")
	if !ok {
		return "", false
	}
	_, file, ok := strings.Cut(rest, "/")
	return strings.TrimSuffix(in.Path, "/"+file), ok
}

// checkAlone checks each prompt and skill by itself, as many at a time as there are
// processors, unless it was checked before.
func (m *merger) checkAlone() {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	const batch = 64
	for items := range slices.Chunk(m.items, batch) {
		g.Go(func() error {
			for _, i := range items {
				i.check(origin{m.trees[i.tree].Source.Name, m.catalog.Prefix, m.trees[i.tree].Layout})
			}
			return nil
		})
	}
	_ = g.Wait() // no call has an error
}

func (i *item) check(o origin) {
	switch i.kind {
	case parse.Prompt:
		if p := i.main.prompt; p == nil || p.origin != o {
			i.main.prompt = checkPrompt(i.main, o)
		}
		i.prompt = i.main.prompt
	case parse.Skill:
		if s := i.main.skill; s == nil || s.origin != o || !slices.Equal(s.files, i.files) {
			i.main.skill = checkSkill(i.main, i.files, o)
		}
		i.skill = i.main.skill
	}
}

// leaveOut reports the faults of each item by itself, and leaves out those that have
// some and those whose id is taken.
func (m *merger) leaveOut() {
	hit := m.arranged()
	taken := map[string]*item{}
	for _, i := range m.items {
		if i.id() != "" {
			at := i.path(i.main)
			if earlier := taken[at]; earlier != nil {
				m.repeated(i, earlier)
				continue
			}
			taken[at] = i
			if i.kind == parse.Skill {
				m.skills[i.id()] = i
			}
		}
		m.report(i.tree, i.faults())
		i.out = m.lenient(i) && (len(i.faults()) > 0 || hit[i] || i.kind != parse.Document && !catalog.IsID(i.id()))
	}
}

// arranged reports the faults that were found before, and returns the items that
// cannot be served because of them. A file that is stray is only left out itself.
func (m *merger) arranged() map[*item]bool {
	hit := map[*item]bool{}
	for n, t := range m.trees {
		m.report(n, t.Faults)
		if !t.Lenient {
			continue
		}
		at := map[string]bool{}
		for i := range t.Faults {
			if d := &t.Faults[i]; d.Rule != "stray-file" {
				for p := d.Span.Source.Name; p != "." && p != "/"; p = path.Dir(p) {
					at[p] = true
				}
			}
		}
		for _, i := range m.items {
			// The directory of a prompt or skill is all its own; that of a prompt of
			// a flat tree, and of a document, is not.
			p := i.main.Path
			if i.kind == parse.Skill || i.kind == parse.Prompt && t.Layout != Flat {
				p = path.Dir(p)
			}
			if i.tree == n && at[path.Join(t.Root, p)] {
				hit[i] = true
			}
		}
	}
	return hit
}

// repeated leaves out an item whose id an earlier one has.
func (m *merger) repeated(i, earlier *item) {
	i.out = true
	its, others := m.treeName(i.tree), m.treeName(earlier.tree)
	if i.kind == parse.Document {
		// Every repository has a README.md: it is no fault of anybody's.
		d := m.warnings.Add(i.main.File.Source.Top(), "uri-collision", fmt.Sprintf("%s has a document %s, and so has %s", its, i.id(), others), "")
		d.Severity = diag.Warning
		d.Related = []diag.Related{{Span: earlier.main.File.Source.Top(), Message: "it is served from here"}}
		return
	}
	message := fmt.Sprintf("%s has a %s %q, and so has %s", its, i.what(), i.id(), others)
	if i.tree == earlier.tree {
		message = fmt.Sprintf("%s has two %ss with the id %q", its, i.what(), i.id())
	}
	var list diag.List
	d := list.Add(i.main.File.Source.Top(), "id-repeated", message, "give it another name, or remove it")
	d.Related = []diag.Related{{Span: earlier.main.File.Source.Top(), Message: "the earlier one is here"}}
	if i.tree != earlier.tree && !m.trees[i.tree].Strict {
		m.warnings = append(m.warnings, list.Warnings()...)
		return
	}
	m.report(i.tree, list)
}

// treeName names a tree for readers.
func (m *merger) treeName(tree int) string {
	if tree == 0 {
		return "the built-in tree"
	}
	return fmt.Sprintf("the source %q", m.trees[tree].Source.Name)
}

// found is a fault of an item, of which others know.
type found struct {
	item *item
	diag.Diagnostic
}

// checkTogether checks what involves several items: dependencies, URIs and Go names.
// What a lenient tree's items have of it makes them go, and may then be missed by
// others; so it is checked until none goes.
func (m *merger) checkTogether() {
	n := newNeeds(m)
	lacks := map[*item][]found{}
	for look := n.skills; ; {
		var list []found
		for _, s := range look {
			if lacks[s] = n.lacks(s); !s.out {
				list = append(list, lacks[s]...)
			}
		}
		gone := m.remove(list)
		if gone == nil {
			list = n.cycles()
			gone = m.remove(list)
		}
		if gone == nil {
			names := m.declared()
			gone = m.remove(names)
			list = append(list, names...)
		}
		if gone != nil {
			look = n.of(gone)
			continue
		}
		for _, s := range n.skills {
			if !s.out {
				list = append(list, lacks[s]...)
			}
		}
		for _, f := range list {
			m.faults = append(m.faults, f.Diagnostic)
		}
		return
	}
}

// remove leaves out the items of lenient trees that have faults, and returns them.
func (m *merger) remove(list []found) []*item {
	var gone []*item
	for _, f := range list {
		if !m.lenient(f.item) {
			continue
		}
		m.report(f.item.tree, diag.List{f.Diagnostic})
		if !f.item.out {
			f.item.out = true
			gone = append(gone, f.item)
		}
	}
	return gone
}

// declared checks that no two items need one Go name. The later one has the fault.
func (m *merger) declared() []found {
	var list []found
	n := 2
	for _, i := range m.items {
		n += len(i.declarations())
	}
	names := make(scope, n)
	names["Catalog"] = &declaration{what: "the catalog itself"}
	names["Register"] = &declaration{what: "the function that mounts the catalog"}
	var faults diag.List
	for _, i := range m.items {
		if i.out {
			continue
		}
		declarations := i.declarations()
		for n := range declarations {
			names.declare(&faults, &declarations[n])
		}
		for _, f := range faults {
			list = append(list, found{i, f})
		}
		faults = faults[:0]
	}
	return list
}

// alive returns the items of a kind that are not left out, sorted by id.
func (m *merger) alive(kind parse.FileKind) []*item {
	list := make([]*item, 0, len(m.items))
	for _, i := range m.items {
		if i.kind == kind && !i.out {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b *item) int { return cmp.Compare(a.id(), b.id()) })
	return list
}
