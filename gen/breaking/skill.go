// This file compares the skills.

package breaking

import (
	"fmt"
	"slices"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
)

func (c *comparison) compareSkills() {
	old, new := c.old.Program, c.new.Program
	var gone, added []candidate
	for i, s := range old.Catalog.Skills {
		j, ok := c.new.skills[s.ID]
		if !ok {
			gone = append(gone, candidate{s.ID, c.old.skillPage(s).body()})
			continue
		}
		n := new.Catalog.Skills[j]
		a := &Advice{Kind: "skill", ID: s.ID, Old: s.Version, New: n.Version}
		c.report.Advice = append(c.report.Advice, a)
		if s.Digest == n.Digest {
			a.decide()
			continue
		}
		pair := &skillPair{
			comparison: c, advice: a,
			old: skillView{s, &old.Skills[i], c.old.skillPage(s)},
			new: skillView{n, &new.Skills[j], c.new.skillPage(n)},
		}
		pair.compare()
	}
	for _, s := range new.Catalog.Skills {
		if _, ok := c.old.skills[s.ID]; !ok {
			c.catalog.note(Minor, "a new skill")
			added = append(added, candidate{s.ID, c.new.skillPage(s).body()})
		}
	}
	c.gone("skill", gone, added, func(id string) string { return "skills/" + id + "/SKILL.md" },
		func(id string) string { return old.Skills[c.old.skills[id]].Skill })
}

// A skillView is a skill on one side, with its Go names and places.
type skillView struct {
	*catalog.Skill
	names *check.SkillNames
	page
}

// inside returns the path of one of the skill's files from its directory.
func (s *skillView) inside(d *catalog.Document) string { return d.Path[len("skills/"+s.ID+"/"):] }

// reference returns where the frontmatter lists a reference, else its file's top.
func (s *skillView) reference(v *view, r *catalog.Reference) diag.Span {
	return keyOf(s.block.Get("references"), r.ID, v.top(r.Document.Path))
}

// A skillPair is a skill that both sides have.
type skillPair struct {
	*comparison
	advice   *Advice
	old, new skillView
}

func (p *skillPair) breaks(place diag.Span, rule, message, keep string, was ...diag.Related) {
	p.comparison.breaks(p.advice, place, rule, message, keep, was...)
}

func (p *skillPair) compare() {
	a := p.advice
	if p.old.unversioned() != p.new.unversioned() {
		a.note(Patch, "text")
	}
	if a.tags(p.old.Tags, p.new.Tags); !slices.Equal(p.old.DependsOn, p.new.DependsOn) {
		a.note(Minor, "dependencies")
	}
	p.capabilities()
	p.files(p.references())
	a.decide()
	p.version(a, p.old.page, p.new.page)
}

func (p *skillPair) capabilities() {
	for _, s := range p.new.Capabilities {
		if !slices.Contains(p.old.Capabilities, s) {
			p.advice.note(Minor, "an added capability")
		}
	}
	for _, s := range p.old.Capabilities {
		if !slices.Contains(p.new.Capabilities, s) {
			p.breaks(p.new.key("capabilities"), "capability-removed", fmt.Sprintf("the skill %q no longer has the capability %q", p.new.ID, s),
				"keep it", here(p.old.item("capabilities", s), "it was here"))
		}
	}
}

// references compares the references. It returns the old files of those that are
// gone, of which enough is said.
func (p *skillPair) references() (told map[string]bool) {
	told = map[string]bool{}
	var added []*catalog.Reference
	for _, r := range p.new.References {
		if _, ok := p.old.Reference(r.ID); !ok {
			added = append(added, r)
			p.advice.note(Minor, "an added reference")
		}
	}
	for i, r := range p.old.References {
		if _, ok := p.new.Reference(r.ID); ok {
			continue
		}
		told[r.Document.Path] = true
		was := here(p.old.reference(p.comparison.old, r), "it was here")
		uri, inGo := p.old.ReferenceURI(r.ID), p.old.names.References[i]
		same := slices.IndexFunc(added, func(n *catalog.Reference) bool {
			return n.Document.Path == r.Document.Path || n.Document.Digest == r.Document.Digest && r.Document.Size > 0
		})
		if same >= 0 {
			n := added[same]
			added = slices.Delete(added, same, same+1)
			p.breaks(p.new.reference(p.comparison.new, n), "reference-renamed",
				fmt.Sprintf("the reference %q of the skill %q seems to be %q now: nothing has the URI %s (in Go %s)", r.ID, p.new.ID, n.ID, uri, inGo),
				"keep the id "+r.ID, was)
			continue
		}
		p.breaks(p.new.key("references"), "reference-removed",
			fmt.Sprintf("the reference %q of the skill %q is gone: nothing has the URI %s (in Go %s)", r.ID, p.new.ID, uri, inGo),
			"keep the reference", was)
	}
	return told
}

// files compares the files, but for the old ones of which enough is said.
func (p *skillPair) files(told map[string]bool) {
	var gone []*catalog.Document
	var added []*catalog.Document
	for _, d := range p.new.Files {
		if o, ok := p.old.File(p.new.inside(d)); !ok {
			added = append(added, d)
			p.advice.note(Minor, "an added file")
		} else if o.Digest != d.Digest && d.Path != p.new.Document.Path {
			p.advice.note(Patch, "the text of "+p.new.inside(d))
		}
	}
	for _, d := range p.old.Files {
		if _, ok := p.new.File(p.old.inside(d)); !ok && !told[d.Path] {
			gone = append(gone, d)
		}
	}
	for _, d := range gone {
		inside := p.old.inside(d)
		uri := catalog.SkillURI(p.comparison.old.Program.Catalog.Prefix, p.old.ID, inside)
		was := here(p.comparison.old.top(d.Path), "it was here")
		same := slices.IndexFunc(added, func(n *catalog.Document) bool { return n.Digest == d.Digest && d.Size > 0 })
		if same >= 0 {
			n := added[same]
			added = slices.Delete(added, same, same+1)
			p.breaks(p.comparison.new.top(n.Path), "file-renamed",
				fmt.Sprintf("the file %s of the skill %q seems to be %s now: nothing has the URI %s", inside, p.new.ID, p.new.inside(n), uri),
				"keep its path", was)
			continue
		}
		p.breaks(was.Span, "file-removed", fmt.Sprintf("the file %s of the skill %q is gone: nothing has the URI %s", inside, p.new.ID, uri), "keep it")
	}
}
