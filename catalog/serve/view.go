// This file holds what of the content a principal sees. What is not seen is
// answered as what does not exist.

package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed33527553/promptc/catalog"
)

// A view is the content as it is seen under the limits of a principal, ready to be
// sent. It is made of little until something is asked for.
type view struct {
	principal *catalog.Principal // nil: everything is seen
	// limits are the principal's in one text, empty for none.
	limits                     string
	prompts, resources, skills list
	// index is the skills index, of the seen skills of all catalogs; nil for none.
	index func() *catalog.Document
}

func (s *stock) newView(p *catalog.Principal, limits string) *view {
	v := &view{principal: p, limits: limits}
	v.index = sync.OnceValue(func() *catalog.Document { return indexOf(s.mux, p) })
	v.prompts = s.newList("prompts/list", "prompts", limits, func() []string { return s.promptEntries(p) })
	v.resources = s.newList("resources/list", "resources", limits, func() []string { return s.resourceEntries(v) })
	v.skills = s.newList("skills/list", "skills", limits, func() []string { return s.skillEntries(p) })
	return v
}

// mostViews is how many views are kept: principals with the same limits share one,
// and there are few kinds of them.
const mostViews = 64

// views are the views that were asked for.
type views struct {
	mu       sync.Mutex
	byLimits map[string]*view
	// order is the keys of byLimits, from the oldest.
	order []string
}

// limited tells whether a principal may see some of the content only.
func limited(p *catalog.Principal) bool { return p != nil && len(p.Prefixes)+len(p.Tags) > 0 }

// view returns the content as a principal sees it.
func (s *stock) view(p *catalog.Principal) *view {
	if !limited(p) {
		return s.everything
	}
	var few [256]byte
	limits := appendLimits(few[:0], p)
	s.views.mu.Lock()
	defer s.views.mu.Unlock()
	if v, ok := s.views.byLimits[string(limits)]; ok {
		return v
	}
	if s.views.byLimits == nil {
		s.views.byLimits = map[string]*view{}
	}
	if len(s.views.order) == mostViews {
		delete(s.views.byLimits, s.views.order[0])
		s.views.order = slices.Delete(s.views.order, 0, 1)
	}
	key := string(limits)
	// The principal is the caller's, who may change it.
	v := s.newView(&catalog.Principal{Prefixes: slices.Clone(p.Prefixes), Tags: slices.Clone(p.Tags)}, key)
	s.views.byLimits[key] = v
	s.views.order = append(s.views.order, key)
	return v
}

// appendLimits appends a text that is the same for principals with the same limits.
func appendLimits(dst []byte, p *catalog.Principal) []byte {
	for i, limits := range [...][]string{p.Prefixes, p.Tags} {
		if i > 0 {
			dst = append(dst, '|')
		}
		if !slices.IsSorted(limits) {
			limits = slices.Sorted(slices.Values(limits))
		}
		for _, limit := range limits {
			dst = strconv.AppendQuote(dst, limit)
		}
	}
	return dst
}

func seesPrompt(p *catalog.Principal, c *catalog.Catalog, prompt *catalog.Prompt) bool {
	return !limited(p) || p.Sees(c.Prefix+prompt.ID, prompt.Tags)
}

func seesSkill(p *catalog.Principal, c *catalog.Catalog, skill *catalog.Skill) bool {
	return !limited(p) || p.Sees(c.Prefix+skill.ID, skill.Tags)
}

// seesResource tells whether a principal may read something of a catalog: what
// belongs to a prompt or a skill is seen with it. What else is in prompts/ and
// skills/, such as a README, may tell of all of them, and is seen by those who see
// the whole catalog; anything else by everybody.
func seesResource(p *catalog.Principal, c *catalog.Catalog, uri string) bool {
	if !limited(p) {
		return true
	}
	if rest, ok := strings.CutPrefix(uri, catalog.DocumentScheme+"prompts/"); ok {
		id, _, inside := strings.Cut(rest, "/")
		if prompt, ok := c.Prompt(id); ok && inside {
			return seesPrompt(p, c, prompt)
		}
		return p.Sees(c.Prefix, nil)
	}
	for _, family := range [...]string{catalog.SkillScheme + c.Prefix, "resource://catalog/skills/", "resource://skills/", catalog.DocumentScheme + "skills/"} {
		if rest, ok := strings.CutPrefix(uri, family); ok {
			id, _, _ := strings.Cut(rest, "/")
			if skill, ok := c.Skill(id); ok {
				return seesSkill(p, c, skill)
			}
			return p.Sees(c.Prefix, nil)
		}
	}
	return true
}

// told returns a skill as a principal who sees it may know it from the catalog: it
// names no other skill and no document that is hidden from them. What the author
// wrote in the skill's own files is not touched, since they are signed for by their
// digests.
func told(p *catalog.Principal, c *catalog.Catalog, skill *catalog.Skill) *catalog.Skill {
	if !limited(p) {
		return skill
	}
	hidden := func(id string) bool {
		other, ok := c.Skill(id)
		return !ok || !seesSkill(p, c, other)
	}
	unread := func(uri string) bool { return !seesResource(p, c, uri) }
	if !slices.ContainsFunc(skill.DependsOn, hidden) && !slices.ContainsFunc(skill.Capabilities, unread) {
		return skill
	}
	less := *skill
	less.DependsOn = slices.DeleteFunc(slices.Clone(skill.DependsOn), hidden)
	less.Capabilities = slices.DeleteFunc(slices.Clone(skill.Capabilities), unread)
	return &less
}

// recordOf returns what a principal reads at a URI of a catalog, where d is
// compiled: the record of a skill as it is told to them, all else as it is.
func recordOf(p *catalog.Principal, c *catalog.Catalog, uri string, d *catalog.Document) *catalog.Document {
	if !limited(p) {
		return d
	}
	id, ok := strings.CutPrefix(uri, "resource://catalog/skills/")
	if !ok {
		return d
	}
	skill, ok := c.Skill(id)
	if !ok {
		return d
	}
	if less := told(p, c, skill); less != skill {
		return rewritten(d, less.Record())
	}
	return d
}

// rewritten returns a document with another text.
func rewritten(d *catalog.Document, text string) *catalog.Document {
	sum := sha256.Sum256([]byte(text))
	other := *d
	other.Size, other.Digest, other.Text = len(text), hex.EncodeToString(sum[:]), []string{text}
	return &other
}

// visibleSkills returns the skills of a catalog that a principal sees.
func visibleSkills(p *catalog.Principal, c *catalog.Catalog) []*catalog.Skill {
	if !limited(p) {
		return c.Skills
	}
	var seen []*catalog.Skill
	for _, skill := range c.Skills {
		if seesSkill(p, c, skill) {
			seen = append(seen, skill)
		}
	}
	return seen
}

// indexOf returns the skills index, of the skills of all catalogs that a principal
// sees; nil if no catalog has one.
func indexOf(m *catalog.Mux, p *catalog.Principal) *catalog.Document {
	var compiled []*catalog.Document
	var skills []*catalog.Skill
	for _, c := range m.Catalogs() {
		if d, ok := c.Resource(catalog.SkillsIndexURI); ok {
			compiled = append(compiled, d)
		}
		for _, skill := range visibleSkills(p, c) {
			skills = append(skills, told(p, c, skill))
		}
	}
	switch {
	case compiled == nil:
		return nil
	case len(compiled) == 1 && !limited(p):
		return compiled[0]
	}
	slices.SortStableFunc(skills, func(a, b *catalog.Skill) int { return strings.Compare(a.ID, b.ID) })
	return rewritten(compiled[0], catalog.SkillsIndex(skills))
}

// document returns what a principal reads at a URI of a compiled catalog.
func (s *stock) document(p *catalog.Principal, uri string) (*catalog.Document, bool) {
	if uri == catalog.SkillsIndexURI {
		d := s.view(p).index()
		return d, d != nil
	}
	for i := range s.mux.Mounts() {
		if c := s.mux.Mounts()[i].Catalog; c != nil {
			if d, ok := c.Resource(uri); ok {
				if !seesResource(p, c, uri) {
					return nil, false
				}
				return recordOf(p, c, uri, d), true
			}
		}
	}
	return nil, false
}

func (s *stock) promptEntries(p *catalog.Principal) []string {
	var entries []string
	for _, c := range s.mux.Catalogs() {
		for _, prompt := range c.Prompts {
			if seesPrompt(p, c, prompt) {
				entries = append(entries, prompt.Entry)
			}
		}
	}
	return entries
}

func (s *stock) resourceEntries(v *view) []string {
	var entries []string
	indexed := false
	for _, c := range s.mux.Catalogs() {
		for i := range c.Resources {
			switch r := c.Resources[i]; {
			case r.URI == catalog.SkillsIndexURI && indexed:
			case r.URI == catalog.SkillsIndexURI:
				indexed = true
				if index := v.index(); index != r.Document {
					r.Document = index
					r.Entry = catalog.ResourceEntry(&r)
				}
				entries = append(entries, r.Entry)
			case seesResource(v.principal, c, r.URI):
				if d := recordOf(v.principal, c, r.URI, r.Document); d != r.Document {
					r.Document = d
					r.Entry = catalog.ResourceEntry(&r)
				}
				entries = append(entries, r.Entry)
			}
		}
	}
	for i := range s.mux.Resources() {
		if r := &s.mux.Resources()[i]; !r.IsTemplate() {
			entries = append(entries, string(r.AppendJSON(nil)))
		}
	}
	return entries
}
