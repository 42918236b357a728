// This file holds what is emitted for a prompt.

package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/seed33527553/promptc/catalog"
)

// render prints the prompt's file.
func (p *prompt) render(key string) ([]byte, error) {
	f := newSource(p.Package, p.Source)
	// First, so that the constants are numbered as their texts stand in the PROMPT.md.
	document := p.Document.literal(f)

	p.declareTypes(f)
	p.declareMessages(f)
	f.handle(p.Names.Prompt, "Prompt", p.literal(f), p.doc()...)
	f.declareTexts()
	p.Document.declare(f, document)
	return f.render(key)
}

// declareTypes declares the types that the prompt's callers use.
func (p *prompt) declareTypes(f *source) {
	fields := make([]jen.Code, 0, 2*len(p.Prompt.Arguments))
	for i := range p.Prompt.Arguments {
		for _, line := range p.fieldDoc(i) {
			fields = append(fields, jen.Op(line))
		}
		fields = append(fields, jen.Id(p.Names.Fields[i]).Id(p.fieldType(i)))
	}
	f.declare(jen.Type().Id(p.Names.Args).Struct(fields...), p.argsDoc()...)

	for i := range p.Prompt.Arguments {
		choices := p.Names.Choices[i]
		if choices.Type == "" {
			continue
		}
		f.declare(jen.Type().Id(choices.Type).String(), p.choiceDoc(i)...)
		constants := make([]jen.Code, len(choices.Constants))
		for j, name := range choices.Constants {
			constants[j] = jen.Id(name).Id(choices.Type).Op("=").Add(quote(p.Prompt.Arguments[i].Choices[j]))
		}
		f.declare(jen.Const().Defs(constants...))
	}
}

func (p *prompt) fieldType(i int) string {
	if t := p.Names.Choices[i].Type; t != "" {
		return t
	}
	return "string"
}

// declareMessages declares the method that renders the prompt.
func (p *prompt) declareMessages(f *source) {
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
		Block(jen.Return(jen.Id(p.Names.Prompt).Dot("Render").Custom(call, values...))),
		comment("Messages renders the prompt. The error is a *catalog.ArgumentError.")...)
}

// literal returns the value of the prompt.
func (p *prompt) literal(f *source) jen.Code {
	v := p.Prompt
	var b block
	b.text("ID", v.ID)
	b.text("Version", v.Version)
	b.text("Title", v.Title)
	b.text("Description", v.Description)
	b.text("Category", v.Category)
	b.texts("Tags", v.Tags)
	if len(v.Arguments) > 0 {
		var arguments block
		for i := range v.Arguments {
			arguments = append(arguments, argument(&v.Arguments[i]))
		}
		b.field("Arguments", jen.Index().Add(vocabulary("Argument"), arguments.literal()))
	}
	if len(v.Messages) > 0 {
		var messages block
		for i := range v.Messages {
			messages = append(messages, p.message(f, &v.Messages[i]))
		}
		b.field("Messages", jen.Index().Add(vocabulary("Template"), messages.literal()))
	}
	b.field("Document", f.address(p.Document))
	b.field("Entry", f.name(p.Document.Entries[0].Symbol))
	return b.literal()
}

func argument(a *catalog.Argument) jen.Code {
	var b block
	b.text("Name", a.Name)
	b.text("Description", a.Description)
	if a.Required {
		b.field("Required", jen.True())
	}
	b.texts("Choices", a.Choices)
	b.text("Default", a.Default)
	return b.fit(len(a.Name) + len(a.Description) + len(a.Default) + size(a.Choices))
}

func (p *prompt) message(f *source, t *catalog.Template) jen.Code {
	// Custom puts a comma after an element, and so after a comment that follows
	// it.
	segments := jen.Op("{").Line()
	for _, s := range t.Segments {
		var b block
		if s.Text != "" {
			b.field("Text", f.texts.use(p.Document.textStem(), s.Text, lines))
		}
		if s.Argument != 0 {
			b.field("Argument", number(int64(s.Argument)))
		}
		segments.Add(b.inline()).Op(",")
		if i := s.Argument - 1; 0 <= i && i < len(p.Prompt.Arguments) {
			segments.Op("// " + printable(p.Prompt.Arguments[i].Name))
		}
		segments.Line()
	}
	segments.Op("}")

	var b block
	switch t.Role {
	case catalog.User:
		b.field("Role", vocabulary("User"))
	case catalog.Assistant:
		b.field("Role", vocabulary("Assistant"))
	default:
		b.text("Role", string(t.Role))
	}
	if len(t.Segments) > 0 {
		b.field("Segments", jen.Index().Add(vocabulary("Segment"), segments))
	}
	return b.inline()
}

// doc is the comment of the prompt's variable, here and where it is re-exported; and
// so are the following ones.
func (p *prompt) doc() []string {
	return comment(p.Names.Prompt + " is the prompt " + strconv.Quote(p.Prompt.ID) + ": " + sentence(p.Prompt.Description))
}

func (p *prompt) argsDoc() []string {
	return comment(p.Names.Args + " holds the arguments of the prompt " + strconv.Quote(p.Prompt.ID) + ".")
}

func (p *prompt) choiceDoc(i int) []string {
	return comment(p.Names.Choices[i].Type + " is a choice for the argument " + strconv.Quote(p.Prompt.Arguments[i].Name) + ".")
}

// fieldDoc keeps the author's words and adds what becomes of an omitted argument.
func (p *prompt) fieldDoc(i int) []string {
	a := &p.Prompt.Arguments[i]
	omitted := "Optional."
	switch {
	case a.Required:
		omitted = "Required."
	case a.Default != "":
		omitted = "Optional, " + strconv.Quote(a.Default) + " if left out."
	}
	return comment(p.Names.Fields[i] + ": " + sentence(a.Description) + " " + omitted)
}
