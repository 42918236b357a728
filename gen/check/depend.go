// This file checks what skills say of each other: dependencies and URIs.

package check

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// sees tells whether an item can refer to another: the built-in tree must be sound
// without the others.
func (i *item) sees(other *item) bool { return i.tree > 0 || other.tree == 0 }

// skill returns the skill that an id stands for in another one, or nil.
func (m *merger) skill(from *item, id string) *item {
	if s := m.skills[id]; s != nil && !s.out && from.sees(s) {
		return s
	}
	return nil
}

// dependencies checks what the skills depend on, and that there are no cycles.
func (m *merger) dependencies() []found {
	var list []found
	skills := m.alive(parse.Skill)
	for _, s := range skills {
		var faults diag.List
		for _, d := range s.skill.dependsOn {
			switch gone := m.skills[d.Text]; {
			case d.Text == s.id():
				faults.Add(d.Span, "depends-on", fmt.Sprintf("the skill %q depends on itself", s.id()), "remove it")
			case m.skill(s, d.Text) != nil:
			case gone != nil && s.sees(gone):
				f := faults.Add(d.Span, "depends-on", fmt.Sprintf("the skill %q, which has faults, is left out", d.Text), "mend that one first")
				f.Related = []diag.Related{{Span: gone.main.File.Source.Top(), Message: "it is here"}}
			default:
				var ids []string
				for _, o := range skills {
					if s.sees(o) {
						ids = append(ids, o.id())
					}
				}
				faults.Add(d.Span, "depends-on", fmt.Sprintf("there is no skill %q", d.Text), didYouMean(d.Text, ids, "name a directory of skills/"))
			}
		}
		for _, f := range faults {
			list = append(list, found{s, f})
		}
	}
	// A walk in depth finds each cycle at the edge that closes it.
	const open, done = 1, 2
	state := map[*item]int{}
	var trail []hop
	var visit func(s *item)
	visit = func(s *item) {
		state[s] = open
		for _, d := range s.skill.dependsOn {
			next := m.skill(s, d.Text)
			if next == nil || next == s {
				continue
			}
			trail = append(trail, hop{s, d})
			switch state[next] {
			case 0:
				visit(next)
			case open:
				start := slices.IndexFunc(trail, func(h hop) bool { return h.from == next })
				list = append(list, cycle(slices.Clone(trail[start:])))
			}
			trail = trail[:len(trail)-1]
		}
		state[s] = done
	}
	for _, s := range skills {
		if state[s] == 0 {
			visit(s)
		}
	}
	return list
}

// A hop is one skill's naming of another that it depends on.
type hop struct {
	from *item
	edge *parse.Value
}

// cycle returns the fault of hops that lead in a circle. It starts with a skill of the
// latest tree among them, which is the one that is at fault.
func cycle(hops []hop) found {
	latest := slices.MaxFunc(hops, func(a, b hop) int { return cmp.Compare(a.from.tree, b.from.tree) })
	start := slices.Index(hops, latest)
	hops = slices.Concat(hops[start:], hops[:start])
	path := hops[0].from.id()
	for _, h := range hops {
		path += " → " + h.edge.Text
	}
	f := diag.Diagnostic{
		Span: hops[0].edge.Span, Rule: "dependency-cycle",
		Message: "skills depend on each other in a circle: " + path, Help: "remove one of the hops",
	}
	for _, h := range hops[1:] {
		f.Related = append(f.Related, diag.Related{Span: h.edge.Span, Message: fmt.Sprintf("%s depends on %s", h.from.id(), h.edge.Text)})
	}
	return found{hops[0].from, f}
}

// uris checks that each resource:// URI in a skill's block names something.
func (m *merger) uris() []found {
	u := uris{m: m}
	for _, s := range m.alive(parse.Skill) {
		if s.skill.block == nil {
			continue
		}
		u.faults = nil
		u.in(s, s.skill.block)
		for _, f := range u.faults {
			u.found = append(u.found, found{s, f})
		}
	}
	return u.found
}

// uris is the state of merger.uris.
type uris struct {
	m      *merger
	found  []found
	faults diag.List
	// documents are the lowest numbers of trees that have them, by their paths; they
	// are looked for when the first URI of one is.
	documents map[string]int
}

// in checks the URIs in a value of a skill's block.
func (u *uris) in(s *item, v *parse.Value) {
	for _, element := range v.Items {
		u.in(s, element)
	}
	for _, e := range v.Entries {
		u.in(s, e.Value)
	}
	if v.Kind != parse.Text {
		return
	}
	for _, at := range resourceURI.FindAllStringIndex(v.Text, -1) {
		uri := strings.TrimRight(v.Text[at[0]:at[1]], ".,;:!?")
		if u.known(s, uri) || u.unsure(s, uri) {
			continue
		}
		span := v.Span
		if i := strings.Index(span.Text(), uri); i >= 0 {
			span = span.Source.Span(span.Start+i, span.Start+i+len(uri))
		}
		if gone := u.gone(s, uri); gone != nil {
			f := u.faults.Add(span, "uri-unknown", fmt.Sprintf("nothing has the URI %s, for the skill %q, which has faults, is left out", uri, gone.id()), "mend that one first")
			f.Related = []diag.Related{{Span: gone.main.File.Source.Top(), Message: "it is here"}}
			continue
		}
		u.faults.Add(span, "uri-unknown", fmt.Sprintf("nothing has the URI %s", uri),
			didYouMean(uri, u.candidates(s), "skills are at resource://skills/<id>/document, documents at resource://docs/<path>"))
	}
}

// resourceURI finds URIs in a text, with the punctuation that may follow one.
var resourceURI = regexp.MustCompile(`resource://[^\s"'<>()\[\]{}` + "`" + `]+`)

// known tells whether something that a skill can refer to has a URI.
func (u *uris) known(from *item, uri string) bool {
	if uri == catalog.SkillsIndexURI {
		return true
	}
	if p, ok := strings.CutPrefix(uri, catalog.DocumentScheme); ok {
		tree, ok := u.paths()[p]
		return ok && (from.tree > 0 || tree == 0)
	}
	for _, segment := range strings.Split(uri, "/") {
		if s := u.m.skill(from, segment); s != nil && slices.Contains(skillURIs(s), uri) {
			return true
		}
	}
	return false
}

// gone returns the skill whose URI this would be, had it not been left out.
func (u *uris) gone(from *item, uri string) *item {
	for _, segment := range strings.Split(uri, "/") {
		if s := u.m.skills[segment]; s != nil && s.out && from.sees(s) && slices.Contains(skillURIs(s), uri) {
			return s
		}
	}
	return nil
}

// skillURIs returns the resource:// URIs of a skill other than those of its documents.
func skillURIs(i *item) []string {
	s := i.skill.value
	list := []string{s.RecordURI(), s.URI()}
	for _, r := range s.References {
		list = append(list, s.ReferenceURI(r.ID))
	}
	return list
}

// paths returns the paths of all documents.
func (u *uris) paths() map[string]int {
	if u.documents != nil {
		return u.documents
	}
	u.documents = map[string]int{}
	add := func(p string, tree int) {
		if _, ok := u.documents[p]; !ok {
			u.documents[p] = tree
		}
	}
	for _, i := range u.m.items {
		for _, in := range i.files {
			if !i.out && in.File != nil {
				add(i.path(in), i.tree)
			}
		}
	}
	// Other files than those of items have faults, and exist all the same.
	for tree, t := range u.m.trees {
		for _, in := range t.Inputs {
			if !t.Lenient && in.File != nil && in.Kind != parse.Settings && in.Canonical != "" {
				add(in.Canonical, tree)
			}
		}
	}
	return u.documents
}

// candidates returns the URIs that a skill can name, sorted.
func (u *uris) candidates(from *item) []string {
	list := []string{catalog.SkillsIndexURI}
	for _, s := range u.m.alive(parse.Skill) {
		if from.sees(s) {
			list = append(list, skillURIs(s)...)
		}
	}
	for p, tree := range u.paths() {
		if from.tree > 0 || tree == 0 {
			list = append(list, catalog.DocumentScheme+p)
		}
	}
	slices.Sort(list)
	return list
}

// unsure tells whether a URI is that of a skill whose directory has no id, or of a
// reference of a skill whose own faults keep its references from being known.
func (u *uris) unsure(from *item, uri string) bool {
	rest, ok := strings.CutPrefix(uri, "resource://skills/")
	if !ok {
		return false
	}
	id, rest, _ := strings.Cut(rest, "/")
	if s := u.m.skill(from, id); s != nil {
		return !s.skill.sound && strings.HasPrefix(rest, "references/")
	}
	return slices.ContainsFunc(u.m.items, func(s *item) bool {
		return s.kind == parse.Skill && !s.out && from.sees(s) && !catalog.IsID(s.id()) && kebab(s.id()) == id
	})
}
