// This file holds what is emitted for the arguments of a prompt.

package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
)

// An args is what the types of a prompt's arguments are made of.
type args struct {
	Package   pkg
	Names     check.PromptNames
	ID        string
	Arguments []catalog.Argument
	// Prompt is the prompt's variable.
	Prompt symbol
}

// An argsFile is what the file for the arguments of a shard's prompts is made of.
type argsFile struct {
	Package pkg
	Source  string
	Face    string
	Prompts []*args
}

// render prints the file.
func (u *argsFile) render(key string) ([]byte, error) {
	f := newSource(u.Package, u.Source)
	f.doc = partDoc(u.Package, u.Face)
	for _, p := range u.Prompts {
		p.declare(f)
	}
	return f.render(key)
}

// declare declares the types that the prompt's callers use, and the method that
// renders it.
func (p *args) declare(f *source) {
	fields := make([]jen.Code, 0, 2*len(p.Arguments))
	for i := range p.Arguments {
		for _, line := range p.fieldDoc(i) {
			fields = append(fields, jen.Op(line))
		}
		fields = append(fields, jen.Id(p.Names.Fields[i]).Id(p.fieldType(i)))
	}
	f.declare(jen.Type().Id(p.Names.Args).Struct(fields...), p.doc()...)

	for i := range p.Arguments {
		choices := p.Names.Choices[i]
		if choices.Type == "" {
			continue
		}
		f.declare(jen.Type().Id(choices.Type).String(), p.choiceDoc(i)...)
		constants := make([]jen.Code, len(choices.Constants))
		for j, name := range choices.Constants {
			constants[j] = jen.Id(name).Id(choices.Type).Op("=").Add(quote(p.Arguments[i].Choices[j]))
		}
		f.declare(jen.Const().Defs(constants...))
	}

	receiver := jen.Id(p.Names.Args)
	if len(p.Names.Fields) > 0 {
		receiver = jen.Id("a").Id(p.Names.Args)
	}
	values := make([]jen.Code, len(p.Names.Fields))
	for i, name := range p.Names.Fields {
		values[i] = jen.Id("a").Dot(name)
		if p.fieldType(i) != "string" {
			values[i] = jen.String().Call(values[i])
		}
	}
	call := jen.Options{Open: "(", Close: ")", Separator: ",", Multi: size(p.Names.Fields) > maxInlineBytes}
	f.declare(jen.Func().Params(receiver).Id("Messages").Params().
		Params(jen.Index().Add(vocabulary("Message")), jen.Error()).
		Block(jen.Return(f.name(p.Prompt).Dot("Render").Custom(call, values...))),
		comment("Messages renders the prompt. The error is a *catalog.ArgumentError.")...)
}

func (p *args) fieldType(i int) string {
	if t := p.Names.Choices[i].Type; t != "" {
		return t
	}
	return "string"
}

// doc is the comment of the arguments' type, here and where it is re-exported; and so
// is the next one.
func (p *args) doc() []string {
	return comment(p.Names.Args + " holds the arguments of the prompt " + strconv.Quote(p.ID) + ".")
}

func (p *args) choiceDoc(i int) []string {
	return comment(p.Names.Choices[i].Type + " is a choice for the argument " + strconv.Quote(p.Arguments[i].Name) + ".")
}

// fieldDoc keeps the author's words and adds what becomes of an omitted argument.
func (p *args) fieldDoc(i int) []string {
	a := &p.Arguments[i]
	omitted := "Optional."
	switch {
	case a.Required:
		omitted = "Required."
	case a.Default != "":
		omitted = "Optional, " + strconv.Quote(a.Default) + " if left out."
	}
	return comment(p.Names.Fields[i] + ": " + sentence(a.Description) + " " + omitted)
}
