// This file holds what is emitted for a skill.

package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/seed33527553/promptc/catalog"
)

// render prints the skill's file.
func (s *skill) render(key string) ([]byte, error) {
	f := newSource(s.Package, s.Source)
	f.handle(s.Names.Skill, "Skill", s.literal(f), s.doc()...)
	for i, r := range s.Skill.References {
		var b block
		b.text("ID", r.ID)
		b.text("Title", r.Title)
		b.field("Document", f.address(s.find(r.Document)))
		f.handle(s.Names.References[i], "Reference", b.literal(), s.referenceDoc(i)...)
	}
	for _, d := range s.Documents {
		d.declare(f, d.literal(f))
	}
	return f.render(key)
}

// literal returns the value of the skill.
func (s *skill) literal(f *source) jen.Code {
	v := s.Skill
	var b block
	b.text("ID", v.ID)
	b.text("Source", v.Source)
	b.text("Version", v.Version)
	b.text("Description", v.Description)
	b.texts("Tags", v.Tags)
	b.texts("Capabilities", v.Capabilities)
	b.texts("DependsOn", v.DependsOn)
	if len(v.References) > 0 {
		var references block
		for _, name := range s.Names.References {
			references = append(references, f.pointer(symbol{s.Package, name}))
		}
		b.field("References", jen.Index().Op("*").Add(vocabulary("Reference"), references.fit(size(s.Names.References))))
	}
	b.field("Document", f.address(s.find(v.Document)))
	if len(v.Files) > 0 {
		var files block
		n := 0
		for _, d := range v.Files {
			o := s.find(d)
			files = append(files, f.address(o))
			n += len(o.Symbol.Name)
		}
		b.field("Files", jen.Index().Op("*").Add(vocabulary("Document"), files.fit(n)))
	}
	b.text("Digest", v.Digest)
	b.field("Entry", f.name(s.Entry))
	return b.literal()
}

// doc is the comment of the skill's variable, here and where it is re-exported.
func (s *skill) doc() []string {
	return comment(s.Names.Skill + " is the skill " + strconv.Quote(s.Skill.ID) + ": " + sentence(s.Skill.Description))
}

// referenceDoc is the comment of a reference's variable.
func (s *skill) referenceDoc(i int) []string {
	r := s.Skill.References[i]
	return comment(s.Names.References[i] + " is the reference " + strconv.Quote(r.ID) + " of the skill " + strconv.Quote(s.Skill.ID) + ": " + sentence(r.Title))
}

// find returns the skill's declaration of a document, or nil.
func (s *skill) find(d *catalog.Document) *document {
	for _, o := range s.Documents {
		if o.Document == d {
			return o
		}
	}
	return nil
}
