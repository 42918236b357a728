// This file holds the pieces that Go files are put together from.

package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"strconv"

	"github.com/dave/jennifer/jen"
)

// catalogPath is the package that generated ones import.
const catalogPath = "github.com/seed33527553/promptc/catalog"

// A source is a Go file under construction.
type source struct {
	*jen.File
	pkg    pkg
	header string
	// doc is the package comment; most files have none.
	doc   []string
	texts *texts
	// constants are those that are declared so far and made of pieces.
	constants []constant
}

// newSource returns a file of package p that is made from a path.
func newSource(p pkg, from string) *source {
	f := jen.NewFile(p.Name)
	f.NoFormat = true
	f.ImportName(catalogPath, "catalog")
	return &source{File: f, pkg: p, header: header(from), texts: newTexts()}
}

// render returns the formatted bytes of the file under the given key.
func (f *source) render(key string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(f.header + "\n\n")
	for _, line := range f.doc {
		b.WriteString(line + "\n")
	}
	if err := f.File.Render(&b); err != nil {
		return nil, fmt.Errorf("emit: %w", err)
	}
	content, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("emit: package %s: %w in:\n%s", f.pkg.Name, err, b.Bytes())
	}
	content = f.fill(bytes.TrimSpace(content))
	return seal(append(content, "\n\n"...), key), nil
}

// fill puts the constants into the formatted file, in which their names have another
// value. Most of a file is text; formatting it, which changes nothing, would take half
// of the time of a full generation.
func (f *source) fill(content []byte) []byte {
	var filled []byte
	for i := range f.constants {
		c := &f.constants[i]
		// No authored text can make such a line: it is quoted, or behind slashes.
		before, after, _ := bytes.Cut(content, []byte("\n"+stand(c.name)+"\n"))
		filled = append(append(filled, before...), '\n')
		filled = appendConstant(filled, c)
		content = after
	}
	return append(filled, content...)
}

// stand is the declaration that stands where a constant is to be.
func stand(name string) string { return "const " + name + " = 0" }

// declare adds a declaration, with the lines of its comment before it.
func (f *source) declare(code jen.Code, doc ...string) {
	f.Line()
	for _, line := range doc {
		f.Op(line)
	}
	f.Add(code)
}

// declareTexts declares the constants for the texts that were used since it was last
// called.
func (f *source) declareTexts() {
	for _, c := range f.texts.undeclared {
		if c.names != nil {
			f.declare(jen.Const().Id(c.name).Op("=").Add(sum(c.names)))
		} else {
			f.declareConstant(c)
		}
	}
	f.texts.undeclared = nil
}

// declareConstant declares a constant that is made of pieces.
func (f *source) declareConstant(c constant) {
	f.declare(jen.Op(stand(c.name)))
	f.constants = append(f.constants, c)
}

// name refers to a symbol.
func (f *source) name(s symbol) *jen.Statement {
	if s.Package == f.pkg {
		return jen.Id(s.Name)
	}
	f.ImportName(s.Package.Path, s.Package.Name)
	return jen.Qual(s.Package.Path, s.Name)
}

// pointer refers to the prompt, skill or reference that a symbol stands for.
func (f *source) pointer(s symbol) *jen.Statement {
	if s.Package.shard() {
		return jen.Op("&").Add(f.name(s))
	}
	return f.name(s)
}

// address refers to a document.
func (f *source) address(d *document) *jen.Statement {
	return jen.Op("&").Add(f.name(d.Symbol))
}

// handle declares an exported variable for a prompt, skill or reference: a pointer,
// in a shard the value.
func (f *source) handle(name, typ string, body jen.Code, doc ...string) {
	s := jen.Var().Id(name).Op("=")
	if !f.pkg.shard() {
		s.Op("&")
	}
	f.declare(s.Add(vocabulary(typ), body), doc...)
}

// vocabulary refers to a name of package catalog.
func vocabulary(name string) *jen.Statement { return jen.Qual(catalogPath, name) }

// A block is the inside of a composite literal or const declaration: one element a
// line.
type block []jen.Code

// field adds a field of a struct.
func (b *block) field(key string, value jen.Code) {
	*b = append(*b, jen.Id(key).Op(":").Add(value))
}

// text adds a field of a struct that holds text, unless it is empty.
func (b *block) text(key, value string) {
	if value != "" {
		b.field(key, quote(value))
	}
}

// texts adds a field of a struct that holds several texts, unless there are none.
func (b *block) texts(key string, values []string) {
	if len(values) > 0 {
		b.field(key, stringList(values))
	}
}

// literal returns the braces of a composite literal and what is in them, one element
// a line.
func (b block) literal() *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, b...)
}

// inline returns the same on one line.
func (b block) inline() *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ","}, b...)
}

// maxInlineBytes is how much text a composite literal on one line holds.
const maxInlineBytes = 80

// fit returns the literal on one line if what is in it, of about n bytes, allows it.
func (b block) fit(n int) *jen.Statement {
	if n <= maxInlineBytes {
		return b.inline()
	}
	return b.literal()
}

// stringList returns a []string.
func stringList(values []string) *jen.Statement {
	var b block
	for _, v := range values {
		b = append(b, quote(v))
	}
	return jen.Index().String().Add(b.fit(size(values)))
}

// size returns how many bytes of Go a list of texts takes, about.
func size(values []string) int {
	n := 0
	for _, v := range values {
		n += len(v) + len(`"", `)
	}
	return n
}

// number returns an integer.
func number(n int64) *jen.Statement { return jen.Op(strconv.FormatInt(n, 10)) }
