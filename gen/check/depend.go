// This file checks what skills say of each other: dependencies and URIs.

package check

import (
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

// needs knows what skills need of each other and of documents.
type needs struct {
	m *merger
	// skills are those that were there at first, sorted by id.
	skills []*item
	// by has the skills that name an id or a URI.
	by map[string][]*item
	// documents have what the documents belong to, by their paths. Files that belong
	// to nothing have faults, and are there all the same.
	documents map[string]owner
	// candidates are what somebody may have meant, for the built-in tree and for
	// others. They are made when somebody asks.
	candidates [2]*candidates
	guess      guesser
}

// An owner is what a document belongs to: a tree, and in it an item, which may be nil.
type owner struct {
	tree int
	item *item
}

// candidates are the ids of skills and all URIs, sorted.
type candidates struct{ ids, uris []string }

func newNeeds(m *merger) *needs {
	n := &needs{m: m, skills: m.alive(parse.Skill), by: map[string][]*item{}, guess: guesser{catalogGuesses}}
	for _, s := range n.skills {
		for _, d := range s.skill.dependsOn {
			n.by[d.Text] = append(n.by[d.Text], s)
		}
		for _, named := range s.skill.mentions {
			n.by[named.uri] = append(n.by[named.uri], s)
		}
	}
	return n
}

// of returns the skills that need one of some items that are gone.
func (n *needs) of(gone []*item) []*item {
	var list []*item
	seen := map[*item]bool{}
	add := func(name string) {
		for _, s := range n.by[name] {
			if !s.out && !seen[s] {
				seen[s] = true
				list = append(list, s)
			}
		}
	}
	for _, i := range gone {
		if i.kind == parse.Skill {
			add(i.id())
			for _, uri := range skillURIs(i) {
				add(uri)
			}
		}
		for _, in := range i.files {
			add(catalog.DocumentScheme + i.path(in))
		}
	}
	n.candidates = [2]*candidates{}
	return list
}

// lacks returns what a skill depends on and what its URIs name that is not there.
func (n *needs) lacks(s *item) []found {
	var faults diag.List
	for _, d := range s.skill.dependsOn {
		switch gone := n.m.skills[d.Text]; {
		case d.Text == s.id():
			faults.Add(d.Span, "depends-on", fmt.Sprintf("the skill %q depends on itself", s.id()), "remove it")
		case n.m.skill(s, d.Text) != nil:
		case gone != nil && s.sees(gone):
			f := faults.Add(d.Span, "depends-on", fmt.Sprintf("the skill %q, which has faults, is left out", d.Text), "mend that one first")
			f.Related = []diag.Related{{Span: gone.main.File.Source.Top(), Message: "it is here"}}
		default:
			faults.Add(d.Span, "depends-on", fmt.Sprintf("there is no skill %q", d.Text), n.guess.didYouMean(d.Text, n.candidatesFor(s).ids, "name a directory of skills/"))
		}
	}
	for _, named := range s.skill.mentions {
		uri := named.uri
		if n.known(s, uri) || n.unsure(s, uri) {
			continue
		}
		if gone := n.gone(s, uri); gone != nil {
			f := faults.Add(named.span, "uri-unknown", fmt.Sprintf("nothing has the URI %s, for the skill %q, which has faults, is left out", uri, gone.id()), "mend that one first")
			f.Related = []diag.Related{{Span: gone.main.File.Source.Top(), Message: "it is here"}}
			continue
		}
		faults.Add(named.span, "uri-unknown", fmt.Sprintf("nothing has the URI %s", uri),
			n.guess.didYouMean(uri, n.candidatesFor(s).uris, "skills are at resource://skills/<id>/document, documents at resource://docs/<path>"))
	}
	var list []found
	for _, f := range faults {
		list = append(list, found{s, f})
	}
	return list
}

// known tells whether something that a skill can refer to has a URI.
func (n *needs) known(from *item, uri string) bool {
	if uri == catalog.SkillsIndexURI {
		return true
	}
	if p, ok := strings.CutPrefix(uri, catalog.DocumentScheme); ok {
		o, ok := n.paths()[p]
		return ok && (from.tree > 0 || o.tree == 0) && (o.item == nil || !o.item.out)
	}
	s := n.m.skill(from, skillOf(uri))
	return s != nil && slices.Contains(skillURIs(s), uri)
}

// skillOf returns the id in a URI of a skill, or nothing where there is none.
func skillOf(uri string) string {
	for _, scheme := range []string{"resource://skills/", "resource://catalog/skills/"} {
		if rest, ok := strings.CutPrefix(uri, scheme); ok {
			id, _, _ := strings.Cut(rest, "/")
			return id
		}
	}
	return ""
}

// gone returns the skill whose URI this would be, had it not been left out.
func (n *needs) gone(from *item, uri string) *item {
	if s := n.m.skills[skillOf(uri)]; s != nil && s.out && from.sees(s) && slices.Contains(skillURIs(s), uri) {
		return s
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

// paths returns what all documents belong to.
func (n *needs) paths() map[string]owner {
	if n.documents != nil {
		return n.documents
	}
	n.documents = map[string]owner{}
	add := func(p string, o owner) {
		if _, ok := n.documents[p]; !ok {
			n.documents[p] = o
		}
	}
	for _, i := range n.m.items {
		for _, in := range i.files {
			if !i.out && in.File != nil {
				add(i.path(in), owner{i.tree, i})
			}
		}
	}
	for tree, t := range n.m.trees {
		for _, in := range t.Inputs {
			if !t.Lenient && in.File != nil && in.Kind != parse.Settings && in.Canonical != "" {
				add(in.Canonical, owner{tree, nil})
			}
		}
	}
	return n.documents
}

// candidatesFor returns what a skill can name.
func (n *needs) candidatesFor(from *item) *candidates {
	known := &n.candidates[min(from.tree, 1)]
	if *known != nil {
		return *known
	}
	c := &candidates{uris: []string{catalog.SkillsIndexURI}}
	for _, s := range n.skills {
		if !s.out && from.sees(s) {
			c.ids = append(c.ids, s.id())
			c.uris = append(c.uris, skillURIs(s)...)
		}
	}
	for p, o := range n.paths() {
		if (from.tree > 0 || o.tree == 0) && (o.item == nil || !o.item.out) {
			c.uris = append(c.uris, catalog.DocumentScheme+p)
		}
	}
	slices.Sort(c.uris)
	*known = c
	return c
}

// unsure tells whether a URI is that of a skill whose directory has no id, or of a
// reference of a skill whose own faults keep its references from being known.
func (n *needs) unsure(from *item, uri string) bool {
	rest, ok := strings.CutPrefix(uri, "resource://skills/")
	if !ok {
		return false
	}
	id, rest, _ := strings.Cut(rest, "/")
	if s := n.m.skill(from, id); s != nil {
		return !s.skill.sound && strings.HasPrefix(rest, "references/")
	}
	return slices.ContainsFunc(n.skills, func(s *item) bool {
		return !s.out && from.sees(s) && !catalog.IsID(s.id()) && kebab(s.id()) == id
	})
}

// maxCircles is how many circles are reported of skills that are not left out for them.
const maxCircles = 1000

// cycles returns the faults of skills that depend on each other in a circle. A walk in
// depth finds each circle at the edge that closes it.
func (n *needs) cycles() []found {
	var list []found
	const done = -1
	depth := make(map[*item]int, len(n.skills)) // in the trail, from 1, or done
	gone := map[*item]bool{}
	var trail []hop
	var visit func(s *item)
	visit = func(s *item) {
		depth[s] = len(trail) + 1
		for _, d := range s.skill.dependsOn {
			next := n.m.skill(s, d.Text)
			if next == nil || next == s {
				continue
			}
			trail = append(trail, hop{s, d})
			switch at := depth[next]; {
			case at == 0:
				visit(next)
			case at == done || gone[next]:
			case len(list) < maxCircles || n.m.lenient(next):
				f := cycle(trail[at-1:])
				list = append(list, f)
				gone[f.item] = n.m.lenient(f.item)
			}
			trail = trail[:len(trail)-1]
		}
		depth[s] = done
	}
	for _, s := range n.skills {
		if depth[s] == 0 && !s.out {
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

// maxHops is how many hops of a circle are shown. Nobody mends a longer one by reading.
const maxHops = 100

// cycle returns the fault of hops that lead in a circle. It starts with a skill of the
// latest tree among them, which is the one that is at fault.
func cycle(hops []hop) found {
	start := 0
	for i, h := range hops {
		if h.from.tree > hops[start].from.tree {
			start = i
		}
	}
	first := hops[start]
	f := diag.Diagnostic{Span: first.edge.Span, Rule: "dependency-cycle", Help: "remove one of the hops"}
	path := first.from.id()
	for i := range min(len(hops), maxHops) {
		h := hops[(start+i)%len(hops)]
		path += " → " + h.edge.Text
		if i > 0 {
			f.Related = append(f.Related, diag.Related{Span: h.edge.Span, Message: fmt.Sprintf("%s depends on %s", h.from.id(), h.edge.Text)})
		}
	}
	if more := len(hops) - maxHops; more > 0 {
		path += fmt.Sprintf(" and %d more", more)
	}
	f.Message = "skills depend on each other in a circle: " + path
	return found{first.from, f}
}

// A mention is a resource:// URI in a skill's block.
type mention struct {
	uri  string
	span diag.Span
}

// resourceURI finds URIs in a text, with the punctuation that may follow one.
var resourceURI = regexp.MustCompile(`resource://[^\s"'<>()\[\]{}` + "`" + `]+`)

// mentions returns the URIs in a value.
func mentions(v *parse.Value) []mention {
	var list []mention
	for _, element := range v.Items {
		list = append(list, mentions(element)...)
	}
	for _, e := range v.Entries {
		list = append(list, mentions(e.Value)...)
	}
	if v.Kind != parse.Text {
		return list
	}
	for _, at := range resourceURI.FindAllStringIndex(v.Text, -1) {
		uri := strings.TrimRight(v.Text[at[0]:at[1]], ".,;:!?")
		span := v.Span
		if i := strings.Index(span.Text(), uri); i >= 0 {
			span = span.Source.Span(span.Start+i, span.Start+i+len(uri))
		}
		list = append(list, mention{uri, span})
	}
	return list
}
