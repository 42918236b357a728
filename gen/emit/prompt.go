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

	if p.Args.Package == p.Package {
		p.Args.declare(f)
	}
	f.handle(p.Names.Prompt, "Prompt", p.literal(f), p.doc()...)
	f.declareTexts()
	p.Document.declare(f, document)
	return f.render(key)
}

// literal returns the value of the prompt.
func (p *prompt) literal(f *source) jen.Code {
	v := p.Prompt
	var b block
	b.text("ID", v.ID)
	b.text("Source", v.Source)
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

// doc is the comment of the prompt's variable, here and where it is re-exported.
func (p *prompt) doc() []string {
	return comment(p.Names.Prompt + " is the prompt " + strconv.Quote(p.Prompt.ID) + ": " + sentence(p.Prompt.Description))
}
