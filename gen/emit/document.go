// This file holds what is emitted for documents.

package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/seed33527553/promptc/catalog"
)

// literal returns the value of the document. The constants for its text are among
// the file's then.
func (d *document) literal(f *source) jen.Code {
	v := d.Document
	split := lines
	var b block
	b.text("Path", v.Path)
	b.text("Source", v.Source)
	b.text("Origin", v.Origin)
	b.text("Title", v.Title)
	switch v.MIMEType {
	case catalog.Markdown:
		b.field("MIMEType", vocabulary("Markdown"))
	case catalog.JSON:
		b.field("MIMEType", vocabulary("JSON"))
		split = jsonLines
	default:
		b.text("MIMEType", v.MIMEType)
	}
	if v.Size != 0 {
		b.field("Size", number(int64(v.Size)))
	}
	b.text("Digest", v.Digest)
	if len(v.Text) > 0 {
		var parts block
		n := 0
		for _, part := range v.Text {
			parts = append(parts, f.texts.use(d.textStem(), part, split))
			n += min(len(part), maxLiteralBytes)
		}
		b.field("Text", jen.Index().String().Add(parts.fit(n)))
	}
	return b.literal()
}

// textStem is the start of the names of constants for text. No other package uses
// them.
func (d *document) textStem() string { return uncapital(d.Stem) }

// declare declares the document, after its text and the entries that lead to it. The
// document is last because gofmt would indent the file's last line after a sum.
func (d *document) declare(f *source, literal jen.Code) {
	doc := d.Symbol.Name + " is " + d.Document.Path + "."
	if d.Document.Path == "" {
		doc = d.Symbol.Name + " is read at " + d.URI + "."
	}
	f.declareTexts()
	for _, e := range d.Entries {
		f.declareConstant(constant{name: e.Symbol.Name, pieces: jsonLines(e.JSON)})
	}
	f.declare(jen.Var().Id(d.Symbol.Name).Op("=").Add(vocabulary("Document"), literal), comment(doc)...)
}

// A documentFile is what a file of documents that belong to no prompt or skill is
// made of.
type documentFile struct {
	Package   pkg
	Source    string
	Documents []*document
}

// render prints the file.
func (u *documentFile) render(key string) ([]byte, error) {
	f := newSource(u.Package, u.Source)
	for _, d := range u.Documents {
		d.declare(f, d.literal(f))
	}
	return f.render(key)
}
