// This file holds what is emitted where the package is split into shards.

package emit

import "github.com/dave/jennifer/jen"

// A shardDoc is what a shard's doc_gen.go is made of.
type shardDoc struct {
	Package pkg
	Source  string
	Face    string
}

// render prints the file.
func (u *shardDoc) render(key string) ([]byte, error) {
	f := newSource(u.Package, u.Source)
	f.doc = partDoc(u.Package, u.Face)
	return f.render(key)
}

// partDoc is the comment of a package that the face re-exports.
func partDoc(p pkg, face string) []string {
	return comment("Package " + p.Name + " is a part of package " + face + ", which declares everything in it again. Import that one: the parts change with the number of prompts.")
}

// A faceCatalog is what the face's catalog_gen.go is made of.
type faceCatalog struct {
	Package pkg
	Manual  manual
	Catalog symbol
}

// render prints the file.
func (u *faceCatalog) render(key string) ([]byte, error) {
	f := newSource(u.Package, u.Manual.Source)
	f.doc = u.Manual.packageDoc()
	f.declare(jen.Var().Id("Catalog").Op("=").Add(f.pointer(u.Catalog)), u.Manual.catalogDoc()...)
	u.Manual.declareRegister(f)
	return f.render(key)
}

// A faceFile is what the file that re-exports a shard is made of.
type faceFile struct {
	Package pkg
	Source  string
	Shard   pkg
	Prompts []facePrompt
	Skills  []faceSkill
}

// A facePrompt is what a prompt is re-exported as: names and comments.
type facePrompt struct {
	Prompt, Args symbol
	Doc, ArgsDoc []string
	Choices      []faceChoice
}

// A faceChoice is what the choices of an argument are re-exported as.
type faceChoice struct {
	Type      symbol
	Doc       []string
	Constants []symbol
}

// A faceSkill is what a skill and its references are re-exported as.
type faceSkill struct {
	Skill         symbol
	Doc           []string
	References    []symbol
	ReferenceDocs [][]string
}

func newFacePrompt(p *prompt) facePrompt {
	v := facePrompt{
		Prompt:  symbol{p.Package, p.Names.Prompt},
		Args:    symbol{p.Args.Package, p.Names.Args},
		Doc:     p.doc(),
		ArgsDoc: p.Args.doc(),
	}
	for i, choices := range p.Names.Choices {
		if choices.Type == "" {
			continue
		}
		c := faceChoice{Type: symbol{p.Args.Package, choices.Type}, Doc: p.Args.choiceDoc(i)}
		for _, name := range choices.Constants {
			c.Constants = append(c.Constants, symbol{p.Args.Package, name})
		}
		v.Choices = append(v.Choices, c)
	}
	return v
}

func newFaceSkill(s *skill) faceSkill {
	v := faceSkill{Skill: symbol{s.Package, s.Names.Skill}, Doc: s.doc()}
	for i, name := range s.Names.References {
		v.References = append(v.References, symbol{s.Package, name})
		v.ReferenceDocs = append(v.ReferenceDocs, s.referenceDoc(i))
	}
	return v
}

// render prints the file.
func (u *faceFile) render(key string) ([]byte, error) {
	f := newSource(u.Package, u.Source)
	alias := func(s symbol, doc []string) {
		f.declare(jen.Type().Id(s.Name).Op("=").Add(f.name(s)), doc...)
	}
	variable := func(s symbol, doc []string) {
		f.declare(jen.Var().Id(s.Name).Op("=").Add(f.pointer(s)), doc...)
	}
	for _, p := range u.Prompts {
		alias(p.Args, p.ArgsDoc)
		for _, c := range p.Choices {
			alias(c.Type, c.Doc)
			constants := make([]jen.Code, len(c.Constants))
			for i, s := range c.Constants {
				constants[i] = jen.Id(s.Name).Op("=").Add(f.name(s))
			}
			f.declare(jen.Const().Defs(constants...))
		}
		variable(p.Prompt, p.Doc)
	}
	for _, s := range u.Skills {
		variable(s.Skill, s.Doc)
		for i, r := range s.References {
			variable(r, s.ReferenceDocs[i])
		}
	}
	return f.render(key)
}
